import Base
import CryptoBridge
import PDFSigning
import SystemBridge
import TrustKit

/// What verification found, in the shape of the JSON that programs read.
public struct VerifiedDocument: Encodable, Sendable {
    /// What all findings together come to (ETSI EN 319 102-1 §5.1.3); `unsigned` where there is no
    /// signature.
    public enum Verdict: String, Encodable, Sendable {
        case passed, indeterminate, failed, unsigned

        /// Nil where nothing is signed.
        public var verdict: Base.Verdict? { .init(rawValue: rawValue) }
    }

    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.verify/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// The worst of what counts.
    public internal(set) var verdict: Verdict
    /// In the order in which they were made.
    public var signatures: [VerifiedSignature]
    /// The problems of the document itself, which lower the verdict of every signature.
    public var problems: [VerificationProblem] = []
    /// Of an encrypted document; nil where there is none and none is demanded, and for other files.
    public var integrityCode: IntegrityCode?
    /// What makes a PDF's look depend on more than its signed bytes; nil for other files.
    public var dynamicContent: ShownDynamicContent?
    /// Defects of the file that the reader tolerated.
    public let warnings: [String]
    /// DER of the certificates that the file carries, as far as they were asked for. Not in the
    /// JSON.
    var certificates: [[UInt8]] = []
    /// SHA-256 of the bytes that were verified, in hexadecimal, and how many, where that was asked
    /// for. Not in the JSON.
    public internal(set) var content: (sha256: String, byteCount: Int)?
    /// The same of the file beside a detached signature.
    public internal(set) var signedContent: (sha256: String, byteCount: Int)?
    /// Where certificates were written to; nil when nobody asked.
    public var savedCertificates: [String]?
    /// The trusted lists that were asked; nil for none.
    public internal(set) var trustLists: UsedTrustLists?
    /// What installed PDF viewers show; nil if they were not asked.
    public internal(set) var viewers: CompareViewers.Result?

    /// What an encrypted document's integrity code says: whether who wrote it last knew what opens
    /// it, not who that was (ISO/TS 32004).
    public struct IntegrityCode: Encodable, Sendable {
        /// Whether there is one.
        public let present: Bool
        /// Whether the author demands one.
        public let required: Bool
        /// Whether it was verified and fits.
        public let valid: Bool
        /// `standalone` or `attached-to-signature`; nil where it could not be read.
        @Nullable public private(set) var location: String?
        /// The hash algorithm: `sha256`; nil where it is not known.
        @Nullable public private(set) var digest: String?
        /// What speaks against it; the problems of the document include these.
        public let problems: [VerificationProblem]
        /// Nil where there is none and nobody misses one. Not in the JSON.
        public var verdict: Base.Verdict? {
            guard !valid else { return .passed }
            return problems.compactMap(\.verdict).contains(.failed)
                ? .failed : problems.isEmpty ? nil : .indeterminate
        }
    }

    private enum CodingKeys: String, CodingKey {
        case schema, file, verdict, signatures, problems, warnings, savedCertificates, integrityCode
        case dynamicContent, trustLists, viewers
    }
}

/// What verification found about one signature.
public struct VerifiedSignature: Encodable, Sendable {
    /// Whose certificate a signature is checked with.
    public struct Signer: Encodable, Sendable {
        /// Distinguished names as RFC 4514 writes them.
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
        /// The subject's common name, else its whole name.
        public let displayName: String

        private enum CodingKeys: String, CodingKey {
            case subject, issuer, serial, sha256, notBefore, notAfter
        }
    }

    /// What proves that the signature existed at a time.
    public struct Timestamp: Encodable, Sendable {
        /// Fractions of a second where the authority gives them.
        public let time: Moment
        /// The authority's common name, else its whole name.
        public let tsa: String?
        /// Whether the authority's certificate leads to a trust anchor, and nothing speaks against
        /// it.
        public internal(set) var trusted = false
        /// `1 s`; nil when the authority does not say.
        public let accuracy: String?
        /// Dotted.
        public let policy: String
        /// Hexadecimal.
        public let serial: String
        /// Whether it is a qualified one; nil where no trusted lists were asked.
        public let qualification: VerifiedTimestampQualification?
    }

    /// What is known of whether the signer's certificate was revoked, and by whose word.
    public struct Revocation: Encodable, Sendable {
        /// A revocation list (RFC 5280 §5), or a response of OCSP (RFC 6960).
        public enum Source: String, Encodable, Sendable { case list, ocsp }

        /// Nil where it was not.
        public let revokedAt: Moment?
        /// Which of the two said it.
        public let source: Source
        /// Who said it: the common name, else the whole name.
        public let authority: String
        /// When it was said.
        public let thisUpdate: Moment
        /// Nil where the authority does not say when it speaks next.
        public let nextUpdate: Moment?

