import Foundation
import SignetTestSupport
import Testing

/// Signed attributes that laws and policies ask for (ETSI EN 319 122-1 §5.2).
@Suite struct SignerStatementTests {
    private static let options = """
        --signature-policy 1.2.3.4.5 --signature-policy-file policy.txt \
        --commitment proof-of-approval --commitment 1.2.3.4 --role "Managing director"
        """

    private func stated(_ workspace: Workspace, _ file: String) throws -> JSON? {
        guard let python = try PythonEnvironment.find("python") else { return nil }
        let script = TestVectors.root.appendingPathComponent("Scripts/lib/pyhanko_judge.py").path
        let request = "{\"statements\": \"\(workspace.url(file).path)\"}\n"
        return try CommandRunner.run(python, [script], input: Data(request.utf8)).jsonLines().first
    }

    @Test(arguments: ["letter.pdf", "data.bin"])
    func statesPolicyCommitmentAndRole(input: String) throws {
        let workspace = try signingWorkspace()
        try workspace.write("some data", to: "data.bin")
        try workspace.write("the rules\n", to: "policy.txt")
        try workspace.write("other rules\n", to: "other.txt")
        let output = input == "letter.pdf" ? "letter.signed.pdf" : "data.bin.p7s"
        try workspace.shell(
            "$S sign \(input) --key key.pem --cert valid.pem --location Prague \(Self.options)"
        ).expect(.done)
        let verify = "$S verify \(output) --trust valid.pem"
        let text = try workspace.shell("\(verify) --signature-policy-file policy.txt")
            .expect(.done).output
        for row in [
            "Policy        1.2.3.4.5, matches the policy file", "Commitment    1.2.3.4\n",
            "proof-of-approval", "Claimed role  Managing director", "Location      Prague",
        ] { #expect(text.contains(row), "\(text)") }
        let signature = try workspace.shell("\(verify) --json").expect(.done).json().signatures[0]
        let hash = try workspace.shell("sha256sum policy.txt").output.prefix(64)
        #expect(signature.statements.policy["hash"] == .string(String(hash)))
        #expect(signature.statements.policy.digest == "sha256" && signature.location == "Prague")
        #expect(signature.statements.commitments.contains("proof-of-approval"))
        #expect(signature.statements.roles.contains("Managing director"))
        let other = try workspace.shell("\(verify) --signature-policy-file other.txt --json")
            .expect(.indeterminate)
        #expect(try other.json(VerifyReport.self).codes == ["signature-policy-mismatch"])
        let shown = try workspace.shell("$S show \(output)").expect(.done).output
        #expect(
            shown.contains("signature policy 1.2.3.4.5; 1.2.3.4; proof-of-approval"), "\(shown)")
        #expect(shown.contains("claimed role Managing director; signed in Prague"), "\(shown)")
        let json = try workspace.shell("$S show \(output) --json").expect(.done).json()
        let signer = input == "letter.pdf" ? json.fields[0] : json.signers[0]
        #expect(signer.statements.policy.id == "1.2.3.4.5" && signer.location == "Prague")
        try workspace.shell(
            "\(verify) --signature-policy-file policy.txt --report r.html --lang de"
        ).expect(.done)
        let report = try workspace.text("r.html")
        for row in [
            "<dt>Signaturrichtlinie</dt><dd><bdi>1.2.3.4.5</bdi>, stimmt mit",
            "<dt>Verpflichtung</dt><dd><ul><li><bdi>1.2.3.4</bdi>", "<bdi>proof-of-approval</bdi>",
            "<dt>Angegebene Rolle</dt><dd><ul><li><bdi>Managing director</bdi>",
            "<dt>Ort</dt><dd><bdi>Prague</bdi>",
        ] { #expect(report.contains(row), "\(row)") }
        guard let stated = try stated(workspace, output) else { return }
        #expect(
            stated.policy == "1.2.3.4.5" && stated["hash"] == .string(String(hash)), "\(stated)")
        #expect(stated.commitments.contains("proof_of_approval"), "\(stated)")
        #expect(stated.roles.contains("Managing director"), "\(stated)")
        if let answer = try PyHanko.about([workspace.url(output).path])?.first,
            output != "data.bin.p7s"
        {
            #expect(answer.signatures[0].valid == true, "\(answer)")
        }
    }

