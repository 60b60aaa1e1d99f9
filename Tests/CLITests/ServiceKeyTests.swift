import Foundation
import SignetTestSupport
import Testing

/// Keys at signing services (`--key csc:…`), against Scripts/lib/csc_server.py, which counts.
@Suite struct ServiceKeyTests {
    /// A service with a key, and letters to sign.
    private struct Service {
        let workspace: Workspace
        let server: BackgroundServer
        let address: String

        /// Nil, said loudly, where the test environment is missing.
        init?(
            _ options: String..., key: String = "key.pem", certificate: String = "valid.pem",
            in workspace: Workspace? = nil
        ) throws {
            guard let python = try PythonEnvironment.find("python") else { return nil }
            self.workspace = try workspace ?? signingWorkspace()
            let folder = self.workspace.folder
            server = try BackgroundServer(
                python,
                [
                    TestVectors.root.appendingPathComponent("Scripts/lib/csc_server.py").path,
                    "--key", key, "--cert", certificate, "--log", "requests",
                ] + options, folder: folder)
            address = server.firstLine.trimmingCharacters(in: .whitespacesAndNewlines)
            for (name, text) in [
                ("pin", "1234\n"), ("otp", "123456\n"), ("codes", "123456\n123456\n123456\n"),
                ("password", "secret\n"),
            ] { try self.workspace.write(text, to: name) }
        }

        var pin: [String] { ["--passphrase-file", "pin"] }
        var both: [String] { pin + ["--otp-file", "codes"] }

        func uri(_ version: String = "v2") -> String { "csc:\(address)/csc/\(version)" }

        func sign(
            _ options: [String] = [], version: String = "v2", files: [String] = ["letter.pdf"]
        ) throws -> CommandOutcome {
            try workspace.signet(
                ["sign"] + files + [
                    "--key", uri(version), "-o", files.count > 1 ? "out/" : "out.pdf",
                ] + options)
        }

        /// Copies of the letter.
        func letters(_ count: Int) throws -> [String] {
            let letter = try workspace.read("letter.pdf")
            let names = (1...count).map { "letter\($0).pdf" }
            for name in names { try workspace.write(letter, to: name) }
            return names
        }

        var outputs: [String] {
            get throws {
                guard workspace.exists("out") else { return [] }
                return try FileManager.default
                    .contentsOfDirectory(atPath: workspace.url("out").path).sorted()
            }
        }

        func count(_ method: String) throws -> Int {
            guard workspace.exists("requests") else { return 0 }
            return try workspace.text("requests")
                .split(separator: "\n").count { $0.contains("\"method\": \"\(method)\"") }
        }

        func expectOneSignature(trust: String = "valid.pem") throws {
            try workspace.succeed("verify out.pdf --trust \(trust)")
            #expect(try count("authorize") == 1)
            #expect(try count("signHash") == 1)
        }
    }

    // MARK: Keys

    /// What the login may use is listed without anybody's consent.
    @Test(arguments: ["v1", "v2"]) func listsItsKeys(version: String) throws {
        guard let service = try Service("--pin", "1234", "--otp", "123456") else { return }
        let listed = try service.workspace.succeed("key list \(service.uri(version))")
        let uri = "\(service.uri(version))?credential=test"
        #expect(listed.output.contains(uri) && listed.output.contains("valid to"))
        #expect(!listed.output.contains("cannot sign"))
        #expect(try service.count("authorize") == 0)
        try service.workspace.succeed("sign letter.pdf --key \(uri) -o out.pdf \(service.both)")
        try service.workspace.succeed("key list \(uri)x --json")
        try service.workspace.signet("key list csc:http://127.0.0.1:9/csc/v2")
            .expect(.serviceUnavailable)
    }

    /// Raw signatures of several files take one consent too.
    @Test func oneConsentForSeveralHashes() throws {
        guard let service = try Service("--pin", "1234", "--otp", "123456", "--multisign", "3")
        else { return }
        let files = try service.letters(7)
        try service.workspace.succeed(
            "hash sign \(files) -o out/ --key \(service.uri()) \(service.both)")
        #expect(try service.count("authorize") == 3)
        #expect(try service.count("signHash") == 3)
        #expect(try service.outputs.count == 7)
        try service.workspace.succeed([
            "hash", "verify", files[6], "--signature", "out/\(files[6]).sig", "--cert", "valid.pem",
        ])
    }

