package import Base
import CSystemCalls
package import Synchronization

/// A cancellable run of a task. The threads that work for it know it as ``current``.
package final class WorkRun: Sendable {
    private enum Phase: UInt8, AtomicRepresentable { case running, cancelled, committed }

    private let phase = Atomic(Phase.running)
    private let hear: (@Sendable (TaskProgress) -> Void)?
    /// What somebody has to answer before the next step of the run.
    package let requests = Mutex<[any Sendable]>([])

    /// - Parameter hear: called on any thread.
    package init(hear: (@Sendable (TaskProgress) -> Void)? = nil) { self.hear = hear }

    /// Ends the run at its next check. No effect after its first output.
    package func cancel() {
        _ = phase.compareExchange(
            expected: .running, desired: .cancelled, ordering: .sequentiallyConsistent)
    }

    /// Whether the run ends without an output.
    package var isCancelled: Bool { phase.load(ordering: .relaxed) == .cancelled }

    /// - Returns: false after ``cancel()``: there must be no output.
    private func beginOutput() -> Bool {
        let (isFirst, earlier) = phase.compareExchange(
            expected: .running, desired: .committed, ordering: .sequentiallyConsistent)
        return isFirst || earlier == .committed
    }

    package func tell(_ step: TaskProgress) { hear?(step) }

    // MARK: The current run

    /// The run that this thread works for; nil for none.
    package static var current: WorkRun? {
        guard let run = unsafe CThread_run() else { return nil }
        return unsafe Unmanaged<WorkRun>.fromOpaque(run).takeUnretainedValue()
    }

    package static var isCancelled: Bool { current?.isCancelled ?? false }

    /// Performs `body` on this thread for this run.
    package func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
        let before = unsafe CThread_run()
        unsafe CThread_set_run(Unmanaged.passUnretained(self).toOpaque())
        defer {
            unsafe CThread_set_run(before)
            withExtendedLifetime(self) {}
        }
        return try body()
    }

    /// Throws if the current run was cancelled.
    static func check(_ path: String) throws(FileError) {
        if isCancelled { throw cancellation(of: path) }
    }

    /// Called before an output becomes visible.
    static func beginOutput(_ path: String) throws(FileError) {
        if let current, !current.beginOutput() { throw cancellation(of: path) }
    }

    private static func cancellation(of path: String) -> FileError {
        FileError(.cancelled, path: path, detail: "the task was cancelled")
    }
}
