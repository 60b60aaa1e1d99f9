package import Base
package import CryptoBridge

/// Whether a certificate and key may sign now: checked before signing, so that no signature is
/// created that validators reject.
package enum SigningEligibility {
    package struct Answer: Sendable {
        package let refusals: [VerificationProblem]
        package let warnings: [VerificationProblem]
    }

    private static let consequence = ": validators will not accept the signature"

    /// - Parameter now: the current time if `time` may be later; nil if not.
    package static func check(
        certificate: Certificate, key: PublicKey, at time: CalendarTime,
        purpose: SignerPolicy.Purpose = .documents, now: CalendarTime? = nil
    ) -> Answer {
        var refusals: [VerificationProblem] = []
        var warnings: [VerificationProblem] = []
        if !certificate.certifies(key) {
            refusals.add(
                .keyMismatch, "the key (\(key.algorithm)) does not belong to the certificate")
        }
        if time < certificate.notBefore {
            refusals.add(
                .notYetValid, "the certificate is not valid before \(certificate.notBefore.text)")
        }
        if time > certificate.notAfter {
            let isStillValid = now.map { $0 <= certificate.notAfter } ?? false
            refusals.add(
                isStillValid ? .claimedTimeInFuture : .expired,
                isStillValid
                    ? "the certificate will have expired at the claimed signing time (valid until "
                        + "\(certificate.notAfter.text))"
                    : "the certificate expired on \(certificate.notAfter.text)")
        }
        for violation in SignerPolicy(purpose: purpose).usageViolations(certificate) {
            if violation.code == .caCertificate {
                warnings.add(violation.code, violation.message + Self.consequence)
            } else {
                refusals.append(violation)
            }
        }
        if let name = certificate.unsupportedCriticalExtension {
            refusals.add(
                .certificateUnusable,
                "the certificate has the unknown critical extension \(name): validators reject it")
        }
        if let now, time > now.adding(CalendarTime.clockTolerance) {
            warnings.add(
                .claimedTimeInFuture,
                "the claimed signing time (\(time.text)) is in the future: validators report it")
        }
        for weakness in AlgorithmPolicy.weaknesses(digest: nil, key: key, at: time) {
            warnings.add(.weakAlgorithm, weakness + Self.consequence)
        }
        return Answer(refusals: refusals, warnings: warnings)
    }
}
