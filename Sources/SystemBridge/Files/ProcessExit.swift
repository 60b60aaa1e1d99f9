import CSystem
import Glibc
import Synchronization

/// The end of the process.
package enum ProcessExit {
    private static let endings = Mutex<[@Sendable () -> Void]>([])
    private static let isEnding = Atomic(false)
    /// What the process ends with where foreign code ends it; 0 as long as there is none.
    private static let foreignStatus = Atomic<Int32>(0)

    /// Ends the process at once. Nothing is buffered and every output is committed or gone, so
    /// there is nothing that cleaning up would do but take time, except what ``atEnd(_:)`` was told.
    package static func now(_ status: Int32) -> Never {
        SignalCleanup.waitIfEnding()
        runEndings()
        _exit(status)
    }

    /// Has `body` run, once, on every way out: at the end, after an error, and when a signal ends the
    /// process, then within a few seconds on a thread of its own.
    package static func atEnd(_ body: @escaping @Sendable () -> Void) {
        endings.withLock { $0.append(body) }
        SignalCleanup.watch()
    }

    /// Keeps foreign code that ends the process from making it look like success.
    ///
    /// - Parameter status: what the process ends with then; it says so on standard error.
    package static func expectForeignCode(status: Int32) {
        guard foreignStatus.exchange(status, ordering: .acquiringAndReleasing) == 0 else { return }
        atexit {
            guard !ProcessExit.isEnding.load(ordering: .acquiring) else { return }
            Terminal.writeError(
                "signet: error: a module ended the program in the middle of its work\n")
            _exit(ProcessExit.foreignStatus.load(ordering: .acquiring))
        }
    }

    package static func runEndings() {
        isEnding.store(true, ordering: .releasing)
        let all = endings.withLock { endings in
            defer { endings = [] }
            return endings
        }
        for body in all { body() }
    }
}

/// Standard output, kept from code that others wrote: modules of tokens print there.
package enum StandardOutput {
    private static let moved = Atomic<Int32>(STDOUT_FILENO)

    /// Where results go.
    static var number: Int32 { moved.load(ordering: .acquiring) }

    /// From now on what foreign code prints goes to standard error. To be called before any is
    /// loaded.
    package static func keepFromForeignCode() {
        guard number == STDOUT_FILENO else { return }
        let own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard own >= 0 else { return }
        moved.store(own, ordering: .releasing)
        dup2(STDERR_FILENO, STDOUT_FILENO)
    }
}

/// Signals that are told as errors.
package enum ProcessSignals {
    /// A pipe that nobody reads and a file that may not grow are failures to write, as a full disk
    /// is. Where the runtime ends the process for want of memory, that is said.
    ///
    /// - Parameter shortOfMemory: The status to end with then.
    package static func prepare(shortOfMemory: Int32) {
        // The system keeps the pointer.
        unsafe CFile_prepare_signals(
            strdup("signet: error: there is not enough memory\n"), shortOfMemory)
    }
}
