package import Base
import Synchronization

/// What a person should hear of although nothing failed: attributes of a file that were lost, work
/// of an interrupted run that was finished.
package enum Notices {
    private static let listener = Mutex<(@Sendable (Sentence) -> Void)?>(nil)

    /// Has `body` called for each, on any thread.
    package static func listen(_ body: @escaping @Sendable (Sentence) -> Void) {
        listener.withLock { $0 = body }
    }

    package static func say(_ code: Sentence.Code, _ facts: String...) {
        listener.withLock { $0 }?(Sentence(code, facts: facts))
    }
}
