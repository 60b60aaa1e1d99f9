import Foundation
import SignetTestSupport
import Testing

@Suite struct SignTests {
    @Test func appendsToACopyAndLeavesTheInputAlone() throws {
        let workspace = try signingWorkspace()
        let before = try workspace.read("letter.pdf")
        try workspace.signLetter()
        #expect(try workspace.read("letter.pdf") == before)
        let signed = try workspace.read("letter.signed.pdf")
        #expect(signed.starts(with: before) && signed.count > before.count)
        #expect(try workspace.names == ["key.pem", "letter.pdf", "letter.signed.pdf", "valid.pem"])
    }

    @Test(arguments: [
        [], ["--at", "1:bottom-right", "--reason", "Approved — ok"], ["--field", "Approval"],
        ["--rect", "1:10,10,110,60"], ["--at", "-1:top"], ["--digest", "sha512"],
        ["--name", "Jan (Jr.) Novák", "--location", "Plzeň", "--contact", "a@b.example"],
        ["--at", "last:20mm,30mm", "--size", "50x15mm", "--text", "{name}\\n{date}"],
    ])
    func everyVariantVerifies(options: [String]) throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("sign letter.pdf --key key.pem --cert valid.pem \(options)")
        try workspace.succeed("verify letter.signed.pdf --trust valid.pem")
        try workspace.outsidersAccept("letter.signed.pdf")
    }

    @Test func aSecondSignatureLeavesTheFirstValid() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        try workspace.succeed("sign letter.signed.pdf --key key.pem --cert valid.pem -o twice.pdf")
        let once = try workspace.read("letter.signed.pdf")
        #expect(try workspace.read("twice.pdf").starts(with: once))
        let outcome = try workspace.succeed("verify twice.pdf --trust valid.pem --json")
        let report = try outcome.json(VerifyReport.self)
        #expect(report.signatures.map(\.verdict) == ["passed", "passed"])
        #expect(Set(report.signatures.map(\.coverage)) == ["revision", "whole-file"])
        #expect(Set(report.signatures.map(\.field)).count == 2)
        try workspace.outsidersAccept("twice.pdf")
    }

    @Test func oneBadInputOfSeveralDoesNotStopTheOthers() throws {
        let workspace = try signingWorkspace()
        try workspace.write("no PDF at all", to: "a.pdf")
        let outcome = try workspace.signet("sign a.pdf letter.pdf --key key.pem --cert valid.pem")
        outcome.expect(.malformedInput)
        #expect(outcome.errors.contains("a.pdf"))
        #expect(workspace.exists("letter.signed.pdf") && !workspace.exists("a.signed.pdf"))
    }

    @Test func signsInPlaceOnlyWhenToldSo() throws {
        let workspace = try signingWorkspace()
        let before = try workspace.read("letter.pdf")
        let sign = ["sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem"]
        let outcome = try workspace.signet("\(sign) -o letter.pdf --force")
        #expect(outcome.exitCode != 0, "the same file without --in-place")
        #expect(try workspace.read("letter.pdf") == before)
        try workspace.succeed("\(sign) --in-place")
        #expect(try workspace.read("letter.pdf").starts(with: before))
        #expect(try workspace.names == ["key.pem", "letter.pdf", "valid.pem"])
        try workspace.succeed("verify letter.pdf --trust valid.pem")
    }

    @Test func dryRunFindsWhatSigningWouldRefuse() throws {
        let workspace = try signingWorkspace()
        try workspace.copyVector("pki/expired.pem")
        try workspace.signet("sign letter.pdf --key key.pem --cert expired.pem --dry-run")
            .expectRefusal(.unfitIdentity)
    }

    @Test func readsStandardInputAndWritesStandardOutput() throws {
        let workspace = try signingWorkspace()
        let letter = try workspace.read("letter.pdf")
        let outcome = try workspace.succeed(
            "sign - --key key.pem --cert valid.pem -o -", input: letter)
        #expect(outcome.outputBytes.starts(with: letter))
        try workspace.succeed("verify - --trust valid.pem", input: outcome.outputBytes)
    }

    @Test func recordsTheClaimedTime() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter("--at-time 2024-05-06T07:08:09Z")
        let outcome = try workspace.signet("verify letter.signed.pdf --trust valid.pem --json")
        let signature = try #require(outcome.json(VerifyReport.self).signatures.first)
        #expect(signature.claimedTime == "2024-05-06T07:08:09Z")
    }
}

