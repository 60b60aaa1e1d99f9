import Base
import CSystemCalls
import Glibc
import Synchronization

/// A child process without a shell, in its own process group.
package enum ChildProcess {
    package struct Outcome: Sendable {
        /// The exit status; nil if a signal ended it.
        package let status: Int32?
        package let output: [UInt8]
        package let errors: [UInt8]
    }

    package enum Failure: Error, Equatable, Sendable {
        /// It could not be started; the value is the error number.
        case notStarted(Int32)
        /// The time limit was exceeded.
        case timeout
        /// The output limit was exceeded.
        case tooMuchOutput
    }

    /// Limits of memory, output and time.
    package struct Limits: Sendable {
        /// Limit of its address space.
        package let memoryByteCount: Int
        package let outputByteCount: Int
        /// Limit of elapsed time and of processor time.
        package let seconds: Double

        package init(memoryByteCount: Int, outputByteCount: Int, seconds: Double) {
            self.memoryByteCount = memoryByteCount
            self.outputByteCount = outputByteCount
            self.seconds = seconds
        }
    }

    /// Maximum number of bytes of its standard error kept.
    private static let errorLimit = 64 * 1024
    /// How long the process may take to end after SIGTERM.
    private static let grace = Duration.seconds(2)
    /// How long output is read after the process has ended. Remaining children may write forever.
    private static let lastWords = Duration.milliseconds(500)
    /// Running process groups, which are killed when this process ends.
    private static let running = Mutex<Set<pid_t>>([])
    private static let watching = Atomic(false)

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - environment: added to that of this process, without secrets.
    ///   - limit: limit of its standard output in bytes.
    ///   - seconds: time limit.
    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String],
        input: [UInt8], limit: Int, seconds: Double
    ) throws(Failure) -> Outcome {
        try run(path, arguments, environment, input, nil, limit, seconds) { _ in }
    }

    /// Runs a program with an open file as standard input, with limits of memory and time, and
    /// without a core dump.
    package static func run(
        _ path: String, _ arguments: [String], input: InputFile, _ limits: Limits
    ) throws(Failure) -> Outcome {
        try run(
            path, arguments, [:], [], input.descriptor, limits.outputByteCount, limits.seconds
        ) { child throws(Failure) in
            let seconds = UInt32(limits.seconds.rounded(.up))
            guard CFile_limit(child, limits.memoryByteCount, seconds) == 0 || errno == ESRCH else {
                throw .notStarted(errno)
            }
        }
    }

    /// Starts a program that may outlive this process, such as a browser, without standard streams
    /// and without secrets in its environment.
    ///
    /// - Returns: its exit status once it has ended; nil before, and if a signal ended it.
    package static func launch(
        _ path: String, _ arguments: [String]
    ) throws(Failure) -> @Sendable () -> Int32? {
        var child: pid_t = 0
        let failure = unsafe withStrings([path] + arguments) { argv in
            unsafe withStrings(variables([:], without: ProcessEnvironment.secretNames)) { envp in
                unsafe path.withSystemPath { unsafe CFile_launch($0, argv, envp, &child) }
            }
        }
        guard failure == 0 else { throw .notStarted(failure) }
        let status = Mutex<Int32?>(nil)
        return { [child] in
            status.withLock { known in
                if known == nil { known = wait(child) }
                return known.flatMap(exitCode)
            }
        }
    }

    private static func run(
        _ path: String, _ arguments: [String], _ environment: [String: String],
        _ input: [UInt8], _ file: FileDescriptor?, _ limit: Int, _ seconds: Double,
        _ started: (pid_t) throws(Failure) -> Void
    ) throws(Failure) -> Outcome {
        if !watching.exchange(true, ordering: .acquiringAndReleasing) {
            ProcessExit.atEnd { running.withLock { for group in $0 { kill(-group, SIGKILL) } } }
        }
        var pipes: [Int32] = [-1, -1, -1]
        var child: pid_t = 0
        let failure = unsafe withStrings([path] + arguments) { argv in
            unsafe withStrings(variables(environment, without: ProcessEnvironment.secretNames)) {
                envp in
                unsafe path.withSystemPath { path in
                    unsafe CFile_spawn(path, argv, envp, file?.number ?? -1, &pipes, &child)
                }
            }
        }
        guard failure == 0 else { throw .notStarted(failure) }
        let group = child
        _ = running.withLock { $0.insert(group) }
        defer {
            for descriptor in pipes where descriptor >= 0 { close(descriptor) }
            // Ends its remaining children.
            kill(-group, SIGKILL)
            _ = running.withLock { $0.remove(group) }
        }
        try started(child)
        // A signal that ends this process may end the child first. The child then has no result.
        defer { SignalCleanup.waitIfEnding() }
        return try converse(child, &pipes, input, limit, deadline: .now + .seconds(seconds))
    }

    private static func converse(
        _ child: pid_t, _ pipes: inout [Int32], _ input: [UInt8], _ limit: Int,
        deadline: SuspendingClock.Instant
    ) throws(Failure) -> Outcome {
        var written = 0
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var status: Int32?
        var end = deadline
        while true {
            if status == nil {
                status = wait(child)
                if status != nil { end = .now + lastWords }
            }
            let isOver = status != nil
            if written == input.count, pipes[0] >= 0 { shut(&pipes[0]) }
            // Its output up to its end is already available; its children may keep the pipes open
            // forever.
            var polled = pipes.enumerated().map { index, descriptor in
                pollfd(fd: descriptor, events: Int16(index == 0 ? POLLOUT : POLLIN), revents: 0)
            }
            let ready = unsafe poll(&polled, 3, isOver ? 0 : 5)
            if ready < 0, errno == EINTR { continue }
            if ready <= 0 || polled.allSatisfy({ $0.fd < 0 }) || isOver && .now > end {
                if let status {
                    return Outcome(status: exitCode(status), output: output, errors: errors)
                }
                if polled.allSatisfy({ $0.fd < 0 }) { usleep(1000) }
            } else {
                if polled[0].revents != 0 { feed(&pipes[0], with: input, written: &written) }
                if polled[1].revents != 0 { drain(&pipes[1], into: &output, limit: limit + 1) }
                if polled[2].revents != 0 { drain(&pipes[2], into: &errors, limit: errorLimit) }
            }
            guard output.count <= limit else {
                stop(child)
                throw .tooMuchOutput
            }
            if status == nil, .now > end {
                stop(child)
                throw .timeout
            }
        }
    }

    private static func shut(_ descriptor: inout Int32) {
        close(descriptor)
        descriptor = -1
    }

    private static func feed(_ pipe: inout Int32, with input: [UInt8], written: inout Int) {
        let rest = Array(input[written...].prefix(4096))
        let count = unsafe write(pipe, rest, rest.count)
        if count > 0 { written += count }
        // A program that does not read its input is not an error.
        if count < 0, errno != EAGAIN, errno != EINTR { shut(&pipe) }
    }

    /// Reads and discards further output, so that the program does not block.
    private static func drain(_ pipe: inout Int32, into kept: inout [UInt8], limit: Int) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(pipe, &buffer, buffer.count)
        if count > 0 { kept += buffer[..<count].prefix(max(0, limit - kept.count)) }
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { shut(&pipe) }
    }

    /// The wait status; nil while the process is running.
    private static func wait(_ child: pid_t) -> Int32? {
        var status: Int32 = 0
        return unsafe waitpid(child, &status, WNOHANG) == child ? status : nil
    }

    private static func exitCode(_ status: Int32) -> Int32? {
        status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
    }

    /// Ends the process group: first SIGTERM, then SIGKILL.
    private static func stop(_ child: pid_t) {
        kill(-child, SIGTERM)
        let end = SuspendingClock.now + grace
        while .now < end {
            if wait(child) != nil { return }
            usleep(5000)
        }
        kill(-child, SIGKILL)
        var status: Int32 = 0
        _ = unsafe waitpid(child, &status, 0)
    }

    private static func variables(_ added: [String: String], without removed: Set<String>)
        -> [String]
    {
        var result: [String] = []
        var index = 0
        while let entry = unsafe environ[index] {
            let text = unsafe String(systemPath: entry)
            let name = ExactText(text).parts(separator: "=", most: 1)[0].text
            if added[name] == nil, !removed.contains(name) { result.append(text) }
            index += 1
        }
        return result + added.map { "\($0)=\($1)" }
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = unsafe strings.map { unsafe $0.withSystemPath { unsafe strdup($0) } }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(pointers)
    }
}
