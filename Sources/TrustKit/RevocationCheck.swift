package import ByteKit
package import CryptoBridge

/// Whether the certificates of a path were revoked (ETSI EN 319 102-1 §5.2.5, §5.2.6; RFC 5280
/// §6.3; RFC 6960).
package struct RevocationCheck: Sendable {
    package let evidence: RevocationEvidence

    package init(_ evidence: RevocationEvidence) { self.evidence = evidence }

    /// How long an authority's word counts that does not say when it speaks next.
    private static let defaultValiditySeconds = 86_400

    /// What speaks against the path at `time`: a revocation, or nothing known where the
    /// certificate says that something can be known.
    ///
    /// - Parameter chain: leaf first; the anchor at its end is beyond question.
    package func violations(
        _ chain: [Certificate], at time: CalendarTime
    ) throws(CryptoError) -> [PolicyViolation] {
        var violations: [PolicyViolation] = []
        for index in chain.indices.dropLast() {
            let certificate = chain[index]
            let name = index == 0 ? "the certificate" : "the issuer's certificate"
            let subject = index == 0 ? "" : " (\(certificate.subject))"
            let last = try latest(certificate, chain[index + 1], at: time)
            if let last, let revokedAt = last.revokedAt, revokedAt <= time {
                let reason = last.reason.map { " (\($0))" } ?? ""
                violations.append(
                    PolicyViolation(
                        index == 0 ? .revoked : .authorityRevoked,
                        "\(name)\(subject) was revoked on \(revokedAt.rfc3339)\(reason)"))
            } else if last == nil, Self.namesSource(certificate) {
                violations.append(
                    PolicyViolation(
                        .revocationUnknown,
                        "nothing is known of whether \(name)\(subject) was revoked"))
            }
        }
        return violations
    }

    /// Whether something valid is said for `time` about each certificate below the anchor that
    /// names a source.
    package func isComplete(
        _ chain: [Certificate], at time: CalendarTime
    ) throws(CryptoError) -> Bool {
        for index in chain.indices.dropLast() where Self.namesSource(chain[index]) {
            guard try latest(chain[index], chain[index + 1], at: time) != nil else { return false }
        }
        return true
    }

    /// The youngest word on a certificate that counts at `time`. Who speaks last knows most: a
    /// certificate on hold may have come back.
    func latest(
        _ certificate: Certificate, _ issuer: Certificate, at time: CalendarTime
    ) throws(CryptoError) -> RevocationStatement? {
        try evidence.statements(about: certificate, issuer: issuer)
            .filter { Self.speaks($0, for: time) }
            .max { $0.thisUpdate < $1.thisUpdate }
    }

    /// A word spoken after `time` tells what was then; an earlier one counts until the next.
    private static func speaks(_ statement: RevocationStatement, for time: CalendarTime) -> Bool {
        if statement.thisUpdate >= time { return true }
        // What was revoked once stays so, but for certificates on hold.
        if statement.revokedAt != nil, statement.reason != "certificateHold" { return true }
        let end =
            statement.nextUpdate ?? statement.thisUpdate.adding(seconds: defaultValiditySeconds)
        return time <= end
    }

    /// Whether the certificate says where to ask: cRLDistributionPoints, or an OCSP responder in
    /// authorityInfoAccess.
    static func namesSource(_ certificate: Certificate) -> Bool {
        if certificate.extensionValue("1.3.6.1.5.5.7.48.1.5") != nil { return false }
        return certificate.extensionValue("2.5.29.31") != nil
            || !certificate.ocspAddresses.isEmpty
    }
}
