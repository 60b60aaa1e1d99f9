package import Base
package import CMSKit
package import CryptoBridge

extension [VerificationProblem] {
    /// What they lead to together. Passing takes positive findings: the absence of problems alone
    /// may mean that nothing was looked at.
    ///
    /// - Parameter isProven: all was found that must be true of what passes.
    package func verdict(isProven: Bool) -> Verdict {
        let worst = compactMap(\.verdict).max() ?? .passed
        return isProven ? worst : Swift.max(worst, .indeterminate)
    }

    /// The sub-indication of the first problem that decides the verdict.
    package func subIndication(of verdict: Verdict) -> SubIndication? {
        first { $0.verdict == verdict && $0.subindication != nil }?.subindication
    }
}

/// What there is of time stamps over a signature.
package enum StampState: Sendable {
    case none
    /// There is one that proves nothing.
    case unproven
    case proven

    package init(isThere: Bool, provenTime: CalendarTime?) {
        self = provenTime != nil ? .proven : isThere ? .unproven : .none
    }
}

extension VerificationProblem {
    /// - Parameter level: nil where it could not be told.
    package static func levelNotReached(
        _ level: SignatureLevel?, _ stamp: StampState, required: SignatureLevel
    ) -> Self {
        var problem = Self.doubt(
            .levelNotReached,
            "the signature's level is \(level?.rawValue ?? "unknown")"
                + (stamp == .proven ? "" : " with no trusted time stamp")
                + ", \(required.rawValue) is required")
        problem.hasUntrustedTimestamp = stamp == .unproven
        problem.lackedLevel = (level ?? .cms) == .cms ? nil : required
        return problem
    }

    /// What is odd about the time that a signer claims: nobody has to believe it, and nothing hangs
    /// on it.
    package static func claimedTimeRemarks(
        _ claimed: CalendarTime?, proven: CalendarTime?, by signer: Certificate?,
        at time: CalendarTime
    ) -> [VerificationProblem] {
        guard let claimed else { return [] }
        if let signer, claimed < signer.notBefore {
            return [
                .remark(
                    .claimedTimeBeforeCertificate,
                    "the claimed time of signing is earlier than the signer's certificate, which is "
                        + "valid from \(signer.notBefore.rfc3339) on")
            ]
        }
        if let proven, claimed > proven {
            return [
                .remark(
                    .claimedTimeAfterProof,
                    "the claimed time of signing is later than the proven one: the signer's clock was "
                        + "ahead")
            ]
        }
        guard claimed > time.adding(CalendarTime.clockTolerance) else { return [] }
        return [
            .remark(
                .claimedTimeInFuture,
                "the claimed time of signing, \(claimed.rfc3339), is later than that of this check, "
                    + time.rfc3339)
        ]
    }

    /// What a problem of the CMS means for the verdict (ETSI EN 319 102-1 §5.2).
    package init(_ problem: CMSProblem) {
        let (code, message) = (problem.code, problem.message)
        self =
            switch problem.consequence {
            case .formatFailure: .failure(code, message, .formatFailure)
            case .hashFailure: .failure(code, message, .hashFailure)
            case .signatureFailure: .failure(code, message, .signatureCryptoFailure)
            case .noSigningCertificate: .doubt(code, message, .noSigningCertificateFound)
            case .cryptoConstraints: .doubt(code, message, .cryptoConstraintsFailureNoPOE)
            case .signatureConstraints: .doubt(code, message)
            case .warning: .remark(code, message)
            }
    }

    /// Most pieces of evidence that are named for counting for nothing.
    private static let uselessLimit = 8

    /// What speaks against the certificate (ETSI EN 319 102-1 §5.2.6).
    package static func problems(_ path: PathVerdict) -> [VerificationProblem] {
        let useless = Set(path.useless).sorted().prefix(uselessLimit).map {
            VerificationProblem(.revocationDataUnusable, $0, verdict: nil)
        }
        let remarks =
            path.remarks.map {
                VerificationProblem(.revocationNotFetched, $0, verdict: nil)
            }
            + path.outdated.map { VerificationProblem(.revocationOutdated, $0, verdict: nil) }
            + useless
        guard case .indeterminate(let subIndication) = path.outcome else { return remarks }
        let message = path.message ?? "the certificate does not lead to a trust anchor"
        let violations = path.violations.map { (violation) -> VerificationProblem in
            var problem = VerificationProblem.doubt(
                violation.code, violation.message, violation.subIndication)
            problem.isAboutCertificate = !violation.isAboutSignature
            return problem
        }
        // Where a path was found, what was found against it says it all.
        guard !path.violations.contains(where: { $0.message == message }) else {
            return violations + remarks
        }
        var noPath = VerificationProblem.doubt(.certificateNotTrusted, message, subIndication)
        noPath.missing = path.missing
        noPath.isAboutCertificate = true
        return [noPath] + violations + remarks
    }
}
