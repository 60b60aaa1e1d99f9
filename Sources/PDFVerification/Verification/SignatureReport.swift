package import Base
package import CryptoBridge
package import PDFSigning
package import TimestampKit
package import TrustKit

/// The content of a timestamp, and whether its TSA is trusted.
package struct SignatureTimestamp: Sendable {
    package let info: TSTInfo
    /// The TSA's certificate; nil if the token does not contain it.
    package let authority: Certificate?
    package let isTrusted: Bool
}

/// The bytes of a signature, for an independent check.
package struct SignedValue: Sendable {
    package let signature: [UInt8]
    package let byteRange: ByteRange
    /// The digest of the byte range.
    package let digest: [UInt8]
    /// The signed attributes as a DER SET; nil if there are none.
    package var attributes: [UInt8]?
    /// The signature timestamp's token, or the token of a document timestamp.
    package var token: [UInt8]?
}

extension StampState {
    package init(of times: TimeFinding?) {
        self.init(isThere: times?.timestamp != nil, provenTime: times?.provenTime)
    }
}

extension SignatureReport {
    /// Whether the signature passed, or only findings about the display prevent it. No addition to
    /// the document can change those findings.
    package var isSettled: Bool {
        verdict == .passed
            || verdict == .indeterminate && isIntact
                && findings?.value.path?.isTrusted == true
                && allProblems.allSatisfy {
                    $0.verdict == nil || $0.verdict == .passed || $0.code.isAboutAppearance
                }
    }
}

/// The report on one signature, with the verdict derived from the findings.
package struct SignatureReport: Sendable {
    package let field: String
    /// Nil for a signature that the newest revision no longer contains.
    package let findings: SignatureFindings?
    /// The level, including the effect of later timestamps.
    package private(set) var level: SignatureLevel?
    /// The reasons for its level, if requested.
    package private(set) var explanation: LevelExplanation?
    package let problems: [VerificationProblem]
    /// The problems of the document, which lower the verdict too.
    private let documentProblems: [VerificationProblem]
    package let verdict: Verdict

    package var allProblems: [VerificationProblem] { problems + documentProblems }

    /// The sub-indication of the first problem that decides the verdict.
    package var subIndication: SubIndication? { allProblems.subIndication(of: verdict) }

    package var kind: SignaturePurpose { findings?.candidate.kind ?? .signature }
    /// Whether the signature is valid for the signed bytes.
    package var isIntact: Bool { findings?.value.checked?.isIntact ?? false }
    package var signer: Certificate? { findings?.value.checked?.signer }
    /// Whether the document contains everything that validates ``paths``.
    package var hasValidationData: Bool { findings?.value.hasValidationData ?? false }
    package var times: TimeFinding? { findings?.value.times }
    /// The chains of the signer and of the TSA whose timestamp is used.
    package var paths: [JudgedPath] { findings?.value.paths ?? [] }

    /// Reports a signature that an earlier revision contains and the newest one does not.
    init(lostFrom field: String) {
        self.field = field
        findings = nil
        problems = [
            .failure(
                .signatureRemoved,
                "the signature was removed: an earlier revision has a signature in this field")
        ]
        documentProblems = []
        verdict = problems.verdict(isProven: false)
    }

    /// - Parameter unmet: requirements of the caller that the signature does not meet.
    init(
        _ findings: SignatureFindings, level: SignatureLevel?, unmet: [VerificationProblem],
        explanation: LevelExplanation?
    ) {
        field = findings.candidate.field.fullName.text
        self.findings = findings
        self.level = level
        self.explanation = explanation
        problems = findings.problems + unmet
        documentProblems = findings.documentProblems
        verdict = (problems + documentProblems).verdict(isProven: findings.isProven)
    }
}

/// The report on a whole document. Its verdict is that of the worst signature.
package struct DocumentReport: Sendable {
    package let signatures: [SignatureReport]
    /// The problems of the document itself, which lower the verdict of every signature.
    package let problems: [VerificationProblem]
    /// Defects that the parser tolerated, and signatures outside any field.
    package let warnings: [String]
    /// Nil if the document has no MAC and requires none.
    package let integrityCode: IntegrityCodeReport?
    /// DER of the certificates embedded in the document, if requested.
    package let certificates: [[UInt8]]
    /// Size of the newest timestamp token, including signature timestamps; nil if there is none.
    package let newestTokenByteCount: Int?
    /// Revocation data in the document's security store.
    package let evidence: RevocationEvidence
    package let storeCertificates: [Certificate]

    /// Nil if the document has neither signatures nor a MAC. Signatures that were not examined
    /// count as doubts.
    package var verdict: Verdict? {
        let hidden = problems.filter { [.signatureOutsideForm, .formTooLarge].contains($0.code) }
        let problems = (integrityCode?.problems ?? []) + hidden
        return (signatures.map(\.verdict) + problems.compactMap(\.verdict)).max()
    }
}
