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
