import Foundation
import SignetTestSupport
import Testing

/// Keys on PKCS#11 tokens, with the number of logins counted from the module's log.
@Suite struct TokenTests {
    @Test(arguments: [
        ("rsa2048", "sha256", []), ("rsa3072", "sha384", []),
        ("rsa2048", "sha512", ["--padding", "pss"]),
        ("rsa2048", "sha384", ["--padding", "pss"]), ("p256", "sha256", []), ("p256", "sha512", []),
        ("p384", "sha384", []), ("p384", "sha512", []), ("ed25519", "sha512", []),
    ])
    func signsWithKeysOfAllKinds(key: String, digest: String, options: [String]) throws {
        guard let run = try TokenRun() else { return }
        try run.signet(
            [
                "sign", "letter.pdf", "--key", run.token.uri(key), "-o", "out.pdf",
                "--passphrase-file", "pin", "--digest", digest,
            ] + options
        ).expect(.done)
        #expect(run.count("C_Login") == 1)
        run.expectLoggedOut()
        try run.signet("verify out.pdf --trust \(run.token.file("\(key).crt"))").expect(.done)
        try expectOutsidersAgree(run.workspace, isEdwards: key == "ed25519")
    }

    /// qpdf, mutool, pyHanko and poppler, which does not know Ed25519.
    private func expectOutsidersAgree(_ workspace: Workspace, isEdwards: Bool) throws {
        for program in ["qpdf --check", "mutool info"] as [ShellWords] {
            try workspace.tool("\(program) out.pdf")?.expect(.done)
        }
        if !isEdwards, let judged = try workspace.tool("pdfsig out.pdf") {
            #expect(judged.output.contains("Signature is Valid"))
        }
        guard let python = try PythonEnvironment.find("python") else { return }
        let code = """
            import sys
            from pyhanko.pdf_utils.reader import PdfFileReader
            from pyhanko.sign.validation import validate_pdf_signature
            from pyhanko_certvalidator import ValidationContext
            signature, = PdfFileReader(open(sys.argv[1], "rb")).embedded_signatures
            status = validate_pdf_signature(
                signature, ValidationContext(trust_roots=[signature.signer_cert]))
            print(status.intact and status.valid, status.coverage.name)
            """
        let judged = try CommandRunner.run(
            python, ["-c", code, "out.pdf"], folder: workspace.folder)
        #expect(judged.output == "True ENTIRE_FILE\n", "\(judged.errors)")
    }

    @Test func takesThePINFromTheEnvironmentToo() throws {
        guard let run = try TokenRun() else { return }
        var environment = run.token.environment(log: run.workspace.url("log").path)
        environment["CARD_PIN"] = TokenFixture.pin
        try run.workspace.succeed(
            "sign letter.pdf --key \(run.token.uri("p256")) --passphrase-env CARD_PIN",
            environment: environment)
        #expect(run.count("C_Login") == 1)
    }

