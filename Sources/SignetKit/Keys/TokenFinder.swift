import Base
import CMSKit
import CryptoBridge
import KeyBridge
import Synchronization
import SystemBridge
import TrustKit

/// Finds the key that matches a PKCS#11 URI, with its certificates. An ambiguous URI is an error.
struct TokenFinder {
    let uri: PKCS11URI
    let pins: PINSource
    /// Required purpose of the certificate; nil if none is needed.
    let purpose: SignerPolicy.Purpose?

    init(_ text: String, passphrase: PassphraseSource, purpose: SignerPolicy.Purpose?) throws {
        uri = try PKCS11URI(text)
        if !uri.unknownQueries.isEmpty {
            Notices.say(.unknownQueries, uri.unknownQueries.joined(separator: ", "))
        }
        pins = PINSource(passphrase, uri)
        self.purpose = purpose
        let types: [[UInt8]] = [Array("private".utf8), Array("cert".utf8)]
        guard uri[.type].map(types.contains) ?? true else {
            throw SigningFailure(
                .usage, "the PKCS#11 URI does not refer to a private key",
                hint: Sentence(.leaveOutObjectType))
        }
    }

    /// - Parameter given: given certificates, one of which belongs to the key; if empty, the URI
    ///   and the token's content determine the key.
    func find(given: [Certificate]) throws -> OpenedKey {
        let all = try candidates(for: .signing)
        let chosen =
            given.isEmpty
            ? try choose(among: all.map(\.candidate))
            : try choose(among: all.map(\.candidate), for: given)
        guard let key = chosen.certificate.flatMap({ try? $0.publicKey }) ?? chosen.key.publicKey
        else {
            throw SigningFailure(
                .missing, "the token contains no public key or certificate for this key",
                hint: Sentence(.giveItsCertificate))
        }
        let pins = try meantPINs(for: chosen, given)
        let subject = chosen.certificate.map(Self.describe)
        let others = all.first { $0.candidate.token === chosen.key.token }?.contents.certificates
        return OpenedKey(
            keys: [TokenKey(chosen.key, publicKey: key, subject: subject, pins: pins)],
            certificates: ([chosen.certificate].compactMap { $0 }) + given
                + (others ?? []).map(\.certificate),
            preferred: chosen.isOfSeveral ? [chosen.certificate].compactMap { $0 } : [],
            note: chosen.note, name: chosen.key.uri.text)
    }

    /// Keys for decryption. The document's envelope determines which one is used.
    ///
    /// - Parameter given: given certificates; if not empty, only the key of the first one with a
    ///   key is returned.
    func keysForDecrypting(
        given: [Certificate]
    ) throws -> [(key: TokenKey, certificates: [Certificate])] {
        let all = try candidates(for: .decrypting).map(\.candidate)
        func key(
            _ candidate: TokenCandidate, _ certificate: Certificate, _ pins: PINSource
        ) throws -> TokenKey {
            TokenKey(
                candidate, publicKey: try certificate.publicKey, use: .decrypting,
                subject: Self.describe(certificate), pins: pins)
        }
        if !given.isEmpty {
            let chosen = try choose(among: all, for: given)
            guard let certificate = chosen.certificate else { return [] }
            let pins = try meantPINs(for: chosen, given)
            // Renewed certificates too: the document may contain an earlier one.
            let publicKey = try certificate.publicKey
            let same = given.filter { $0.der != certificate.der && $0.certifies(publicKey) }
            return [(try key(chosen.key, certificate, pins), [certificate] + same)]
        }
        for candidate in all { try candidate.token.requireNamed(pins) }
        // All certificates of the key: the document may contain an earlier one.
        let found: [(key: TokenKey, certificates: [Certificate])] = try all.compactMap {
            candidate in
            try candidate.certificates.first.map {
                (try key(candidate, $0, pins), candidate.certificates)
            }
        }
        guard !found.isEmpty else {
            throw SigningFailure(
                .missing,
                "the token '\(all[0].token.info.label)' contains no certificate that identifies the recipient",
                hint: Sentence(.giveDecryptionCertificate))
        }
        return found
    }

