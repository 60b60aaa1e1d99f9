import Base
import CryptoBridge

/// A certificate in words.
public struct ShownCertificate: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.certificate/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// As RFC 4514 writes it.
    public let subject: String
    /// As RFC 4514 writes it.
    public let issuer: String
    /// Hexadecimal.
    public let serial: String
    /// SHA-256 of the certificate, hexadecimal.
    public let sha256: String
    /// The first second that the certificate is for.
    public let notBefore: Moment
    /// The last second that the certificate is for.
    public let notAfter: Moment
    /// Kind and size of the key: `RSA 3072`, `EC P-256`.
    public let algorithm: String
    /// What it is signed with: `rsa-pkcs1`, `ecdsa` and so on, else a dotted identifier.
    public let signatureAlgorithm: String
    /// By the names of X.509 (RFC 5280 §4.2.1.3): `digitalSignature`. Empty where there is none.
    public let keyUsage: [String]
    /// By name where one is known, else dotted (RFC 5280 §4.2.1.12).
    public let extendedKeyUsage: [String]
    /// Whether it may issue certificates (RFC 5280 §4.2.1.9).
    public let isCA: Bool
    /// With their kinds: `email:jan@example.com`, `DNS:example.com` (RFC 5280 §4.2.1.6).
    public let alternativeNames: [String]

    init(_ certificate: Certificate, file: String) throws {
        self.file = file
        subject = certificate.subject.description
        issuer = certificate.issuer.description
        serial = certificate.serialHex
        sha256 = try Hex.encode(certificate.sha256)
        notBefore = certificate.notBefore.moment
        notAfter = certificate.notAfter.moment
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
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.key/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// Whether it is the private half.
    public let isPrivate: Bool
    /// Kind and size of the key: `RSA 3072`, `EC P-256`.
    public let algorithm: String
    /// SHA-256 of the SubjectPublicKeyInfo, hexadecimal.
    public let publicKeySHA256: String
}

/// A PDF in words.
public struct ShownPDF: Encodable, Sendable {
    /// A field of the form.
    public struct Field: Encodable, Sendable {
        /// Its full name.
        public let name: String
        /// `text`, `button`, `choice`, `signature`…
        public let type: String
        /// Whether it has a value as a signature field, finished or not.
        public let isSigned: Bool
        /// Whether it is prepared, and has no signature yet (`remote prepare`).
        public let isPending: Bool
    }

    /// How large a page is.
    public struct Page: Encodable, Sendable {
        /// As a viewer shows it, in points.
        public let width: Double
        /// As a viewer shows it, in points.
        public let height: Double
        /// Degrees clockwise: 0, 90, 180 or 270.
        public let rotation: Int
    }

    /// With what the document is encrypted, and what its reader may do.
    public struct Encryption: Encodable, Sendable {
        /// `RC4-40` to `RC4-128`, `AES-128` or `AES-256`.
        public let method: String
        /// The revision of the standard security handler; 0 when the document is encrypted for
        /// the holders of certificates.
        public let revision: Int
        /// Whether the XMP metadata are encrypted too.
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

    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.pdf/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// Of the whole file.
    public let byteCount: Int
    /// `1.7`: of the header or the catalogue, whichever is later.
    public let version: String
    /// As the page tree counts them.
    public let pages: Int
    /// Nil for a document without pages.
    public let firstPage: Page?
    /// 1, and one more for each incremental update.
    public let revisions: Int
    /// `table` or `stream`: the kind of the newest cross-reference section.
    public let crossReference: String
    /// All, those that are no signature fields too.
    public let fields: [Field]
    /// Fields that are signed, none of which was verified.
    public let signatures: Int
    /// DocMDP: `no-changes`, `form-filling`, `annotations`.
    public let certification: DocMDPPermission?
    /// Nil where it is not encrypted.
    public let encryption: Encryption?
    /// What makes its look depend on more than its bytes.
    public let dynamicContent: ShownDynamicContent
    /// What it brings along for its validation (DSS); nil where there is no such store.
    public let validationData: ShownValidationData?
    /// What a person should know although nothing failed, a sentence each.
    public let warnings: [String]
}

/// A PKCS#12 file in words; what is in it follows as artefacts of their own.
public struct ShownPKCS12: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.pkcs12/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// Whether there is a private key in it.
    public let holdsKey: Bool
    /// How many there are.
    public let certificates: Int
    /// The hash of the MAC over all, `sha256`; nil without one.
    public let macDigest: String?
    /// Rounds of deriving the MAC's key from the passphrase.
    public let macIterations: Int
}

/// A signed CMS message in words. Nothing in it is verified.
public struct ShownMessage: Encodable, Sendable {
    /// One of those who signed, as the message says.
    public struct Signer: Encodable, Sendable {
        /// The signer's name, where the message brings the certificate; else how it is identified.
        public let name: String
        /// The hash algorithm: `sha256`.
        public let digest: String
        /// What it is signed with: `rsa-pkcs1`, `ecdsa` and so on, else a dotted identifier.
        public let signatureAlgorithm: String
        /// A claim.
        public let claimedTime: Moment?
        /// Whether attributes are signed, and the content by its hash in them.
        public let hasSignedAttributes: Bool
        /// Whether there is a time stamp over the signature.
        public let hasTimestamp: Bool
        /// Time stamps over the signature and its evidence.
        public let archiveTimestamps: Int
    }

    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.cms/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// `data`, or a dotted identifier.
    public let contentType: String
    /// Nil for a detached signature.
    public let contentByteCount: Int?
    /// In the order of the message.
    public let signers: [Signer]
    /// The subjects of the certificates that go along.
    public let certificates: [String]
    /// How many go along.
    public let revocationLists: Int
    /// What it brings along for its validation; nil where that is nothing but certificates.
    public let validationData: ShownValidationData?
}

/// A certificate revocation list in words. Its signature is not verified.
public struct ShownRevocationList: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.crl/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// As RFC 4514 writes it.
    public let issuer: String
    /// When it was issued.
    public let thisUpdate: Moment
    /// When the next one is due. Nil where that is not said.
    public let nextUpdate: Moment?
    /// How many certificates it names.
    public let revoked: Int
    /// Hexadecimal; nil where the list has none (RFC 5280 §5.2.3).
    public let number: String?
    /// What it is signed with: `rsa-pkcs1`, `ecdsa` and so on, else a dotted identifier.
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

    /// As the artefact itself, without a wrapper.
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
