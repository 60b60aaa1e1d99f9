/// A step of a running task.
public enum TaskProgress: Sendable, Hashable {
    /// Bytes of an input that were read in one pass, and the number of bytes of the pass.
    case read(byteCount: Int, of: Int)
    /// A notice, such as the wait for a TSA.
    case notice(Sentence)
    /// Finished files of a batch, and the number of its files.
    case finished(count: Int, of: Int)
}
