/// The verification result, in the structure of the JSON output.
public struct VerifiedDocument: Encodable, Sendable {
    /// The overall verdict (ETSI EN 319 102-1 §5.1.3); `unsigned` without a signature.
    public enum Verdict: String, Encodable, Sendable {
        case passed, indeterminate, failed, unsigned

        /// The verdict as a `Base.Verdict`; nil if nothing is signed.
        public var verdict: Base.Verdict? { .init(rawValue: rawValue) }
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.verify/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// The worst verdict of the signatures.
    public internal(set) var verdict: Verdict
    /// Signatures in the order of creation.
    public var signatures: [VerifiedSignature]
    /// Problems of the document itself, which lower the verdict of every signature.
    public var problems: [VerificationProblem] = []
    /// The MAC of an encrypted document; nil if it is neither present nor required, and for other
    /// files.
    public var integrityCode: IntegrityCode?
    /// Content that makes the display of a PDF depend on more than the signed bytes; nil for other
    /// files.
    public var dynamicContent: ShownDynamicContent?
    /// The files of a container; nil for other files.
    public internal(set) var container: VerifiedContainer?
    /// Tolerated defects of the file.
    public let warnings: [String]
    /// The ``warnings`` about defects of the file that need no action. Not in the JSON.
    public internal(set) var defects: [String] = []
    /// DER of the certificates in the file, if requested. Not in the JSON.
    var certificates: [[UInt8]] = []
    /// SHA-256 of the verified bytes in hexadecimal, and their number, if requested. Not in the
    /// JSON.
    public internal(set) var content: (sha256: String, byteCount: Int)?
    /// SHA-256 of the content of a detached signature in hexadecimal, and its length in bytes. Not
    /// in the JSON.
    public internal(set) var signedContent: (sha256: String, byteCount: Int)?
    /// Paths of written certificates; nil if not requested.
    public var savedCertificates: [String]?
    /// The trusted lists used; nil for none.
    public internal(set) var trustLists: UsedTrustLists?
    /// The certificates given as trust anchors, for reports; empty with the system trust store. Not
    /// in the JSON.
    public internal(set) var givenAnchors: [VerifiedSignature.Signer] = []
    /// The required signing certificate, for reports; nil for any. Not in the JSON.
    public internal(set) var requiredSigner: VerifiedSignature.Signer?
    /// The comparison of installed PDF viewers; nil if not requested.
    public internal(set) var viewers: CompareViewers.Result?

    /// The MAC of an encrypted document. It proves that the last writer could open the document,
    /// not who that was (ISO/TS 32004).
    public struct IntegrityCode: Encodable, Sendable {
        /// Whether the document has a MAC.
        public let present: Bool
        /// Whether the document requires a MAC.
        public let required: Bool
        /// Whether the MAC is valid.
        public let valid: Bool
        /// Location of the MAC: `standalone` or `attached-to-signature`; nil if unreadable.
        @Nullable public private(set) var location: String?
        /// Digest algorithm of the MAC, such as `sha256`; nil if unknown.
        @Nullable public private(set) var digest: String?
        /// Problems of the MAC, also included in the document's problems.
        public let problems: [VerificationProblem]
        /// Verdict of the MAC; nil if the MAC is neither present nor required. Not in the JSON.
        public var verdict: Base.Verdict? {
            guard !valid else { return .passed }
            return problems.compactMap(\.verdict).contains(.failed)
                ? .failed : problems.isEmpty ? nil : .indeterminate
        }
    }

    /// What an evidence record covers; nil for other files.
    public internal(set) var evidenceRecord: VerifiedEvidenceRecord?

    private enum CodingKeys: String, CodingKey {
        case schema, file, verdict, signatures, problems, warnings, savedCertificates, integrityCode
        case dynamicContent, trustLists, viewers, evidenceRecord, container
    }
}

extension VerifiedDocument.Verdict {
    init(_ verdict: Base.Verdict) { self = Self(rawValue: verdict.rawValue) ?? .failed }
}
