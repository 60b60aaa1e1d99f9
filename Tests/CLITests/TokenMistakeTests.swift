import Foundation
import SignetTestSupport
import Testing

/// What people get wrong about keys on tokens, and must not pay for.
@Suite struct TokenMistakeTests {
    /// A key that was to be made on a token is made there, or nowhere.
    @Test(arguments: [
        "pkcs11:token=Ada;object=new", "PKCS11:token=Ada", "exec:demo", "csc:https://a.example",
    ])
    func noFileGetsTheNameOfATokensKey(name: String) throws {
        let workspace = try signingWorkspace()
        let before = try workspace.names
        for command in [
            [
                "csr", "create", "--new-key", "ec:P-256", "--key-out", name, "--no-passphrase",
                "--subject", "CN=x", "-o", "x.csr",
            ], ["key", "convert", "key.pem", "-o", name, "--no-passphrase"],
            ["key", "generate", "--type", "ec:P-256", "-o", name, "--no-passphrase"],
        ] {
            if command[1] == "generate", name.lowercased().hasPrefix("pkcs11:") { continue }
            let outcome = try workspace.signet(command)
            outcome.expectRefusal(
                .usage, naming: "is a key outside a file", "signet key generate")
            #expect(try workspace.names == before)
        }
        let file = name.replacing("/", with: "_")
        try workspace.succeed("key generate --type ec:P-256 -o ./\(file) --no-passphrase")
        #expect(workspace.exists(file))
    }

    /// A second request for a key neither fails too late nor leads the first one astray.
    @Test func aKeyHasOneRequestAtATime() throws {
        guard let run = try TokenRun() else { return }
        func request(_ name: String) throws -> CommandOutcome {
            try run.signet([
                "identity", "request", name, "--key", run.token.uri("p256"), "--passphrase-file",
                "pin", "--subject", "CN=\(name)", "-o", "\(name).csr",
            ])
        }
        try request("one").expect(.done)
        try request("two")
            .expectRefusal(.cannotCreateOutput, naming: "already pending as 'one'")
        #expect(run.count("C_Login") == 0)
        let pending = try run.signet("identity pending").expect(.done)
        #expect(!pending.errors.contains("interrupted"), "\(pending.errors)")
        #expect(!run.workspace.exists("two.csr"))
        try run.signet("identity remove one --force").expect(.done)
        try request("two").expect(.done)
    }
}

/// Which key or certificate is meant, and which token gets a PIN.
@Suite struct TokenChoiceTests {
    /// One PIN is not sent to several tokens.
    @Test func aGivenPINGoesToOneToken() throws {
        guard let run = try TokenRun() else { return }
        let all = "pkcs11:?module-path=\(run.token.module)"
        let list = ["key", "list", "--login", "--passphrase-file", "pin"]
        try run.signet("\(list) \(all)")
            .expectRefusal(.usage, naming: "'token-a'", "'token-b'", "token=")
        #expect(run.count("C_Login") == 0)
        try run.signet("\(list) \(run.token.uri(nil))").expect(.done)
        #expect(run.count("C_Login") == 1)
        let other = try run.signet("\(list) pkcs11:token=no?module-path=\(run.token.module)")
        other.expectRefusal(.missingInput, naming: "'token-a'")
    }

    /// A PIN that nobody types goes to no card that just happens to be there.
    @Test func aGivenPINGoesToTheNamedToken() throws {
        guard let run = try TokenRun(), let softhsm = try ExternalTool.find("softhsm2-util") else {
            return
        }
        try run.workspace.shell(
            "'\(softhsm)' --delete-token --token token-b", environment: run.token.environment()
        ).expect(.done)
        func uri(_ object: String) -> String { "pkcs11:\(object)?module-path=\(run.token.module)" }
        let sign = ["sign", "letter.pdf", "--passphrase-file", "pin", "-o", "out.pdf", "--key"]
        for command in [
            sign + [uri("object=p256")], sign + [uri("object=nothere")], sign + [uri("id=%03")],
            ["key", "generate", "--passphrase-file", "pin", "-o", uri("object=new")],
            [
                "csr", "create", "--key", uri("object=p256"), "--passphrase-file", "pin",
                "--subject", "CN=x", "-o", "x.csr",
            ],
        ] {
            try run.signet("\(command)")
                .expectRefusal(.usage, naming: "the connected token", "token=token-a")
            #expect(run.count("C_Login") == 0)
        }
        let named = try run.signet("\(sign + [uri("object=p256")])").expect(.usage)
        #expect(named.errors.contains("object=p256"), "\(named.errors)")
        let unnamed = try run.signet("key list --login --passphrase-file pin \(uri(""))")
        unnamed.expect(.usage)
        #expect(!unnamed.output.contains("a PIN is given"), "\(unnamed.output)")
        try run.signet("key list --passphrase-file pin")
            .expectRefusal(.usage, naming: "a PIN requires --login")
        #expect(run.count("C_Login") == 0)
        // Whose certificate is given is named by it.
        try run.signet("\(sign) \(uri("")) --cert \(run.token.file("p256.crt"))").expect(.done)
        #expect(run.count("C_Login") == 1)
    }

