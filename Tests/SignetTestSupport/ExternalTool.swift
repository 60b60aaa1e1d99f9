import Foundation

/// Finds and runs external programs.
package enum ExternalTool {
    package struct Result: Sendable {
        package let status: Int32
        package let output: [UInt8]
        package let errors: String
    }

    /// The path of a program. If it is missing: nil with a message, or an error with CI=true.
    package static func find(_ name: String) throws -> String? {
        for folder in ["/usr/bin", "/usr/local/bin", "/bin", "/opt/homebrew/bin"]
        where FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") {
            return "\(folder)/\(name)"
        }
        return try missing(name)
    }

    /// The path of a shared library in the library folder of this architecture; nil as with `find`.
    package static func library(_ name: String) throws -> String? {
        for folder in ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"]
        where FileManager.default.isReadableFile(atPath: "\(folder)/\(name)") {
            return "\(folder)/\(name)"
        }
        return try missing(name)
    }

    /// The path of a file that a package installs. If it is missing: nil with a message, or an
    /// error with CI=true.
    package static func file(_ path: String) throws -> String? {
        FileManager.default.isReadableFile(atPath: path) ? path : try missing(path)
    }

    private static func missing(_ name: String) throws -> String? {
        let environment = ProcessInfo.processInfo.environment
        struct Missing: Error { let tool: String }
        if environment["CI"] == "true" { throw Missing(tool: name) }
        FileHandle.standardError.write(
            Data("SKIPPED: \(name) is not installed, its checks did not run\n".utf8))
        return nil
    }

    /// Runs a program until it ends. Both outputs go to files, so that the program does not block.
    package static func run(_ path: String, _ arguments: [String]) throws -> Result {
        try withFolder { folder in
            let out = folder + "/stdout"
            let err = folder + "/stderr"
            for file in [out, err] { try write([], to: file) }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle(forWritingAtPath: out)
            process.standardError = FileHandle(forWritingAtPath: err)
            try process.start()
            process.waitUntilExit()
            return Result(
                status: process.terminationStatus, output: try read(out),
                errors: String(decoding: try read(err), as: UTF8.self))
        }
    }

    /// Calls `body` with a temporary folder, which is removed afterwards.
    package static func withFolder<R>(_ body: (String) throws -> R) throws -> R {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path)
    }

    package static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    package static func read(_ path: String) throws -> [UInt8] {
        // Foundation leaks its buffer for an empty file, which the leak sanitizer would report.
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return size == 0 ? [] : [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

/// The font of the tests, from the Debian package fonts-dejavu-core.
package enum DejaVu { package static let path = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf" }