    /// The PINs for a key; a given certificate identifies the token.
    private func meantPINs(for chosen: Choice, _ given: [Certificate]) throws -> PINSource {
        var pins = pins
        if let key = chosen.key.publicKey, given.contains(where: { $0.certifies(key) }) {
            pins.namesToken = true
        }
        try chosen.key.token.requireNamed(pins)
        return pins
    }

    /// The keys that match the URI, at least one.
    private func candidates(
        for use: TokenKeyUse
    ) throws -> [(candidate: TokenCandidate, contents: TokenContents)] {
        let tokens = try tokens()
        var all: [(candidate: TokenCandidate, contents: TokenContents)] = []
        var seen: [(token: Token, contents: TokenContents)] = []
        for token in tokens {
            let contents = try token.contents(for: use)
            seen.append((token, contents))
            for key in token.candidates(for: uri, in: contents)
            where !all.contains(where: { key.isAlso($0.candidate) }) { all.append((key, contents)) }
        }
        let distinct = Token.distinct(tokens)
        if all.isEmpty, let token = distinct.first, distinct.count == 1, token.needsLogin {
            // Some tokens show no keys before the login.
            try token.logIn(pins, subject: nil)
            let contents = try token.contents(for: use)
            seen = [(token, contents)]
            all = token.candidates(for: uri, in: contents).map { ($0, contents) }
        }
        guard !all.isEmpty else { throw noKey(on: distinct, seen) }
        return all
    }

    static func describe(_ certificate: Certificate) -> String {
        let name = certificate.displayName
        return "\(name), valid to \(certificate.notAfter.rfc3339.prefix(10))"
    }