    /// A signature of another length is none.
    @Test(arguments: ["p256", "rsa2048", "ed25519"]) func aCutSignatureIsNone(key: String) throws {
        guard let run = try TokenRun() else { return }
        try run.sign(key, fault: "cut").expectRefusal(
            .credentialRefused, naming: "does not match the public key")
        try run.expectNothingLeft()
    }

    /// A token that lets nobody in says so, and is listed.
    @Test func aRefusedLoginHidesNothing() throws {
        guard let run = try TokenRun() else { return }
        let outcome = try run.signet(
            "key list --login --passphrase-file pin pkcs11:?module-path=\(run.token.module)",
            fault: "flags=0x40000")
        outcome.expect(.credentialRefused)
        #expect(run.count("C_Login") == 0)
        #expect(outcome.output.contains("CN=p256") && outcome.output.contains("CN=elsewhere"))
        #expect(outcome.output.contains("the PIN of the token 'token-b' is locked"))
    }

    /// Keys of one label and ID have one URI; their public keys tell them apart.
    @Test func twinsAreToldApart() throws {
        guard let run = try TokenRun(), let tool = try ExternalTool.find("pkcs11-tool") else {
            return
        }
        for _ in 0..<2 {
            try run.workspace.shell(
                """
                '\(tool)' --module '\(run.token.module)' --token-label token-a --login --pin \
                \(TokenFixture.pin) --keypairgen --key-type EC:prime256v1 --id 77 --label twin
                """, environment: run.token.environment()
            ).expect(.done)
        }
        let outcome = try run.signet([
            "csr", "create", "--key", run.token.uri("twin"), "--subject", "CN=a",
            "--passphrase-file", "pin", "-o", "a.csr",
        ])
        outcome.expectRefusal(.usage, naming: "equal URIs", "another ID or label")
        let hashes = outcome.errors.matches(of: /public key SHA-256 ([0-9a-f]{64})/).map(\.output.1)
        #expect(Set(hashes).count == 2)
    }

