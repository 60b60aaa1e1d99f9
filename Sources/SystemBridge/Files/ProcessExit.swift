import CSystemCalls
import Glibc
import Synchronization

/// Actions at the end of the process.
package enum ProcessExit {
    private static let endings = Mutex<[@Sendable () -> Void]>([])
    private static let isEnding = Atomic(false)
    /// The exit status if foreign code calls exit; 0 while none is loaded.
    private static let foreignStatus = Atomic<Int32>(0)

    /// Ends the process immediately. Nothing is buffered and every output is committed or removed,
    /// so only the ``atEnd(_:)`` closures are run.
    package static func now(_ status: Int32) -> Never {
        SignalCleanup.waitIfEnding()
        runEndings()
        _exit(status)
    }

    /// Runs `body` once on every exit path: at the end, after an error, and after a signal, then
    /// within a few seconds on a separate thread.
    package static func atEnd(_ body: @escaping @Sendable () -> Void) {
        endings.withLock { $0.append(body) }
        SignalCleanup.watch()
    }

    /// Prevents foreign code from ending the process with success.
    ///
    /// - Parameter status: the exit status in that case, with a message on standard error.
    package static func expectForeignCode(status: Int32) {
        guard foreignStatus.exchange(status, ordering: .acquiringAndReleasing) == 0 else { return }
        atexit {
            guard !ProcessExit.isEnding.load(ordering: .acquiring) else { return }
            Terminal.writeError(
                "signet: error: a PKCS#11 module terminated the program\n")
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

/// Standard output, protected from foreign code: token modules print there.
package enum StandardOutput {
    private static let moved = Atomic<Int32>(STDOUT_FILENO)

    /// The descriptor for results.
    static var number: Int32 { moved.load(ordering: .acquiring) }

    private static let holdsDataFlag = Atomic(false)

    /// Whether an output file was written to standard output, which must contain nothing else.
    package static var holdsData: Bool { holdsDataFlag.load(ordering: .acquiring) }

    static func noteData() { holdsDataFlag.store(true, ordering: .releasing) }

    /// Redirects output of foreign code to standard error. Must be called before any is loaded.
    package static func redirectForeignOutput() {
        guard number == STDOUT_FILENO else { return }
        let own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard own >= 0 else { return }
        moved.store(own, ordering: .releasing)
        dup2(STDERR_FILENO, STDOUT_FILENO)
    }
}

/// Signals that are converted to errors.
package enum ProcessSignals {
    /// A closed pipe and a file size limit become write errors, like a full disk. If the runtime
    /// ends the process because memory is exhausted, a message is printed.
    ///
    /// - Parameter shortOfMemory: the exit status in that case.
    package static func prepare(shortOfMemory: Int32) {
        // Never freed: the SIGABRT handler prints it.
        unsafe CFile_prepare_signals(
            strdup("signet: error: out of memory\n"), shortOfMemory)
    }
}
