import Base
import CryptoBridge

/// The description of a certificate.
public struct ShownCertificate: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.certificate/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Subject name in RFC 4514 form.
    public let subject: String
    /// Issuer name in RFC 4514 form.
    public let issuer: String
    /// Serial number, hexadecimal.
    public let serial: String
    /// SHA-256 of the certificate, hexadecimal.
    public let sha256: String
    /// Start of the certificate's validity.
    public let notBefore: Moment
    /// End of the certificate's validity, inclusive.
    public let notAfter: Moment
    /// Kind and size of the key: `RSA 3072`, `EC P-256`.
    public let algorithm: String
    /// SHA-256 of the SubjectPublicKeyInfo, hexadecimal.
    public let publicKeySHA256: String
    /// Signature algorithm: `rsa-pkcs1`, `ecdsa` and so on, else a dotted identifier.
    public let signatureAlgorithm: String
    /// Names of RFC 5280 §4.2.1.3, such as `digitalSignature`. Empty without the extension.
    public let keyUsage: [String]
    /// Extended key usages: names if known, else dotted OIDs (RFC 5280 §4.2.1.12).
    public let extendedKeyUsage: [String]
    /// Whether the certificate may issue certificates (RFC 5280 §4.2.1.9).
    public let isCA: Bool
    /// Subject alternative names with types: `email:jan@example.com`, `dns:example.com`; others as
    /// `other:OID:hex` (RFC 5280 §4.2.1.6).
    public let alternativeNames: [String]
    /// Microsoft certificate template: its name or object identifier; nil without one.
    public let certificateTemplate: String?
    /// The holder's name, for people. Not in the JSON.
    public let displayName: String
    /// Number of extensions that are not described here, for people; nil for none. Not in the JSON.
    public let otherExtensions: String?
    /// Values of the subject that are longer than RFC 5280 A.1 permits. Not in the JSON.
    public let warnings: [String]

    private enum CodingKeys: String, CodingKey {
        case schema, file, subject, issuer, serial, sha256, notBefore, notAfter, algorithm
        case publicKeySHA256, signatureAlgorithm, keyUsage, extendedKeyUsage, isCA, alternativeNames
        case certificateTemplate
    }

    init(_ certificate: Certificate, file: String) throws {
        self.file = file
        subject = certificate.subject.description
        issuer = certificate.issuer.description
        serial = certificate.serialHex
        sha256 = try Hex.encode(certificate.sha256)
        notBefore = certificate.notBefore.moment
        notAfter = certificate.notAfter.moment
        let key = try certificate.publicKey
        algorithm = key.algorithm.description
        publicKeySHA256 = Hex.encode(try DigestAlgorithm.sha256.hash(key.spkiDER))
        signatureAlgorithm = certificate.signatureAlgorithmName
        keyUsage = certificate.keyUsage?.names ?? []
        extendedKeyUsage = (certificate.extendedKeyUsage ?? []).map(ExtendedKeyUsage.name)
        isCA = certificate.isCA
        alternativeNames = certificate.subjectAlternativeNames
        certificateTemplate = certificate.template
        displayName = certificate.displayName
        warnings = certificate.subject.overlongValues
        let others = certificate.extensions.filter { !Self.describedExtensions.contains($0.oid) }
        let critical = others.filter(\.isCritical).map(\.oid.description)
        otherExtensions =
            others.isEmpty
            ? nil
            : "\(others.count) not described"
                + (critical.isEmpty ? "" : "; critical: \(critical.joined(separator: ", "))")
    }

    private static let describedExtensions: Set<OID> = [
        .keyUsage, .extendedKeyUsage, .basicConstraints, .subjectAltName, .certificateTemplate,
        .certificateTemplateName,
    ]
}

/// The description of a key; never its private value.
public struct ShownKey: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.key/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Whether the key is a private key.
    public let isPrivate: Bool
    /// Kind and size of the key: `RSA 3072`, `EC P-256`.
    public let algorithm: String
    /// SHA-256 of the SubjectPublicKeyInfo, hexadecimal.
    public let publicKeySHA256: String
    /// The key's name in a PKCS#12 file (friendlyName); nil without one.
    public var alias: String?
    /// The identifier that PKCS#12 gives to the key and its certificate (localKeyID), hexadecimal.
    public var localKeyID: String?
    /// SHA-256 of the key's certificate in the file, hexadecimal; nil without one.
    public var certificateSHA256: String?
    /// The holder of that certificate, for people. Not in the JSON.
    public var holder: String?

    private enum CodingKeys: String, CodingKey {
        case schema, file, isPrivate, algorithm, publicKeySHA256, alias, localKeyID
        case certificateSHA256
    }
}