    /// Both certificates of a renewed one stand beside the key: the newer one signs, unless the other
    /// is named.
    @Test func ofARenewedCertificateTheLongerOneIsUsed() throws {
        guard let run = try TokenRun(), let tool = try ExternalTool.find("pkcs11-tool"),
            let openssl = try ExternalTool.find("openssl")
        else { return }
        func store(_ name: String, subject: String, days: String) throws {
            try run.signet([
                "cert", "create", "--key", run.token.uri("p256"), "--subject", subject, "--days",
                days, "--passphrase-file", "pin", "-o", "\(name).crt",
            ]).expect(.done)
            try run.workspace.shell(
                """
                '\(openssl)' x509 -in \(name).crt -outform der -out \(name).der && \
                '\(tool)' --module '\(run.token.module)' --token-label token-a --login --pin \
                \(TokenFixture.pin) --write-object \(name).der --type cert --id 03 --label \(name)
                """, environment: run.token.environment()
            ).expect(.done)
        }
        func signer(_ object: String) throws -> (outcome: CommandOutcome, serial: String?) {
            try? FileManager.default.removeItem(at: run.workspace.url("out.pdf"))
            let outcome = try run.sign(object)
            guard outcome.exitCode == .done else { return (outcome, nil) }
            let verified = try run.signet("verify out.pdf --json")
            return (outcome, try verified.json(VerifyReport.self).signatures.first?.signer?.serial)
        }
        func serial(of certificate: String) throws -> String {
            let said = try run.workspace.openssl("x509 -noout -serial -in \(certificate)")
            return try #require(said.split(separator: "=").last)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        func same(_ a: String?, _ b: String) -> Bool { a?.uppercased() == b.uppercased() }
        try store("renewed", subject: "CN=p256", days: "3000")
        let newest = try signer("p256")
        newest.outcome.expect(.done)
        #expect(newest.outcome.errors.contains("valid for longest"), "\(newest.outcome.errors)")
        #expect(same(newest.serial, try serial(of: "renewed.crt")))
        let former = try signer("p256;type=cert")
        former.outcome.expect(.done)
        #expect(same(former.serial, try serial(of: run.token.file("p256.crt"))))
        #expect(same(try signer("renewed").serial, try serial(of: "renewed.crt")))

        // Another name is another choice, and the URIs that are offered lead to it.
        try store("other", subject: "CN=Somebody Else", days: "4000")
        let several = try signer("p256").outcome
        several.expectRefusal(.usage, naming: "3 certificates of a key", "object=other")
        #expect(same(try signer("other").serial, try serial(of: "other.crt")))
        let listed = try run.signet("key list \(run.token.uri(nil))")
        #expect(listed.output.contains("object=other;type=cert"))
    }

    /// What is shown to people is no longer than it has to be, and leads to the key.
    @Test func keysAreShownByTheirNames() throws {
        guard let run = try TokenRun() else { return }
        let environment = run.token.environment().merging(
            ["SIGNET_PKCS11_MODULE": run.token.module]) { $1 }
        func signet(_ arguments: ShellWords) throws -> CommandOutcome {
            try run.workspace.signet(arguments, environment: environment)
        }
        let short = "pkcs11:token=token-a;object=p256"
        let listed = try signet("key list")
        #expect(listed.output.contains("\n  '\(short)'\n"), "\(listed.output)")
        try signet(
            "sign letter.pdf --key \(short) --passphrase-file \(run.token.file("pin")) -o short.pdf"
        ).expect(.done)
        // Where a module is named, it has to be.
        let named = try signet("key list \(run.token.uri(nil))")
        #expect(!named.output.contains("'\(short)'\n"), "\(named.output)")
        let several = try signet("sign letter.pdf --key pkcs11:token=token-a")
        several.expectRefusal(.usage, naming: "'\(short)' (", "quotation marks")
        try signet("sign letter.pdf --key pkcs11:token=token-a,object=p256").expectRefusal(
            .missingInput, naming: "the token 'token-a,object=p256'", "'pkcs11:token=NAME;object")
        let misnamed = "pkcs11:token=token-a;object=p265"
        try signet("sign letter.pdf --key \(misnamed) --passphrase-file \(run.token.file("pin"))")
            .expectRefusal(
                .missingInput, naming: "no matching key 'p265' on 'token-a'; available: ", "'p256'")
    }

    /// Two modules of one token show one key, not two.
    @Test func oneTokenBehindTwoModulesIsOne() throws {
        guard let run = try TokenRun() else { return }
        let workspace = run.workspace
        try workspace.makeFolder(".config/pkcs11/modules")
        for name in ["one", "two"] {
            try FileManager.default.copyItem(
                atPath: run.token.module, toPath: workspace.url("\(name).so").path)
            try workspace.write(
                Data("module: \(workspace.url("\(name).so").path)\n".utf8),
                to: ".config/pkcs11/modules/\(name).module")
        }
        var environment = run.token.environment(log: workspace.url("log").path)
        environment["HOME"] = workspace.folder.path
        environment["XDG_CONFIG_HOME"] = workspace.url(".config").path
        // Modules of a user's own are not the superuser's.
        let asUser = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""
        if geteuid() == 0 {
            try workspace.shell("chmod -R a+rwX . '\(run.token.store.folder.path)'").expect(.done)
        }
        func signet(_ line: String) throws -> CommandOutcome {
            try? FileManager.default.removeItem(at: workspace.url("log"))
            return try workspace.shell("exec \(asUser)$S \(line)", environment: environment)
        }
        for key in ["pkcs11:token=token-a;object=p256", "pkcs11:token=token-a;id=%03"] {
            try signet("sign letter.pdf --key '\(key)' --passphrase-file pin -o out.pdf --force")
                .expect(.done)
            #expect(run.count("C_Login") == 1)
        }
        try signet("key list --login 'pkcs11:token=token-a' --passphrase-file pin").expect(.done)
        #expect(run.count("C_Login") == 1)
    }

    /// Of two tokens with the same label the serial number tells which, or the certificate's key.
    @Test func tokensOfOneLabelAreToldApart() throws {
        guard let run = try TokenRun(), let softhsm = try ExternalTool.find("softhsm2-util") else {
            return
        }
        try run.workspace.shell(
            "'\(softhsm)' --init-token --free --label token-a --so-pin 87654321 --pin 1234",
            environment: run.token.environment()
        ).expect(.done)
        try run.signet("key generate -o \(run.token.uri("new")) --passphrase-file pin")
            .expectRefusal(.usage, naming: "matches 2 tokens", "serial=")
        func identity(_ arguments: String...) throws -> CommandOutcome {
            try run.signet("identity \(arguments)")
        }
        try identity(
            "request", "me", "--key", run.token.uri("p256"), "--passphrase-file", "pin",
            "--subject", "CN=p256", "-o", "me.csr"
        ).expect(.done)
        try identity(
            "complete", run.token.file("p256.crt"), "--to-token", "--passphrase-file", "pin"
        ).expect(.done)
    }
}

/// PINs that are not to be lost, and programs that are not to go on.
@Suite struct TokenCareTests {
    /// What can be refused without the PIN is refused before, though the key is not seen.
    @Test(arguments: ["sign", "cms sign", "hash sign"])
    func noPINIsSpentOnAMissingFile(command: String) throws {
        guard let run = try TokenRun() else { return }
        let words = command.split(separator: " ").map(String.init)
        let key = ["--key", run.token.uri("typo"), "--passphrase-file", "other-pin", "-o", "out"]
        // A token that shows nothing before somebody logs in.
        let certificate = command == "hash sign" ? [] : ["--cert", run.token.file("p256.crt")]
        try run.signet("\(words) nothere.pdf \(key) \(certificate)")
            .expectRefusal(.missingInput, naming: "nothere.pdf")
        #expect(run.count("C_Login") == 0)
        try run.workspace.write(Data([7]), to: "out")
        try run.signet("\(words) letter.pdf \(key) \(certificate)")
            .expectRefusal(.cannotCreateOutput, naming: "out")
        #expect(run.count("C_Login") == 0)
    }

