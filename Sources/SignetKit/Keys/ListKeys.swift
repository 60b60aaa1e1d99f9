import Base
import CMSKit
import CryptoBridge
import KeyBridge
import SystemBridge
import TrustKit

/// A token with its visible keys.
public struct ListedToken: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.key-list/1"
    /// Path of the PKCS#11 module.
    public let module: String
    /// The module's name in the system configuration.
    public let moduleName: String?
    /// Reason why the module is not usable (then there is no token), or why the login failed; nil
    /// for none.
    public let problem: String?
    /// The token's label; nil if the slot is empty.
    public let token: String?
    /// Manufacturer of the token, from its module.
    public let manufacturer: String?
    /// Model of the token, from its module.
    public let model: String?
    /// Serial number of the token, from its module.
    public let serial: String?
    /// A URI (RFC 7512) of the token.
    public let uri: String?
    /// States of the token, such as `few PIN tries left` and `PIN pad`.
    public let flags: [String]
    /// Whether private keys are visible only after a login that was not requested. If the PIN
    /// itself is locked, `flags` contain that.
    public let isLocked: Bool
    /// Same value as ``isLocked``, with an unambiguous name.
    public let needsLogin: Bool
    /// Visible keys. Private keys are often visible only after a login.
    public private(set) var keys: [Key]
    /// Number of objects that could not be read.
    public let unreadable: Int

    /// A key, with its certificate on the token.
    public struct Key: Encodable, Sendable {
        /// URI of the key, for `--key`.
        public let uri: String
        /// Kind and size of the key, such as `EC P-256`; nil if unknown.
        public let algorithm: String?
        /// Subject of the certificate in RFC 4514 form; nil without one.
        public let subject: String?
        /// Issuer of the certificate in RFC 4514 form; nil without one.
        public let issuer: String?
        /// End of the certificate's validity, inclusive.
        public let notAfter: Moment?
        /// Key usages by RFC 5280 §4.2.1.3 names; nil without restriction or certificate.
        public let keyUsage: [String]?
        /// Reason why the key cannot sign documents; nil if it can.
        public let problem: String?
        /// Short URI of the key, for people. It may become ambiguous when keys are added. Nil if
        /// the token's label or the key's name is missing or ambiguous.
        public internal(set) var shortURI: String?

        private enum CodingKeys: CodingKey {
            case uri, algorithm, subject, issuer, notAfter, keyUsage, problem
        }
    }

    /// A URI of the token without its model and manufacturer, for people.
    public var shortURI: String? {
        guard let uri, var short = try? PKCS11URI(uri) else { return nil }
        (short[.model], short[.manufacturer]) = (nil, nil)
        return short.text
    }

    /// Sets the short URI from the token's unique label and the key's name.
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

/// A signing service with the keys of an account.
public struct ListedService: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.service-key-list/1"
    /// URL of the service.
    public let service: String
    /// Keys of the account.
    public let keys: [ListedToken.Key]
}

/// Lists keys on the tokens of this system, on tokens that match a URI, or in a service.
public struct ListKeys: Sendable {
    /// Whether keys that are visible only after a login are listed too.
    public var logsIn = false

    public init() {}

    /// Whether a text is a PKCS#11 URI, not a file.
    public static func canParse(_ text: String) -> Bool { PKCS11URI.canParse(text) }

    /// Lists the tokens with their keys.
    ///
    /// - Parameters:
    ///   - text: a PKCS#11 URI; nil lists all tokens.
    ///   - passphrase: PINs for logins.
    /// - Throws: ``SignetError``.
    public func run(_ text: String?, passphrase: PassphraseSource) throws -> [ListedToken] {
        var listed: [ListedToken] = []
        try run(text, passphrase: passphrase) { listed.append($0) }
        return listed
    }

    /// Calls `tell` for one token after the other. After a failed login the other tokens are still
    /// listed: the failure is reported with its token, and the first one is thrown at the end.
    ///
    /// - Throws: ``SignetError``, also before any login if a PIN from a file or a variable would be
    ///   sent to several tokens.
    public func run(
        _ text: String?, passphrase: PassphraseSource, _ tell: (ListedToken) throws -> Void
    ) throws { try finding { try list(text ?? PKCS11URI.scheme, passphrase, tell) } }

    /// Whether a text is the URI of a signing service, or of a key in it.
    public static func isService(_ text: String) -> Bool { ServiceURI.canParse(text) }

    /// Lists the keys of a signing service.
    ///
    /// - Parameter text: `csc:https://…`, with or without a credential.
    /// - Throws: ``SignetError``.
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
                        return [Self.describe(credential, uri: uri.naming(id).text)]
                    } catch let failure as SigningFailure where failure.code != .unavailable {
                        return [Self.unusable(uri.naming(id).text, because: failure.detail)]
                    }
                })
        }
    }

    private static func describe(
        _ credential: ServiceCredential, uri: String
    ) -> ListedToken.Key {
        guard let certificate = credential.certificates.first, let key = try? certificate.publicKey
        else { return unusable(uri, because: "no certificate") }
        return describe(key, certificate, uri)
    }

    private static func unusable(_ uri: String, because problem: String) -> ListedToken.Key {
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
        if meant.isEmpty, !seen.isEmpty { throw TokenFinder.noToken(among: seen, for: uri) }
        let distinct = Token.distinct(meant)
        if logsIn {
            try Self.requireOneRecipient(distinct, pins: pins)
            for token in distinct { try token.requireNamed(pins) }
        }
        var refusal: (any Error)?
        for (known, tokens) in found {
            switch tokens {
            case .failure(let failure): try tell(Self.broken(known, because: failure))
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

    /// Rejects a given PIN for several tokens: on the others it would be a failed attempt.
    private static func requireOneRecipient(_ tokens: [Token], pins: PINSource) throws {
        let recipients = tokens.filter(\.takesGivenPIN)
        guard pins.isGiven, recipients.count > 1 else { return }
        throw SigningFailure(
            .usage,
            "one PIN is given, but \(recipients.count) tokens match: "
                + recipients.map { "'\($0.info.label)'" }.joined(separator: ", "),
            hint: Sentence(.nameToken))
    }

    /// Logs in to a token.
    ///
    /// - Returns: the error; nil if the login succeeds.
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
            return Self.broken(known, because: failure)
        }
    }

    private static func broken(
        _ known: TokenModules.Known, because failure: SigningFailure
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