/// The description of a PDF.
public struct ShownPDF: Encodable, Sendable {
    /// A field of the form.
    public struct Field: Encodable, Sendable {
        /// Full name of the field.
        public let name: String
        /// Field type: `text`, `button`, `choice`, `signature` or `unknown`.
        public let type: String
        /// Whether the field has a signature value, finished or not.
        public let isSigned: Bool
        /// Whether the field is prepared and not yet signed (`remote prepare`).
        public let isPending: Bool
        /// Value of a text, choice or button field; nil without one, and for passwords.
        public let value: String?
        /// Name of the signer or time-stamping authority by the embedded certificate, not verified.
        public let signer: String?
        /// Claimed signing time, or the time of the timestamp, not verified.
        public let time: Moment?
        /// Whether the field contains a document timestamp.
        public let isTimestamp: Bool
        /// Further statements of the signer, not verified; nil for none.
        public let statements: VerifiedStatements?
        /// The place of signing that the signer states.
        public let location: String?
    }

    /// The size of a page.
    public struct Page: Encodable, Sendable {
        /// Displayed width in points.
        public let width: Double
        /// Displayed height in points.
        public let height: Double
        /// Page rotation in degrees clockwise: 0, 90, 180 or 270.
        public let rotation: Int
    }

    /// The encryption method and the permissions.
    public struct Encryption: Encodable, Sendable {
        /// `RC4-40` to `RC4-128`, `AES-128` or `AES-256`.
        public let method: String
        /// The revision of the standard security handler; 0 for encryption with certificates.
        public let revision: Int
        /// Whether XMP metadata is encrypted.
        public let encryptsMetadata: Bool
        /// Whether only attached files require a password.
        public let onlyAttachments: Bool
        /// Whether the document requires a MAC in every revision (ISO/TS 32004).
        public let integrityCodeDemanded: Bool
        /// Location of the MAC of the newest revision, not verified: `standalone`,
        /// `attached-to-signature`, or `unreadable`; nil without one.
        public let integrityCode: String?
        /// The digest algorithm of the MAC, such as `sha256`.
        public let integrityCodeDigest: String?
        /// Password that opened the document, possibly empty: `user` or `owner`.
        public let openedAs: String
        /// User permissions: `print`, `print-draft`, `modify`, `copy`, `annotate`, `fill-forms`,
        /// `create-fields`, `assemble`.
        public let permissions: [String]
        /// The certificates that open it; empty for password encryption.
        public let recipients: [String]
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.pdf/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Size of the whole file in bytes.
    public let byteCount: Int
    /// PDF version such as `1.7`: the later version of header and catalog.
    public let version: String
    /// The number of pages in the page tree.
    public let pages: Int
    /// Size of the first page; nil for a document without pages.
    public let firstPage: Page?
    /// Number of revisions: 1, and one more for each incremental update.
    public let revisions: Int
    /// `table` or `stream`: the kind of the newest cross-reference section.
    public let crossReference: String
    /// All fields, not only signature fields.
    public let fields: [Field]
    /// Number of signed fields; the signatures are not verified.
    public let signatures: Int
    /// Changes permitted by a certification signature (DocMDP): `no-changes`, `form-filling`,
    /// `annotations`; nil without one.
    public let certification: DocMDPPermission?
    /// Whether the document has usage rights (UR3) for Adobe Reader, which any change by another
    /// program ends (ISO 32000-2 §12.8.2.3).
    public let hasUsageRights: Bool
    /// Standards that the XMP metadata claims, such as `PDF/A-3b` or `Factur-X (BASIC)`; not
    /// verified.
    public let claims: [String]
    /// Encryption of the document; nil if it is not encrypted.
    public let encryption: Encryption?
    /// Content that makes the display depend on more than the file's bytes.
    public let dynamicContent: ShownDynamicContent
    /// Validation data in the document security store (DSS); nil without one.
    public let validationData: ShownValidationData?
    /// Warnings after success, one sentence each.
    public let warnings: [String]
}

/// The description of a PKCS#12 file; its contents follow as separate items.
public struct ShownPKCS12: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.pkcs12/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Whether the file contains a private key.
    public let holdsKey: Bool
    /// Number of private keys.
    public let keys: Int
    /// Number of certificates.
    public let certificates: Int
    /// The digest algorithm of the MAC, such as `sha256`; nil without one.
    public let macDigest: String?
    /// Iterations of deriving the MAC key from the passphrase.
    public let macIterations: Int
}

