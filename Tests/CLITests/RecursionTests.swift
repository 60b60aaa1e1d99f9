import Foundation
import SignetTestSupport
import Testing

/// What lies in folders is handled, or told.
@Suite struct RecursionTests {
    private static let key = ["--key", "key.pem", "--cert", "valid.pem"]

    private func folder(_ names: String...) throws -> Workspace {
        let workspace = try signingWorkspace()
        for name in names {
            let path = workspace.url("in/" + name)
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try workspace.write(try workspace.read("letter.pdf"), to: "in/" + name)
        }
        return workspace
    }

    /// A document that somebody else signed with the same tool is no output of this one.
    @Test func whatIsCalledLikeAnOutputIsTold() throws {
        let alone = try folder("contract.signed.pdf")
        let sign = ["sign", "in", "--recursive"] + Self.key
        try alone.signet(sign)
            .expectRefusal(
                .missingInput, naming: "1 named *.signed.pdf", "add the names of these files")
        try alone.signet("\(sign) -o out/").expect(.done)
        #expect(alone.exists("out/contract.signed.signed.pdf"))

        let among = try folder("a/contract.signed.pdf", "a/other.pdf")
        let outcome = try among.signet(sign).expect(.done)
        #expect(
            outcome.errors.contains("files named like outputs (*.signed.pdf): 1"),
            "\(outcome.errors)")
        // Own outputs lie beside what they were made of, and nobody wonders about them.
        try FileManager.default.removeItem(at: among.url("in/a/contract.signed.pdf"))
        let again = try among.signet("\(sign) --force").expect(.done)
        #expect(!again.errors.contains("named like outputs"), "\(again.errors)")
    }

    /// Outputs that are put beside their inputs by name are outputs too.
    @Test func theFolderItselfMayTakeTheOutputs() throws {
        let workspace = try folder("one.pdf")
        let sign = ["sign", "in", "--recursive", "-o", "in/", "--journal", "j"] + Self.key
        try workspace.succeed(sign)
        try workspace.write(try workspace.read("letter.pdf"), to: "in/two.pdf")
        let again = try workspace.succeed(sign)
        #expect(again.errors.contains("1 signed, 1 skipped"), "\(again.errors)")
    }

    @Test func hashesToo() throws {
        let workspace = try folder("data", "old.sig")
        let outcome = try workspace.succeed("hash sign in --recursive --input data --key key.pem")
        #expect(workspace.exists("in/data.sig"))
        #expect(outcome.errors.contains("files named like outputs (*.sig): 1"), "\(outcome.errors)")
    }

    /// A folder of somebody else's fails by itself, and the others are handled.
    @Test func aClosedFolderStopsNothing() throws {
        guard try ExternalTool.find("strace") != nil else { return }
        let workspace = try folder("one.pdf", "secret/two.pdf", "three/four.pdf")
        let closed = workspace.url("in/secret").path
        for (command, code) in [
            ("sign in --recursive -o out/ $K", ExitCode.missingInput),
            ("verify in --recursive", ExitCode.missingInput),
        ] {
            let outcome = try workspace.injecting(
                "-P '\(closed)' -P in/secret -e trace=openat,open -e inject=openat:error=EACCES",
                command)
            outcome.expect(code)
            #expect(outcome.errors.contains("in/secret: Permission denied"), "\(outcome.errors)")
        }
        #expect(workspace.exists("out/one.signed.pdf"))
        #expect(workspace.exists("out/three/four.signed.pdf"))
    }

    @Test func linksThatLeadNowhereAreTold() throws {
        let workspace = try folder("one.pdf")
        try FileManager.default.createSymbolicLink(
            atPath: workspace.url("in/gone.pdf").path, withDestinationPath: "nowhere")
        let outcome = try workspace.succeed("sign in --recursive \(Self.key)")
        #expect(outcome.errors.contains("in/gone.pdf: the target of the link does not exist"))
    }

    /// Backups made of hard links keep what was there.
    @Test func otherNamesOfAFileAreTold() throws {
        let workspace = try folder("one.pdf")
        try FileManager.default.linkItem(
            at: workspace.url("in/one.pdf"), to: workspace.url("backup.pdf"))
        let outcome = try workspace.succeed("sign in/one.pdf --in-place \(Self.key)")
        #expect(outcome.errors.contains("other hard links to the file (1)"), "\(outcome.errors)")
        let again = try workspace.signet("sign in/one.pdf --in-place \(Self.key)")
        #expect(!again.errors.contains("hard links"))
    }
}
