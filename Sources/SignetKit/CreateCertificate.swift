import ByteKit
import CryptoBridge
import FileBridge

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

    public var subject: String?
    public var days = 825
    public var digest: SigningOptions.Digest?
    /// Seconds since 1970; nil is now.
    public var notBefore: Int?
    /// Nil: self-signed.
    public var issuer: Issuer?
    private let profile: CertificateProfile

    public init(profile: CertificateProfile) { self.profile = profile }

    public func run(
        certifying source: Source, into destination: Destination
    ) throws -> ShownCertificate {
        let name = try subject.map { try DistinguishedName.given($0) }
        let output = try AtomicOutput(normal: destination)
        let subject = try read(source, name)
        let signer = try issuerCredential(ownKey: subject.privateKey)
        let begin =
            notBefore.map { CalendarTime(secondsSinceEpoch: $0) } ?? SystemClock.now()
        let certificate = try reading(destination.path) {
            var builder = CertificateBuilder(
                subject: subject.name, publicKey: subject.publicKey, notBefore: begin,
                notAfter: begin.adding(seconds: days * 86_400 - 1), profile: .init(profile))
            builder.alternativeNames = subject.alternativeNames
            let algorithm = digest.flatMap { DigestAlgorithm(name: $0.rawValue) } ?? .sha256
            guard let issuer = signer.certificate else {
                return try builder.selfSigned(by: signer.key, digest: algorithm)
            }
            return try builder.issued(by: issuer, key: signer.key, digest: algorithm)
        }
        try writing(destination.path) {
            try output.write(certificate.pem)
            try output.commit()
        }
        return try ShownCertificate(certificate, file: destination.path)
    }

    private struct Subject {
        let name: DistinguishedName
        let publicKey: PublicKey
        let privateKey: PrivateKey?
        var alternativeNames: [String] = []
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
                        hint: "ask for a new request")
                }
                return Subject(
                    name: name ?? request.subject, publicKey: try request.publicKey,
                    privateKey: nil, alternativeNames: request.subjectAlternativeNames)
            }
        case .key(let file, let passphrase):
            guard let name else {
                throw SignetError(.usage, "no subject is given", hint: "add --subject \"CN=...\"")
            }
            return try reading(file) {
                let bytes = try FileSystem.readAll(file, limit: SigningCredential.byteLimit)
                if issuer != nil, let key = try? PublicKey.read(bytes) {
                    return Subject(name: name, publicKey: key, privateKey: nil)
                }
                let bundle = try SigningCredential.readBundle(file, passphrase: passphrase)
                guard let key = bundle.key else {
                    throw SignetError(.malformedInput, file: file, "holds no key")
                }
                return Subject(name: name, publicKey: key.publicKey, privateKey: key)
            }
        }
    }

    private func issuerCredential(
        ownKey: PrivateKey?
    ) throws -> (certificate: Certificate?, key: PrivateKey) {
        guard let issuer else {
            guard let ownKey else {
                throw SignetError(
                    .usage, "a self-signed certificate needs the private key",
                    hint: "give it with --key, or name an issuer")
            }
            return (nil, ownKey)
        }
        let credential = try SigningCredential(
            keyFile: issuer.keyFile, certificateFile: issuer.certificateFile,
            passphrase: issuer.passphrase)
        guard credential.certificate.isCA else {
            throw SignetError(
                .credentialRefused, file: issuer.certificateFile,
                "is not a certification authority's certificate",
                hint: "make one with: signet cert create --ca")
        }
        guard let key = credential.privateKey else {
            throw SignetError(.malformedInput, file: issuer.keyFile, "holds no private key")
        }
        return (credential.certificate, key)
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
