package import CMSKit
package import CryptoBridge
package import SignatureTerms
package import TrustKit

/// What verifying a time stamp found: the facts, each by itself, and every point that failed.
package struct TimestampCheck: Sendable {
    package internal(set) var problems: [VerificationProblem] = []
    /// What the token says; nil when the authority gave none.
    package let info: TSTInfo?
    /// The token's signature; nil without a token.
    package internal(set) var signature: SignatureCheck?
    /// The stamped hash is the one asked about; nil when none was.
    package internal(set) var imprintMatches: Bool?
    /// Leaf first, anchor last; empty when no path was found.
    package internal(set) var chain: [Certificate] = []
    /// The certificate leads to an anchor, valid at genTime, and may stamp.
    package internal(set) var isTrusted = false
    /// At which anchor the certificate's path ends, whatever else speaks against it.
    package internal(set) var pathEnd: PathEnd?

    /// By whose word it is known whether the authority's certificate was revoked; nil where it is not.
    package internal(set) var revocation: RevocationWord?

    init(info: TSTInfo?) { self.info = info }

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

    /// A receipt stands alone: RFC 3161 asks for a path at the stamped time, and what nobody has
    /// said about revocation is remarked on, unless evidence was given that does not count.
    package mutating func remarkOnUnknownRevocation() {
        problems = problems.map {
            $0.code == .revocationUnknown
                ? VerificationProblem($0.code, $0.message, verdict: nil) : $0
        }
    }

    /// Nothing later proves that the token is older than the end of its authority: whoever has the
    /// key by then could have made it.
    package mutating func requirePresence(_ verifier: TimestampVerifier) {
        problems = verifier.problems(of: self)
    }

    mutating func note(_ problem: VerificationProblem) { problems.append(problem) }
}

extension VerificationProblem {
    init(
        _ code: ProblemCode, _ message: String, _ verdict: Verdict?,
        _ subIndication: SubIndication? = nil
    ) {
        self.init(code, message, verdict: verdict, subIndication: subIndication)
    }
}