    // MARK: Signatures

    @Test(
        arguments: ["v1", "v2"],
        [
            ([], []), (["--padding", "pss", "--digest", "sha384"], []),
            ([], ["--algorithms", "1.2.840.113549.1.1.1"]),
            (["--digest", "sha512"], ["--algorithms", "1.2.840.113549.1.1.13"]),
            ([], ["--scal", "1"]),
        ])
    func signsWithRSA(version: String, options: ([String], [String])) throws {
        let workspace = try signingWorkspace()
        try workspace.makeKey("rsa", "rsa:2048")
        try workspace.succeed("cert create --key rsa.pem --subject CN=RSA -o rsa.crt")
        guard let service = try Self.service(options.1, in: workspace) else { return }
        try service.sign(options.0, version: version).expect(.done)
        try service.expectOneSignature(trust: "rsa.crt")
        try workspace.outsidersAccept("out.pdf")
    }

    private static func service(_ options: [String], in workspace: Workspace) throws -> Service? {
        let (key, certificate) = ("rsa.pem", "rsa.crt")
        return switch options.count {
        case 2:
            try Service(options[0], options[1], key: key, certificate: certificate, in: workspace)
        default: try Service(key: key, certificate: certificate, in: workspace)
        }
    }

    @Test(arguments: [("ec:P-256", "0"), ("ec:P-256", "1"), ("ec:P-384", "1")])
    func signsWithECDSAInEitherForm(type: String, raw: String) throws {
        let workspace = try signingWorkspace()
        try workspace.makeKey("ec", type)
        try workspace.succeed("cert create --key ec.pem --subject CN=EC -o ec.crt")
        guard
            let service = try Service(
                "--raw", raw, key: "ec.pem", certificate: "ec.crt", in: workspace)
        else { return }
        try service.sign(type == "ec:P-384" ? ["--digest", "sha384"] : []).expect(.done)
        try service.expectOneSignature(trust: "ec.crt")
    }

    /// The address alone: the service says which version it speaks.
    @Test func findsTheVersionAndTheOnlyCredential() throws {
        guard let service = try Service() else { return }
        try service.workspace.succeed("sign letter.pdf --key CSC:\(service.address) -o out.pdf")
        try service.expectOneSignature()
    }

    @Test func doesNotChooseBetweenCredentials() throws {
        guard let service = try Service("--credentials", "one,a/b c") else { return }
        let outcome = try service.sign()
        outcome.expectRefusal(.usage, naming: "?credential=one")
        #expect(outcome.errors.contains("?credential=a/b%20c"))
        try service.workspace.succeed([
            "sign", "letter.pdf", "--key", service.uri() + "?credential=a/b%20c", "-o", "out.pdf",
        ])
        try service.workspace.signet([
            "sign", "letter.pdf", "--key", service.uri() + "?credential=nobody", "-o", "no.pdf",
        ]).expect(.missingInput)
    }

    @Test func rawSignaturesAndIdentitiesUseItToo() throws {
        guard let service = try Service("--pin", "1234", "--login", "u:secret") else { return }
        let workspace = service.workspace
        let login = ["--service-user", "u", "--service-password-file", "password"]
        try workspace.succeed(
            "hash sign letter.pdf --key \(service.uri()) -o s.sig \(login) \(service.pin)")
        try workspace.succeed("hash verify letter.pdf --signature s.sig --cert valid.pem")
        let store = ["XDG_DATA_HOME": workspace.url("data").path]
        try workspace.succeed(
            "identity import cloud --key \(service.uri()) \(login)", environment: store)
        try workspace.succeed(
            "sign letter.pdf --identity cloud -o out.pdf \(login) \(service.pin)",
            environment: store)
        #expect(try service.count("authorize") == 2)
    }

