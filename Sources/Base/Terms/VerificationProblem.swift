/// A problem with a signature or document, or a note that does not change the verdict.
public struct VerificationProblem: Encodable, Equatable, Sendable {
    /// Stable, for programs.
    public let code: ProblemCode
    /// Message in English.
    public let message: String
    /// Resulting verdict, `failed` or `indeterminate`; nil for a note.
    @Nullable public private(set) var verdict: Verdict?
    /// Sub-indication of ETSI EN 319 102-1 §5.1.3; nil for a note.
    @Nullable public private(set) var subindication: SubIndication?
    /// How to solve the problem; nil if nothing helps, and before it is filled in.
    @Nullable public var hint: String? = nil

    // Used for hints and messages; not in JSON.

    /// The CA whose certificate would help.
    package var missing: MissingAuthority?
    /// Whether the problem concerns the signing certificate and not the signed data.
    package var isAboutCertificate = false
    /// Whether a revocation affects the key, not only this certificate: another certificate for
    /// the key does not help.
    package var isAboutKey = false
    /// A timestamp exists that would help if its TSA were trusted.
    package var hasUntrustedTimestamp = false
    /// The problem because of which a timestamp is ignored.
    package var reason: ProblemCode?
    /// Time until which a timestamp of a trusted TSA proved the signature; nil for other
    /// problems.
    package var proofEnded: CalendarTime?
    /// The required level, if the signature does not have it.
    package var lackedLevel: SignatureLevel?

    /// The reason why a revocation status is missing that no further request changes.
    package enum RevocationGap: Sendable {
        /// The OCSP responder does not know the certificate (RFC 6960 §2.2).
        case unknownToResponder
        /// The certificate contains only addresses with a scheme that is not fetched.
        case addressNotFetched
    }

    package var revocationGap: RevocationGap?

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
