package import Base
import Synchronization

/// Notices for the user after success: lost file attributes, a completed interrupted run.
package enum Notices {
    private static let listener = Mutex<(@Sendable (Sentence) -> Void)?>(nil)

    /// Sets a callback, called on any thread.
    package static func listen(_ body: @escaping @Sendable (Sentence) -> Void) {
        listener.withLock { $0 = body }
    }

    package static func say(_ code: Sentence.Code, _ facts: String...) {
        let sentence = Sentence(code, facts: facts)
        WorkRun.current?.tell(.notice(sentence))
        listener.withLock { $0 }?(sentence)
    }
}
