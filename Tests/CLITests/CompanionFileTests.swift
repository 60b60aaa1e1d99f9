import Foundation
import SignetTestSupport
import Testing

/// What stands beside a file is about that file, or does not pass.
struct CompanionFileTests {
    /// An old attached message and an old receipt, and `contract.pdf`, which nobody signed.
    private func workspace() throws -> Workspace {
        let workspace = try timestampWorkspace()
        try workspace.certify("me", profile: "signer", key: "tsa.pem")
        try workspace.write("old letter", to: "old.txt")
        try workspace.write("pay 900", to: "contract.pdf")
        try workspace.succeed("cms sign old.txt --attached --key tsa.pem --cert me.crt -o old.p7m")
        return workspace
    }

    private func rename(_ workspace: Workspace, _ old: String, to new: String) throws {
        try workspace.write(workspace.read(old), to: new)
    }

    @Test(arguments: [
        "contract.pdf.p7s", "contract.pdf.P7S", "contract.pdf.p7m", "contract.pdf.p7",
        "contract.pdf.sig", "contract.pdf.tsr", "contract.pdf.tst", "contract.pdf.cms",
        "./contract.pdf.p7s",
    ])
    func refusesAMessageWithOtherContentThanTheFileBesideIt(name: String) throws {
        let workspace = try workspace()
        try rename(workspace, "old.p7m", to: name)
        for command in [["verify"], ["cms", "verify"]] {
            let outcome = try workspace.signet("\(command) \(name) --signer me.crt --json")
            outcome.expect(.invalid, "\(command)")
            let report = try outcome.json(VerifyReport.self)
            #expect(report.signatures.map(\.intact) == [false])
            #expect(report.signatures[0].problems.map(\.code).contains("content-embedded"))
            #expect(outcome.output.contains("signet cms verify COPY -o CONTENT --signer me.crt"))
        }
        try workspace.signet("cms verify \(name) --signer me.crt -o content").expect(.invalid)
        #expect(!workspace.exists("content"))
    }

    @Test func acceptsAMessageThatCarriesTheFileBesideIt() throws {
        let workspace = try workspace()
        for name in ["old.txt.p7s", "old.txt.p7m", "old.txt.der"] {
            try rename(workspace, "old.p7m", to: name)
            let outcome = try workspace.succeed("verify \(name) --signer me.crt")
            #expect(outcome.output.contains("old.txt"))
        }
        // Alone, it speaks of what it carries; a folder is nothing that was signed.
        try workspace.makeFolder("lonely")
        for name in ["lonely.p7s", "lonely.txt.p7m"] {
            try rename(workspace, "old.p7m", to: name)
            try workspace.succeed("verify \(name) --signer me.crt")
        }
    }

    @Test func followsLinksAndReadsNothingElse() throws {
        let workspace = try workspace()
        let files = FileManager.default
        func link(_ name: String, to target: String) throws {
            try files.createSymbolicLink(
                atPath: workspace.url(name).path, withDestinationPath: target)
        }
        // The name that was typed says beside what it stands.
        try link("contract.pdf.p7s", to: "old.p7m")
        try workspace.signet("verify contract.pdf.p7s --signer me.crt").expect(.invalid)
        try link("same.txt", to: "old.txt")
        try link("same.txt.p7s", to: "old.p7m")
        try workspace.succeed("verify same.txt.p7s --signer me.crt")
        // A link that leads nowhere is a file that is missing, not a name without a file.
        try link("gone.txt", to: "nowhere")
        try link("gone.txt.p7s", to: "old.p7m")
        try workspace.signet("verify gone.txt.p7s --signer me.crt")
            .expectRefusal(.missingInput, naming: "gone.txt")
        try link("device.txt", to: "/dev/zero")
        try link("device.txt.p7s", to: "old.p7m")
        try workspace.signet("verify device.txt.p7s --signer me.crt")
            .expectRefusal(.missingInput, naming: "device.txt", "--content")
    }

    @Test func refusesADocumentUnderASignaturesName() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        for name in ["contract.pdf.p7s", "contract.pdf.tsr", "other.P7M"] {
            try rename(workspace, "letter.signed.pdf", to: name)
            try workspace.signet("verify \(name) --trust valid.pem")
                .expectRefusal(.malformedInput, naming: "PDF")
        }
        for command in ["cms", "tsp"] {
            try workspace.signet("\(command) verify contract.pdf.p7s --trust valid.pem")
                .expectRefusal(.malformedInput, naming: "contract.pdf.p7s")
        }
        // A message that carries a PDF is one all the same.
        try workspace.succeed(
            "cms sign letter.pdf --attached --key key.pem --cert valid.pem -o letter.pdf.p7m")
        try workspace.succeed("verify letter.pdf.p7m --trust valid.pem")
    }

    @Test func comparesAReceiptWithTheFileBesideIt() throws {
        let workspace = try workspace()
        try workspace.stampHello()
        try rename(workspace, "hello.tsr", to: "contract.pdf.tsr")
        try rename(workspace, "hello.tsr", to: "contract.pdf.p7s")
        for name in ["contract.pdf.tsr", "contract.pdf.p7s"] {
            try workspace.signet("verify \(name) --trust ca.crt").expect(.invalid)
            try workspace.tsp("verify \(name) --trust ca.crt").expect(.invalid)
        }
        // The request it answers changes nothing about that.
        try workspace.tsp("verify contract.pdf.tsr --request hello.tsq --trust ca.crt")
            .expect(.invalid)
        try workspace.tsp("verify hello.tsr --request hello.tsq --trust ca.crt").expect(.done)
        try rename(workspace, "hello.tsr", to: "hello.txt.tsr")
        try workspace.succeed("verify hello.txt.tsr --trust ca.crt")
    }
}
