/// Which of the files that have their level already get a new time stamp.
public enum Renewal: Sendable, Equatable {
    /// None of them: only what is below the level is raised.
    case never
    /// Those whose newest time stamp proves the rest for no longer than this.
    case within(Duration)
    /// All of them, whatever there is to be gained.
    case always

    /// Nil where nobody asks how long a proof still holds.
    var margin: Duration? {
        guard case .within(let margin) = self else { return nil }
        return margin
    }
}