/// Bad input gets a clear refusal before anything is written.
@Suite struct SignRefusalTests {
    /// Signs with these files and options; expects the refusal, and nothing written.
    func refuse(
        _ code: Int32, key: String = "key.pem", cert: String = "valid.pem",
        input: String = "letter.pdf", options: [String] = [], naming words: String = "",
        environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let workspace = try signingWorkspace()
        for file in [key, cert] where !workspace.exists(file) {
            try workspace.copyVector("pki/\(file)")
        }
        try workspace.write(Data(), to: "empty.pdf")
        try workspace.write(Data(repeating: 0x41, count: 5000), to: "letters.pdf")
        try workspace.makeFolder("folder.pdf")
        let before = try workspace.names
        let letter = try workspace.read("letter.pdf")
        let outcome = try workspace.signet(
            "sign \(input) --key \(key) --cert \(cert) \(options)", environment: environment)
        outcome.expectRefusal(code, naming: words, sourceLocation: sourceLocation)
        #expect(try workspace.names == before, "nothing written", sourceLocation: sourceLocation)
        #expect(try workspace.read("letter.pdf") == letter, sourceLocation: sourceLocation)
    }

    @Test func keyThatDoesNotFitTheCertificate() throws {
        try refuse(ExitCode.unfitIdentity, key: "other-key.pem", naming: "valid.pem")
    }

    @Test(arguments: ["expired.pem", "not-yet-valid.pem", "no-signing.pem", "server-only.pem"])
    func unfitCertificate(cert: String) throws {
        try refuse(ExitCode.unfitIdentity, cert: cert, naming: cert)
    }

    @Test func wrongPassphrase() throws {
        try refuse(
            ExitCode.credentialRefused, key: "encrypted-key.pem",
            options: ["--passphrase-env", "PP"], naming: "encrypted-key.pem",
            environment: ["PP": "wrong-secret-value"])
    }

    @Test func passphraseVariableThatIsNotSet() throws {
        try refuse(
            ExitCode.credentialRefused, key: "encrypted-key.pem",
            options: ["--passphrase-env", "NOT_SET_ANYWHERE"],
            naming: "the environment variable named by --passphrase-env is not set")
    }

    @Test(arguments: ["2:center", "99:center", "-2:center", "0:center"])
    func pageThatDoesNotExist(place: String) throws {
        try refuse(ExitCode.noSuchPlace, options: ["--at", place], naming: "page")
    }

    @Test(arguments: [
        ["--at", "1:1000pt,1000pt"], ["--at", "1:590pt,10pt"],
        ["--rect", "1:600pt,10pt,700pt,60pt"],
        ["--at", "1:center", "--size", "500x20mm"],
    ])
    func boxOffThePage(options: [String]) throws {
        try refuse(ExitCode.noSuchPlace, options: options)
    }

    @Test(arguments: ["empty.pdf", "letters.pdf"]) func inputThatIsNoPDF(input: String) throws {
        try refuse(ExitCode.malformedInput, input: input, naming: input)
    }

    @Test(arguments: ["missing.pdf", "folder.pdf"]) func inputThatCannotBeRead(
        input: String
    ) throws {
        try refuse(ExitCode.missingInput, input: input, naming: input)
    }

    @Test func missingKeyAndCertificate() throws {
        let workspace = try signingWorkspace()
        try workspace.signet("sign letter.pdf --key no.pem --cert valid.pem")
            .expectRefusal(.missingInput, naming: "no.pem")
        try workspace.signet("sign letter.pdf --key key.pem --cert no.pem")
            .expectRefusal(.missingInput, naming: "no.pem")
        try workspace.signet("sign letter.pdf --key letter.pdf --cert valid.pem")
            .expectRefusal(.malformedInput, naming: "letter.pdf")
    }

    @Test func existingOutput() throws {
        let workspace = try signingWorkspace()
        try workspace.write("precious", to: "letter.signed.pdf")
        let sign = ["sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem"]
        try workspace.signet(sign)
            .expectRefusal(.cannotCreateOutput, naming: "letter.signed.pdf", "--force")
        #expect(try workspace.read("letter.signed.pdf") == Data("precious".utf8))
        try workspace.succeed("\(sign) --force")
        #expect(try workspace.read("letter.signed.pdf").starts(with: Data("%PDF".utf8)))
    }

