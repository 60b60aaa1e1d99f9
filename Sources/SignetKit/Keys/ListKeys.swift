import Base
import CMSKit
import CryptoBridge
import KeyBridge
import SystemBridge
import TrustKit

/// A token with the keys that can be seen on it.
public struct ListedToken: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.key-list/1"
    /// The module's file.
    public let module: String
    /// Its name in the system's configuration.
    public let moduleName: String?
    /// Why nothing can be said about the module, then there is no token; or why the token let
    /// nobody in.
    public let problem: String?
    /// The token's label; nil where there is none in the slot.
    public let token: String?
    /// Of the token, as its module names it.
    public let manufacturer: String?
    /// Of the token, as its module names it.
    public let model: String?
    /// Of the token, as its module names it.
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
    /// Those that can be seen: private ones often only after the login.
    public private(set) var keys: [Key]
    /// Objects that could not be read.
    public let unreadable: Int

    /// A key, with the certificate beside it.
    public struct Key: Encodable, Sendable {
        /// To be given to `--key`.
        public let uri: String
        /// `EC P-256`; nil where nothing tells.
        public let algorithm: String?
        /// Of the certificate, as RFC 4514 writes it; nil without one.
        public let subject: String?
        /// Of the certificate, as RFC 4514 writes it; nil without one.
        public let issuer: String?
        /// The last second that the certificate is for.
        public let notAfter: Moment?
        /// Names of RFC 5280 §4.2.1.3; nil for no restriction or no certificate.
        public let keyUsage: [String]?
        /// Why documents cannot be signed with it; nil when they can.
        public let problem: String?
        /// As much of the URI as names this key alone, for people: what is there later may have the
        /// same name. Nil where that is no less.
        public internal(set) var shortURI: String?

        private enum CodingKeys: CodingKey {
            case uri, algorithm, subject, issuer, notAfter, keyUsage, problem
        }
    }
}

extension ListedToken {
    /// Names keys by the token's label, which no other one has, and their own.
    fileprivate mutating func shorten(_ token: Token) {
        guard let label = token.uri[.token], !label.isEmpty else { return }
        let labels = keys.map { (key) -> [UInt8]? in
            guard let uri = try? PKCS11URI(key.uri), uri[.type] == Array("private".utf8) else {
                return nil
            }
            return uri[.object]
        }
        for index in keys.indices {
            guard let own = labels[index], labels.count(where: { $0 == own }) == 1 else { continue }
            var uri = PKCS11URI()
            uri[.token] = label
            uri[.object] = own
            keys[index].shortURI = uri.text
        }
    }
}

