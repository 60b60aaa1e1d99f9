/// One reason against a signature or a document, or a remark that does not change the verdict.
public struct VerificationProblem: Encodable, Equatable, Sendable {
    /// Stable, for programs.
    public let code: ProblemCode
    /// A sentence for people, in English.
    public let message: String
    /// What the problem leads to: `failed` or `indeterminate`; nil for a remark.
    @Nullable public private(set) var verdict: Verdict?
    /// Of ETSI EN 319 102-1 §5.1.3; nil for a remark.
    @Nullable public private(set) var subindication: SubIndication?
    /// How to solve it; nil if nothing helps, and until somebody fills it in.
    @Nullable public var hint: String? = nil

    // For hints and sentences, and in no JSON.

    /// Whose certificate would help.
    package var missing: MissingAuthority?
    /// Whether it concerns the signing certificate and not the signed data.
    package var isAboutCertificate = false
    /// Whether it is about a CA's key: another certificate for the key does not help.
    package var isAboutKey = false
    /// A timestamp exists that would help if its TSA were trusted.
    package var hasUntrustedTimestamp = false
    /// Until when a timestamp of a trusted TSA proved the signature; nil for other problems.
    package var proofEnded: CalendarTime?
    /// The required level, if the signature does not have it.
    package var lackedLevel: SignatureLevel?

    private enum CodingKeys: String, CodingKey { case code, message, verdict, subindication, hint }

    package init(
        _ code: ProblemCode, _ message: String, verdict: Verdict?,
        subIndication: SubIndication? = nil
    ) {
        self.code = code
        self.message = message
        self.verdict = verdict
        subindication = verdict == nil ? nil : subIndication
    }

    package static func failure(
        _ code: ProblemCode, _ message: String, _ subIndication: SubIndication = .formatFailure
    ) -> Self { Self(code, message, verdict: .failed, subIndication: subIndication) }

    package static func doubt(
        _ code: ProblemCode, _ message: String,
        _ subIndication: SubIndication = .signatureConstraintsFailure
    ) -> Self { Self(code, message, verdict: .indeterminate, subIndication: subIndication) }

    package static func remark(_ code: ProblemCode, _ message: String) -> Self {
        Self(code, message, verdict: nil)
    }
}
