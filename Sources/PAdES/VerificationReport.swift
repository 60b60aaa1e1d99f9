package import ByteKit
package import CryptoBridge
package import TrustKit

/// The three outcomes of ETSI EN 319 102-1 §5.1.3.
package enum Verdict: String, Sendable, Comparable {
    case passed
    case indeterminate
    case failed

    private var rank: Int {
        switch self {
        case .passed: 0
        case .indeterminate: 1
        case .failed: 2
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// How much of the file a signature covers.
package enum Coverage: String, Sendable {
    /// Every byte but its own value.
    case wholeFile = "whole-file"
    /// Every byte of the revision that it was made in; later ones follow.
    case revision
    /// It leaves out bytes that it should cover.
    case partial
}

/// What later revisions changed, from harmless to forbidden.
package enum ChangeLevel: String, Sendable, Comparable {
    case none
    /// Validation data and document timestamps.
    case archival
    /// Form fields filled, signatures added.
    case formFilling = "form-filling"
    case annotations
    case forbidden

    private var rank: Int {
        switch self {
        case .none: 0
        case .archival: 1
        case .formFilling: 2
        case .annotations: 3
        case .forbidden: 4
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// One reason against a signature, or a remark that does not change the verdict.
package struct VerificationProblem: Equatable, Sendable {
    /// Stable, for programs: `digest-mismatch`.
    package let code: String
    package let message: String
    /// What the problem leads to; nil for a remark.
    package let verdict: Verdict?
    package let subIndication: SubIndication?

    package init(
        _ code: String, _ message: String, verdict: Verdict?, subIndication: SubIndication? = nil
    ) {
        self.code = code
        self.message = message
        self.verdict = verdict
        self.subIndication = subIndication
    }

    static func failure(
        _ code: String, _ message: String, _ subIndication: SubIndication = .formatFailure
    ) -> Self {
        Self(code, message, verdict: .failed, subIndication: subIndication)
    }

    static func doubt(_ code: String, _ message: String, _ subIndication: SubIndication) -> Self {
        Self(code, message, verdict: .indeterminate, subIndication: subIndication)
    }
}

/// Everything found out about one signature.
package struct SignatureReport: Sendable {
    package enum Kind: String, Sendable {
        case signature
        case timestamp
    }

    package let field: String
    package var kind: Kind = .signature
    package var subFilter: String?
    package var coverage: Coverage = .partial
    /// The signed bytes and the signature's value fit each other.
    package var isIntact = false
    /// The certificate leads to a trust anchor.
    package var isTrusted = false
    package var changes: ChangeLevel = .none
    package var changesDetail: [String] = []
    package var level: String?
    package var digest: String?
    package var algorithm: String?
    package var signer: Certificate?
    package var claimedTime: CalendarTime?
    package var certification: String?
    package var reason: String?
    package var location: String?
    package var name: String?
    package var problems: [VerificationProblem] = []

    init(field: String) { self.field = field }

    /// Passing takes positive findings: the absence of problems alone may mean that nothing was
    /// looked at.
    package var verdict: Verdict {
        let worst = problems.compactMap(\.verdict).max() ?? .passed
        let isProven = isIntact && isTrusted && coverage != .partial && changes != .forbidden
        return isProven ? worst : max(worst, .indeterminate)
    }

    /// The sub-indication of the first problem that decides the verdict.
    package var subIndication: SubIndication? {
        problems.first { $0.verdict == verdict && $0.subIndication != nil }?.subIndication
    }
}

/// The answer for a whole document: as good as its worst signature.
package struct DocumentReport: Sendable {
    package let signatures: [SignatureReport]
    /// Named defects that the reader tolerated, and signatures outside any field.
    package let warnings: [String]

    /// Nil when the document has no signature.
    package var verdict: Verdict? { signatures.map(\.verdict).max() }
}
