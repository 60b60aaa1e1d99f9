import ByteKit
import CMSKit
import CryptoBridge
import FileBridge
import RemoteSigning
import TokenBridge
import TrustKit

/// A token with the keys that can be seen on it.
public struct ListedToken: Encodable, Sendable {
    public let schema = "signet.key-list/1"
    /// The module's file.
    public let module: String
    /// Its name in the system's configuration.
    public let moduleName: String?
    /// Why nothing can be said about the module; then there is no token.
    public let problem: String?
    public let token: String?
    public let manufacturer: String?
    public let model: String?
    public let serial: String?
    /// A URI (RFC 7512) of the token.
    public let uri: String?
    /// `few PIN tries left`, `PIN pad`, …
    public let flags: [String]
    /// Private keys are seen only after a login, which was not asked for. The PIN itself may still
    /// be tried: `flags` say so where it may not.
    public let isLocked: Bool
    /// The same by a name that cannot be mistaken.
    public let needsLogin: Bool
    public let keys: [Key]
    /// Objects that could not be read.
    public let unreadable: Int

    /// A key, with the certificate beside it.
    public struct Key: Encodable, Sendable {
        /// To be given to `--key`.
        public let uri: String
        /// `EC P-256`; nil where nothing tells.
        public let algorithm: String?
        public let subject: String?
        public let issuer: String?
        /// RFC 3339.
        public let notAfter: String?
        /// Names of RFC 5280 §4.2.1.3; nil for no restriction or no certificate.
        public let keyUsage: [String]?
        /// Why documents cannot be signed with it; nil when they can.
        public let problem: String?
    }
}

/// A signing service with the keys that a login may use there.
public struct ListedService: Encodable, Sendable {
    public let schema = "signet.service-key-list/1"
    /// Its address.
    public let service: String
    public let keys: [ListedToken.Key]
}

/// Lists the keys on the tokens of this system, or on those that a URI means, or at a service.
public struct ListKeys: Sendable {
    /// Also what is seen only after logging in.
    public var logsIn = false

    public init() {}

    /// Whether a text is the name of keys on tokens, not of a file.
    public static func isMeant(by text: String) -> Bool { PKCS11URI.isMeant(by: text) }

    /// - Parameters:
    ///   - text: a PKCS#11 URI; nil is all there is.
    ///   - passphrase: PINs, where it logs in.
    public func run(_ text: String?, passphrase: PassphraseSource) throws -> [ListedToken] {
        do {
            return try list(text ?? PKCS11URI.scheme, passphrase)
        } catch let failure as SigningFailure {
            throw SignetError(failure)
        }
    }

    /// Whether a text is the name of a signing service, or of a key there.
    public static func isService(_ text: String) -> Bool { ServiceURI.isMeant(by: text) }

    /// - Parameter text: `csc:https://…`, with or without a credential.
    public func run(service text: String, options: ServiceOptions) throws -> ListedService {
        do {
            let uri = try ServiceURI(text)
            let client = try ServiceFinder(
                uri: uri, passphrase: .environment(""), options: options
            ).client()
            let ids = try uri.credential.map { [$0] } ?? ServiceCredential.all(of: client)
            return ListedService(
                service: uri.base,
                keys: try ids.flatMap { id in
                    do {
                        let credential = try ServiceCredential(client, id: id)
                        return [Self.describe(credential, uri.naming(id).text)]
                    } catch let failure as SigningFailure where failure.code != .unavailable {
                        return [Self.unusable(uri.naming(id).text, failure.detail)]
                    }
                })
        } catch let failure as SigningFailure {
            throw SignetError(failure)
        }
    }

    private static func describe(
        _ credential: ServiceCredential, _ uri: String
    ) -> ListedToken.Key {
        guard let certificate = credential.certificates.first, let key = try? certificate.publicKey
        else { return unusable(uri, "no certificate") }
        return describe(key, certificate, uri)
    }

    private static func unusable(_ uri: String, _ problem: String) -> ListedToken.Key {
        ListedToken.Key(
            uri: uri, algorithm: nil, subject: nil, issuer: nil, notAfter: nil, keyUsage: nil,
            problem: problem)
    }

    private func list(_ text: String, _ passphrase: PassphraseSource) throws -> [ListedToken] {
        let uri = try PKCS11URI(text)
        let pins = PINSource(passphrase, pinFile: uri.pinFile)
        var listed: [ListedToken] = []
        for known in try TokenModules.modules(for: uri) {
            do {
                for (module, _) in try TokenModules.load([known]) {
                    for token in try module.presentTokens() where token.matches(uri) {
                        if logsIn { try token.logIn(pins, subject: nil) }
                        listed.append(try describe(token, uri, known))
                    }
                }
            } catch let failure as SigningFailure where failure.code != .refused {
                listed.append(Self.broken(known, failure))
            }
        }
        return listed
    }

    private static func broken(
        _ known: TokenModules.Known, _ failure: SigningFailure
    ) -> ListedToken {
        ListedToken(
            module: known.path, moduleName: known.name, problem: failure.detail, token: nil,
            manufacturer: nil, model: nil, serial: nil, uri: nil, flags: [], isLocked: false,
            needsLogin: false,
            keys: [], unreadable: 0)
    }

    private func describe(
        _ token: Token, _ uri: PKCS11URI, _ known: TokenModules.Known
    ) throws -> ListedToken {
        let contents = try token.contents()
        let keys = token.candidates(for: uri, in: contents)
        func named(_ uri: PKCS11URI) -> String {
            var uri = uri
            if let name = known.name { (uri.moduleName, uri.modulePath) = (name, nil) }
            return uri.text
        }
        return ListedToken(
            module: known.path, moduleName: known.name, problem: nil, token: token.info.label,
            manufacturer: token.info.manufacturer, model: token.info.model,
            serial: token.info.serial, uri: named(token.uri), flags: token.info.flags.words,
            isLocked: token.needsLogin, needsLogin: token.needsLogin,
            keys: keys.flatMap { key in
                key.certificates.isEmpty
                    ? [Self.describe(key.publicKey, nil, named(key.uri))]
                    : key.certificates.map { Self.describe(key.publicKey, $0, named(key.uri)) }
            }, unreadable: contents.unreadable)
    }

    private static func describe(
        _ key: PublicKey?, _ certificate: Certificate?, _ uri: String
    ) -> ListedToken.Key {
        var problem: String? = "no certificate"
        if let certificate, let publicKey = key {
            problem =
                SigningEligibility.check(
                    certificate: certificate, key: publicKey, at: SystemClock.now(),
                    purpose: .documents
                ).refusals.first?.message
        }
        return ListedToken.Key(
            uri: uri, algorithm: key?.algorithm.description,
            subject: certificate?.subject.description, issuer: certificate?.issuer.description,
            notAfter: certificate?.notAfter.rfc3339, keyUsage: certificate?.keyUsage?.names,
            problem: problem)
    }
}