    /// Blanks and line ends that nobody sees cost no try, and lines end in every way there is.
    @Test func whatNobodySeesIsNoTry() throws {
        guard let run = try TokenRun() else { return }
        for (index, text) in ["1234 \n", " 1234\n", "1234\t\n", "12\u{7F}34\n"].enumerated() {
            try run.workspace.write(text, to: "odd\(index)")
            try run.sign("p256", pin: "odd\(index)")
                .expectRefusal(.credentialRefused, naming: "was not tried")
            #expect(run.count("C_Login") == 0)
        }
        let environment = run.token.environment(log: run.workspace.url("log").path)
        try run.workspace.signet(
            "sign letter.pdf --key \(run.token.uri("p256")) --passphrase-env CARD_PIN",
            environment: environment.merging(["CARD_PIN": "1234\n"]) { $1 }
        ).expectRefusal(.credentialRefused, naming: "was not tried")
        #expect(run.count("C_Login") == 0)
        for text in ["1234\r1234\r", "1234\r\n1234\r\n", "1234\n1234", "1234\n\n", "1234"] {
            try run.workspace.write(text, to: "lines")
            try run.sign("always", "--force", pin: "lines").expect(.done)
        }
        try run.workspace.shell(
            """
            mkfifo pipe && (printf '1234\\n' > pipe &) && $S sign letter.pdf --force -o out.pdf \
            --key '\(run.token.uri("p256"))' --passphrase-file pipe
            """, environment: environment
        ).expect(.done)
    }

