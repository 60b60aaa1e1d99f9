package import Foundation

/// A command that runs until it receives a signal, such as a server.
package final class RunningCommand {
    private let process = Process()
    private let output = Pipe()
    private let errors: URL

    /// Starts the command. Its standard error is part of the result of ``stop(with:)``.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        folder: URL
    ) throws {
        errors = folder.appendingPathComponent("stderr-\(UUID().uuidString)")
        try Data().write(to: errors)
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.start()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    package var processIdentifier: Int32 { process.processIdentifier }

    /// The first line on standard output; empty if the command ends without one.
    package func firstLine() -> String {
        var line: [UInt8] = []
        while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
            line.append(byte)
        }
        try? OutputLog.note(Data(line + [10]))
        return String(decoding: line, as: UTF8.self)
    }

    /// Sends a signal and waits for the end.
    package func stop(with signal: Int32 = SIGTERM) throws -> CommandOutcome {
        kill(process.processIdentifier, signal)
        let identifier = process.processIdentifier
        let watchdog = DispatchWorkItem { kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(30), execute: watchdog)
        process.waitUntilExit()
        watchdog.cancel()
        let wasKilled = process.terminationReason == .uncaughtSignal
        return CommandOutcome(
            exitCode: process.terminationStatus + (wasKilled ? 128 : 0), wasKilled: wasKilled,
            outputBytes: Data(), errorBytes: try Data(contentsOf: errors))
    }
}
