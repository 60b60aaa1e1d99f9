package import Foundation
import Synchronization

/// The result of a command: exit code and outputs.
package struct CommandOutcome: Sendable {
    /// The exit code, or 128 plus the number of the signal that ended the command.
    package var exitCode: Int32
    /// Whether a signal ended it: a crash, or the runner's time limit.
    package var wasKilled: Bool
    package var outputBytes: Data
    package var errorBytes: Data

    /// Standard output as text.
    package var output: String { String(decoding: outputBytes, as: UTF8.self) }
    /// Standard error as text.
    package var errors: String { String(decoding: errorBytes, as: UTF8.self) }
}

/// The reason why a command could not be started.
package struct CommandRunnerError: Error, CustomStringConvertible {
    package var description: String
}

/// Runs commands with an array of arguments, without a shell.
package enum CommandRunner {
    /// Runs a command until it ends, and returns its outputs.
    ///
    /// Both pipes are read while the command runs, so that a command with much output does not
    /// block. Standard input is empty unless `input` is given. A command that runs longer than
    /// `limit` is killed.
    package static func run(
        _ executable: String, _ arguments: [String], input: Data? = nil,
        environment: [String: String] = [:], folder: URL? = nil, limit: Duration = .seconds(60)
    ) throws -> CommandOutcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        let inputPipe = input == nil ? nil : Pipe()
        process.standardInput = inputPipe ?? FileHandle.nullDevice
        do {
            try process.start()
        } catch {
            throw CommandRunnerError(description: "cannot run \(executable): \(error)")
        }

        let drained = DispatchGroup()
        let collectors = [Collector(output), Collector(errors)]
        for collector in collectors {
            DispatchQueue.global().async(group: drained) { collector.drain() }
        }
        if let inputPipe, let input {
            let feeder = Feeder(inputPipe, input)
            Thread.detachNewThread { feeder.feed() }
        }
        let processIdentifier = process.processIdentifier
        let watchdog = DispatchWorkItem { kill(processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(
            deadline: .now() + .seconds(Int(limit.components.seconds)), execute: watchdog)
        drained.wait()
        process.waitUntilExit()
        watchdog.cancel()

        let wasKilled = process.terminationReason == .uncaughtSignal
        return CommandOutcome(
            exitCode: process.terminationStatus + (wasKilled ? 128 : 0), wasKilled: wasKilled,
            outputBytes: collectors[0].bytes, errorBytes: collectors[1].bytes)
    }

    /// The path of an external tool; nil if it is not installed.
    package static func find(_ tool: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(tool)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether a missing external tool fails the tests; otherwise they are skipped.
    package static var toolsAreRequired: Bool {
        ProcessInfo.processInfo.environment["CI"] == "true"
    }
}

extension Process {
    /// Starts the process with no signal blocked. Threads of the tests block signals, and what they start
    /// would inherit that: a shell then waits for its jobs forever.
    func start() throws {
        var (none, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}

/// Reads a pipe to its end. Only the reading queue uses the pipe.
private final class Collector: Sendable {
    private let pipe: Pipe
    private let data = Mutex(Data())

    init(_ pipe: Pipe) { self.pipe = pipe }

    /// Uses `read` directly: FileHandle treats an interrupted call as a broken pipe.
    func drain() {
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return }
            data.withLock { $0.append(contentsOf: part.prefix(count)) }
        }
    }

    var bytes: Data { data.withLock { $0 } }
}

/// Writes the standard input of a command. A command that does not read all of it is not an error.
private final class Feeder: Sendable {
    private let pipe: Pipe
    private let input: Data

    init(_ pipe: Pipe, _ input: Data) {
        self.pipe = pipe
        self.input = input
    }

    /// Runs on its own thread, with SIGPIPE blocked. Otherwise a command that ends early would end
    /// the tests. To ignore SIGPIPE in the whole process would change what the commands inherit.
    func feed() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        try? pipe.fileHandleForWriting.write(contentsOf: input)
        try? pipe.fileHandleForWriting.close()
    }
}