    /// Requests and certificates are made with the same options.
    @Test func requestsAndCertificatesUseItToo() throws {
        guard let service = try Service("--pin", "1234", "--login", "u:secret") else { return }
        let login = ["--service-user", "u", "--service-password-file", "password"] + service.pin
        try service.workspace.succeed(
            "csr create --key \(service.uri()) --subject CN=x -o x.csr \(login)")
        try service.workspace.succeed("csr verify x.csr")
        try service.workspace.succeed(
            "cert create --key \(service.uri()) --subject CN=x -o x.crt \(login)")
        #expect(try service.count("authorize") == 2)
        // A blank that nobody sees is no try here either.
        try service.workspace.write("1234 \n", to: "pin")
        try service.sign(login).expectRefusal(.credentialRefused, naming: "not tried")
        #expect(try service.count("authorize") == 2)
    }

    /// What may go unencrypted since it stays on this machine does not go to a proxy.
    @Test func noProxyHearsWhatStaysOnThisMachine() throws {
        guard let service = try Service("--pin", "1234") else { return }
        try service.workspace.succeed(
            "sign letter.pdf --key \(service.uri()) -o out.pdf \(service.pin)",
            environment: [
                "http_proxy": "http://127.0.0.1:9", "all_proxy": "http://127.0.0.1:9",
                "no_proxy": "",
            ])
        try service.expectOneSignature()
    }

    // MARK: Consent

    /// One authorisation for as many files as the service permits.
    @Test(arguments: [("v1", "2"), ("v2", "2"), ("v2", "1")])
    func oneConsentServesSeveralFiles(version: String, scal: String) throws {
        guard
            let service = try Service(
                "--pin", "1234", "--otp", "123456", "--multisign", "3", "--scal", scal)
        else { return }
        let files = try service.letters(7)
        let outcome = try service.sign(
            service.both + ["--jobs", "1"], version: version, files: files)
        outcome.expect(.done)
        #expect(outcome.errors.contains("7 signatures require 3 one-time passwords"))
        #expect(try service.outputs.count == 7)
        #expect(try service.count("authorize") == 3)
        #expect(try service.count("signHash") == 3)
        for output in try service.outputs {
            try service.workspace.succeed("verify out/\(output) --trust valid.pem")
        }
    }

    /// Files that fail for other reasons keep nobody waiting.
    @Test func filesThatFailAreNotWaitedFor() throws {
        guard let service = try Service("--pin", "1234", "--multisign", "4") else { return }
        let files = try service.letters(6)
        for file in files.prefix(3) { try service.workspace.write("%PDF-", to: file) }
        try service.sign(service.pin + ["--jobs", "2"], files: files).expect(.malformedInput)
        #expect(try service.outputs.count == 3)
        #expect(try service.count("authorize") == 1)
    }

    @Test(arguments: [("9999\n", "123456\n"), ("1234\n", "000000\n")], ["v1", "v2"])
    func wrongSecretsAreSentOnce(secrets: (String, String), version: String) throws {
        guard let service = try Service("--pin", "1234", "--otp", "123456", "--multisign", "3")
        else { return }
        try service.workspace.write(secrets.0, to: "pin")
        try service.workspace.write(Data(String(repeating: secrets.1, count: 3).utf8), to: "codes")
        let outcome = try service.sign(
            service.both + ["-v"], version: version, files: service.letters(7))
        outcome.expect(.credentialRefused)
        #expect(try service.outputs.isEmpty)
        #expect(try service.count("authorize") == 1)
        #expect(try service.count("signHash") == 0)
        for secret in ["9999", "123456", "000000"] {
            #expect(!outcome.errors.contains(secret) && !outcome.output.contains(secret))
        }
    }

    @Test func codesThatRunOutLeaveWholeFiles() throws {
        guard let service = try Service("--pin", "1234", "--otp", "123456", "--multisign", "3")
        else { return }
        try service.workspace.write("123456\n123456\n", to: "codes")
        let outcome = try service.sign(service.both, files: service.letters(7))
        outcome.expect(.credentialRefused)
        #expect(outcome.errors.contains("requires another one-time password"))
        #expect(try service.outputs.count == 6)
        #expect(try service.count("authorize") == 2)
    }