    @Test func aWrongPINIsTriedOnceForAllFiles() throws {
        guard let run = try TokenRun() else { return }
        let files = (1...20).map { "\($0).pdf" }
        for file in files { try run.workspace.copy("letter.pdf", to: file) }
        let outcome = try run.signet(
            "sign \(files) --key \(run.token.uri("p256")) --passphrase-file other-pin")
        outcome.expect(.credentialRefused)
        #expect(run.calls().filter { $0.hasPrefix("C_Login") } == ["C_Login 0xa0"])
        for file in files.prefix(10) { #expect(outcome.errors.contains("\(file): the PIN")) }
        #expect(outcome.errors.contains("10 more files: the PIN"))
        #expect(!outcome.errors.contains(TokenFixture.otherPIN))
        run.expectLoggedOut()
        // The token's counter is put back.
        try run.sign("p256").expect(.done)
    }

    @Test(arguments: [
        ("C_Login#1=0xa4", "is locked"), ("C_Login#1=0x6", "CKR_FUNCTION_FAILED"),
        ("C_Login#1=0x5", "CKR_GENERAL_ERROR"), ("C_Login#1=0xa3", "new PIN"),
        ("C_Login#1=0x102", "new PIN"), ("C_Login#1=0xa2", "CKR_PIN_LEN_RANGE"),
    ])
    func aLoginThatFailsIsNotRepeated(fault: String, words: String) throws {
        guard let run = try TokenRun() else { return }
        try run.sign("p256", fault: fault).expectRefusal(.credentialRefused, naming: words)
        #expect(run.count("C_Login") == 1)
        try run.expectNothingLeft()
    }

    @Test(arguments: [
        ("flags=0x40000", "locked"), ("flags=0x20000", "ONE more"), ("flags=0x80000", "new PIN"),
    ])
    func flagsRefuseBeforeAnyAttempt(fault: String, words: String) throws {
        guard let run = try TokenRun() else { return }
        try run.sign("p256", fault: fault).expectRefusal(.credentialRefused, naming: words)
        #expect(run.count("C_Login") == 0)
        try run.expectNothingLeft()
    }

    @Test(arguments: ["", String(repeating: "1", count: 300)])
    func aPINThatCannotBeOneIsNotTried(pin: String) throws {
        guard let run = try TokenRun() else { return }
        try run.workspace.write(Data((pin + "\n").utf8), to: "odd")
        try run.sign("p256", pin: "odd").expectRefusal(.credentialRefused, naming: "not tried")
        #expect(run.count("C_Login") == 0)
    }

    @Test func withoutATerminalTheOptionsAreNamed() throws {
        guard let run = try TokenRun(), let setsid = CommandRunner.find("setsid") else { return }
        let outcome = try CommandRunner.run(
            setsid,
            ["-w", try SignetBinary.path, "sign", "letter.pdf", "--key", run.token.uri("p256")],
            environment: run.token.environment(log: run.workspace.url("log").path),
            folder: run.workspace.folder)
        outcome.expectRefusal(.credentialRefused, naming: "a PIN is required", "--passphrase-file")
        #expect(run.count("C_Login") == 0)
    }

    @Test(arguments: [("C_Login#1=0x50", "cancelled"), ("C_Login#1=0x200", "cancelled")])
    func aReaderWithKeysAsksItself(fault: String, words: String) throws {
        guard let run = try TokenRun() else { return }
        let outcome = try run.sign("p256", pin: nil, fault: "flags=0x100 \(fault)")
        outcome.expect(.credentialRefused)
        #expect(outcome.errors.contains("on its reader") && outcome.errors.contains(words))
        #expect(run.calls().filter { $0.hasPrefix("C_Login") }.count == 1)
        #expect(run.count("C_Login(pad)") == 1)
    }

    @Test func whatCanBeRefusedIsRefusedBeforeThePIN() throws {
        guard let run = try TokenRun() else { return }
        try run.workspace.write("x", to: "out.pdf")
        try run.sign("p256").expectRefusal(.cannotCreateOutput, naming: "exists")
        #expect(run.count("C_Login") == 0)
        try run.sign("p256", "--force", "--at", "99:top").expect(.usage)
        #expect(run.count("C_Login") == 0)
        try run.sign("p256", "--force", "--at-time", "2050-01-01T00:00:00Z")
            .expect(.credentialRefused)
        #expect(run.count("C_Login") == 0)
        try run.sign("p256", "--force", "--dry-run").expect(.done)
        #expect(run.count("C_Login") == 0)
        #expect(try run.workspace.read("out.pdf") == Data("x".utf8))
    }

    @Test func aKeyMayWantEachSignatureConfirmed() throws {
        guard let run = try TokenRun() else { return }
        for file in ["a.pdf", "b.pdf"] { try run.workspace.copy("letter.pdf", to: file) }
        try run.signet([
            "sign", "letter.pdf", "a.pdf", "b.pdf", "--key", run.token.uri("always"),
            "--passphrase-file", "pin", "--jobs", "1",
        ]).expect(.done)
        let one = ["C_SignInit(0x1) 0x0", "C_Login(context) 0x0", "C_Sign 0x0"]
        #expect(
            run.calls() == ["C_Initialize 0x0", "C_Login 0x0"] + one + one + one
                + ["C_Logout 0x0", "C_Finalize 0x0"])
    }

    @Test func aWrongConfirmationIsNotRepeated() throws {
        guard let run = try TokenRun() else { return }
        try run.workspace.write("1234\n9999\n", to: "two")
        for file in ["a.pdf", "b.pdf"] { try run.workspace.copy("letter.pdf", to: file) }
        try run.signet("sign a.pdf b.pdf --key \(run.token.uri("always")) --passphrase-file two")
            .expect(.credentialRefused)
        #expect(run.count("C_Login(context)") == 1)
        #expect(run.count("C_Login") == 1)
    }

