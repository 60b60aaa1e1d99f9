import Foundation
import SignetTestSupport
import Testing

/// A letter to sign, and the authorities.
struct LongTermOffice {
    let server: EvidenceServer
    let workspace: Workspace
    var trust: [String] { ["--trust", server.path("anchors.pem")] }

    init?() throws {
        guard let server = try EvidenceServer() else { return nil }
        self.server = server
        workspace = try signingWorkspace()
    }

    func key(_ certificate: String = "signer") -> [String] {
        [
            "--key", server.path("signer.pem"), "--cert", server.path("\(certificate).crt"),
            "--chain", server.path("interm.crt"),
        ]
    }

    func tsa(_ name: String = "tsa") -> [String] { ["--tsa", server.authority(name)] }

    func sign(
        _ level: String, as output: String = "out.pdf", by certificate: String = "signer",
        of input: String = "letter.pdf", _ options: [String] = []
    ) throws -> CommandOutcome {
        try workspace.signet(
            ["sign", input, "--level", level, "-o", output] + key(certificate) + tsa()
                + (level == "T" ? [] : trust) + options)
    }

    /// Runs signet on another day, the authorities' clock moved along.
    func travel(to day: String, _ arguments: [String]) throws -> CommandOutcome {
        try onDay(day) { clock in
            try CommandRunner.run(
                SignetBinary.path, arguments,
                environment: clock.merging(SignetBinary.cache(in: workspace)) { $1 },
                folder: workspace.folder)
        }
    }

    /// pyHanko's sub-indications on another day.
    func judge(_ file: String, on day: String) throws -> String {
        let python = try #require(try PythonEnvironment.find("python"))
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/evidence_judge.py")
        return try onDay(day) { clock in
            try CommandRunner.run(
                python, [script.path, server.path("anchors.pem"), file], environment: clock,
                folder: workspace.folder
            ).output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// Moves the authorities' clock to noon of `day` while `body` runs, and gives it the environment
    /// that moves a program's. libfaketime's wrapper is not used: it gives up when an ended program
    /// with the same process number left its semaphore behind.
    private func onDay<Outcome>(
        _ day: String, _ body: ([String: String]) throws -> Outcome
    ) throws -> Outcome {
        let library = try #require(try ExternalTool.library("faketime/libfaketimeMT.so.1"))
        let then = try #require(ISO8601DateFormatter().date(from: "\(day)T12:00:00Z"))
        let ahead = "\(Int(then.timeIntervalSinceNow))"
        try server.write(ahead, to: "clock")
        defer { try? server.write("", to: "clock") }
        return try body([
            "LD_PRELOAD": library, "FAKETIME": ahead.hasPrefix("-") ? ahead : "+\(ahead)",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "TZ": "UTC",
        ])
    }

    /// Takes a revocation list, `NAME.crl`, from its server.
    func download(_ list: String) throws {
        let url = "http://127.0.0.1:\(server.port)/lta/crls/\(list.dropLast(4))/latest.crl"
        try #require(try workspace.tool("curl -s -o \(list) \(url)")).expect(.done)
    }

    func levels(_ file: String, _ options: [String] = []) throws -> [String?] {
        try workspace.signet("verify \(file) --json \(trust) \(options)").json(VerifyReport.self)
            .signatures.filter { $0.kind == "signature" }.map(\.level)
    }
}
