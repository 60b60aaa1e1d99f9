import ByteKit
import CMSKit
import CryptoBridge
import FileBridge
import Synchronization
import TokenBridge
import TrustKit

/// Finds the key that a PKCS#11 URI means, with its certificates. Nobody guesses between two.
struct TokenFinder {
    let text: String
    let uri: PKCS11URI
    let pins: PINSource
    /// What the certificate is to be good for; nil where none is needed.
    let purpose: SignerPolicy.Purpose?

    init(_ text: String, passphrase: PassphraseSource, purpose: SignerPolicy.Purpose?) throws {
        self.text = text
        uri = try PKCS11URI(text)
        if !uri.unknownQueries.isEmpty {
            Notices.say(
                "the PKCS#11 URI's \(uri.unknownQueries.joined(separator: ", ")) means nothing here"
            )
        }
        pins = PINSource(passphrase, pinFile: uri.pinFile)
        self.purpose = purpose
        let types: [[UInt8]] = [Array("private".utf8), Array("cert".utf8)]
        guard uri[.type].map(types.contains) ?? true else {
            throw SigningFailure(
                .usage, "the PKCS#11 URI means no private key",
                advice: .token(.leaveOutObjectType))
        }
    }

    /// - Parameter given: certificates from elsewhere, one of which is the key's.
    func find(given: [Certificate]) throws -> OpenedKey {
        let tokens = try tokens()
        var all: [(candidate: TokenCandidate, contents: TokenContents)] = []
        for token in tokens {
            let contents = try token.contents()
            all += token.candidates(for: uri, in: contents).map { ($0, contents) }
        }
        if all.isEmpty, let token = tokens.first, tokens.count == 1, token.needsLogin {
            // Some tokens show nothing before.
            try token.logIn(pins, subject: nil)
            let contents = try token.contents()
            all = token.candidates(for: uri, in: contents).map { ($0, contents) }
        }
        guard !all.isEmpty else { throw noKey(on: tokens) }
        let chosen =
            given.isEmpty
            ? try choose(among: all.map(\.candidate))
            : try choose(among: all.map(\.candidate), for: given)
        guard let key = chosen.certificate.flatMap({ try? $0.publicKey }) ?? chosen.key.publicKey
        else {
            throw SigningFailure(
                .missing, "nothing on the token says which public key this key has",
                advice: .key(.giveItsCertificate))
        }
        let subject = chosen.certificate.map(Self.describe)
        let others = all.first { $0.candidate.token === chosen.key.token }?.contents.certificates
        return OpenedKey(
            key: TokenKey(chosen.key, publicKey: key, subject: subject, pins: pins),
            certificates: ([chosen.certificate].compactMap { $0 }) + given
                + (others ?? []).map(\.certificate),
            name: chosen.key.uri.text)
    }

    static func describe(_ certificate: Certificate) -> String {
        let name = certificate.subject.commonName ?? certificate.subject.description
        return "\(name), valid to \(certificate.notAfter.rfc3339.prefix(10))"
    }

    /// The one token that the URI means, and how URIs of things on it name its module.
    func onlyToken() throws -> (token: Token, named: (PKCS11URI) -> PKCS11URI) {
        let tokens = try tokens()
        guard tokens.count == 1 else {
            throw SigningFailure(
                .usage,
                "the PKCS#11 URI may mean \(tokens.count) tokens: "
                    + tokens.map(\.uri.text).joined(separator: "; "),
                advice: .token(.nameToken))
        }
        let name = uri.moduleName
        return (
            tokens[0],
            { uri in
                guard let name else { return uri }
                var named = uri
                (named.moduleName, named.modulePath) = (name, nil)
                return named
            }
        )
    }

    private func tokens() throws -> [Token] {
        let modules = try TokenModules.load(TokenModules.modules(for: uri))
        var seen: [Token] = []
        var failure: (any Error)?
        for (module, _) in modules {
            do {
                seen += try module.presentTokens()
            } catch {
                failure = failure ?? error
            }
        }
        let matching = seen.filter { $0.matches(uri) }
        if let failure, seen.isEmpty { throw failure }
        guard matching.isEmpty else { return matching }
        throw SigningFailure(
            .missing,
            seen.isEmpty
                ? "no token is there"
                : "no token is what the PKCS#11 URI says; there is: "
                    + seen.map { "'\($0.info.label)'" }.joined(separator: ", "),
            advice: seen.isEmpty ? .token(.insertCard) : .key(.listKeys(afterLogin: false)))
    }

    private func noKey(on tokens: [Token]) -> SigningFailure {
        let names = tokens.map { "'\($0.info.label)'" }.joined(separator: ", ")
        return SigningFailure(
            .missing, "there is no such key on \(names)",
            advice: .key(.listKeys(afterLogin: false)))
    }

