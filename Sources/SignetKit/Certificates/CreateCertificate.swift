internal import Base
import CMSKit
import CryptoBridge
import SystemBridge

/// What a certificate is for.
public enum CertificateProfile: String, Sendable, CaseIterable {
    case signer, tsa, ocsp, ca
}

/// Makes a certificate, self-signed or issued, for tests and closed groups (RFC 5280).
public struct CreateCertificate: Sendable {
    /// Who issues it.
    public struct Issuer: Sendable {
        let certificateFile: String
        let keyFile: String
        let passphrase: PassphraseSource

        /// An authority by its files.
        ///
        /// - Parameter passphrase: asked for where the key is encrypted.
        public init(certificateFile: String, keyFile: String, passphrase: PassphraseSource) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.passphrase = passphrase
        }
    }

    /// What is certified.
    public enum Source: Sendable {
        /// A private key, or with an issuer also a public key.
        case key(file: String, passphrase: PassphraseSource)
        /// A PKCS#10 request (RFC 2986), whose own signature is verified first.
        case request(file: String)
    }

    /// What becomes of the alternative names.
    public enum AlternativeNames: Sendable {
        /// Refuses a request that asks for any, also in its subject: nobody certifies what they have
        /// not seen.
        case none
        /// Certifies what the request asks for, its subject included.
        case asRequested
        /// Certifies these, whatever the request asks for.
        case given([String])
    }

    /// RFC 4514; nil takes the request's, without which there must be one.
    public var subject: String?
    /// What of the request's, or which others, the certificate has.
    public var alternativeNames = AlternativeNames.none
    /// How long it is valid, up to the second before. Nil: the profile's usual time, shorter when the
    /// issuer's own ends before.
    public var validity: Duration?
    /// What the issuer signs with. Nil: SHA-256, or what the key demands.
    public var digest: SigningOptions.Digest?
    /// From when it is valid; nil is now.
    public var notBefore: Moment?
    /// Nil: self-signed.
    public var issuer: Issuer?
    /// How a service is reached that has the key, and how long it, or a program, may take.
    public var service = ServiceOptions()
    private let profile: CertificateProfile
    private var usualValidity: Duration { .days(profile == .ca ? 3650 : 825) }

    /// - Parameter profile: what the certificate is for; it decides extensions and the usual time.
    public init(profile: CertificateProfile) { self.profile = profile }

    /// Writes the certificate as PEM.
    ///
    /// - Throws: ``SignetError``: `usage` for what a certificate cannot say, `credentialRefused`
    ///   for a key that does not fit.
    public func run(
        certifying source: Source, into destination: Destination
    ) throws -> ShownCertificate {
        let name = try subject.map { try DistinguishedName.given($0) }
        let output = try destination.output()
        let subject = try read(source, name)
        let authority = try issuer.map { try IssuingAuthority($0, service) }
        let certificate = try make(subject, authority, for: destination.path)
        try writing(destination.path) {
            try output.write(certificate.pem)
            try output.commit()
        }
        return try ShownCertificate(certificate, file: destination.path)
    }

    private func make(
        _ subject: Subject, _ authority: IssuingAuthority?, for path: String
    ) throws -> Certificate {
        let begin =
            notBefore?.time ?? SystemClock.now()
        let end =
            try authority?.end(from: begin, validity, usual: usualValidity)
            ?? begin.adding((validity ?? usualValidity) - .seconds(1))
        var builder = CertificateBuilder(
            subject: subject.name, publicKey: subject.publicKey, notBefore: begin, notAfter: end,
            profile: .init(profile))
        builder.alternativeNames = subject.alternativeNames
        try authority?.restrict(&builder)
        let algorithm = digest?.algorithm ?? .sha256
        guard let authority else {
            guard let key = subject.privateKey else {
                throw SignetError(
                    .usage, "a self-signed certificate needs the private key",
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

    /// The alternative names to certify.
    private func names(askedIn request: CertificateRequest?, _ file: String) throws -> [String] {
        if case .given(let names) = alternativeNames {
            return try GeneralNames.checked(names)
        }
        guard let request else { return [] }
        let asked = request.subjectAlternativeNames
        let hasMore = request.hasFurtherAlternativeNames
        guard hasMore || !asked.isEmpty else { return [] }
        let list = (asked + (hasMore ? ["names of other kinds"] : [])).joined(separator: ", ")
        guard case .asRequested = alternativeNames else {
            throw SignetError(
                .usage, file: file, "asks for alternative names: \(list)",
                hint: Sentence(.acceptOrGiveNames))
        }
        guard !hasMore, let names = try? GeneralNames.checked(asked) else {
            throw SignetError(
                .usage, file: file,
                "asks for an alternative name that cannot be certified: \(list)",
                hint: Sentence(.giveAlternativeNames))
        }
        return names
    }

    /// The requested subject, which every verifier shows as the holder's name.
    ///
    /// - Throws: ``SignetError`` where it holds what people overlook in a line, and nobody has said
    ///   that they saw it.
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
            oddities.append("several values in one part")
        }
        if subject.relativeNames.joined().contains(where: { $0.text == nil }) {
            oddities.append("a value that is no text")
        }
        guard !oddities.isEmpty else { return subject }
        throw SignetError(
            .usage, file: file,
            "asks for the subject '\(subject)' with \(oddities.joined(separator: "; "))",
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

    private func read(_ source: Source, _ name: DistinguishedName?) throws -> Subject {
        switch source {
        case .request(let file):
            return try reading(file) {
                let request = try CertificateRequest.read(
                    FileSystem.readAll(file, limit: SigningCredential.byteLimit))
                guard try request.isSignatureValid else {
                    throw SignetError(
                        .malformedInput, file: file,
                        "the request was not signed by the key that it names",
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

extension CryptoBridge.CertificateProfile {
    fileprivate init(_ profile: SignetKit.CertificateProfile) {
        self =
            switch profile {
            case .signer: .signer
            case .tsa: .tsa
            case .ocsp: .ocsp
            case .ca: .ca
            }
    }
}