    @Test func nobodyGuessesBetweenTwoKeys() throws {
        guard let run = try TokenRun() else { return }
        let everything = "pkcs11:?module-path=\(run.token.module)"
        let outcome = try run.signet("sign letter.pdf --key \(everything) --passphrase-file pin")
        outcome.expectRefusal(.usage, naming: "token=token-a", "token=token-b")
        #expect(run.count("C_Login") == 0)
        // A URI of the list is good to be pasted.
        let pasted = try #require(
            outcome.errors.firstMatch(of: /'(pkcs11:[^']*token=token-b[^']*)'/)
        ).output.1
        try run.signet(
            "sign letter.pdf --key \(String(pasted)) --passphrase-file other-pin -o b.pdf"
        ).expect(.done)
        // So is the certificate of one.
        try run.signet([
            "sign", "letter.pdf", "--key", everything, "--cert", run.token.file("p384.crt"),
            "--passphrase-file", "pin", "-o", "c.pdf",
        ]).expect(.done)
        try run.signet("verify c.pdf --trust \(run.token.file("p384.crt"))").expect(.done)
    }

    @Test func aKeyWithoutCertificateNeedsIt() throws {
        guard let run = try TokenRun() else { return }
        try run.sign("bare").expectRefusal(.missingInput, naming: "no certificate", "--cert")
        #expect(run.count("C_Login") == 0)
        try run.sign("bare", "--cert", run.token.file("p256.crt"))
            .expectRefusal(.credentialRefused, naming: "does not match a key of the PKCS#11 URI")
        #expect(run.count("C_Login") == 0)
        try run.sign("bare", "--cert", run.token.file("bare.crt")).expect(.done)
    }

    @Test(arguments: ["C_Sign#2=0x32", "C_Sign#2=0x30", "C_SignInit#2=0xb3"])
    func whatFailsMidwayLeavesWholeFiles(fault: String) throws {
        guard let run = try TokenRun() else { return }
        for file in ["a.pdf", "b.pdf", "c.pdf"] { try run.workspace.copy("letter.pdf", to: file) }
        try run.signet(
            "sign a.pdf b.pdf c.pdf --key \(run.token.uri("p256")) --passphrase-file pin --jobs 1",
            fault: fault
        ).expect(.serviceUnavailable)
        #expect(run.count("C_Login") == 1)
        run.expectLoggedOut()
        #expect(run.workspace.exists("a.signed.pdf"))
        #expect(!run.workspace.exists("b.signed.pdf") && !run.workspace.exists("c.signed.pdf"))
        try run.signet("verify a.signed.pdf --trust \(run.token.file("p256.crt"))").expect(.done)
    }

    @Test(arguments: [
        ["sign", "letter.pdf", "-o", "out"], ["hash", "sign", "letter.pdf", "-o", "out"],
        ["csr", "create", "--subject", "CN=x", "-o", "out"],
        ["cert", "create", "--subject", "CN=x", "-o", "out"],
        ["cms", "sign", "letter.pdf", "-o", "out"],
    ])
    func everySignatureIsVerifiedBeforeAnythingIsWritten(command: [String]) throws {
        guard let run = try TokenRun() else { return }
        try run.signet(
            "\(command) --key \(run.token.uri("p256")) --passphrase-file pin", fault: "flip"
        ).expectRefusal(.credentialRefused, naming: "does not match the public key")
        try run.expectNothingLeft()
        try run.signet("\(command) --key \(run.token.uri("p256")) --passphrase-file pin")
            .expect(.done)
        #expect(run.count("C_Login") == 1)
        run.expectLoggedOut()
    }

    @Test(arguments: ["1", "2", "4"])
    func severalFilesAreSignedAtOnce(jobs: String) throws {
        guard let run = try TokenRun() else { return }
        let files = (1...24).map { "\($0).pdf" }
        for file in files { try run.workspace.copy("letter.pdf", to: file) }
        let outcome = try run.signet(
            "sign \(files) --key \(run.token.uri("rsa2048")) --passphrase-file pin --jobs \(jobs)")
        outcome.expect(.done)
        #expect(run.count("C_Login") == 1)
        #expect(run.count("C_Sign") == 24)
        run.expectLoggedOut()
        // Results stay in the order of the inputs.
        #expect(
            outcome.output.split(separator: "\n").map { $0.prefix { $0 != "." } }
                == files.map { $0.prefix { $0 != "." } })
        try run.signet(
            ["verify", "--trust", run.token.file("rsa2048.crt")]
                + files.map { $0.replacingOccurrences(of: ".pdf", with: ".signed.pdf") }
        ).expect(.done)
    }

    @Test func mechanismsAreFoundByTrying() throws {
        guard let run = try TokenRun() else { return }
        try run.sign("rsa2048", fault: "C_SignInit#1=0x70").expect(.done)
        #expect(run.calls().contains("C_SignInit(0x40) 0x0"))
        try run.sign("rsa2048", "--padding", "pss", "--force", fault: "C_SignInit#1=0x71")
            .expect(.done)
        #expect(run.calls().contains("C_SignInit(0x43) 0x0"))
        try run.sign("rsa2048", "--force", fault: "C_SignInit#*=0x70")
            .expectRefusal(.usage, naming: "CKM_RSA_PKCS")
        try run.sign("p256", "--digest", "sha3-256", "--force").expect(.done)
        try run.sign("rsa2048", "--padding", "pss", "--digest", "sha3-256", "--force")
            .expectRefusal(.usage, naming: "SHA3-256")
        #expect(run.count("C_Login") <= 1)
    }

    @Test func modulesThatAreNoneAreNamed() throws {
        guard let run = try TokenRun() else { return }
        try run.workspace.write("text", to: "text.so")
        for (path, code, words) in [
            ("/nowhere/module.so", ExitCode.missingInput, "/nowhere/module.so"),
            (run.workspace.url("text.so").path, ExitCode.missingInput, "text.so"),
            ("/lib/x86_64-linux-gnu/libz.so.1", ExitCode.missingInput, "libz"),
            ("relative.so", ExitCode.usage, "not absolute"),
        ] {
            try run.signet("sign letter.pdf --key pkcs11:?module-path=\(path)")
                .expectRefusal(code, naming: words)
        }
    }

    @Test(arguments: [
        "pkcs11:token=token-a?pin-value=7391", "pkcs11:token=a;token=b",
        "pkcs11:token=%zz", "pkcs11:id=%", "pkcs11:nonsense=1",
        "pkcs11:?pin-source=/a&pin-value=7391",
    ])
    func urisThatAreNoneAreRefused(uri: String) throws {
        guard let run = try TokenRun() else { return }
        let outcome = try run.signet("sign letter.pdf --key \(uri)")
        outcome.expectRefusal(.usage)
        #expect(!outcome.errors.contains("7391"))
    }

    @Test func thePINMayBeInAFileThatTheURINames() throws {
        guard let run = try TokenRun() else { return }
        let uri = run.token.uri("p256") + "&pin-source=file:" + run.workspace.url("pin").path
        try run.signet("sign letter.pdf --key \(uri)").expect(.done)
        #expect(run.count("C_Login") == 1)
    }

    @Test func jsonStaysCleanWhateverModulesPrint() throws {
        guard let run = try TokenRun() else { return }
        let outcome = try run.sign("p256", "--json", fault: "noise").expect(.done)
        #expect(outcome.output.hasPrefix("{") && !outcome.output.contains("hello"))
        #expect(outcome.errors.contains("hello"))
    }

    @Test func keysOnTokensStayThere() throws {
        guard let run = try TokenRun() else { return }
        try run.signet("key convert \(run.token.uri("p256")) -o key.pem")
            .expectRefusal(.credentialRefused, naming: "cannot be exported")
        try run.signet([
            "timestamp", "letter.pdf", "--tsa", "https://127.0.0.1:9/", "--tsa-client-cert",
            run.token.file("p256.crt"), "--tsa-client-key", run.token.uri("p256"),
        ]).expectRefusal(.usage, naming: "TLS requires a key file")
    }

    @Test func aFileMayHaveTheNameOfAURI() throws {
        let workspace = try signingWorkspace()
        try FileManager.default.moveItem(
            at: workspace.url("key.pem"), to: workspace.url("pkcs11:x"))
        try workspace.succeed("sign letter.pdf --key ./pkcs11:x --cert valid.pem")
    }

    @Test func aKeyFileOpensNoModule() throws {
        guard let strace = CommandRunner.find("strace") else { return }
        let workspace = try signingWorkspace()
        let outcome = try CommandRunner.run(
            strace,
            [
                "-f", "-e", "trace=openat,execve,socket", "-o", "trace", try SignetBinary.path,
                "sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem",
            ], folder: workspace.folder)
        outcome.expect(.done)
        let trace = try workspace.text("trace")
        for word in ["p11", "pkcs11", "softhsm", "libcurl", "socket("] {
            #expect(!trace.contains(word))
        }
    }
}
