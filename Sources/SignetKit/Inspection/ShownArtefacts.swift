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
        /// Whether it is prepared, and has no signature yet (`remote prepare`).
        public let isPending: Bool
    }

    public struct Page: Encodable, Sendable {
        /// As a viewer shows it, in points.
        public let width: Double
        public let height: Double
        public let rotation: Int
    }

    public struct Encryption: Encodable, Sendable {
        /// `RC4-40` to `RC4-128`, `AES-128` or `AES-256`.
        public let method: String
        /// The revision of the standard security handler; 0 when the document is encrypted for
        /// the holders of certificates.
        public let revision: Int
        public let encryptsMetadata: Bool
        /// Whether all but attached files can be read without a password.
        public let onlyAttachments: Bool
        /// Whether the author demands an integrity code of every revision (ISO/TS 32004).
        public let integrityCodeDemanded: Bool
        /// Where the newest revision's code is, unchecked: `standalone`, `attached-to-signature`, or
        /// `unreadable`; nil where there is none.
        public let integrityCode: String?
        /// The hash of that code: `sha256`…
        public let integrityCodeDigest: String?
        /// `user` or `owner`: whose password opened it. An empty one counts.
        public let openedAs: String
        /// What users may do: `print`, `print-draft`, `modify`, `copy`, `annotate`, `fill-forms`,
        /// `create-fields`, `assemble`.
        public let permissions: [String]
        /// Whose certificates open it; none where passwords do.
        public let recipients: [String]
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
    public let certification: DocMDPPermission?
    public let encryption: Encryption?
    /// What makes its look depend on more than its bytes.
    public let dynamicContent: ShownDynamicContent
    /// What it brings along for its validation (DSS); nil where there is no such store.
    public let validationData: ShownValidationData?
    public let warnings: [String]
}

/// A PKCS#12 file in words; what is in it follows as artefacts of their own.
public struct ShownPKCS12: Encodable, Sendable {
    public let schema = "signet.pkcs12/1"
    public let file: String
    public let holdsKey: Bool
    public let certificates: Int
    /// The hash of the MAC over all, `sha256`; nil without one.
    public let macDigest: String?
    public let macIterations: Int
}

/// A signed CMS message in words. Nothing in it is verified.
public struct ShownMessage: Encodable, Sendable {
    public struct Signer: Encodable, Sendable {
        /// The signer's name, where the message brings the certificate; else how it is identified.
        public let name: String
        public let digest: String
        public let signatureAlgorithm: String
        /// RFC 3339; a claim.
        public let claimedTime: String?
        public let hasSignedAttributes: Bool
        public let hasTimestamp: Bool
        /// Time stamps over the signature and its evidence.
        public let archiveTimestamps: Int
    }

    public let schema = "signet.cms/1"
    public let file: String
    /// `data`, or a dotted identifier.
    public let contentType: String
    /// Nil for a detached signature.
    public let contentByteCount: Int?
    public let signers: [Signer]
    /// The subjects of the certificates that go along.
    public let certificates: [String]
    public let revocationLists: Int
    /// What it brings along for its validation; nil where that is nothing but certificates.
    public let validationData: ShownValidationData?
}

/// A certificate revocation list in words. Its signature is not verified.
public struct ShownRevocationList: Encodable, Sendable {
    public let schema = "signet.crl/1"
    public let file: String
    public let issuer: String
    public let thisUpdate: String
    public let nextUpdate: String?
    public let revoked: Int
    public let number: String?
    public let signatureAlgorithm: String
}

/// Anything that `ShowFile` can explain.
public enum ShownArtefact: Encodable, Sendable {
    case pdf(ShownPDF)
    case key(ShownKey)
    case certificate(ShownCertificate)
    case request(ShownRequest)
    case pkcs12(ShownPKCS12)
    case message(ShownMessage)
    case photo(ShownPhoto)
    case revocationList(ShownRevocationList)
    case timestampRequest(ShownTimestampRequest)
    case timestamp(ShownTimestamp)

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .pdf(let shown): try shown.encode(to: encoder)
        case .key(let shown): try shown.encode(to: encoder)
        case .certificate(let shown): try shown.encode(to: encoder)
        case .request(let shown): try shown.encode(to: encoder)
        case .pkcs12(let shown): try shown.encode(to: encoder)
        case .message(let shown): try shown.encode(to: encoder)
        case .photo(let shown): try shown.encode(to: encoder)
        case .revocationList(let shown): try shown.encode(to: encoder)
        case .timestampRequest(let shown): try shown.encode(to: encoder)
        case .timestamp(let shown): try shown.encode(to: encoder)
        }
    }
}
