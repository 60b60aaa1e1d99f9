import Foundation
import SignetTestSupport
import Testing

/// Time stamps of documents with integrity codes; without pyHanko these tests say so and do nothing.
@Suite struct IntegrityCodeCommandTests {
    private static let password = ["--password-env", "PW"]
    private static let environment = ["PW": "user"]

    /// A workspace with a sample as `locked.pdf`.
    private static func stamping(_ name: String) throws -> StampingWorkspace? {
        guard let bytes = try EncryptedSamples.document(name),
            let stamping = try StampingWorkspace()
        else { return nil }
        try stamping.workspace.write(Data(bytes), to: "locked.pdf")
        return stamping
    }

    private func run(_ workspace: Workspace, _ arguments: [String]) throws {
        try workspace.signet(arguments + Self.password, environment: Self.environment)
            .expect(ExitCode.done)
    }

    private func verified(_ stamping: StampingWorkspace, _ file: String) throws -> VerifyReport {
        let outcome = try stamping.workspace.signet(
            ["verify", file, "--trust", "valid.pem", "--trust", stamping.server.file("ca.pem")]
                + ["--json"] + Self.password, environment: Self.environment)
        outcome.expect(ExitCode.done)
        return try outcome.json(VerifyReport.self)
    }

    private struct Shown: Decodable {
        struct Encryption: Decodable { let integrityCodeDemanded: Bool }
        let encryption: Encryption
    }

    @Test(arguments: [("aes-mac", true), ("gcm", false)])
    func showsWhetherACodeIsDemanded(name: String, isDemanded: Bool) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let workspace = try Workspace()
        try workspace.write(Data(bytes), to: "locked.pdf")
        let show = ["show", "locked.pdf"] + Self.password
        let json = try workspace.signet(show + ["--json"], environment: Self.environment)
        #expect(try json.json(Shown.self).encryption.integrityCodeDemanded == isDemanded)
        let text = try workspace.signet(show, environment: Self.environment)
        text.expect(ExitCode.done)
        #expect(text.output.contains("an integrity code for every revision") == isDemanded)
    }

    @Test(arguments: ["aes-mac", "gcm-mac"])
    func stampsDocumentsAndSignatures(name: String) throws {
        guard let stamping = try Self.stamping(name) else { return }
        let workspace = stamping.workspace
        let authority = [
            "--tsa", stamping.server.url("ok"), "--tsa-anchor", stamping.server.file("ca.pem"),
        ]
        try run(
            workspace,
            ["sign", "locked.pdf", "--key", "key.pem", "--cert", "valid.pem", "-o", "s.pdf"]
                + authority)
        try run(
            workspace, ["timestamp", "s.pdf", "--digest", "sha512", "-o", "t.pdf"] + authority)
        try run(
            workspace,
            ["sign", "t.pdf", "--key", "key.pem", "--cert", "valid.pem", "-o", "u.pdf"])
        for (file, digest, count) in [
            ("s.pdf", "sha256", 1), ("t.pdf", "sha512", 2), ("u.pdf", "sha256", 3),
        ] {
            let report = try verified(stamping, file)
            #expect(report.verdict == "passed" && report.signatures.count == count)
            #expect(report.signatures.first?.level == "B-T")
            let code = try #require(report.integrityCode)
            #expect(code.valid && code.digest == digest)
            #expect(code.location == "attached-to-signature")
            let judged = try EncryptedSamples.judge(
                [UInt8](try workspace.read(file)), password: "user")
            #expect(judged == "USER" + String(repeating: " valid", count: count))
        }
        try expectsOpensslTakesTheToken(stamping, "s.pdf", "t.pdf")
    }

    /// The code changes nothing of what the authority signed.
    private func expectsOpensslTakesTheToken(
        _ stamping: StampingWorkspace, _ before: String, _ after: String
    ) throws {
        let workspace = stamping.workspace
        let (old, new) = (try workspace.read(before), try workspace.read(after))
        let update = new[old.count...]
        let mark = Data("/Contents <".utf8)
        let start = try #require(update.range(of: mark)?.upperBound)
        let end = try #require(update[start...].firstIndex(of: UInt8(ascii: ">")))
        let digits = String(decoding: update[start..<end], as: UTF8.self)
        var token: [UInt8] = []
        var rest = Substring(digits)
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            token.append(byte)
            rest = rest.dropFirst(2)
        }
        let length = 4 + Int(token[2]) << 8 + Int(token[3])
        try workspace.write(Data(token.prefix(length)), to: "token.der")
        try workspace.write(new[..<(start - 1)] + new[(end + 1)...], to: "covered")
        let openssl = try #require(try ExternalTool.find("openssl"))
        let result = try ExternalTool.run(
            openssl,
            [
                "ts", "-verify", "-in", workspace.url("token.der").path, "-token_in", "-data",
                workspace.url("covered").path, "-CAfile", stamping.server.file("ca.pem"),
            ])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func aDryRunAndShowKnowTheDocument() throws {
        guard let stamping = try Self.stamping("aes-mac") else { return }
        let workspace = stamping.workspace
        try run(
            workspace,
            ["sign", "locked.pdf", "--key", "key.pem", "--cert", "valid.pem", "--dry-run"])
        #expect(!workspace.exists("locked.signed.pdf"))
        let shown = try workspace.signet(
            ["show", "locked.pdf"] + Self.password, environment: Self.environment)
        shown.expect(ExitCode.done)
        #expect(shown.output.contains("AES-256"))
    }
}
