package import Base
package import CryptoBridge
package import PDFSigning
package import RevisionDiff
package import TimestampKit
package import TrustKit

/// What a time stamp says, and whether its authority is trusted.
package struct SignatureTimestamp: Sendable {
    package let info: TSTInfo
    /// The authority's certificate; nil when the token does not bring it.
    package let authority: Certificate?
    package let isTrusted: Bool
}

/// The bytes of a signature, for whoever checks them again.
package struct SignedValue: Sendable {
    package let signature: [UInt8]
    package let byteRange: ByteRange
    /// The hash of the byte range.
    package let digest: [UInt8]
    /// A DER SET; nil for none.
    package var attributes: [UInt8]?
    /// The time stamp over the signature, or the signature as a time stamp.
    package var token: [UInt8]?
}

extension StampState {
    package init(of times: TimeFinding?) {
        self.init(isThere: times?.timestamp != nil, provenTime: times?.provenTime)
    }
}

extension SignatureReport {
    /// Whether nothing is in doubt but what viewers show of the document: that is signed as it is, and
    /// nothing that is added makes it better or worse.
    package var isSettled: Bool {
        verdict == .passed
            || verdict == .indeterminate && isIntact && isTrusted
                && allProblems.allSatisfy {
                    $0.verdict == nil || $0.verdict == .passed || $0.code.isAboutLook
                }
    }
}

/// Everything found out about one signature.
package struct SignatureReport: Sendable {
    package let field: String
    package private(set) var kind: SignaturePurpose = .signature
    package private(set) var subFilter: String?
    package private(set) var coverage: Coverage = .partial
    /// Where the second span of the byte range ends; nil when there is no usable one.
    package private(set) var coveredByteCount: Int?
    /// The signed bytes and the signature's value fit each other.
    package private(set) var isIntact = false
    /// The certificate leads to a trust anchor.
    package private(set) var isTrusted = false
    /// At which anchor the certificate's path ends, whatever else speaks against it.
    package private(set) var pathEnd: PathEnd?
    package private(set) var changes: ChangeLevel = .none
    package private(set) var changesDetail: [String] = []
    /// Those of ``changesDetail`` that change what the document says or shows.
    package private(set) var contentChanges: [String] = []
    /// The pages on which the changes may be seen.
    package private(set) var changedPlaces = ChangedPlaces.none
    package private(set) var level: SignatureLevel?
    package private(set) var digest: String?
    package private(set) var algorithm: String?
    package private(set) var signer: Certificate?
    /// Nil where there is none that can be read.
    package private(set) var value: SignedValue?
    /// By whose word it is known whether the signer's certificate was revoked; nil where it is not.
    package private(set) var revocation: RevocationWord?
    /// The paths of the signer, and of who stamped the time that counts.
    package private(set) var paths: [JudgedPath] = []
    /// Whether the document brings all that is needed to validate them.
    package private(set) var hasValidationData = false
    /// Why it has its level, where that was asked for.
    package private(set) var explanation: LevelExplanation?
    package private(set) var claimedTime: CalendarTime?
    /// The time stamp that counts for it; its own for a document timestamp.
    package private(set) var timestamp: SignatureTimestamp?
    /// When it existed at the latest, as trusted time stamps prove.
    package private(set) var provenTime: CalendarTime?
    /// Whose time stamp proves that; nil where nothing does.
    package private(set) var provenBy: Certificate?
    /// That time stamp's token.
    package private(set) var provenToken: [UInt8]?
    /// What there is of time stamps over it.
    package private(set) var stampState = StampState.none
    package private(set) var certification: DocMDPPermission?
    /// The fields that it locks; nil for none.
    package private(set) var lock: FieldLock?
    package private(set) var reason: String?
    package private(set) var location: String?
    package private(set) var name: String?
    /// Its own problems.
    package let problems: [VerificationProblem]
    /// The problems of the document, which lower the verdict too.
    private let documentProblems: [VerificationProblem]
    package let verdict: Verdict

    /// Its own problems, then those of the document.
    package var allProblems: [VerificationProblem] { problems + documentProblems }

    /// The sub-indication of the first problem that decides the verdict.
    package var subIndication: SubIndication? { allProblems.subIndication(of: verdict) }

    /// A signature that an earlier revision had in a field, and the newest one has not.
    init(lostFrom field: String) {
        self.field = field
        problems = [
            .failure(
                .signatureRemoved,
                "an earlier revision of the file was signed in this field; the newest one "
                    + "has no such signature")
        ]
        documentProblems = []
        verdict = problems.verdict(isProven: false)
    }

    /// - Parameters:
    ///   - level: with what later time stamps make of it.
    ///   - unmet: what was asked for and is not there.
    init(
        _ findings: SignatureFindings, level: SignatureLevel?, unmet: [VerificationProblem],
        explanation: LevelExplanation?
    ) {
        let (candidate, revision, value) = (findings.candidate, findings.revision, findings.value)
        field = candidate.field.fullName.text
        problems = findings.problems + unmet
        documentProblems = findings.documentProblems
        verdict = (problems + documentProblems).verdict(isProven: findings.isProven)
        kind = candidate.kind
        subFilter = candidate.subFilter
        coveredByteCount = candidate.coveredByteCount
        claimedTime = candidate.claimedTime
        (name, reason, location) = (candidate.name, candidate.reason, candidate.location)
        coverage = revision.coverage
        changes = revision.changes
        changesDetail = revision.changesDetail
        contentChanges = revision.contentChanges
        changedPlaces = revision.changedPlaces
        certification = revision.certification
        lock = revision.lock
        self.level = level
        self.explanation = explanation
        paths = value.paths
        hasValidationData = value.hasValidationData
        if let checked = value.checked { take(checked) }
        if let times = value.times { take(times) }
        self.value = value.signedValue
        if let path = value.path {
            (isTrusted, pathEnd, revocation) = (path.isTrusted, path.end, path.revocation)
        }
    }

    private mutating func take(_ checked: CheckedSignature) {
        isIntact = checked.isIntact
        digest = checked.digest.rawValue
        algorithm = checked.algorithm
        signer = checked.signer
        claimedTime = claimedTime ?? checked.claimedTime
    }

    private mutating func take(_ times: TimeFinding) {
        timestamp = times.timestamp
        provenTime = times.provenTime
        provenBy = times.provenBy
        provenToken = times.provenToken
        stampState = StampState(of: times)
    }
}

/// The answer for a whole document: as good as its worst signature.
package struct DocumentReport: Sendable {
    package let signatures: [SignatureReport]
    /// The problems of the document itself, which lower the verdict of every signature.
    package let problems: [VerificationProblem]
    /// Named defects that the reader tolerated, and signatures outside any field.
    package let warnings: [String]
    /// Nil where the document has no integrity code, and need not have one.
    package let integrityCode: IntegrityCodeReport?
    /// DER of the certificates that the document brings, where they are asked for.
    package let certificates: [[UInt8]]
    /// Of the newest time stamp's token, the signatures' included; nil where there is none.
    package let newestTokenByteCount: Int?
    /// What the document's security store says of revocations.
    package let evidence: RevocationEvidence
    /// The certificates of the store.
    package let storeCertificates: [Certificate]

    /// Nil when the document has no signature, and nothing speaks against the document itself.
    package var verdict: Verdict? {
        let problems = integrityCode?.problems ?? []
        return (signatures.map(\.verdict) + problems.compactMap(\.verdict)).max()
    }
}
