import ByteKit
import CryptoBridge

/// A certificate in words.
public struct ShownCertificate: Encodable, Sendable {
    public let schema = "signet.certificate/1"
    public let file: String
    public let subject: String
    public let issuer: String
    public let serial: String
    public let sha256: String
    public let notBefore: String
    public let notAfter: String
    public let algorithm: String
    public let signatureAlgorithm: String
    public let keyUsage: [String]
    public let extendedKeyUsage: [String]
    public let isCA: Bool
    public let alternativeNames: [String]

    init(_ certificate: Certificate, file: String) throws {
        self.file = file
        subject = certificate.subject.description
        issuer = certificate.issuer.description
        serial = certificate.serialHex
        sha256 = try Hex.encode(certificate.sha256)
        notBefore = certificate.notBefore.rfc3339
        notAfter = certificate.notAfter.rfc3339
        algorithm = try certificate.publicKey.algorithm.description
        signatureAlgorithm = certificate.signatureAlgorithmName
        keyUsage = certificate.keyUsage?.names ?? []
        extendedKeyUsage = (certificate.extendedKeyUsage ?? []).map(ExtendedKeyUsage.name)
        isCA = certificate.isCA
        alternativeNames = certificate.subjectAlternativeNames
    }
}

/// A key in words; never its value.
public struct ShownKey: Encodable, Sendable {
    public let schema = "signet.key/1"
    public let file: String
    public let isPrivate: Bool
    public let algorithm: String
    /// SHA-256 of the SubjectPublicKeyInfo, hexadecimal.
    public let publicKeySHA256: String
}

/// A PDF in words.
public struct ShownPDF: Encodable, Sendable {
    public struct Field: Encodable, Sendable {
        public let name: String
        /// `text`, `button`, `choice`, `signature`…
        public let type: String
        public let isSigned: Bool
    }

    public struct Page: Encodable, Sendable {
        /// As a viewer shows it, in points.
        public let width: Double
        public let height: Double
        public let rotation: Int
    }

    public let schema = "signet.pdf/1"
    public let file: String
    public let byteCount: Int
    public let version: String
    public let pages: Int
    public let firstPage: Page?
    public let revisions: Int
    /// `table` or `stream`: the kind of the newest cross-reference section.
    public let crossReference: String
    public let fields: [Field]
    public let signatures: Int
    /// DocMDP: `no-changes`, `form-filling`, `annotations`.
    public let certification: String?
    public let warnings: [String]
}

/// Anything that `ShowFile` can explain.
public enum ShownArtefact: Encodable, Sendable {
    case pdf(ShownPDF)
    case key(ShownKey)
    case certificate(ShownCertificate)

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .pdf(let shown): try shown.encode(to: encoder)
        case .key(let shown): try shown.encode(to: encoder)
        case .certificate(let shown): try shown.encode(to: encoder)
        }
    }
}
