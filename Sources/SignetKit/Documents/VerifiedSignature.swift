import CryptoBridge
import PDFSigning
import TrustKit

/// The result for one signature.
public struct VerifiedSignature: Encodable, Sendable {
    /// The signing certificate.
    public struct Signer: Encodable, Sendable {
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
        /// The holder's name: common name, given name and surname, organization, or an alternative name.
        public let displayName: String
        /// The issuer's name, chosen like ``displayName``.
        public let issuerName: String
        /// The certificate in DER. Not in the JSON.
        public let der: [UInt8]

        private enum CodingKeys: String, CodingKey {
            case displayName = "name"
            case subject, issuer, serial, sha256, notBefore, notAfter
        }
    }

    /// A timestamp that proves the existence of the signature.
    public struct Timestamp: Encodable, Sendable {
        /// Time of the timestamp (genTime), with fractions of a second if the TSA gives them.
        public let time: Moment
        /// The TSA's common name, else its complete name.
        public let tsa: String?
        /// Whether the TSA certificate has a trusted chain without known problems.
        public internal(set) var trusted = false
        /// Accuracy such as `1 s`; nil if the TSA states none.
        public let accuracy: String?
        /// TSA policy as a dotted OID.
        public let policy: String
        /// Serial number of the timestamp, hexadecimal.
        public let serial: String
        /// Whether it is a qualified timestamp; nil if no trusted lists were used.
        public let qualification: VerifiedTimestampQualification?
    }

    /// Revocation status of the signing certificate, and its source (RFC 5280 §6.3).
    public struct Revocation: Encodable, Sendable {
        /// A CRL (RFC 5280 §5), or an OCSP response (RFC 6960).
        public enum Source: String, Encodable, Sendable { case list, ocsp }

        /// Revocation time; nil if the certificate was not revoked.
        public let revokedAt: Moment?
        /// The kind of revocation data.
        public let source: Source
        /// The signer of the revocation data: common name, else complete name.
        public let authority: String
        /// When the revocation data was issued.
        public let thisUpdate: Moment
        /// Time of the next update (nextUpdate); nil without it.
        public let nextUpdate: Moment?

        init(_ word: StatusRecord, of certificate: Certificate) {
            revokedAt = word.statement.revokedAt?.moment
            source =
                switch word.source {
                case .list: .list
                case .response: .ocsp
                }
            authority = word.statusSigner?.displayName ?? certificate.issuer.shortText
            thisUpdate = word.statement.thisUpdate.moment
            nextUpdate = word.statement.nextUpdate?.moment
        }
    }

    /// The fields locked by a signature: a later change of one makes it invalid.
    public struct Lock: Encodable, Sendable {
        /// Locks all fields, only the named ones, or all except the named ones (ISO 32000-2 Table
        /// 236).
        public enum Scope: String, Encodable, Sendable { case all, only, except }

        /// The scope of the lock.
        public let scope: Scope
        /// Named fields, sorted; at most the first 100.
        public let fields: [String]
        /// Number of all named fields.
        public let fieldCount: Int

        /// Maximum number of names included.
        private static let fieldLimit = 100

        init(_ lock: FieldLock) {
            var names: Set<ExactText> = []
            switch lock.scope {
            case .all: scope = .all
            case .only(let named): (scope, names) = (.only, named)
            case .except(let named): (scope, names) = (.except, named)
            }
            fields = names.sorted().prefix(Self.fieldLimit).map(\.text)
            fieldCount = names.count
        }
    }

