import Foundation
import SignetTestSupport
import Testing

/// What is put in the place of a pinned signer's message, made with openssl: all refused.
@Suite struct PinnedSignerCommandTests {
    /// `me.pem` and `me.crt`, and Mallory's certificate of the same name and number.
    private func workspace() throws -> Workspace {
        let workspace = try Workspace()
        try workspace.write("100 pieces\n", to: "order.txt")
        for name in ["me", "mallory"] {
            try workspace.openssl([
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "\(name).pem", "-out",
                "\(name).crt", "-subj", "/CN=Jan Novak", "-set_serial", "7", "-days", "30",
            ])
        }
        return workspace
    }

    private func sign(
        _ workspace: Workspace, signer: String, key: String, _ options: [String] = []
    ) throws -> Data {
        let openssl = try #require(CommandRunner.find("openssl"))
        try CommandRunner.run(
            openssl,
            ["cms", "-sign", "-in", "order.txt", "-binary", "-nodetach", "-outform", "DER"]
                + ["-signer", signer, "-inkey", key, "-out", "m.p7m"] + options,
            folder: workspace.folder
        ).expect(.done)
        return try workspace.read("m.p7m")
    }

    /// Refuses by both commands, says why, and lets no content out.
    private func expectRefusal(
        _ workspace: Workspace, _ message: Data, _ problem: String, content: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try workspace.write(message, to: "changed.p7m")
        let detached = content.map { ["--content", $0] } ?? []
        for command in [["cms", "verify", "-o", "out"], ["verify"]] {
            let outcome = try workspace.signet(
                "\(command) changed.p7m --signer me.crt --json \(detached)")
            outcome.expect(.invalid, sourceLocation: sourceLocation)
            let report = try outcome.json(MessageReport.self)
            #expect(report.verdict == "failed", sourceLocation: sourceLocation)
            let codes = report.signatures.flatMap(\.problems).map(\.code)
            #expect(codes.contains(problem), "\(codes)", sourceLocation: sourceLocation)
        }
        #expect(!workspace.exists("out"), sourceLocation: sourceLocation)
    }

    @Test func takesTheSignersOwnMessage() throws {
        let workspace = try workspace()
        _ = try sign(workspace, signer: "me.crt", key: "me.pem", ["-certfile", "mallory.crt"])
        try workspace.succeed("cms verify m.p7m --signer me.crt -o out")
        #expect(try workspace.read("out") == workspace.read("order.txt"))
    }

    @Test(arguments: [[], ["-certfile", "me.crt"], ["-nocerts"]])
    func refusesTheSameSubjectAndSerialWithAnotherKey(options: [String]) throws {
        let workspace = try workspace()
        let message = try sign(workspace, signer: "mallory.crt", key: "mallory.pem", options)
        try expectRefusal(
            workspace, message, options.isEmpty ? "signer-not-pinned" : "signature-invalid")
    }

    @Test func refusesSwappedContent() throws {
        let workspace = try workspace()
        var message = try sign(workspace, signer: "me.crt", key: "me.pem")
        let hundred = try #require(message.range(of: Data("100".utf8)))
        message.replaceSubrange(hundred, with: Data("900".utf8))
        try expectRefusal(workspace, message, "digest-mismatch")
        // An attached message speaks of no other file, and none speaks of a changed one.
        try workspace.write("900 pieces\n", to: "other.txt")
        try expectRefusal(
            workspace, try sign(workspace, signer: "me.crt", key: "me.pem"), "content-embedded",
            content: "other.txt")
        try workspace.openssl(
            "cms -sign -in order.txt -binary -outform DER -signer me.crt -inkey me.pem -out d.p7s")
        try expectRefusal(
            workspace, try workspace.read("d.p7s"), "digest-mismatch", content: "other.txt")
    }

    @Test func refusesNoSignedAttributes() throws {
        let workspace = try workspace()
        try expectRefusal(
            workspace, sign(workspace, signer: "me.crt", key: "me.pem", ["-noattr"]),
            "signed-attributes-missing")
    }

    @Test func refusesAMessageWithoutSigners() throws {
        let workspace = try workspace()
        try workspace.openssl("crl2pkcs7 -nocrl -certfile me.crt -outform DER -out m.p7m")
        for command in [["cms", "verify", "-o", "out"], ["verify"]] {
            for content in [[], ["--content", "order.txt"]] {
                try workspace.signet("\(command) m.p7m --signer me.crt \(content)")
                    .expect(.nothingToVerify)
            }
        }
        #expect(!workspace.exists("out"))
    }
}