    /// Whatever can be refused without a secret is refused before one is sent.
    @Test func refusesBeforeItAsks() throws {
        guard let service = try Service("--pin", "1234", "--otp", "123456") else { return }
        let workspace = service.workspace
        try service.sign().expectRefusal(.credentialRefused, naming: "no terminal")
        try service.sign(service.pin).expect(.credentialRefused)
        try workspace.write("\n", to: "empty")
        try service.sign(["--passphrase-file", "empty", "--otp-file", "codes"])
            .expectRefusal(.credentialRefused, naming: "the PIN is empty")
        try service.sign(service.both + ["--field", "Nowhere", "--certify", "all"]).expect(.usage)
        try service.sign(service.both + ["--cert", "expired.pem"]).expect(.missingInput)
        try workspace.write("there", to: "out.pdf")
        try service.sign(service.both).expect(.cannotCreateOutput)
        let rehearsal = try workspace.succeed("sign letter.pdf --key \(service.uri()) --dry-run")
        #expect(rehearsal.errors.contains("no signature was requested"))
        #expect(try service.count("authorize") == 0)
    }

    @Test func waitsForConsentElsewhere() throws {
        guard let service = try Service("--pending", "2") else { return }
        try service.sign().expect(.done)
        #expect(try service.count("authorizeCheck") == 2)
        guard let slow = try Service("--pending", "1000") else { return }
        try slow.sign(["--key-timeout", "1"])
            .expectRefusal(.serviceUnavailable, naming: "not confirmed in time")
        #expect(!slow.workspace.exists("out.pdf"))
    }

    // MARK: Who asks

    @Test(arguments: [
        (["--login", "u:secret"], ["--service-user", "u", "--service-password-file", "password"]),
        (
            ["--client", "c:secret"],
            ["--service-client-id", "c", "--service-client-secret-file", "password"]
        ), (["--token", "secret"], ["--service-token-file", "password"]),
    ])
    func logsIn(server: [String], options: [String]) throws {
        guard let service = try Service(server[0], server[1]) else { return }
        try service.sign(options).expect(.done)
        try service.expectOneSignature()
        // The wrong secret, and none.
        try service.workspace.write("wrong\n", to: "password")
        try service.sign(options + ["--force"]).expect(.credentialRefused)
        try service.sign(["--force"]).expect(.credentialRefused)
        #expect(try service.count("authorize") == 1)
    }

    @Test func aTokenThatEndedIsRenewedOnce() throws {
        guard let service = try Service("--client", "c:secret", "--fault", "list#1=401"),
            let other = try Service("--login", "u:secret", "--fault", "list#1=401")
        else { return }
        try service.sign(
            ["--service-client-id", "c", "--service-client-secret-file", "password"]
        ).expect(.done)
        #expect(try service.count("token") == 2)
        try other.sign(["--service-user", "u", "--service-password-file", "password"])
            .expect(.credentialRefused)
        #expect(try other.count("login") == 1)
    }

    // MARK: What goes wrong

    @Test(arguments: [
        ("signHash=flip", ExitCode.credentialRefused, "does not match the public key"),
        ("signHash=otherkey", ExitCode.credentialRefused, "does not match the public key"),
        ("signHash=swap", ExitCode.credentialRefused, "in a wrong order"),
        ("signHash=short", ExitCode.serviceUnavailable, "1 signatures for 2 hashes"),
        ("signHash=html", ExitCode.serviceUnavailable, "malformed response"),
        ("signHash=500", ExitCode.serviceUnavailable, "status 500"),
        ("signHash=429", ExitCode.serviceUnavailable, "status 429"),
        ("authorize=500", ExitCode.serviceUnavailable, "status 500"),
        ("authorize=html", ExitCode.serviceUnavailable, "malformed response"),
        ("authorize=hang:5", ExitCode.serviceUnavailable, "--key-timeout"),
        ("info=html", ExitCode.serviceUnavailable, "malformed response"),
        ("authorize=403", ExitCode.credentialRefused, "did not authorize"),
    ])
    func leavesNothingWhenTheServiceFails(fault: String, code: Int32, words: String) throws {
        guard let service = try Service("--pin", "1234", "--fault", fault) else { return }
        let outcome = try service.sign(
            service.pin + ["--key-timeout", "2"], files: service.letters(2))
        outcome.expectRefusal(code, naming: words)
        #expect(try service.outputs.isEmpty)
        #expect(try service.count("authorize") <= 1)
        #expect(try service.count("signHash") <= 1)
    }