    @Test func reportsTheRefusalAsJSON() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.signet("sign missing.pdf --key key.pem --cert valid.pem --json")
        outcome.expect(.missingInput)
        let report = try outcome.json()
        #expect(report.schema == "signet.error/1")
        #expect(report.file.text.hasSuffix("missing.pdf"))
        #expect(!report.message.text.isEmpty && report.code.number == 66)
    }

    @Test func neverShowsASecret() throws {
        let workspace = try signingWorkspace()
        try workspace.copyVector("pki/encrypted-key.pem")
        let secret = "hunter2-very-secret"
        for options in [["--verbose"], ["--json"], []] {
            let outcome = try workspace.signet(
                [
                    "sign", "letter.pdf", "--key", "encrypted-key.pem", "--cert", "valid.pem",
                    "--passphrase-env", "PP",
                ] + options, environment: ["PP": secret])
            outcome.expect(.credentialRefused)
            #expect(!outcome.output.contains(secret) && !outcome.errors.contains(secret))
        }
    }

    @Test func asksForThePassphraseAndRefusesWithoutATerminal() throws {
        let workspace = try signingWorkspace()
        try workspace.copyVector("pki/encrypted-key.pem")
        let outcome = try workspace.withoutTerminal(
            ["sign", "letter.pdf", "--key", "encrypted-key.pem", "--cert", "valid.pem"])
        outcome.expectRefusal(.credentialRefused, naming: "--passphrase-file")
        #expect(outcome.errors.contains("--passphrase-env"))
        #expect(!workspace.exists("letter.signed.pdf"))
    }

    @Test func takesThePassphraseFromFileAndStandardInput() throws {
        let workspace = try signingWorkspace()
        try workspace.copyVector("pki/encrypted-key.pem")
        try workspace.write("correct horse\n", to: "pass.txt")
        let sign = [
            "sign", "letter.pdf", "--key", "encrypted-key.pem", "--cert", "valid.pem", "--force",
            "--passphrase-file",
        ]
        try workspace.succeed("\(sign) pass.txt")
        try workspace.succeed("\(sign) -", input: Data("correct horse\n".utf8))
    }

    /// A disk of 64 kB, in a mount namespace of its own, so that nothing needs undoing.
    @Test(.enabled(if: Sandbox.canMount, "SKIPPED: unshare cannot mount a small disk here"))
    func fullDisk() throws {
        let workspace = try signingWorkspace()
        let script = """
            mkdir disk && mount -t tmpfs -o size=64k none disk &&
            dd if=/dev/zero of=disk/filler bs=1k count=62 2>/dev/null &&
            { "$0" sign letter.pdf --key key.pem --cert valid.pem -o disk/out.pdf
              code=$?; ls -A disk; exit $code; }
            """
        let unshare = try #require(CommandRunner.find("unshare"))
        let outcome = try CommandRunner.run(
            unshare, ["-rm", "sh", "-c", script, try SignetBinary.path], folder: workspace.folder)
        outcome.expect(.inputOutputError)
        #expect(outcome.output == "filler\n", "no partial output and no temporary file stays")
    }

    /// As another user where the tests run as root, for whom every folder is open.
    @Test(.enabled(if: Sandbox.canDropRights, "SKIPPED: setpriv is missing, and this is root"))
    func folderWithoutPermission() throws {
        let workspace = try signingWorkspace()
        let manager = FileManager.default
        try manager.copyItem(
            at: URL(fileURLWithPath: try SignetBinary.path), to: workspace.url("signet"))
        for (name, mode) in [("closed", 0o000), ("read-only", 0o555)] {
            try manager.createDirectory(at: workspace.url(name), withIntermediateDirectories: false)
            try workspace.write(workspace.read("letter.pdf"), to: "\(name)/letter.pdf")
            try manager.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: workspace.url(name).path)
        }
        defer {
            for name in ["closed", "read-only"] {
                try? manager.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: workspace.url(name).path)
            }
        }
        func sign(_ input: String, _ output: String) throws -> CommandOutcome {
            let drop =
                getuid() == 0
                ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
            return try CommandRunner.run(
                "/usr/bin/env",
                drop + [
                    workspace.url("signet").path, "sign", input, "--key", "key.pem", "--cert",
                    "valid.pem", "-o", output,
                ], folder: workspace.folder)
        }
        try sign("closed/letter.pdf", "/dev/null")
            .expectRefusal(.missingInput, naming: "closed/letter.pdf")
        try sign("letter.pdf", "read-only/out.pdf")
            .expectRefusal(.cannotCreateOutput, naming: "read-only")
    }
}

/// What this machine lets the tests arrange.
enum Sandbox {
    static let canMount: Bool = {
        guard let unshare = CommandRunner.find("unshare"), let workspace = try? Workspace() else {
            return false
        }
        let outcome = try? CommandRunner.run(
            unshare, ["-rm", "sh", "-c", "mkdir d && mount -t tmpfs -o size=64k none d"],
            folder: workspace.folder)
        return outcome?.exitCode == 0
    }()

    static let canDropRights = getuid() != 0 || CommandRunner.find("setpriv") != nil
}

extension Workspace {
    /// Expects that the other programs installed here accept a signed PDF.
    func outsidersAccept(_ name: String) throws {
        try tool("qpdf --check \(name)")?.expect(.done, "qpdf --check")
        if let says = try tool("pdfsig -nocert \(name)")?.output {
            let signatures = says.components(separatedBy: "Signature #").count - 1
            let valid = says.components(separatedBy: "Signature is Valid.").count - 1
            #expect(signatures > 0 && valid == signatures, "pdfsig: \(says)")
            #expect(says.contains("Total document signed"), "pdfsig: \(says)")
        }
    }
}
