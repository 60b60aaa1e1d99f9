import CMSKit
import CryptoBridge
import KeyBridge
import NetworkBridge
import Synchronization
import SystemBridge

struct ServiceFinder {
    let uri: ServiceURI
    let passphrase: PassphraseSource
    let options: ServiceOptions

    /// Connects to the service; only the login is needed.
    func client() throws -> ServiceClient {
        var settings = TLSSettings()
        if let trust = options.trust { settings.anchors = try .certificates(in: trust) }
        let channel = try ServiceChannel(
            uri.base, settings: settings, allowsUnencrypted: options.allowsUnencrypted,
            timeLimit: options.timeLimit)
        return try ServiceClient(
            uri, channel, login: try login(), application: try application())
    }

    /// - Parameter given: given certificates, possibly including the key's.
    func find(given: [Certificate]) throws -> OpenedKey {
        let client = try client()
        let credential = try ServiceCredential(client)
        let own = credential.certificates
        guard let leaf = own.first ?? given.first(where: { !$0.isCA }) ?? given.first else {
            throw SigningFailure(
                .missing, "the signing service has no certificate of the key",
                hint: Sentence(.giveCertificate))
        }
        let certificate = given.first { (try? $0.publicKey) == (try? leaf.publicKey) } ?? leaf
        let publicKey = try certificate.publicKey
        guard !publicKey.algorithm.signsMessages else {
            throw SigningFailure(
                .unsupported,
                "the key at the signing service is \(publicKey.algorithm), which cannot sign the hashes "
                    + "that signing services receive")
        }
        let key = ServiceKey(
            client, credential, publicKey: publicKey,
            subject: certificate.subject.description, secrets: secrets())
        return OpenedKey(keys: [key], certificates: given + own, name: uri.text)
    }

    private func login() throws -> ServiceLogin {
        if let token = options.token { return .token { try token.read(as: "service-token") } }
        if let user = options.user {
            guard let password = options.password else {
                throw SigningFailure(
                    .usage, "the user name requires a password",
                    hint: Sentence(.useSecret, "service-password"))
            }
            return .basic(user: try Self.name(user)) { try password.read(as: "service-password") }
        }
        return options.clientID == nil ? .none : .application
    }

    private func application() throws -> ServiceApplication? {
        guard let id = options.clientID else { return nil }
        let secret = options.clientSecret
        var application = ServiceApplication(id: try Self.clientName(id)) {
            guard let secret else {
                throw SigningFailure(
                    .usage, "the client ID requires a client secret",
                    hint: Sentence(.useSecret, "service-client-secret"))
            }
            return try secret.read(as: "service-client-secret")
        }
        if let secret {
            if case .person = secret {} else { application.hasSecret = true }
        }
        application.redirect = options.redirect
        application.server = options.authorizationServer
        if case .person(let ask)? = options.redirectedURL {
            application.answer = { try ask($0).secret }
        }
        if options.keepsLogin { application.folder = try Self.loginFolder() }
        return application
    }

    /// The folder of stored refresh tokens.
    private static func loginFolder() throws -> String {
        let state =
            ProcessEnvironment.absolutePath("XDG_STATE_HOME")
            ?? ProcessEnvironment.absolutePath("HOME").map { $0 + "/.local/state" }
        guard let state else {
            throw SignetError(
                .usage, "no folder for stored logins is available", hint: Sentence(.setStateHome))
        }
        return state + "/signet/logins"
    }

    /// Rejects names with a colon or control characters, which basic authentication does not permit
    /// (RFC 7617 §2).
    private static func name(_ text: String) throws -> String {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: ":") }) else {
            throw SigningFailure(.usage, "'\(text)' is not a valid user name")
        }
        return text
    }

    /// Rejects a malformed client identifier (RFC 6749 Appendix A.1).
    private static func clientName(_ text: String) throws -> String {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw SigningFailure(.usage, "'\(text)' is not a valid client identifier")
        }
        return text
    }

    private func secrets() -> ServiceSecrets {
        let passphrase = passphrase
        let codes = options.otp.map(OneTimePasswords.init)
        return ServiceSecrets(
            pin: { question in
                if case .person(let ask) = passphrase { return try ask(question).secret }
                return try passphrase.readLines().first
            },
            otp: { question in
                if let codes { return try codes.next() }
                guard case .person(let ask) = passphrase else {
                    throw SigningFailure(
                        .refused, "the key requires a one-time password",
                        hint: Sentence(.useSecret, "otp"))
                }
                return try ask(question).secret
            })
    }
}

extension TLSSettings.Anchors {
    /// Trust anchors from a file, which must contain at least one certificate.
    static func certificates(in file: String) throws -> TLSSettings.Anchors {
        let anchors = try SigningCredential.readCertificates(file)
        guard !anchors.isEmpty else {
            throw SignetError(.malformedInput, file: file, "the file contains no certificate")
        }
        return .certificates(anchors.flatMap(\.pem))
    }
}

/// One-time passwords: the lines of a file in sequence, or the only value of a variable.
private final class OneTimePasswords: Sendable {
    private let source: PassphraseSource
    private let rest = Mutex<[SecretBytes]?>(nil)

    init(_ source: PassphraseSource) { self.source = source }

    func next() throws -> SecretBytes {
        try rest.withLock { known in
            var left = try known ?? source.allLines()
            guard !left.isEmpty else {
                throw SigningFailure(
                    .refused, "the key requires another one-time password",
                    hint: Sentence(.giveOneTimePasswords))
            }
            let code = left.removeFirst()
            known = left
            return code
        }
    }
}