    /// The full name of the signature field; outside PDF a fixed word such as `timestamp`.
    public internal(set) var field: String
    /// A signature or a timestamp.
    public internal(set) var kind = SignaturePurpose.signature
    /// The worst verdict of the problems.
    public internal(set) var verdict: Verdict
    /// Sub-indication (ETSI EN 319 102-1); nil if passed.
    @Nullable public internal(set) var subindication: SubIndication? = nil
    /// Signed part of the file.
    public internal(set) var coverage = Coverage.partial
    /// Whether the signed bytes are unchanged; the signer's identity is not considered.
    public internal(set) var intact = false
    /// Whether the certificate has a trusted chain without known problems. The signed bytes are
    /// covered by ``intact``.
    public internal(set) var trusted = false
    /// The trust anchor of the certificate's path, regardless of other problems; nil without one.
    @Nullable public internal(set) var anchor: PathEnd? = nil
    /// The most extensive change after signing.
    public internal(set) var changes = ChangeLevel.none
    /// Descriptions of changes: `page 2: content replaced`.
    public internal(set) var changesDetail: [String] = []
    /// The changes in ``changesDetail`` that affect content: field values, annotations. Further
    /// signatures and timestamps are not included.
    public internal(set) var contentChanges: [String] = []
    /// Signature level, such as B-T; nil if unknown.
    @Nullable public internal(set) var level: SignatureLevel? = nil
    /// The level by the format alone (ETSI EN 319 142-1 §6): B-T with any timestamp, whether its
    /// TSA is trusted or not; nil if unknown.
    @Nullable public internal(set) var formatLevel: SignatureLevel? = nil
    /// The format (ISO 32000-2 Table 255): `ETSI.CAdES.detached`; nil outside PDF.
    @Nullable public internal(set) var subfilter: String? = nil
    /// Digest algorithm, such as `sha256`; nil if unknown.
    @Nullable public internal(set) var digest: String? = nil
    /// Signature algorithm: `rsa-pkcs1`, `ecdsa` and so on; nil if unknown.
    @Nullable public internal(set) var algorithm: String? = nil
    /// Signing certificate; nil if it is missing.
    @Nullable public internal(set) var signer: Signer? = nil
    /// Revocation status of the signing certificate; nil without valid revocation data.
    @Nullable public internal(set) var revocation: Revocation? = nil
    /// The claimed signing time, without proof.
    @Nullable public internal(set) var claimedTime: Moment? = nil
    /// Timestamp of the signature; nil if there is none, or none was read.
    @Nullable public internal(set) var timestamp: Timestamp? = nil
    /// Time at which the signature existed, proven by trusted timestamps; nil without proof.
    @Nullable public internal(set) var provenTime: Moment? = nil
    /// Changes permitted by a certification signature; nil for other signatures.
    @Nullable public internal(set) var certification: DocMDPPermission? = nil
    /// Fields locked by the signature; nil if it locks none.
    @Nullable public internal(set) var lock: Lock? = nil
    /// The name given by the signer, not verified; the certificate is authoritative.
    @Nullable public internal(set) var name: String? = nil
    /// Reason given by the signer.
    @Nullable public internal(set) var reason: String? = nil
    /// Location given by the signer.
    @Nullable public internal(set) var location: String? = nil
    /// Problems in the order of the checks, not by severity.
    public var problems: [VerificationProblem]
    /// The qualification by European trusted lists; nil if none were used.
    @Nullable public internal(set) var qualification: VerifiedQualification? = nil
    /// Outside PDF: the file with the signed content; nil if the content is attached.
    @Nullable public internal(set) var contentFile: String? = nil
    /// In a container: names of the unchanged files that the signature covers; nil for other files.
    public internal(set) var files: [String]?
    /// What the signer stated in signed attributes; nil for nothing.
    public internal(set) var statements: VerifiedStatements?
    /// In CMS files: the countersignatures of the signature value (RFC 5652 §11.4), each with its own;
    /// nil if there are none. They do not raise the verdict.
    public internal(set) var countersignatures: [VerifiedSignature]?
    /// Whether it is an XML signature. Not in the JSON.
    public internal(set) var isXML = false
    /// Explanation of the signature level; nil if not requested.
    public internal(set) var levelExplained: ExplainedLevel?
    /// Further data for reports. Not in the JSON.
    package internal(set) var record = SignatureRecord()

    /// The trust anchor of the certificate's path; nil without one.
    public var trustAnchor: Signer? { Self.signer(record.isAnchored ? record.chain.last : nil) }

    /// The trust anchor of the TSA that proves ``provenTime``; nil without one.
    public var provenAnchor: Signer? { Self.signer(record.provenAnchor) }

    private static func signer(_ der: [UInt8]?) -> Signer? {
        der.flatMap { try? Signer(Certificate(der: $0)) }
    }

    /// Sets ``formatLevel`` by ``level`` and ``timestamp``.
    mutating func noteFormat() {
        formatLevel = level?.format(hasTimestamp: timestamp != nil)
    }

    /// The name in the signature if it differs from the certificate.
    public var foreignName: String? {
        guard let name, let signer,
            SignerName.isForeign(name, to: [signer.displayName, signer.subject])
        else { return nil }
        return name
    }

    /// `PAdES B-T, ECDSA, SHA-256`
    public var format: String {
        // Only PDF signatures have a SubFilter.
        let kind = isXML ? "XAdES" : subfilter == nil ? "CAdES" : "PAdES"
        let level = (formatLevel ?? level).map {
            $0 == .cms ? $0.rawValue : "\(kind) \($0.rawValue)"
        }
        let scheme: String? =
            switch algorithm {
            case "rsa-pkcs1"?: "RSA PKCS#1 v1.5"
            case "rsa-pss"?: "RSA-PSS"
            case let name?:
                QuantumSafeAlgorithm(name: name)?.rawValue
                    ?? (name.hasPrefix("ed") ? "Ed\(name.dropFirst(2))" : name.uppercased())
            case nil: nil
            }
        let digest = digest.map { DigestAlgorithm(name: $0)?.displayName ?? $0 }
        return [level, scheme, digest].compactMap(\.self).joined(separator: ", ")
    }

    private enum CodingKeys: String, CodingKey {
        case field, kind, verdict, subindication, coverage, intact, trusted, anchor, changes
        case changesDetail, contentChanges
        case level
        case formatLevel = "format"
        case subfilter, digest, algorithm, signer, claimedTime, timestamp, provenTime
        case revocation
        case certification, lock
        case name, reason, location, problems, qualification
        case contentFile = "content"
        case files, statements, countersignatures
        case levelExplained
    }
}
