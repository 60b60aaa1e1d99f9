package import Base
package import CryptoBridge
package import PDFSigning
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

/// The answer for one signature: the verdict follows from what the steps found.
package struct SignatureReport: Sendable {
    package let field: String
    /// Nil for a signature that the newest revision no longer has.
    package let findings: SignatureFindings?
    /// With what later timestamps make of it.
    package private(set) var level: SignatureLevel?
    /// Why it has its level, where that was asked for.
    package private(set) var explanation: LevelExplanation?
    /// Its own problems.
    package let problems: [VerificationProblem]
    /// The problems of the document, which lower the verdict too.
    private let documentProblems: [VerificationProblem]
    package let verdict: Verdict

    /// Its own problems, then those of the document.
    package var allProblems: [VerificationProblem] { problems + documentProblems }

    /// The sub-indication of the first problem that decides the verdict.
    package var subIndication: SubIndication? { allProblems.subIndication(of: verdict) }

    package var kind: SignaturePurpose { findings?.candidate.kind ?? .signature }
    /// The signed bytes and the signature's value fit each other.
    package var isIntact: Bool { findings?.value.checked?.isIntact ?? false }
    /// The certificate leads to a trust anchor.
    package var isTrusted: Bool { findings?.value.path?.isTrusted ?? false }
    package var signer: Certificate? { findings?.value.checked?.signer }
    /// Whether the document contains everything that validates ``paths``.
    package var hasValidationData: Bool { findings?.value.hasValidationData ?? false }
    package var times: TimeFinding? { findings?.value.times }
    /// The paths of the signer, and of who stamped the time that counts.
    package var paths: [JudgedPath] { findings?.value.paths ?? [] }

    /// A signature that an earlier revision had in a field, and the newest one has not.
    init(lostFrom field: String) {
        self.field = field
        findings = nil
        problems = [
            .failure(
                .signatureRemoved,
                "an earlier revision of the file was signed in this field; the newest one "
                    + "has no such signature")
        ]
        documentProblems = []
        verdict = problems.verdict(isProven: false)
    }

    /// - Parameter unmet: what was asked for and is not there.
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