        init(_ word: RevocationWord, of certificate: Certificate) {
            revokedAt = word.statement.revokedAt?.moment
            source =
                switch word.source {
                case .list: .list
                case .response: .ocsp
                }
            authority = (word.speaker?.subject ?? certificate.issuer).shortText
            thisUpdate = word.statement.thisUpdate.moment
            nextUpdate = word.statement.nextUpdate?.moment
        }
    }

    /// The fields that a signature locks: to change one of them fails it.
    public struct Lock: Encodable, Sendable {
        /// All fields, those that are named, or all but those (ISO 32000-2 Table 236).
        public enum Scope: String, Encodable, Sendable { case all, only, except }

        /// To which fields the lock extends.
        public let scope: Scope
        /// The first of the named fields, sorted.
        public let fields: [String]
        /// Of all that are named.
        public let fieldCount: Int

        /// Most names that are told.
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

    /// The full name of the signature field; outside PDF what it is, as `timestamp`.
    public let field: String
    /// A person's signature, or a time stamp.
    public internal(set) var kind = SignaturePurpose.signature
    /// The worst of what counts.
    public internal(set) var verdict: Verdict
    /// Nil when passed.
    @Nullable public internal(set) var subindication: SubIndication? = nil
    /// How much of the file was signed.
    public internal(set) var coverage = Coverage.partial
    /// Whether the signed bytes are what was signed, whoever signed them.
    public internal(set) var intact = false
    /// Whether the certificate leads to a trust anchor, and nothing is known against it. It says
    /// nothing of the signed bytes, which ``intact`` does.
    public internal(set) var trusted = false
    /// At which anchor the certificate's path ends, whatever else speaks against it; nil where it
    /// leads to none.
    @Nullable public internal(set) var anchor: PathEnd? = nil
    /// How far later revisions go beyond what was signed.
    public internal(set) var changes = ChangeLevel.none
    /// Each change in words: `page 2: content replaced`.
    public internal(set) var changesDetail: [String] = []
    /// Those of ``changesDetail`` that change what the document says or shows: field values,
    /// annotations. Further signatures and time stamps are none.
    public internal(set) var contentChanges: [String] = []
    /// Nil when it could not be told.
    @Nullable public internal(set) var level: SignatureLevel? = nil
    /// The format (ISO 32000-2 Table 255): `ETSI.CAdES.detached`; nil outside PDF.
    @Nullable public internal(set) var subfilter: String? = nil
    /// The hash algorithm: `sha256`; nil where it is not known.
    @Nullable public internal(set) var digest: String? = nil
    /// `rsa-pkcs1`, `ecdsa` and so on; nil for what is not known.
    @Nullable public internal(set) var algorithm: String? = nil
    /// Nil where the certificate is not there.
    @Nullable public internal(set) var signer: Signer? = nil
    /// Nil where nothing that counts speaks of it.
    @Nullable public internal(set) var revocation: Revocation? = nil
    /// What the signer says, not proven.
    @Nullable public internal(set) var claimedTime: Moment? = nil
    /// Nil where there is none, or none was looked at.
    @Nullable public internal(set) var timestamp: Timestamp? = nil
    /// When the signature existed at the latest, as trusted time stamps prove.
    @Nullable public internal(set) var provenTime: Moment? = nil
    /// What a certification signature permits of later changes; nil for other signatures.
    @Nullable public internal(set) var certification: DocMDPPermission? = nil
    /// Nil where it locks no fields.
    @Nullable public internal(set) var lock: Lock? = nil
    /// Who is said to sign; nobody checked it, the certificate counts.
    @Nullable public internal(set) var name: String? = nil
    /// As the signer gives it.
    @Nullable public internal(set) var reason: String? = nil
    /// As the signer gives it.
    @Nullable public internal(set) var location: String? = nil
    /// The worst do not come first: they stand in the order of the checks.
    public var problems: [VerificationProblem]
    /// What it is by the European trusted lists; nil where none were asked.
    @Nullable public internal(set) var qualification: VerifiedQualification? = nil
    /// Outside PDF: the file with the signed content; nil when only the message carries it.
    @Nullable public internal(set) var contentFile: String? = nil
    /// Why it has its level; nil where nobody asked.
    public internal(set) var levelExplained: ExplainedLevel?
    /// What reports need besides. Not in the JSON.
    package internal(set) var record = SignatureRecord()

    /// The name in the signature where the certificate names somebody else.
    public var foreignName: String? {
        guard let name, let signer,
            SignerName.isForeign(name, to: [signer.displayName, signer.subject])
        else { return nil }
        return name
    }

    private enum CodingKeys: String, CodingKey {
        case field, kind, verdict, subindication, coverage, intact, trusted, anchor, changes
        case changesDetail, contentChanges
        case level, subfilter, digest, algorithm, signer, claimedTime, timestamp, provenTime
        case revocation
        case certification, lock
        case name, reason, location, problems, qualification
        case contentFile = "content"
        case levelExplained
    }
}

extension VerifiedDocument.Verdict {
    init(_ verdict: Base.Verdict) {
        self =
            switch verdict {
            case .passed: .passed
            case .indeterminate: .indeterminate
            case .failed: .failed
            }
    }
}