    /// The only token that matches the URI, its PINs, and a function that writes the module into
    /// URIs of its objects as this URI does.
    ///
    /// - Parameter certificate: the certificate whose key must be on the token.
    func onlyToken(
        for certificate: Certificate? = nil
    ) throws -> (token: Token, pins: PINSource, named: (PKCS11URI) -> PKCS11URI) {
        let all = Token.distinct(try tokens())
        // If several match, the token with the certificate's key is used.
        let holders = try all.filter { token in
            guard let certificate else { return false }
            let contents = try token.contents()
            return token.candidates(for: uri, in: contents).contains {
                $0.publicKey.map(certificate.certifies) ?? false
            }
        }
        let tokens = holders.count == 1 ? holders : all
        guard tokens.count == 1 else {
            throw SigningFailure(
                .usage,
                "the PKCS#11 URI matches \(tokens.count) tokens: "
                    + tokens.map(\.uri.text).joined(separator: "; "), hint: Sentence(.nameToken))
        }
        let name = uri.moduleName
        var pins = pins
        if holders.count == 1 { pins.namesToken = true }
        return (
            tokens[0], pins,
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
        guard !seen.isEmpty else {
            throw SigningFailure(
                .missing, "no smart card or token found", hint: Sentence(.insertCard))
        }
        throw Self.noToken(among: seen, for: uri)
    }

    static func noToken(among seen: [Token], for uri: PKCS11URI) -> SigningFailure {
        let label = uri[.token].map { String(decoding: $0, as: UTF8.self) }
        let meant = label.map { " with the token \($0.inQuotes)" } ?? ""
        return SigningFailure(
            .missing,
            "no token matches the PKCS#11 URI\(meant); available: "
                + Token.distinct(seen).map { "'\($0.info.label)'" }.joined(separator: ", "),
            // Another separator than the semicolon makes the next attribute a part of the label.
            hint: Sentence(label?.contains("=") == true ? .writeTokenURI : .listKeys))
    }

    /// The error for a missing key, with the keys that exist.
    ///
    /// - Parameter seen: the contents of the tokens.
    private func noKey(
        on tokens: [Token], _ seen: [(token: Token, contents: TokenContents)]
    ) -> SigningFailure {
        let names = tokens.map { "'\($0.info.label)'" }.joined(separator: ", ")
        let meant = uri[.object].map { " '\(String(decoding: $0, as: UTF8.self))'" } ?? ""
        let keys = seen.flatMap { $0.token.candidates(for: PKCS11URI(), in: $0.contents) }
            .map(\.name).filter { !$0.isEmpty }
        let others =
            keys.isEmpty
            ? ""
            : "; available: " + Set(keys).sorted().prefix(Self.namedKeys).joined(separator: ", ")
        return SigningFailure(
            .missing, "no matching key\(meant) on \(names)\(others)",
            hint: Sentence(.listKeys))
    }

    /// Maximum number of keys listed if none matches.
    private static let namedKeys = 8

    // MARK: Choosing

    private struct Choice {
        let key: TokenCandidate
        let certificate: Certificate?
        /// Whether it was chosen among several certificates of the key.
        var isOfSeveral = false
        /// The reason for the choice, for people.
        var note: String?
    }

    private func choose(
        among keys: [TokenCandidate], for certificates: [Certificate]
    ) throws -> Choice {
        for certificate in certificates {
            let matching = keys.filter { $0.publicKey.map(certificate.certifies) ?? false }
            if matching.count > 1 { throw ambiguous(matching.map { ($0, certificate) }) }
            if let key = matching.first { return Choice(key: key, certificate: certificate) }
        }
        // A key without any description on the token: its first signature is verified with the
        // certificate.
        let unknown = keys.filter { $0.publicKey == nil }
        let leaf = certificates.first { !$0.isCA } ?? certificates[0]
        guard unknown.count == 1 else {
            throw SigningFailure(
                .refused, "the certificate does not match a key of the PKCS#11 URI",
                hint: Sentence(.giveIssuedCertificate))
        }
        return Choice(key: unknown[0], certificate: leaf)
    }

    private func choose(among keys: [TokenCandidate]) throws -> Choice {
        guard let purpose else {
            guard keys.count == 1 else { throw ambiguous(keys.map { ($0, nil) }) }
            return Choice(key: keys[0], certificate: nil)
        }
        let pairs = keys.flatMap { key in key.certificates(meantBy: uri).map { (key, $0) } }
        let now = SystemClock.now()
        let usable = pairs.filter { key, certificate in
            guard let publicKey = key.publicKey else { return false }
            return SigningEligibility.check(
                certificate: certificate, key: publicKey, at: now, purpose: purpose
            ).refusals.isEmpty
        }
        // A single certificate is checked later, with an error message that explains the problem.
        let left = usable.isEmpty ? pairs : usable
        guard let first = left.first else {
            throw SigningFailure(
                .missing,
                "the token '\(keys[0].token.info.label)' has no certificate for "
                    + (keys.count == 1 ? "the key" : "the keys"),
                hint: Sentence(
                    (uri[.object] ?? uri[.id]) == nil ? .giveCertificateOrQuote : .giveCertificate))
        }
        guard left.count > 1 else {
            let isNamed = pairs.count == 1 && first.0.certificates.count > 1
            return Choice(key: first.0, certificate: first.1, isOfSeveral: isNamed)
        }
        guard let newest = Self.renewed(left) else { throw ambiguous(left) }
        let note =
            "the key has \(left.count) certificates; the one valid for longest is used: "
            + Self.describe(newest)
        return Choice(key: first.0, certificate: newest, isOfSeveral: true, note: note)
    }

    /// Among certificates with equal key, subject, issuer and usage, the one that expires last: the
    /// others are its predecessors. Nil if they differ otherwise.
    private static func renewed(
        _ pairs: [(key: TokenCandidate, certificate: Certificate)]
    ) -> Certificate? {
        guard let (key, first) = pairs.first,
            pairs.allSatisfy({
                $0.key.token === key.token && $0.key.publicKey == key.publicKey
                    && $0.certificate.canonicalSubject == first.canonicalSubject
                    && $0.certificate.canonicalIssuer == first.canonicalIssuer
                    && $0.certificate.keyUsage?.names == first.keyUsage?.names
                    && $0.certificate.extendedKeyUsage == first.extendedKeyUsage
            })
        else { return nil }
        let ordered = pairs.map(\.certificate).sorted { $0.notAfter > $1.notAfter }
        return ordered[0].notAfter > ordered[1].notAfter ? ordered[0] : nil
    }

    private func ambiguous(_ pairs: [(TokenCandidate, Certificate?)]) -> SigningFailure {
        let short = shortened(pairs.map(\.0))
        let lines = pairs.prefix(16).enumerated().map { index, pair in
            let (key, certificate) = pair
            let what =
                certificate.map { Self.describe($0) + ", " + Self.usage($0) }
                ?? key.publicKey?.algorithm.description ?? "a key"
            let uri = short?[index] ?? certificate.map(key.uri(of:)) ?? key.uri
            return (uri: uri.text, what: what, key: key.publicKey)
        }
        let isOneKey = pairs.allSatisfy {
            $0.0.token === pairs[0].0.token && $0.0.publicKey == pairs[0].0.publicKey
        }
        let isTwin = !isOneKey && Set(lines.map(\.uri)).count < lines.count
        let list = lines.map { line in
            let hash =
                isTwin ? line.key.flatMap { try? DigestAlgorithm.sha256.hash($0.spkiDER) } : nil
            let mark = hash.map { ", public key SHA-256 \(Hex.encode($0))" } ?? ""
            return "\(ShellWord.quoted(line.uri)) (\(line.what)\(mark))"
        }.joined(separator: "; ")
        return SigningFailure(
            .usage,
            "the PKCS#11 URI matches \(pairs.count) "
                + (isOneKey ? "certificates of a key: " : "keys: ") + list
                + (isTwin ? "; some have equal URIs, since their label and ID are equal" : ""),
            hint: Sentence(
                isTwin ? .changeTwin : purpose == nil ? .nameKey : .nameKeyOrCertificate))
    }

    /// This URI with the token and label of each key; nil if that does not tell them apart.
    private func shortened(_ keys: [TokenCandidate]) -> [PKCS11URI]? {
        guard uri[.type] == nil, keys.allSatisfy({ $0.uri[.object] != nil }) else { return nil }
        let all = keys.map { key in
            var short = uri
            (short[.token], short[.object]) = (key.uri[.token], key.uri[.object])
            return short
        }
        return Set(all.map(\.text)).count == all.count ? all : nil
    }

    private static func usage(_ certificate: Certificate) -> String {
        certificate.keyUsage.map { $0.names.joined(separator: "+") } ?? "any usage"
    }
}

extension PINSource {
    /// PINs from a passphrase source.
    ///
    /// - Parameter uri: URI of the token. A given source has priority over the PIN file in the URI.
    init(_ source: PassphraseSource, _ uri: PKCS11URI) {
        var source = source
        if let pinFile = uri.pinFile, !source.isGiven { source = .file(pinFile) }
        let chosen = source
        let lines = ReadOnce { try chosen.readLines() }
        self.init(
            isTyped: !chosen.isGiven, isGiven: chosen.isGiven,
            login: { question in
                guard case .person(let ask) = chosen else { return try lines.value().first }
                return try ask(question).secret
            },
            signature: { question in
                switch chosen {
                case .file: return try lines.value().second
                case .person(let ask):
                    let typed = try ask(question).secret
                    return typed.isEmpty ? nil : typed
                default: return nil
                }
            })
        namesToken = uri[.token] != nil || uri[.serial] != nil
        self.uri = uri
    }
}

extension PassphraseSource {
    /// Whether the source is a file or a variable, so that the user is not prompted.
    var isGiven: Bool {
        switch self {
        case .file, .environment: true
        case .ask, .person: false
        case .remembered(let source, _): source.isGiven
        }
    }
}

/// Reads a value once, on first use.
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