    /// RFC 5126 §5.8.1: a zero hash says that the hash is not known.
    @Test func signsAPolicyWithoutItsDocument() throws {
        let workspace = try signingWorkspace()
        try workspace.write("some data", to: "data.bin")
        try workspace.shell(
            "$S cms sign data.bin --key key.pem --cert valid.pem --signature-policy 1.2.3.4.5"
        ).expect(.done)
        let verify = "verify data.bin.p7s --trust valid.pem"
        let signature = try workspace.shell("$S \(verify) --json").expect(.done).json().signatures[
            0]
        #expect(signature.statements.policy.id == "1.2.3.4.5")
        #expect(signature.statements.policy["hash"] == .null)
        // Neither an unknown hash nor a missing policy is the given document.
        try workspace.shell("$S cms sign key.pem --key key.pem --cert valid.pem").expect(.done)
        for file in ["data.bin.p7s", "key.pem.p7s"] {
            try workspace.shell(
                "$S cms verify \(file) --trust valid.pem --signature-policy-file data.bin"
            ).expect(.indeterminate)
        }
        guard let stated = try stated(workspace, "data.bin.p7s") else { return }
        #expect(stated.policy == "1.2.3.4.5" && stated["hash"] == "00")
    }

    @Test func refusesWhatStandardsForbid() throws {
        let workspace = try signingWorkspace()
        try workspace.write("some data", to: "data.bin")
        let key = "--key key.pem --cert valid.pem"
        try workspace.shell(
            "$S sign letter.pdf \(key) --commitment proof-of-origin --reason Approved"
        ).expectRefusal(.usage, naming: "319 142-1")
        // A service that returns a whole CMS signature states what it wants.
        try workspace.shell("$S remote prepare letter.pdf -o p.pdf --to-sign h --role Director")
            .expectRefusal(.usage, naming: "--cert")
        for options in [
            "--commitment approval", "--signature-policy policy", "--content-timestamp",
            "--signature-policy-file data.bin",
        ] {
            try workspace.shell("$S sign letter.pdf \(key) \(options)").expectRefusal(.usage)
            try workspace.shell(
                "$S remote prepare letter.pdf --cert valid.pem -o p.pdf --to-sign h \(options)"
            ).expectRefusal(.usage)
            try workspace.shell("$S cms sign data.bin \(key) \(options)").expectRefusal(.usage)
        }
        #expect(!workspace.exists("letter.signed.pdf") && !workspace.exists("data.bin.p7s"))
    }

    /// The statements are in the prepared document, so the key signs them.
    @Test func preparesStatementsForAnotherKey() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try workspace.write("the rules\n", to: "policy.txt")
        let tsa = "--tsa \(stamping.server.url("ok"))"
        let prepare = "$S remote prepare letter.pdf --cert valid.pem --to-sign h"
        try workspace.shell("\(prepare) -o p.pdf \(tsa)").expectRefusal(
            .usage, naming: "remote embed")
        for (options, level) in [("--level T", "B-T"), ("", "B-B")] {
            try workspace.shell(
                "\(prepare) -o p.pdf --force \(Self.options) --content-timestamp \(tsa) \(options) "
                    + "&& $S hash sign h --input hash --key key.pem -o s --force && "
                    + "$S remote embed p.pdf --signature s -o out.pdf --force "
                    + (options.isEmpty ? "" : tsa)
            ).expect(.done)
            let signature = try workspace.shell(
                "$S verify out.pdf --trust valid.pem --trust \(stamping.server.file("ca.pem")) "
                    + "--signature-policy-file policy.txt --json"
            ).expect(.done).json().signatures[0]
            #expect(signature.statements.policy.matches == true)
            #expect(signature.statements.commitments.contains("proof-of-approval"))
            #expect(signature.statements.roles.contains("Managing director"))
            #expect(signature.statements.contentTimestamps[0].trusted == true)
            #expect(signature.level == .string(level))
        }
    }

    @Test(arguments: ["letter.pdf", "data.bin"])
    func timestampsTheContent(input: String) throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try workspace.write("some data", to: "data.bin")
        let output = input == "letter.pdf" ? "letter.signed.pdf" : "data.bin.p7s"
        try stamping.sign(
            input, "--tsa", stamping.server.url("ok"), "--tsa-anchor",
            stamping.server.file("ca.pem"), "--content-timestamp"
        ).expect(.done)
        let verify = ["verify", output, "--trust", "valid.pem", "--json"]
        let trusted = try workspace.succeed(verify + ["--trust", stamping.server.file("ca.pem")])
        let signature = try trusted.json().signatures[0]
        #expect(signature.statements.contentTimestamps[0].trusted == true)
        #expect(signature.level == "B-T")
        // An unknown TSA proves nothing.
        let unknown = try workspace.succeed(verify + ["--report", "r.html"]).json().signatures[0]
        #expect(unknown.statements.contentTimestamps[0].trusted == false)
        let row = try #require(
            workspace.text("r.html").split(separator: "<dt>").first {
                $0.hasPrefix("Content timestamp</dt>")
            })
        #expect(row.contains("not confirmed, so ignored"), "\(row)")
        #expect(
            try workspace.shell("$S show \(output)").expect(.done).output
                .contains("; content timestamp 20"))
        if let answer = try PyHanko.about([workspace.url(output).path])?.first,
            input == "letter.pdf"
        {
            #expect(answer.signatures[0].contentTimestamp == true, "\(answer)")
        }
    }
}
