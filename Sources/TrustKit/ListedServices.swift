package import Base
package import CryptoBridge

/// Services that a trusted list names: anchors at the times at which the list says so.
package protocol ListedServices: Sendable {
    /// - Parameter certificates: the one whose path is sought, and what may stand above it.
    /// - Returns: certificates of services that may stand above these, and counted at `time`.
    func anchors(
        above certificates: [Certificate], at time: CalendarTime, forTimestamps: Bool
    ) -> [Certificate]
}
