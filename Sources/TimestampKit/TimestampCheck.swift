package import Base
package import CMSKit
package import CryptoBridge
package import TrustKit

/// The result of verifying a timestamp: single facts and problems.
package struct TimestampCheck: Sendable {
    package private(set) var problems: [VerificationProblem] = []
    /// The content of the token; nil if there is no token.
    package let info: TSTInfo?
    /// The token's signature; nil without a token.
    package let signature: SignatureCheck?
    /// Whether the message imprint matches the given hash; nil if none was given.
    package let imprintMatches: Bool?
    /// The path of the TSA certificate; nil if unknown.
    private let path: PathVerdict?

    init(
        info: TSTInfo?, signature: SignatureCheck? = nil, imprintMatches: Bool? = nil,
        path: PathVerdict? = nil, problems: [VerificationProblem]
    ) {
        self.info = info
        self.signature = signature
        self.imprintMatches = imprintMatches
        self.path = path
        self.problems = problems
    }

    /// Leaf first, trust anchor last; empty if no path was found.
    package var chain: [Certificate] { path?.chain ?? [] }
    /// The TSA certificate has a trusted chain, valid at genTime, and is for time-stamping.
    package var isTrusted: Bool { path?.isTrusted ?? false }
    /// The trust anchor of the TSA certificate's path, regardless of other problems.
    package var pathEnd: PathEnd? { path?.end }
    /// The record with the TSA certificate's revocation status; nil if the status is unknown.
    package var revocation: StatusRecord? { path?.revocation }

    /// The TSA certificate; trusted only if ``isTrusted``.
    package var signer: Certificate? { signature?.signer }

    /// Token and timestamped data are unchanged and match; the TSA's identity is not considered.
    package var isIntact: Bool { signature?.isIntact == true && imprintMatches == true }

    /// A timestamp passes only with positive findings: without problems it may merely be unchecked.
    package var verdict: Verdict {
        problems.verdict(isProven: isIntact && isTrusted && signature?.isVerified == true)
    }

    /// The sub-indication of the first problem that determines the verdict.
    package var subIndication: SubIndication? { problems.subIndication(of: verdict) }

    /// The check of a standalone token (.tsr). RFC 3161 requires a valid path at genTime. An
    /// unknown revocation status is a note, unless revocation data was given and rejected.
    /// Nothing proves that the token existed before its TSA certificate expired, and the expired
    /// key could back-date it.
    package func standingAlone(_ verifier: TimestampVerifier) -> TimestampCheck {
        let remarked = remarkingOnUnknownRevocation()
        var copy = remarked
        copy.problems = verifier.problems(of: remarked)
        return copy
    }

    func adding(_ further: [VerificationProblem]) -> TimestampCheck {
        var copy = self
        copy.problems = further + problems
        return copy
    }

    package func remarkingOnUnknownRevocation() -> TimestampCheck {
        var copy = self
        copy.problems = problems.map {
            $0.code == .revocationUnknown ? .remark($0.code, $0.message) : $0
        }
        return copy
    }
}
