public import Base
import CMSKit
import CryptoBridge
import SystemBridge

/// Creates a certificate, self-signed or issued, for tests and closed groups (RFC 5280).
public struct CreateCertificate: Sendable {
    /// The issuing CA.
    public struct Issuer: Sendable {
        let certificateFile: String
        let keyFile: String
        let passphrase: PassphraseSource

        /// A CA from its files.
        ///
        /// - Parameter passphrase: used if the key is encrypted.
        public init(certificateFile: String, keyFile: String, passphrase: PassphraseSource) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.passphrase = passphrase
        }
    }

    /// The subject's key.
    public enum Source: Sendable {
        /// A private key. With an issuer, a public key is sufficient.
        case key(file: String, passphrase: PassphraseSource)
        /// A PKCS#10 request (RFC 2986). Its signature is verified first.
        case request(file: String)
    }

    /// Handling of alternative names.
    public enum AlternativeNames: Sendable {
        /// Rejects a request with alternative names or email addresses in its subject: the CA must
        /// confirm them explicitly.
        case none
        /// Uses the names of the request, including its subject.
        case asRequested
        /// Uses these names and ignores those of the request.
        case given([String])
    }

    /// Subject in RFC 4514 form. Nil uses the subject of the request, and is an error without a
    /// request.
    public var subject: String?
    /// The source of the alternative names.
    public var alternativeNames = AlternativeNames.none
    /// Duration of validity; notAfter is its last second. Nil uses 825 days, or 3650 for a CA, but
    /// not longer than the issuer's certificate.
    public var validity: Duration?
    /// Digest of the issuer's signature. Nil: SHA-256, or the digest that the key requires.
    public var digest: SigningOptions.Digest?
    /// Start of validity; nil is now.
    public var notBefore: Moment?
    /// Issuing CA; nil creates a self-signed certificate.
    public var issuer: Issuer?
    /// Connection to a remote key, and its time limit.
    public var service = ServiceOptions()
    private let profile: CertificateProfile
    private var usualValidity: Duration { .seconds(86_400 * (profile == .ca ? 3650 : 825)) }

    /// - Parameter profile: the purpose; it determines extensions and default validity.
    public init(profile: CertificateProfile) { self.profile = profile }

    /// Writes the certificate as PEM.
    ///
    /// - Throws: ``SignetError``: `usage` for values that cannot be encoded, `credentialRefused`
    ///   for a key that does not match.
    public func run(
        certifying source: Source, into destination: Destination
    ) throws -> ShownCertificate {
        let name = try subject.map { try DistinguishedName.given($0) }
        let output = try destination.output()
        let subject = try read(source, name: name)
        guard !subject.name.relativeNames.isEmpty || !subject.alternativeNames.isEmpty else {
            throw SignetError(
                .usage, "the certificate requires a subject or alternative names",
                hint: Sentence(.addSubject))
        }
        let authority = try issuer.map { try IssuingAuthority($0, service) }
        let certificate = try make(subject, authority: authority, for: destination.path)
        try output.finish(certificate.pem)
        return try ShownCertificate(certificate, file: destination.path)
    }

    private func make(
        _ subject: Subject, authority: IssuingAuthority?, for path: String
    ) throws -> Certificate {
        let begin =
            notBefore?.time ?? SystemClock.now()
        let end =
            try authority?.end(from: begin, validity, usual: usualValidity)
            ?? begin.adding((validity ?? usualValidity) - .seconds(1))
        var builder = CertificateBuilder(
            subject: subject.name, publicKey: subject.publicKey, notBefore: begin, notAfter: end,
            profile: profile)
        builder.alternativeNames = subject.alternativeNames
        try authority?.restrict(&builder)
        let signingKey = authority?.key.publicKey ?? subject.publicKey
        let algorithm = digest?.algorithm ?? signingKey.requiredDigest ?? .usual
        guard let authority else {
            guard let key = subject.privateKey else {
                throw SignetError(
                    .usage, "a self-signed certificate requires the private key",
                    hint: Sentence(.giveKeyOrIssuer))
            }
            return try reading(path) { try builder.selfSigned(by: key, digest: algorithm) }
        }
        let made = try reading(path) {
            try builder.issued(by: authority.certificate, key: authority.key, digest: algorithm)
        }
        try authority.check(made, at: begin)
        return made
    }

    private func names(askedIn request: CertificateRequest?, _ file: String) throws -> [String] {
        if case .given(let names) = alternativeNames { return try GeneralNames.checked(names) }
        guard let request else { return [] }
        let asked = request.subjectAlternativeNames
        let hasMore = request.hasFurtherAlternativeNames
        guard hasMore || !asked.isEmpty else { return [] }
        let list = (asked + (hasMore ? ["names of other kinds"] : [])).joined(separator: ", ")
        guard case .asRequested = alternativeNames else {
            throw SignetError(
                .usage, file: file, "the CSR requests alternative names: \(list)",
                hint: Sentence(.acceptOrGiveNames))
        }
        guard !hasMore, let names = try? GeneralNames.checked(asked) else {
            let others = asked.filter { (try? GeneralNames.encode([$0])) == nil }
            throw SignetError(
                .usage, file: file,
                "the CSR requests an alternative name that cannot be certified: "
                    + (others.isEmpty ? list : others.joined(separator: ", ")),
                hint: Sentence(.giveAlternativeNames))
        }
        return names
    }

    /// The requested subject, which validators display as the holder's name.
    ///
    /// - Throws: ``SignetError`` if it contains hidden characters, unless the user confirmed the
    ///   subject.
    private func checkedSubject(
        of request: CertificateRequest, _ file: String
    ) throws -> DistinguishedName {
        let subject = request.subject
        if case .asRequested = alternativeNames { return subject }
        var oddities: [String] = []
        let emails = subject.values(ofType: .emailAddress)
        if !emails.isEmpty {
            oddities.append("the e-mail address \(emails.joined(separator: ", "))")
        }
        let names = subject.values(ofType: .commonName)
        if names.count > 1 {
            oddities.append("\(names.count) common names: \(names.joined(separator: ", "))")
        }
        if subject.relativeNames.contains(where: { $0.count > 1 }) {
            oddities.append("several values in one RDN")
        }
        if subject.relativeNames.joined().contains(where: { $0.text == nil }) {
            oddities.append("a value that is not text")
        }
        guard !oddities.isEmpty else { return subject }
        throw SignetError(
            .usage, file: file,
            "the CSR requests the subject '\(subject)' with \(oddities.joined(separator: "; "))",
            hint: Sentence(.acceptOrGiveSubject))
    }

    private struct Subject {
        let name: DistinguishedName
        let publicKey: PublicKey
        let privateKey: (any DigestSigner)?
        let alternativeNames: [String]
    }

    private func publicKey(in file: String) -> PublicKey? {
        guard FileSystem.isRegularFile(file),
            let bytes = try? FileSystem.readAll(file, limit: SigningCredential.byteLimit)
        else { return nil }
        return try? PublicKey.read(bytes)
    }

    private func read(_ source: Source, name: DistinguishedName?) throws -> Subject {
        switch source {
        case .request(let file):
            return try reading(file) {
                let request = try CertificateRequest.read(
                    FileSystem.readAll(file, limit: SigningCredential.byteLimit))
                guard try request.isSignatureValid else {
                    throw SignetError(
                        .malformedInput, file: file,
                        "the signature of the CSR does not match its public key",
                        hint: Sentence(.askForNewRequest))
                }
                return Subject(
                    name: try name ?? checkedSubject(of: request, file),
                    publicKey: try request.publicKey,
                    privateKey: nil, alternativeNames: try names(askedIn: request, file))
            }
        case .key(let file, let passphrase):
            guard let name else {
                throw SignetError(.usage, "no subject is given", hint: Sentence(.addSubject))
            }
            let names = try names(askedIn: nil, file)
            if issuer != nil, let key = publicKey(in: file) {
                return Subject(name: name, publicKey: key, privateKey: nil, alternativeNames: names)
            }
            let key = try OpenedKey.open(
                file, passphrase: passphrase, purpose: nil, service: service
            ).key
            return Subject(
                name: name, publicKey: key.publicKey, privateKey: key, alternativeNames: names)
        }
    }
}
