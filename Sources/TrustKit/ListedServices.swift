package import Base
package import CryptoBridge

/// Services on a trusted list: trust anchors at the times that the list states.
package protocol ListedServices: Sendable {
    /// - Parameter certificates: the leaf, and candidates for its issuers.
    /// - Returns: certificates of services that may be issuers of these and were valid at `time`.
    func anchors(
        above certificates: [Certificate], at time: CalendarTime, forTimestamps: Bool
    ) -> [Certificate]

    /// The reason why a list that contains the missing issuer of a path does not confirm the path.
    ///
    /// - Parameter path: the leaf first.
    func exclusion(of path: [Certificate]) -> String?
}
