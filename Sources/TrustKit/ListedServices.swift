package import Base
package import CryptoBridge

/// Services on a trusted list: trust anchors at the times that the list states.
package protocol ListedServices: Sendable {
    /// - Parameter certificates: the leaf, and candidates for its issuers.
    /// - Returns: certificates of services that may be issuers of these and were valid at `time`.
    func anchors(
        above certificates: [Certificate], at time: CalendarTime, forTimestamps: Bool
    ) -> [Certificate]

    /// The certificate because of which an imported list does not confirm a path; nil if no list
    /// rejects the path.
    ///
    /// - Parameters:
    ///   - path: the leaf first.
    ///   - candidates: the other certificates that are known.
    func exclusion(
        of path: [Certificate], candidates: [Certificate], at time: CalendarTime,
        forTimestamps: Bool
    ) throws(CryptoError) -> PathExclusion?

    /// The certificate in a path that an imported list distrusts, whenever it was issued.
    ///
    /// - Parameter candidates: the other certificates that are known.
    func distrust(in path: [Certificate], candidates: [Certificate]) -> PathExclusion?

    /// The issuer that an incomplete path lacks, if an imported list distrusts it.
    func missingIssuer(of path: [Certificate]) -> PathExclusion?
}

/// The reason why an imported list does not confirm a path.
package struct PathExclusion: Sendable {
    /// The certificate that the list distrusts, or the trust anchor that it limits.
    package let certificate: Certificate
    package let reason: String
}
