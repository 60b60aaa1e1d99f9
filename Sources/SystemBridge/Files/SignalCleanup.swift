import CSystemCalls
import Glibc
import Synchronization

/// Cleans up if a signal ends the process: removes unfinished files and restores the terminal's
/// echo.
///
/// The handler may run between any two instructions, so it only reads memory that is always
/// consistent: a fixed array of pointers, each set or cleared with one store.
enum SignalCleanup {
    private static let slotCount = 16

    /// Paths to unlink. The array is allocated once, before the handler is installed, and never
    /// freed.
    nonisolated(unsafe) private static var paths:
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    /// Settings to restore, `nil` if the terminal is unchanged. Never freed once set.
    nonisolated(unsafe) private static var terminalSettings: UnsafeMutablePointer<termios>?
    /// Settings to apply again after a stop. Never freed once set.
    nonisolated(unsafe) private static var silentSettings: UnsafeMutablePointer<termios>?
    nonisolated(unsafe) private static var terminalDescriptor: Int32 = -1
    private static let lock = Mutex(())

    /// Registers a file for removal if a signal ends the process.
    ///
    /// - Returns: a ticket for ``forget(_:)``; `nil` if too many files are registered.
    static func register(path: String) -> Int? {
        lock.withLock { _ in
            install()
            guard let slots = unsafe paths else { return nil }
            for slot in 0..<slotCount where unsafe slots[slot] == nil {
                unsafe slots[slot] = path.withSystemPath { unsafe strdup($0) }
                return slot
            }
            return nil
        }
    }

    /// Removes a registration.
    static func forget(_ slot: Int) {
        lock.withLock { _ in
            guard let slots = unsafe paths, (0..<slotCount).contains(slot) else { return }
            let path = unsafe slots[slot]
            unsafe slots[slot] = nil
            // Either the handler sees no path, or this code sees that it runs and frees nothing.
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            if !isEnding.load(ordering: .sequentiallyConsistent) { unsafe free(path) }
        }
    }

    /// Registers terminal settings to restore if a signal ends or stops the process, and settings
    /// to apply again when it continues. Shells change the settings in between.
    static func register(terminal descriptor: Int32, settings: termios, meanwhile silent: termios) {
        lock.withLock { _ in
            install()
            unsafe terminalDescriptor = descriptor
            unsafe terminalSettings = kept(settings)
            unsafe silentSettings = kept(silent)
            for number in [SIGTSTP, SIGCONT] {
                handle(number) { $0 == SIGCONT ? SignalCleanup.goOn() : SignalCleanup.stop() }
            }
        }
    }

    private static func kept(_ settings: termios) -> UnsafeMutablePointer<termios> {
        let copy = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        unsafe copy.initialize(to: settings)
        return unsafe copy
    }

    /// Installs a handler. A signal that the parent has ignored (nohup) stays ignored.
    private static func handle(
        _ number: Int32, flags: Int32 = 0, _ body: @escaping @convention(c) (Int32) -> Void
    ) {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0,
            unsafe action.__sigaction_handler.sa_handler == nil
        else { return }
        action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = body
        action.sa_flags = flags
        _ = unsafe sigaction(number, &action, nil)
    }

    /// Handles the stop signals: restores the terminal, then stops. Async-signal-safe.
    private static func stop() {
        restoreTerminal()
        raise(SIGSTOP)
    }

    /// Handles SIGCONT: hides input again. Async-signal-safe. A process in the background is stopped
    /// until it is in the foreground again.
    private static func goOn() {
        guard unsafe terminalSettings != nil, let silent = unsafe silentSettings else { return }
        let failure = errno
        _ = unsafe tcsetattr(terminalDescriptor, TCSAFLUSH, silent)
        errno = failure
    }

    /// Registers that the terminal was restored.
    static func forgetTerminal() {
        // Not freed: a handler may be reading it on another thread.
        lock.withLock { _ in unsafe terminalSettings = nil }
    }

