package import Foundation

/// Runs the built `signet` executable as a process.
package enum SignetBinary {
    /// The path of the executable: `SIGNET_BIN`, otherwise the release build, otherwise the debug
    /// build.
    package static var path: String {
        get throws {
            let named = ProcessInfo.processInfo.environment["SIGNET_BIN"]
            let built = ["release", "debug"].map {
                TestVectors.root.appendingPathComponent(".build/\($0)/signet").path
            }
            let candidates = named.map { [$0] } ?? built
            guard let found = candidates.first(where: FileManager.default.isExecutableFile(atPath:))
            else {
                throw CommandRunnerError(
                    description: "no signet executable at \(candidates): run Scripts/build first")
            }
            return found
        }
    }

    /// Runs `signet` in a folder. Its cache and its settings are in the same folder.
    package static func run(
        _ arguments: [String], in workspace: Workspace, input: Data? = nil,
        environment: [String: String] = [:]
    ) throws -> CommandOutcome {
        let outcome = try CommandRunner.run(
            try path, arguments, input: input,
            environment: cache(in: workspace).merging(environment) { $1 }, folder: workspace.folder)
        if arguments.contains("--json") { try OutputLog.note(outcome.outputBytes) }
        return outcome
    }

    package static func cache(in workspace: Workspace) -> [String: String] {
        ["XDG_CACHE_HOME": workspace.url("cache").path]
    }
}