    // MARK: Choosing

    private struct Choice {
        let key: TokenCandidate
        let certificate: Certificate?
    }

    private func choose(
        among keys: [TokenCandidate], for certificates: [Certificate]
    ) throws -> Choice {
        for certificate in certificates {
            let matching = keys.filter { $0.publicKey.map(certificate.certifies) ?? false }
            if matching.count > 1 { throw ambiguous(matching.map { ($0, certificate) }) }
            if let key = matching.first { return Choice(key: key, certificate: certificate) }
        }
        // A key that nothing on the token describes: its first signature will tell.
        let unknown = keys.filter { $0.publicKey == nil }
        let leaf = certificates.first { !$0.isCA } ?? certificates[0]
        guard unknown.count == 1 else {
            throw SigningFailure(
                .refused, "the certificate does not belong to any key that the PKCS#11 URI means",
                advice: .key(.giveIssuedCertificate))
        }
        return Choice(key: unknown[0], certificate: leaf)
    }

    private func choose(among keys: [TokenCandidate]) throws -> Choice {
        guard let purpose else {
            guard keys.count == 1 else { throw ambiguous(keys.map { ($0, nil) }) }
            return Choice(key: keys[0], certificate: nil)
        }
        let pairs = keys.flatMap { key in key.certificates.map { (key, $0) } }
        let now = SystemClock.now()
        let usable = pairs.filter { key, certificate in
            guard let publicKey = key.publicKey else { return false }
            return SigningEligibility.check(
                certificate: certificate, key: publicKey, at: now, purpose: purpose
            ).refusals.isEmpty
        }
        // The only one is judged where every certificate is, with the reason.
        let left = usable.isEmpty ? pairs : usable
        guard let first = left.first else {
            throw SigningFailure(
                .missing,
                "the token '\(keys[0].token.info.label)' has no certificate for "
                    + (keys.count == 1 ? "the key" : "the keys"),
                advice: .general(.give(.certificate)))
        }
        guard left.count == 1 else { throw ambiguous(left) }
        return Choice(key: first.0, certificate: first.1)
    }

    private func ambiguous(_ pairs: [(TokenCandidate, Certificate?)]) -> SigningFailure {
        let lines = pairs.prefix(16).map { key, certificate in
            let what =
                certificate.map { Self.describe($0) + ", " + Self.usage($0) }
                ?? key.publicKey?.algorithm.description ?? "a key"
            return "\(key.uri.text) (\(what))"
        }
        return SigningFailure(
            .usage,
            "the PKCS#11 URI may mean \(pairs.count) keys: " + lines.joined(separator: "; "),
            advice: .token(.nameKeyOrCertificate))
    }

    private static func usage(_ certificate: Certificate) -> String {
        certificate.keyUsage.map { $0.names.joined(separator: "+") } ?? "any usage"
    }
}

extension PINSource {
    /// PINs from where passphrases come from.
    ///
    /// - Parameter pinFile: of the URI; what the person says besides counts more.
    init(_ source: PassphraseSource, pinFile: String?) {
        var source = source
        if let pinFile, !source.isGiven { source = .file(pinFile) }
        let chosen = source
        let lines = ReadOnce { try chosen.readLines() }
        self.init(
            isTyped: !chosen.isGiven, isGiven: chosen.isGiven,
            login: { question in
                guard case .person(let ask) = chosen else { return try lines.value().first }
                return try ask(question.text).secret
            },
            signature: { question in
                switch chosen {
                case .file: return try lines.value().second
                case .person(let ask):
                    let typed = try ask(question.text).secret
                    return typed.isEmpty ? nil : typed
                default: return nil
                }
            },
            tell: { Notices.say($0) })
    }
}

extension PassphraseSource {
    /// A file or a variable is named: nobody is asked.
    var isGiven: Bool {
        switch self {
        case .file, .environment: true
        case .ask, .person: false
        }
    }
}

extension PINQuestion {
    fileprivate var text: String {
        let whose = subject.map { " (\($0))" } ?? ""
        if isForSignature {
            return "Signature PIN of token \"\(token)\"\(whose), empty if it is the same: "
        }
        let tries =
            isLastTry
            ? "LAST TRY before the token locks. " : isCountLow ? "Few tries are left. " : ""
        return "\(tries)PIN of token \"\(token)\"\(whose): "
    }
}

/// Reads something the first time that it is wanted, and never again.
private final class ReadOnce<Value: Sendable>: Sendable {
    private let body: @Sendable () throws -> Value
    private let result = Mutex<Result<Value, any Error>?>(nil)

    init(_ body: @escaping @Sendable () throws -> Value) { self.body = body }

    func value() throws -> Value {
        try result.withLock { result in
            if let known = result { return try known.get() }
            let made = Result { try body() }
            result = made
            return try made.get()
        }
    }
}