    /// Signals that end a process by default and are sent by others.
    private static let endingSignals = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU,
    ]

    private static func install() {
        guard unsafe paths == nil else { return }
        let slots = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: slotCount)
        unsafe slots.initialize(repeating: nil, count: slotCount)
        unsafe paths = unsafe slots
        for number in endingSignals {
            handle(number, flags: Int32(bitPattern: UInt32(SA_RESETHAND))) {
                SignalCleanup.end(after: $0)
            }
        }
    }

    private static let wholeCount = Atomic(0)

    /// Runs a short section that a signal cannot interrupt: the process ends only after it.
    static func whole<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.withLock { _ in install() }
        // Blocks the signals on this thread: a handler here would wait forever for the section
        // that it interrupted, and system calls could fail with EINTR.
        var (ending, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&ending)
        for number in endingSignals { unsafe sigaddset(&ending, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &ending, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        wholeCount.add(1, ordering: .sequentiallyConsistent)
        defer { wholeCount.subtract(1, ordering: .sequentiallyConsistent) }
        // Either this code sees the signal, or the handler sees this section.
        if isEnding.load(ordering: .sequentiallyConsistent) {
            wholeCount.subtract(1, ordering: .sequentiallyConsistent)
            waitIfEnding()
        }
        return try body()
    }

    /// The pipe on which the handler reports the signal, -1 without a reader.
    private static let pipe = Atomic<Int32>(-1)
    /// Time limit for the ``ProcessExit/atEnd(_:)`` closures after a signal: longer than tokens wait for
    /// running calls before they log out.
    private static let patience = Duration.seconds(5)
    private static let isDone = Atomic(false)

    /// Makes a signal end the process only after ``ProcessExit/runEndings()`` returns, or after
    /// ``patience``.
    static func watch() {
        lock.withLock { _ in
            install()
            guard pipe.load(ordering: .relaxed) < 0 else { return }
            var ends: [Int32] = [-1, -1]
            guard unsafe CFile_pipe(&ends) == 0 else { return }
            let reader = ends[0]
            // No signal goes to that thread: a server waits for them on its own.
            var (all, before) = (sigset_t(), sigset_t())
            unsafe sigfillset(&all)
            unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
            defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
            guard let thread = BackgroundThread({ waitForSignal(reader) }) else { return }
            thread.detach()
            pipe.store(ends[1], ordering: .releasing)
        }
    }

    /// Whether a signal came and the process only runs exit actions.
    private static let isEnding = Atomic(false)

    /// After a signal, waits until the process ends, so that no further output appears.
    static func waitIfEnding() { while isEnding.load(ordering: .acquiring) { sleep(1) } }

    private static func waitForSignal(_ reader: Int32) {
        var number: UInt8 = 0
        while unsafe read(reader, &number, 1) != 1 {}
        // A separate thread, so that a call blocked in a device does not delay the end of the
        // process.
        BackgroundThread {
            ProcessExit.runEndings()
            isDone.store(true, ordering: .releasing)
        }?.detach()
        let deadline = ContinuousClock.now + patience
        while !isDone.load(ordering: .acquiring), .now < deadline { usleep(10_000) }
        // Removes files that were begun in the meantime.
        removeFiles()
        var last = sigset_t()
        unsafe sigemptyset(&last)
        unsafe sigaddset(&last, Int32(number))
        unsafe pthread_sigmask(SIG_UNBLOCK, &last, nil)
        end(by: Int32(number))
    }

    /// Ends the process with the signal's default action. For the first process of a container that
    /// has no effect, so it exits.
    private static func end(by number: Int32) {
        if getpid() == 1 { _exit(128 + number) }
        raise(number)
    }

    /// Async-signal-safe: nanosleep, unlink, tcsetattr, write, getpid, _exit and raise only.
    private static func end(after number: Int32) {
        isEnding.store(true, ordering: .sequentiallyConsistent)
        var step = timespec(tv_sec: 0, tv_nsec: 1_000_000)
        while wholeCount.load(ordering: .sequentiallyConsistent) > 0 {
            _ = unsafe nanosleep(&step, nil)
        }
        removeFiles()
        restoreTerminal()
        let writer = pipe.load(ordering: .acquiring)
        var byte = UInt8(truncatingIfNeeded: number)
        if writer >= 0, unsafe write(writer, &byte, 1) == 1 { return }
        // The handler is already reset.
        end(by: number)
    }

    private static func removeFiles() {
        if let slots = unsafe paths {
            for slot in 0..<slotCount {
                if let path = unsafe slots[slot] { _ = unsafe unlink(path) }
            }
        }
    }

    private static func restoreTerminal() {
        if let settings = unsafe terminalSettings {
            _ = unsafe tcsetattr(terminalDescriptor, TCSANOW, settings)
        }
    }
}