    @Test func comesAgainWhenItIsToldTo() throws {
        guard let service = try Service("--fault", "signHash#1=429;after=1") else { return }
        try service.sign().expect(.done)
        #expect(try service.count("authorize") == 1)
        #expect(try service.count("signHash") == 2)
    }

    @Test func secretsGoNowhereElse() throws {
        guard let other = try Service(),
            let service = try Service(
                "--pin", "1234", "--fault", "authorize=to:\(other.address)/csc/v2/authorize")
        else { return }
        try service.sign(service.pin).expectRefusal(.serviceUnavailable, naming: "are not followed")
        #expect(!other.workspace.exists("requests"))
        for address in ["csc:http://192.0.2.1/csc/v2", "csc:ftp://127.0.0.1/", "csc:", "csc:x"] {
            try service.workspace.signet("sign letter.pdf --key \(address) -o out.pdf")
                .expect(.usage)
        }
        for query in ["?credential=", "?key=a", "?credential=a&b=c", "?credential=%zz", "?a"] {
            try service.workspace.signet([
                "sign", "letter.pdf", "--key", service.uri() + query, "-o", "out.pdf",
            ]).expect(.usage)
        }
    }

    /// Error pages of services and of what stands before them may repeat what they were sent.
    @Test(arguments: ["authorize=echo", "list=login-echo", "login=login-echo", "signHash=echo"])
    func secretsThatAreRepeatedAreNotShown(fault: String) throws {
        guard
            let service = try Service(
                "--login", "u:hush-hush-hush", "--pin", "7391\\", "--fault", fault)
        else { return }
        try service.workspace.write("7391\\\n", to: "pin")
        try service.workspace.write("hush-hush-hush\n", to: "password")
        let outcome = try service.sign(
            service.pin + ["-v", "--service-user", "u", "--service-password-file", "password"])
        #expect(outcome.exitCode != .done)
        #expect(outcome.errors.contains("contains a secret"))
        let encoded = Data("u:hush-hush-hush".utf8).base64EncodedString()
        for word in ["7391", "hush-", encoded, "Bearer", "SAD"] {
            #expect(!outcome.errors.contains(word) && !outcome.output.contains(word))
        }
        #expect(!service.workspace.exists("out.pdf"))
    }

    @Test func theNamedCertificateIsNotLeftOut() throws {
        guard let service = try Service("--pin", "1234") else { return }
        let workspace = service.workspace
        try workspace.makeKey("other")
        try workspace.succeed("cert create --key other.pem --subject CN=Other -o other.crt")
        try service.sign(service.pin + ["--cert", "other.crt"])
            .expectRefusal(.credentialRefused, naming: "does not belong to the private key")
        #expect(try service.count("authorize") == 0)
        #expect(!workspace.exists("out.pdf"))
        // A file that brings its own certificate is no different.
        try workspace.openssl(
            "pkcs12 -export -inkey key.pem -in valid.pem -passout pass: -out id.p12")
        try workspace.signet("sign letter.pdf --key id.p12 --cert other.crt -o out.pdf")
            .expectRefusal(.credentialRefused, naming: "does not belong to the private key")
    }

    @Test(arguments: [
        (["--status", "disabled"], ExitCode.credentialRefused, "disabled"),
        (["--cert-status", "revoked"], ExitCode.credentialRefused, "revoked"),
        (["--mode", "oauth2code"], ExitCode.usage, "browser"),
        (["--algorithms", "1.2.840.10045.4.3.3"], ExitCode.usage, "1.2.840.10045.4.3.3"),
    ])
    func credentialsThatCannotBeUsedAreNamed(options: [String], code: Int32, words: String) throws {
        guard let service = try Service(options[0], options[1]) else { return }
        try service.sign().expectRefusal(code, naming: words)
        #expect(try service.count("authorize") == 0)
    }

    /// Services are given hashes, of which Ed25519 makes no signatures.
    @Test func ed25519IsRefused() throws {
        let workspace = try signingWorkspace()
        try workspace.makeKey("ed", "ed25519")
        try workspace.succeed("cert create --key ed.pem --subject CN=Ed -o ed.crt")
        guard let service = try Service(certificate: "ed.crt", in: workspace) else { return }
        try service.sign().expectRefusal(.usage, naming: "cannot sign")
        #expect(try service.count("authorize") == 0)
    }
}
