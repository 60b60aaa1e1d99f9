package import Base
package import CMSKit
package import CryptoBridge
package import TrustKit

/// What verifying a time stamp found: the facts, each by itself, and every point that failed.
package struct TimestampCheck: Sendable {
    package private(set) var problems: [VerificationProblem] = []
    /// What the token says; nil when the authority gave none.
    package let info: TSTInfo?
    /// The token's signature; nil without a token.
    package let signature: SignatureCheck?
    /// The stamped hash is the one asked about; nil when none was.
    package let imprintMatches: Bool?
    /// The path of the authority's certificate; nil where that is not known.
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

    /// Leaf first, anchor last; empty when no path was found.
    package var chain: [Certificate] { path?.chain ?? [] }
    /// The certificate leads to an anchor, valid at genTime, and may stamp.
    package var isTrusted: Bool { path?.isTrusted ?? false }
    /// At which anchor the certificate's path ends, whatever else speaks against it.
    package var pathEnd: PathEnd? { path?.end }
    /// By whose word it is known whether the authority's certificate was revoked; nil where it is not.
    package var revocation: RevocationWord? { path?.revocation }

    /// The authority's certificate; trusted only if ``isTrusted``.
    package var signer: Certificate? { signature?.signer }

    /// Token and stamped data are unchanged and fit each other, whoever the authority may be.
    package var isIntact: Bool { signature?.isIntact == true && imprintMatches == true }

    /// Passing takes positive findings: the absence of problems alone may mean that nothing was
    /// looked at.
    package var verdict: Verdict {
        problems.verdict(isProven: isIntact && isTrusted && signature?.verified != nil)
    }

    /// The sub-indication of the first problem that decides the verdict.
    package var subIndication: SubIndication? {
        problems.subIndication(of: verdict)
    }

    /// The same of a receipt, which stands alone. RFC 3161 asks for a path at the stamped time, and
    /// what nobody has said about revocation is remarked on, unless evidence was given that does not
    /// count. Nothing later proves that the token is older than the end of its authority: whoever has
    /// the key by then could have made it.
    package func standingAlone(_ verifier: TimestampVerifier) -> TimestampCheck {
        let remarked = remarkingOnUnknownRevocation()
        var copy = remarked
        copy.problems = verifier.problems(of: remarked)
        return copy
    }

    package func remarkingOnUnknownRevocation() -> TimestampCheck {
        var copy = self
        copy.problems = problems.map {
            $0.code == .revocationUnknown
                ? .remark($0.code, $0.message) : $0
        }
        return copy
    }
}
