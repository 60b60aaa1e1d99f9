package import Foundation
import Synchronization

/// An external server program that runs until the value is released.
package final class BackgroundServer: Sendable {
    /// The first line that the program printed.
    package let firstLine: String
    private let process: Mutex<Process>
    // Standard input of the program. It is closed with this value and with the test process; the
    // program then ends.
    private let input: Pipe

    /// Starts the program and waits for its first line.
    package init(_ executable: String, _ arguments: [String], folder: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.start()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else {
                throw CommandRunnerError(
                    description: "\(executable) ended: \(String(decoding: line, as: UTF8.self))")
            }
            line += part
        }
        // Discard later output, so that the program does not block.
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        firstLine = String(decoding: line, as: UTF8.self)
        self.input = input
        self.process = Mutex(process)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.withLock { $0.terminate() }
    }
}

/// The time-stamping authority of `Scripts/lib/tsa_server.py`. The path of a request selects
/// correct or faulty responses.
package final class TimestampServer: Sendable {
    private let workspace: Workspace
    private let server: BackgroundServer
    private let ports: [String: Int]

    /// Nil, with a message, if Python or OpenSSL is missing.
    package init?() throws {
        guard let python = try ExternalTool.find("python3"), try ExternalTool.find("openssl") != nil
        else { return nil }
        workspace = try Workspace()
        server = try BackgroundServer(
            python,
            [
                TestVectors.root.appendingPathComponent("Scripts/lib/tsa_server.py").path,
                workspace.folder.path,
            ], folder: workspace.folder)
        ports = try JSONDecoder().decode([String: Int].self, from: Data(server.firstLine.utf8))
    }

    /// A server shared by all tests that do not count requests.
    package static let shared = Result { try TimestampServer() }

    /// An address of the server.
    ///
    /// - Parameters:
    ///   - service: `http`, `https`, `client` (TLS with client certificates), `dead` (refuses
    ///     connections), `mute` (accepts connections and sends nothing).
    ///   - path: selects the response; see the script.
    package func url(_ path: String, _ service: String = "http") -> String {
        let scheme = ["https", "client"].contains(service) ? "https" : "http"
        return "\(scheme)://127.0.0.1:\(ports[service] ?? 0)/\(path)"
    }

    /// The path of a key or certificate of the server.
    package func file(_ name: String) -> String { workspace.url(name).path }

    /// The numbers of connections and requests so far.
    package func counts() throws -> (connections: Int, requests: Int) {
        let data = try Data(contentsOf: URL(fileURLWithPath: file("counts.json")))
        let counts = try JSONDecoder().decode([String: Int].self, from: data)
        return (counts["connections"] ?? 0, counts["requests"] ?? 0)
    }
}

/// The time-stamping authority of certomancer.
package final class CertomancerServer: Sendable {
    private let workspace: Workspace
    private let server: BackgroundServer
    package let url: String

    /// Nil, said loudly, where the test environment lacks it.
    package init?() throws {
        guard let openssl = try ExternalTool.find("openssl"),
            let program = try ExternalTool.file(PythonEnvironment.path("certomancer"))
        else { return nil }
        workspace = try Workspace()
        try FileManager.default.copyItem(
            at: TestVectors.root.appendingPathComponent("Scripts/lib/certomancer.yml"),
            to: workspace.url("certomancer.yml"))
        for name in ["root", "tsa"] {
            _ = try ExternalTool.run(
                openssl,
                [
                    "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
                    workspace.url("\(name).key.pem").path,
                ])
        }
        let port = try PythonEnvironment.freePort()
        server = try BackgroundServer(
            program,
            [
                "--config", workspace.url("certomancer.yml").path, "animate", "--no-web-ui",
                "--port", "\(port)",
            ], folder: workspace.folder)
        url = "http://127.0.0.1:\(port)/tests/tsa/tsa"
    }
}

/// The CAs, OCSP responders and TSAs of `Scripts/lib/evidence_server.py`: two certificate chains
/// with OCSP, CRLs and timestamps, and an adjustable clock.
package final class EvidenceServer: Sendable {
    /// The server process: started once and used by one test at a time.
    private struct Program {
        let workspace: Workspace
        let server: BackgroundServer
    }

    private static let idle = Mutex<[Program]>([])
    private let program: Program
    package let port: Int

    /// The folder of its certificates, keys and control files.
    package var workspace: Workspace { program.workspace }

    /// Nil, said loudly, where the test environment lacks it.
    package init?() throws {
        guard try ExternalTool.find("openssl") != nil,
            try PythonEnvironment.find("certomancer") != nil,
            let python = try PythonEnvironment.find("python")
        else { return nil }
        program = try Self.idle.withLock { $0.popLast() } ?? Self.start(python)
        guard let port = Int(program.server.firstLine.filter(\.isNumber)) else {
            throw CommandRunnerError(description: "no port: \(program.server.firstLine)")
        }
        self.port = port
    }

    private static func start(_ python: String) throws -> Program {
        let workspace = try Workspace()
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/evidence_server.py").path
        let server = try BackgroundServer(
            python, [script, workspace.folder.path], folder: workspace.folder)
        return Program(workspace: workspace, server: server)
    }

    deinit {
        for name in ["clock", "down", "fault", "log"] { try? write("", to: name) }
        Self.idle.withLock { $0.append(program) }
    }

    /// The address of a time-stamping authority: `tsa`, `tsa-b`, `tsa-soon` or `tsa-revoked`.
    package func authority(_ name: String = "tsa") -> String {
        "http://127.0.0.1:\(port)/lta/tsa/\(name)"
    }

    package func path(_ name: String) -> String { workspace.url(name).path }

    package func write(_ text: String, to name: String) throws {
        try workspace.write(Data(text.utf8), to: name)
    }

    /// Method and path of each request since ``forgetRequests()``.
    package var requests: [String] {
        get throws {
            guard workspace.exists("log") else { return [] }
            return String(decoding: try workspace.read("log"), as: UTF8.self)
                .split(separator: "\n").map(String.init)
        }
    }

    package func forgetRequests() throws { try write("", to: "log") }
}

/// The Python environment that `Scripts/test` creates.
package enum PythonEnvironment {
    /// The path of a program in the environment, whether or not it exists.
    package static func path(_ program: String) -> String {
        TestVectors.root.appendingPathComponent(".venv/bin/\(program)").path
    }

    /// The path of a program in the environment. If it is missing: nil with a message, or an error
    /// with CI=true.
    package static func find(_ program: String) throws -> String? {
        try ExternalTool.file(path(program))
    }

    /// A currently unused port of 127.0.0.1.
    package static func freePort() throws -> Int {
        let code =
            "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0));"
            + "print(s.getsockname()[1])"
        let result = try ExternalTool.run("/usr/bin/python3", ["-c", code])
        let text = String(decoding: result.output, as: UTF8.self)
        guard let port = Int(text.filter(\.isNumber)) else {
            throw CommandRunnerError(description: "no free port: \(result.errors)")
        }
        return port
    }
}
