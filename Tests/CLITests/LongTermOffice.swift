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
    func travel(to day: String, _ arguments: [String]) throws -> CommandOutcome? {
        guard let faketime = try ExternalTool.find("faketime") else { return nil }
        let then = try #require(ISO8601DateFormatter().date(from: "\(day)T12:00:00Z"))
        try server.write("\(Int(then.timeIntervalSinceNow))", to: "clock")
        defer { try? server.write("", to: "clock") }
        return try CommandRunner.run(
            faketime, ["\(day) 12:00:00", try SignetBinary.path] + arguments,
            environment: ["FAKETIME_DONT_FAKE_MONOTONIC": "1", "TZ": "UTC"]
                .merging(SignetBinary.cache(in: workspace)) { $1 },
            folder: workspace.folder)
    }

    /// pyHanko's sub-indications on another day; nil where it is not installed.
    func judge(_ file: String, on day: String) throws -> String? {
        guard let faketime = try ExternalTool.find("faketime"),
            let python = try PythonEnvironment.find("python")
        else { return nil }
        let then = try #require(ISO8601DateFormatter().date(from: "\(day)T12:00:00Z"))
        try server.write("\(Int(then.timeIntervalSinceNow))", to: "clock")
        defer { try? server.write("", to: "clock") }
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/evidence_judge.py")
        return try CommandRunner.run(
            faketime,
            ["\(day) 12:00:00", python, script.path, server.path("anchors.pem"), file],
            environment: ["FAKETIME_DONT_FAKE_MONOTONIC": "1", "TZ": "UTC"],
            folder: workspace.folder
        ).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func levels(_ file: String, _ options: [String] = []) throws -> [String?] {
        try workspace.signet(["verify", file, "--json"] + trust + options)
            .json(VerifyReport.self).signatures.filter { $0.kind == "signature" }.map(\.level)
    }
}
