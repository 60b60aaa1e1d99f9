package import Base
package import CryptoBridge

extension [VerificationProblem] {
    /// The verdict that results from the problems. A signature passes only with positive
    /// findings: without problems it may merely be unchecked.
    ///
    /// - Parameter isProven: whether all required facts were found.
    package func verdict(isProven: Bool) -> Verdict {
        let worst = compactMap(\.verdict).max() ?? .passed
        return isProven ? worst : Swift.max(worst, .indeterminate)
    }

    /// The sub-indication of the first problem that determines the verdict.
    package func subIndication(of verdict: Verdict) -> SubIndication? {
        first { $0.verdict == verdict && $0.subindication != nil }?.subindication
    }
}

/// The state of the timestamps over a signature.
package enum StampState: Sendable {
    case none
    /// There is a timestamp, but it is not trusted.
    case unproven
    case proven

    package init(isThere: Bool, provenTime: CalendarTime?) {
        self = provenTime != nil ? .proven : isThere ? .unproven : .none
    }
}

extension VerificationProblem {
    /// - Parameter level: nil if unknown.
    package static func levelNotReached(
        _ level: SignatureLevel?, _ stamp: StampState, required: SignatureLevel
    ) -> Self {
        var problem = Self.doubt(
            .levelNotReached,
            "\(required.rawValue) is required; the signature has level \(level?.rawValue ?? "unknown")"
                + (stamp == .proven ? "" : " without a trusted timestamp"))
        problem.hasUntrustedTimestamp = stamp == .unproven
        problem.lackedLevel = (level ?? .cms) == .cms ? nil : required
        return problem
    }

    /// Notes about the claimed signing time, which has no effect on the verdict.
    package static func claimedTimeRemarks(
        _ claimed: CalendarTime?, proven: CalendarTime?, by signer: Certificate?,
        at time: CalendarTime
    ) -> [VerificationProblem] {
        guard let claimed else { return [] }
        if let signer, claimed < signer.notBefore {
            return [
                .remark(
                    .claimedTimeBeforeCertificate,
                    "the claimed signing time is before the signing certificate became valid "
                        + "(\(signer.notBefore.text))")
            ]
        }
        if let proven, claimed > proven {
            return [
                .remark(
                    .claimedTimeAfterProof,
                    "the claimed signing time (\(claimed.text)) is later than the timestamp "
                        + "(\(proven.text))")
            ]
        }
        guard claimed > time.adding(CalendarTime.clockTolerance) else { return [] }
        return [
            .remark(
                .claimedTimeInFuture,
                "the claimed signing time (\(claimed.text)) is later than the validation time "
                    + "(\(time.text))")
        ]
    }

    /// Maximum number of rejected items of revocation data that are listed.
    private static let uselessLimit = 8

    /// The problems of a certificate path (ETSI EN 319 102-1 §5.2.6).
    package static func problems(_ path: PathVerdict) -> [VerificationProblem] {
        let rejected = Set(path.rejected).sorted().prefix(uselessLimit).map {
            VerificationProblem(.revocationDataUnusable, $0, verdict: nil)
        }
        let remarks =
            path.remarks.map { VerificationProblem(.revocationNotFetched, $0, verdict: nil) }
            + path.outdated.map {
                VerificationProblem(
                    .revocationOutdated, "\($0) (no effect on the result)", verdict: nil)
            }
            + rejected
        guard case .indeterminate(let subIndication) = path.outcome else { return remarks }
        let message = path.message ?? "no certificate chain to a trust anchor was found"
        // If a path was found, its violations are sufficient.
        guard !path.violations.contains(where: { $0.message == message }) else {
            return path.violations + remarks
        }
        var noPath = VerificationProblem.doubt(path.code, message, subIndication)
        noPath.missing = path.missing
        noPath.isAboutCertificate = true
        return [noPath] + path.violations + remarks
    }
}
