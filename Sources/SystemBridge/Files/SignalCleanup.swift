import CSystem
import Glibc
import Synchronization

/// Undoes things when a signal ends the process: removes unfinished files and restores the
/// terminal's echo.
///
/// The handler runs between any two instructions, so it may only look at memory that is complete
/// at every moment: a fixed array of pointers, each set or cleared with one store.
enum SignalCleanup {
    private static let slotCount = 16

    /// Paths to unlink. Allocated once, before the handler is installed, never freed.
    nonisolated(unsafe) private static var paths:
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    /// Settings to restore, `nil` when the terminal is as it should be. Never freed once set.
    nonisolated(unsafe) private static var terminalSettings: UnsafeMutablePointer<termios>?
    /// Settings to make again after a stop. Never freed once set.
    nonisolated(unsafe) private static var silentSettings: UnsafeMutablePointer<termios>?
    nonisolated(unsafe) private static var terminalDescriptor: Int32 = -1
    nonisolated(unsafe) private static var lock = unsafe pthread_mutex_t()

    /// Has the file removed should a signal end the process.
    ///
    /// - Returns: A ticket for ``forget(_:)``; `nil` when too many files are registered.
    static func register(path: String) -> Int? {
        unsafe pthread_mutex_lock(&lock)
        defer { unsafe pthread_mutex_unlock(&lock) }
        install()
        guard let slots = unsafe paths else { return nil }
        for slot in 0..<slotCount where unsafe slots[slot] == nil {
            unsafe slots[slot] = path.withSystemPath { unsafe strdup($0) }
            return slot
        }
        return nil
    }

    /// Takes a registration back.
    static func forget(_ slot: Int) {
        unsafe pthread_mutex_lock(&lock)
        defer { unsafe pthread_mutex_unlock(&lock) }
        guard let slots = unsafe paths, (0..<slotCount).contains(slot) else { return }
        let path = unsafe slots[slot]
        unsafe slots[slot] = nil
        unsafe free(path)
    }

    /// Has the terminal's settings restored should a signal end the process.
    static func register(terminal descriptor: Int32, settings: termios) {
        unsafe pthread_mutex_lock(&lock)
        defer { unsafe pthread_mutex_unlock(&lock) }
        install()
        let copy = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        unsafe copy.initialize(to: settings)
        unsafe terminalDescriptor = descriptor
        unsafe terminalSettings = copy
    }

    /// Has the terminal's settings restored while the process is stopped, and `silent` ones made
    /// again when it goes on: shells set a terminal as they like it meanwhile.
    static func keep(_ silent: termios) {
        unsafe pthread_mutex_lock(&lock)
        defer { unsafe pthread_mutex_unlock(&lock) }
        let copy = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        unsafe copy.initialize(to: silent)
        unsafe silentSettings = copy
        for number in [SIGTSTP, SIGCONT] {
            var current = sigaction()
            guard unsafe sigaction(number, nil, &current) == 0,
                unsafe current.__sigaction_handler.sa_handler == nil
            else { continue }
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { number in
                number == SIGCONT ? SignalCleanup.goOn() : SignalCleanup.stop()
            }
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    /// Async-signal-safe.
    private static func stop() {
        if let settings = unsafe terminalSettings {
            _ = unsafe tcsetattr(terminalDescriptor, TCSANOW, settings)
        }
        raise(SIGSTOP)
    }

    /// Async-signal-safe. In the background the system stops the process for trying, until it is in
    /// the foreground again.
    private static func goOn() {
        guard unsafe terminalSettings != nil, let silent = unsafe silentSettings else { return }
        let failure = errno
        _ = unsafe tcsetattr(terminalDescriptor, TCSAFLUSH, silent)
        errno = failure
    }

    /// The terminal is as it was.
    static func forgetTerminal() {
        unsafe pthread_mutex_lock(&lock)
        defer { unsafe pthread_mutex_unlock(&lock) }
        // Not freed: a handler may be reading it on another thread.
        unsafe terminalSettings = nil
    }

    /// Those that end a process that does not handle them, and that others send.
    private static let endingSignals = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU,
    ]

    private static func install() {
        guard unsafe paths == nil else { return }
        let slots = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: slotCount)
        unsafe slots.initialize(repeating: nil, count: slotCount)
        unsafe paths = unsafe slots
        for number in endingSignals {
            var current = sigaction()
            // A signal that the parent has ignored (nohup) stays ignored.
            guard unsafe sigaction(number, nil, &current) == 0,
                unsafe current.__sigaction_handler.sa_handler == nil
            else { continue }
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { number in
                SignalCleanup.handle(number)
            }
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    /// How many steps run that no signal may cut in two.
    private static let wholeCount = Atomic(0)

    /// Does something quick that is done as a whole: a signal ends the process only after it.
    static func whole<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(&lock)
        install()
        unsafe pthread_mutex_unlock(&lock)
        // On this thread no handler waits for it, and no call is interrupted.
        var (ending, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&ending)
        for number in endingSignals { unsafe sigaddset(&ending, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &ending, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        wholeCount.add(1, ordering: .sequentiallyConsistent)
        defer { wholeCount.subtract(1, ordering: .sequentiallyConsistent) }
        // Either this sees that a signal came, or its handler sees this.
        if isEnding.load(ordering: .sequentiallyConsistent) {
            wholeCount.subtract(1, ordering: .sequentiallyConsistent)
            waitIfEnding()
        }
        return try body()
    }

    /// Where the handler tells the signal's number, -1 when nobody waits for it.
    private static let pipe = Atomic<Int32>(-1)
    /// How long the process still lives after a signal for what is to be done at the end.
    private static let patience = 3.0

    /// Lets a signal end the process only after ``ProcessExit/runEndings()``.
    static func watch() {
        unsafe pthread_mutex_lock(&lock)
        defer { unsafe pthread_mutex_unlock(&lock) }
        install()
        guard pipe.load(ordering: .relaxed) < 0 else { return }
        var ends: [Int32] = [-1, -1]
        guard unsafe CFile_pipe(&ends) == 0 else { return }
        let reader = ends[0]
        guard let thread = BackgroundThread({ waitForSignal(reader) }) else { return }
        thread.detach()
        pipe.store(ends[1], ordering: .releasing)
    }

    /// A signal came, and the process lives only for what is to be done at the end.
    private static let isEnding = Atomic(false)

    /// Waits for the end, if a signal came: nothing appears any more.
    static func waitIfEnding() {
        while isEnding.load(ordering: .acquiring) { sleep(1) }
    }

    private static func waitForSignal(_ reader: Int32) {
        var number: UInt8 = 0
        while unsafe read(reader, &number, 1) != 1 {}
        let done = DoneFlag()
        // What hangs in a device does not keep the process from ending.
        BackgroundThread {
            ProcessExit.runEndings()
            done.value.store(true, ordering: .releasing)
        }?.detach()
        let step = 0.01
        var waited = 0.0
        while !done.value.load(ordering: .acquiring), waited < patience {
            usleep(UInt32(step * 1_000_000))
            waited += step
        }
        // Whatever was begun meanwhile.
        removeFiles()
        end(by: Int32(number))
    }

    /// Ends the process the way the signal would have. For the first process of a container that would
    /// be not at all.
    private static func end(by number: Int32) {
        if getpid() == 1 { _exit(128 + number) }
        raise(number)
    }

    private final class DoneFlag: Sendable {
        let value = Atomic(false)
    }

    /// Async-signal-safe: nanosleep, unlink, tcsetattr, write, getpid, _exit and raise only.
    private static func handle(_ number: Int32) {
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
        // The handler is reset already.
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