/// The description of a CMS SignedData. Nothing is verified.
public struct ShownMessage: Encodable, Sendable {
    /// A signer of the message, not verified.
    public struct Signer: Encodable, Sendable {
        /// The signer's name if the message contains the certificate, else the signer identifier.
        public let name: String
        /// Digest algorithm, such as `sha256`.
        public let digest: String
        /// Signature algorithm: `rsa-pkcs1`, `ecdsa` and so on, else a dotted identifier.
        public let signatureAlgorithm: String
        /// The claimed signing time.
        public let claimedTime: Moment?
        /// Whether the message has signed attributes.
        public let hasSignedAttributes: Bool
        /// Whether there is a timestamp over the signature.
        public let hasTimestamp: Bool
        /// Number of archive timestamps.
        public let archiveTimestamps: Int
        /// Further statements of the signer; nil for none.
        public let statements: VerifiedStatements?
        /// The place of signing that the signer states.
        public let location: String?
        /// Names of the countersigners, also of countersignatures; nil without any.
        public let countersigners: [String]?
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.cms/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Content type: `data`, or a dotted OID.
    public let contentType: String
    /// Length of the content in bytes; nil for a detached signature.
    public let contentByteCount: Int?
    /// Signers in the order of the message.
    public let signers: [Signer]
    /// The subjects of the certificates in the message.
    public let certificates: [String]
    /// Number of CRLs in the message.
    public let revocationLists: Int
    /// Validation data in the message; nil if it contains only certificates.
    public let validationData: ShownValidationData?
}

/// The description of a certificate revocation list. Its signature is not verified.
public struct ShownRevocationList: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.crl/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Issuer name in RFC 4514 form.
    public let issuer: String
    /// When the list was issued (thisUpdate).
    public let thisUpdate: Moment
    /// When the next list is due; nil without nextUpdate.
    public let nextUpdate: Moment?
    /// Number of revoked certificates.
    public let revoked: Int
    /// CRL number in hexadecimal; nil without one (RFC 5280 §5.2.3).
    public let number: String?
    /// Signature algorithm: `rsa-pkcs1`, `ecdsa` and so on, else a dotted identifier.
    public let signatureAlgorithm: String
}

/// The description of an OCSP response (RFC 6960). Its signature is not verified.
public struct ShownOCSPResponse: Encodable, Sendable {
    /// The status of one certificate.
    public struct Answer: Encodable, Sendable {
        /// Serial number of the certificate, hexadecimal.
        public let serial: String
        /// `good`, `revoked` or `unknown`.
        public let status: String
        /// Revocation time; nil if the certificate is not revoked.
        public let revokedAt: Moment?
        /// Time of the status.
        public let thisUpdate: Moment
        /// When newer information is available; nil if not stated.
        public let nextUpdate: Moment?
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.ocsp/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// When the response was signed; nil for an error status.
    public let producedAt: Moment?
    /// The certificates that it answers about.
    public let answers: [Answer]
    /// The subjects of the certificates in the response.
    public let certificates: [String]

    init?(_ response: OCSPResponse, file: String) {
        self.file = file
        let statuses = response.statuses
        guard !statuses.isEmpty else { return nil }
        producedAt = response.producedAt.moment
        answers = statuses.map { status in
            Answer(
                serial: status.serial, status: status.name,
                revokedAt: status.statement.revokedAt?.moment,
                thisUpdate: status.statement.thisUpdate.moment,
                nextUpdate: status.statement.nextUpdate?.moment)
        }
        certificates = response.certificates.map { $0.subject.description }
    }
}

/// Any item that `ShowFile` can describe.
public enum ShownArtefact: Encodable, Sendable {
    case pdf(ShownPDF)
    case key(ShownKey)
    case certificate(ShownCertificate)
    case request(ShownRequest)
    case pkcs12(ShownPKCS12)
    case message(ShownMessage)
    case photo(ShownPhoto)
    case revocationList(ShownRevocationList)
    case ocspResponse(ShownOCSPResponse)
    case timestampRequest(ShownTimestampRequest)
    case timestamp(ShownTimestamp)
    case evidenceRecord(ShownEvidenceRecord)
    case container(ShownContainer)

    /// Encodes the item itself, without a wrapper.
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
        case .ocspResponse(let shown): try shown.encode(to: encoder)
        case .timestampRequest(let shown): try shown.encode(to: encoder)
        case .timestamp(let shown): try shown.encode(to: encoder)
        case .evidenceRecord(let shown): try shown.encode(to: encoder)
        case .container(let shown): try shown.encode(to: encoder)
        }
    }
}