    @Test func editorsMarksAreNoPartOfAPIN() throws {
        guard let run = try TokenRun() else { return }
        try run.workspace.write(Data([0xEF, 0xBB, 0xBF] + Array("1234\r\n".utf8)), to: "marked")
        try run.sign("p256", pin: "marked").expect(.done)
        try run.workspace.write(Data([0xFF, 0xFE, 0x31, 0, 0x32, 0, 0x33, 0, 0x34, 0]), to: "wide")
        try run.sign("p256", "--force", pin: "wide")
            .expectRefusal(.credentialRefused, naming: "wide: the file is not plain text")
        #expect(run.count("C_Login") == 0)
    }

    /// A key whose public half cannot be written down is not made.
    @Test func aKeyThatFailsLeavesNothingOnTheToken() throws {
        guard let run = try TokenRun() else { return }
        let generate = [
            "key", "generate", "-o", run.token.uri("new"), "--type", "ec:P-256",
            "--passphrase-file", "pin", "--public-out",
        ]
        try run.signet("\(generate) /dev/full").expect(.inputOutputError)
        try run.signet("\(generate) new.pub").expect(.done)
    }

    /// Whoever starts an authority is there to type the PIN, and hears that it is wrong.
    @Test func anAuthorityIsUnlockedBeforeItServes() throws {
        guard let run = try TokenRun() else { return }
        _ = try run.makeAuthority()
        try? FileManager.default.removeItem(at: run.workspace.url("log"))
        let outcome = try run.workspace.shell(
            """
            exec timeout 20 $S tsp serve --key '\(run.token.uri("rsa2048"))' --cert tsa.crt \
            --passphrase-file other-pin --listen :0
            """, environment: run.environment())
        outcome.expectRefusal(.credentialRefused, naming: "is wrong")
        #expect(run.count("C_Login") == 1)
    }

    /// A token with room for one session signs all the same.
    @Test(arguments: ["single", "single C_SignInit#1=0x82", "single C_SignInit#1=0x60"])
    func oneSessionIsEnough(fault: String) throws {
        guard let run = try TokenRun() else { return }
        try run.sign("p256", fault: fault).expect(.done)
        #expect(run.count("C_Login") == 1)
        run.expectLoggedOut()
    }

    /// A login that the token forgot is made anew with the PIN that it took.
    @Test func anAuthorityOutlastsALostLogin() throws {
        guard let run = try TokenRun() else { return }
        let request = try run.makeAuthority()
        let server = try run.serve("rsa2048", fault: "C_SignInit#2=0x101")
        let sizes = try server.post(request, times: 4).map(\.body.count)
        try server.command.stop().expect(.done)
        // A refusal is short.
        #expect(sizes.map { $0 > 300 } == [true, false, true, true], "\(sizes)")
    }

    /// A module that ends the program does not make it a success.
    @Test func aModuleThatQuitsIsAFailure() throws {
        guard let run = try TokenRun() else { return }
        let outcome = try run.sign("p256", fault: "quit").expect(.serviceUnavailable)
        #expect(outcome.errors.contains("a PKCS#11 module terminated the program"))
        #expect(!run.workspace.exists("out.pdf"))
    }

    /// Ctrl-C is no removal of the card.
    @Test func anInterruptionIsNoRemoval() throws {
        guard let run = try TokenRun() else { return }
        let outcome = try run.workspace.shell(
            """
            exec timeout -s INT 0.6 $S sign letter.pdf --key '\(run.token.uri("p256"))' \
            --passphrase-file pin -o out.pdf
            """, environment: run.token.environment(fault: "nap"))
        #expect(outcome.exitCode != .done)
        #expect(!outcome.errors.contains("removed"), "\(outcome.errors)")
    }

    @Test(arguments: ["softhsm2", "module.so"]) func aModuleIsNamedByItsPath(name: String) throws {
        try signingWorkspace().signet("key list", environment: ["SIGNET_PKCS11_MODULE": name])
            .expectRefusal(.usage, naming: "SIGNET_PKCS11_MODULE")
    }

    @Test func mistakesInURIsAreNamed() throws {
        let workspace = try signingWorkspace()
        func refused(_ key: String) throws -> CommandOutcome {
            let outcome = try workspace.signet("sign letter.pdf --key \(key)")
            outcome.expectRefusal(.usage)
            return outcome
        }
        #expect(try refused("pkcs11:token=My Card").errors.contains("token=My%20Card"))
        let secret = try refused("pkcs11:token=Ada;pin-value=12 34")
        #expect(secret.errors.contains("contains a PIN") && !secret.errors.contains("34"))
    }
}