/// A signing service with the keys that a login may use there.
public struct ListedService: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.service-key-list/1"
    /// Its address.
    public let service: String
    /// Those of the account.
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
        var listed: [ListedToken] = []
        try run(text, passphrase: passphrase) { listed.append($0) }
        return listed
    }

    /// Hands over one token after the other. A token that lets nobody in keeps nobody from the
    /// others: it says so, and the first such refusal is thrown at the end.
    ///
    /// - Throws: ``SignetError`` besides when a PIN that a file or a variable holds would be sent to
    ///   several tokens: then none is logged in to.
    public func run(
        _ text: String?, passphrase: PassphraseSource, _ tell: (ListedToken) throws -> Void
    ) throws { try finding { try list(text ?? PKCS11URI.scheme, passphrase, tell) } }

    /// Whether a text is the name of a signing service, or of a key there.
    public static func isService(_ text: String) -> Bool { ServiceURI.isMeant(by: text) }

    /// - Parameter text: `csc:https://…`, with or without a credential.
    public func run(service text: String, options: ServiceOptions) throws -> ListedService {
        try finding {
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

    private func list(
        _ text: String, _ passphrase: PassphraseSource, _ tell: (ListedToken) throws -> Void
    ) throws {
        let uri = try PKCS11URI(text)
        let pins = PINSource(passphrase, uri)
        var found: [(known: TokenModules.Known, tokens: Result<[Token], SigningFailure>)] = []
        for known in try TokenModules.modules(for: uri) {
            do {
                let loaded = try TokenModules.load([known])
                let tokens = try loaded.flatMap { try $0.module.presentTokens() }
                found.append((known, .success(tokens)))
            } catch let failure as SigningFailure where failure.code != .refused {
                found.append((known, .failure(failure)))
            }
        }
        let seen = found.flatMap { (try? $0.tokens.get()) ?? [] }
        let meant = seen.filter { $0.matches(uri) }
        if meant.isEmpty, !seen.isEmpty { throw TokenFinder.noToken(among: seen) }
        let distinct = Token.distinct(meant)
        if logsIn { try Self.requireOneRecipient(distinct, pins) }
        var refusal: (any Error)?
        for (known, tokens) in found {
            switch tokens {
            case .failure(let failure): try tell(Self.broken(known, failure))
            case .success(let tokens):
                for token in tokens where token.matches(uri) {
                    let isFirst = distinct.contains { $0 === token }
                    let refused = logsIn && isFirst ? Self.refusal(of: token, pins) : nil
                    refusal = refusal ?? refused
                    let namesakes = Token.distinct(seen).filter {
                        $0.info.label == token.info.label
                    }
                    var answer = try listed(token, uri, known, refused)
                    if namesakes.count == 1, uri.modulePath == nil, uri.moduleName == nil {
                        answer.shorten(token)
                    }
                    try tell(answer)
                }
            }
        }
        if let refusal { throw refusal }
    }

    /// A PIN is one token's: on the others it would be a wrong try.
    private static func requireOneRecipient(_ tokens: [Token], _ pins: PINSource) throws {
        let recipients = tokens.filter(\.takesGivenPIN)
        guard pins.isGiven, recipients.count > 1 else { return }
        throw SigningFailure(
            .usage,
            "one PIN is given, and there are \(recipients.count) tokens: "
                + recipients.map { "'\($0.info.label)'" }.joined(separator: ", "),
            hint: Sentence(.nameToken))
    }

    /// - Returns: nil when it lets in.
    private static func refusal(of token: Token, _ pins: PINSource) -> (any Error)? {
        do {
            try token.logIn(pins, subject: nil)
            return nil
        } catch {
            return error
        }
    }

    private func listed(
        _ token: Token, _ uri: PKCS11URI, _ known: TokenModules.Known, _ refusal: (any Error)?
    ) throws -> ListedToken {
        let problem = refusal.map { SignetError(reading: token.info.label, $0).message }
        do {
            return try describe(token, uri, known, problem)
        } catch let failure as SigningFailure where failure.code != .refused {
            return Self.broken(known, failure)
        }
    }

    private static func broken(
        _ known: TokenModules.Known, _ failure: SigningFailure
    ) -> ListedToken {
        ListedToken(
            module: known.path, moduleName: known.name, problem: failure.detail, token: nil,
            manufacturer: nil, model: nil, serial: nil, uri: nil, flags: [], isLocked: false,
            needsLogin: false, keys: [], unreadable: 0)
    }

    private func describe(
        _ token: Token, _ uri: PKCS11URI, _ known: TokenModules.Known, _ problem: String?
    ) throws -> ListedToken {
        let contents = try token.contents()
        let keys = token.candidates(for: uri, in: contents)
        func named(_ uri: PKCS11URI) -> String {
            var uri = uri
            if let name = known.name { (uri.moduleName, uri.modulePath) = (name, nil) }
            return uri.text
        }
        return ListedToken(
            module: known.path, moduleName: known.name, problem: problem, token: token.info.label,
            manufacturer: token.info.manufacturer, model: token.info.model,
            serial: token.info.serial, uri: named(token.uri), flags: token.info.flags.words,
            isLocked: token.needsLogin, needsLogin: token.needsLogin,
            keys: keys.flatMap { key in
                key.certificates.isEmpty
                    ? [Self.describe(key.publicKey, nil, named(key.uri))]
                    : key.certificates.map {
                        Self.describe(key.publicKey, $0, named(key.uri(of: $0)))
                    }
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
            notAfter: certificate?.notAfter.moment, keyUsage: certificate?.keyUsage?.names,
            problem: problem)
    }
}
