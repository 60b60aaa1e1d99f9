/// Which files that already have the level get a new timestamp.
public enum Renewal: Sendable, Equatable {
    /// None: only files below the level are extended.
    case never
    /// Files whose newest timestamp expires within this time.
    case within(Duration)
    /// All files, even without benefit.
    case always

    /// Time limit for `within`; nil if expiry is not relevant.
    var margin: Duration? {
        guard case .within(let margin) = self else { return nil }
        return margin
    }
}

/// The level that signatures are to have.
public struct ExtendGoal: Sendable {
    let level: SignatureLevel
    /// Which files that have the level are renewed.
    public var renewal = Renewal.never
    /// Whether files with a higher level are left unchanged instead of an error.
    public var acceptsMore = false
    /// Whether an output with the same bytes is written even if nothing is added.
    public var copiesUnchanged = false

    /// - Parameter level: `.lt` or `.lta`.
    public init(_ level: SignatureLevel) { self.level = level }

    var renews: Bool { renewal != .never }
}
