import Foundation
import SignetTestSupport
import Testing

/// `signet doctor` and `signet schema`.
@Suite struct InstallationTests {
    @Test func partsAreFoundWithVersions() throws {
        let workspace = try Workspace()
        let report = try workspace.succeed("doctor --json").json()
        #expect(report.schema == "signet.doctor/1")
        let openssl = try #require(report.parts.first { $0.name == "OpenSSL" })
        #expect(openssl.found == true && openssl.version.text.hasPrefix("3."))
        #expect(report.parts.allSatisfy { !$0.purpose.text.isEmpty })
        #expect(
            Set(report.parts.map(\.kind.text)).isSuperset(of: [
                "library", "program", "font", "trust-store", "trusted-lists",
            ]))
        let version = report.signet.version.text
        #expect(try workspace.succeed("--version").output == version + "\n")
        for arguments in [["--version", "-v"], ["-v", "--version"], ["--version", "--verbose"]] {
            let lines = try workspace.succeed(arguments).output.split(separator: "\n")
            #expect(lines.first == "Signet \(version)")
            #expect(lines.contains { $0.hasPrefix("OpenSSL") && $0.contains(" 3.") })
        }
        // What is missing is said, with its package.
        let bare = try workspace.succeed("doctor", environment: ["PATH": "/nowhere"])
        #expect(bare.output.contains("apt install poppler-utils"))
    }

    @Test func programsForKeysAreFound() throws {
        let workspace = try Workspace()
        try workspace.makeFolder("bin")
        try workspace.write("#!/bin/sh\n", to: "bin/signet-key-mine")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: workspace.url("bin/signet-key-mine").path)
        let outcome = try workspace.succeed(
            "doctor", environment: ["PATH": workspace.url("bin").path])
        #expect(outcome.output.contains("--key exec:mine"))
    }

    @Test func schemasAreThoseOfTheSource() throws {
        let folder = TestVectors.root.appendingPathComponent("Scripts/schema")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
        let workspace = try Workspace()
        let list = try workspace.succeed("schema").output.split(separator: "\n")
        let listed = list.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(listed == names.sorted().map { "signet." + $0.replacing("-1", with: "/1") })
        try workspace.signet("schema --json").expect(.usage)
        try workspace.signet("completion bash --json").expect(.usage)
        try workspace.signet("help levels --json").expectRefusal(.usage, naming: "--json")
        for name in names {
            let printed = try workspace.succeed("schema \(name)")
            let source = folder.appendingPathComponent(name + ".json")
            #expect(try printed.outputBytes == Data(contentsOf: source))
        }
        #expect(
            try workspace.succeed("schema signet.verify/1").output
                == workspace.succeed("schema verify").output)
        try workspace.signet("schema signet.verfy/1")
            .expectRefusal(.usage, naming: "signet schema verify")
        try workspace.signet("schema verfy").expectRefusal(.usage, naming: "signet schema verify")
    }
}
