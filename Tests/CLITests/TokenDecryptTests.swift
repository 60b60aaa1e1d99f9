import Foundation
import SignetTestSupport
import Testing

/// Documents that are encrypted for the holder of a key on a token, or of an identity.
@Suite struct TokenDecryptTests {
    /// A token with the keys that open the samples, each with its certificate.
    struct Recipient {
        /// Documents with envelopes and parts of others of unknown kinds.
        static let besides =
            ["none", "words", "another", "authenticated", "cipher", "transport", "password"]
            .map { "key-beside-\($0)" }
            + ["password", "shared", "other"].map { "key-among-\($0)" }
        let run: TokenRun
        let folder: String

        /// Nil where something to test with is missing.
        ///
        /// - Parameter isConfirmed: each use of the keys wants a PIN.
        init?(_ keys: [String] = ["first", "curve"], isConfirmed: Bool = false) throws {
            guard let run = try TokenRun(), let folder = try EncryptedSamples.path(),
                let tool = try ExternalTool.find("pkcs11-tool"),
                let openssl = try ExternalTool.find("openssl")
            else { return nil }
            self.run = run
            self.folder = folder
            for (index, name) in keys.enumerated() {
                let usage =
                    name == "curve"
                    ? "--usage-derive"
                    : name == "holder" ? "--usage-decrypt --usage-sign" : "--usage-decrypt"
                let confirmation = isConfirmed ? " --always-auth" : ""
                let write =
                    "'\(tool)' --module '\(run.token.module)' --token-label token-a --login --pin "
                    + "\(TokenFixture.pin) --id 4\(index) --label \(name) --write-object"
                try run.workspace.shell(
                    """
                    '\(openssl)' pkey -in '\(folder)/\(name).key' -outform der -out k.der && \
                    '\(openssl)' x509 -in '\(folder)/\(name).crt' -outform der -out c.der && \
                    \(write) k.der --type privkey \(usage)\(confirmation) && \(write) c.der --type cert; \
                    E=$?; rm -f k.der c.der; exit $E
                    """, environment: run.token.environment()
                ).expect(.done)
            }
            for name in [
                "key-aes256", "key-two", "key-oaep", "key-ecdh", "key-rc4-40", "key-mac",
                "key-holder", "key-attached", "key-renewed", "key-renewed-ecdh", "key-crowd-1000",
                "key-crowd-1001", "key-issuer-printable", "key-issuer-upper", "key-noise",
                "key-noise-crowd", "key-short", "key-second-ecdh",
            ] + Self.besides {
                try run.workspace.write(
                    Data(try EncryptedSamples.document(name) ?? []), to: "\(name).pdf")
            }
            try run.workspace.write(
                try Data(contentsOf: URL(fileURLWithPath: "\(folder)/stranger.crt")),
                to: "stranger.crt")
        }

        /// Puts a certificate of the samples on the token.
        func write(_ certificate: String, id: String) throws {
            guard let tool = try ExternalTool.find("pkcs11-tool"),
                let openssl = try ExternalTool.find("openssl")
            else { return }
            try run.workspace.shell(
                """
                '\(openssl)' x509 -in '\(folder)/\(certificate).crt' -outform der -out c.der && \
                '\(tool)' --module '\(run.token.module)' --token-label token-a --login --pin \
                \(TokenFixture.pin) --id \(id) --label \(certificate) --write-object c.der --type cert
                """, environment: run.token.environment()
            ).expect(.done)
        }

        func show(
            _ file: String, key: String? = nil, pin: String = "pin", _ options: String...,
            fault: String = ""
        ) throws -> CommandOutcome {
            try run.signet(
                [
                    "show", "\(file).pdf", "--decrypt-key", run.token.uri(key),
                    "--decrypt-passphrase-file", pin,
                ] + options, fault: fault)
        }
    }

    @Test(arguments: [
        ("key-aes256", "first", "C_Decrypt 0x0"), ("key-two", "first", "C_Decrypt 0x0"),
        ("key-oaep", "first", "C_Decrypt 0x0"), ("key-rc4-40", nil, "C_Decrypt 0x0"),
        ("key-ecdh", "curve", "C_DeriveKey 0x0"), ("key-ecdh", nil, "C_DeriveKey 0x0"),
        ("key-issuer-printable", "first", "C_Decrypt 0x0"),
        ("key-issuer-upper", "first", "C_Decrypt 0x0"),
    ])
    func opensWhatIsEncryptedForItsHolder(name: String, key: String?, call: String) throws {
        guard let recipient = try Recipient() else { return }
        let shown = try recipient.show(name, key: key).expect(.done)
        #expect(shown.output.contains("opened as owner"))
        let calls = recipient.run.calls()
        #expect(calls.contains(call) && recipient.run.count("C_Login") == 1, "\(calls)")
        recipient.run.expectLoggedOut()
    }

    /// The PIN once, and one operation for each document, however often it is read.
    @Test func aBatchIsSignedVerifiedAndExtendedWithOneLogin() throws {
        guard let recipient = try Recipient() else { return }
        let run = recipient.run
        let files = ["key-aes256", "key-two", "key-ecdh", "key-mac"].map { $0 + ".pdf" }
        let decrypt = ["--decrypt-key", run.token.uri(nil), "--decrypt-passphrase-file", "pin"]
        try run.signet("sign \(files) --key \(run.token.uri("p256")) --jobs 3 \(decrypt)")
            .expect(.done)
        #expect(run.count("C_Login") == 1)
        #expect(run.count("C_Decrypt") == 3 && run.count("C_DeriveKey") == 1)
        run.expectLoggedOut()
        let signed = files.map { $0.replacing(".pdf", with: ".signed.pdf") }
        try run.signet("verify \(signed) \(decrypt) --trust \(run.token.file("p256.crt"))")
            .expect(.done)
        #expect(run.count("C_Login") == 1 && run.count("C_Sign") == 0)
        try run.signet("field list \(signed) \(decrypt)").expect(.done)
        #expect(run.count("C_Login") == 1)
    }

    /// The PIN that is given for the signer's key serves the same token, and no other.
    @Test func thePINOfTheSignersTokenIsThatOfTheSameToken() throws {
        guard let recipient = try Recipient() else { return }
        let run = recipient.run
        func sign(_ signer: String, pin: String) throws -> CommandOutcome {
            try? FileManager.default.removeItem(at: run.workspace.url("log"))
            return try run.workspace.withoutTerminal(
                [
                    "sign", "key-aes256.pdf", "--key", signer, "--passphrase-file", pin,
                    "--decrypt-key", run.token.uri("first"), "-o", "out.pdf", "--force",
                ], environment: run.token.environment(log: run.workspace.url("log").path))
        }
        try sign(run.token.uri("p256"), pin: "pin").expect(.done)
        #expect(run.count("C_Login") == 1)
        try sign(run.token.uri("elsewhere", token: "token-b"), pin: "other-pin")
            .expectRefusal(.credentialRefused, naming: "--decrypt-passphrase-file")
        #expect(run.count("C_Login") == 0)
    }

    /// The signer's own key on a token opens what is encrypted for it.
    @Test func theSignerMayBeTheRecipient() throws {
        guard let recipient = try Recipient(["holder"]) else { return }
        let run = recipient.run
        try run.signet(
            "sign key-holder.pdf --key \(run.token.uri("holder")) --passphrase-file pin -o out.pdf"
        ).expect(.done)
        #expect(run.count("C_Login") == 1 && run.count("C_Decrypt") == 1)
        run.expectLoggedOut()
        // What names a certificate that it had before, opens as well.
        try recipient.write("holder-renewed", id: "40")
        try run.signet([
            "sign", "key-holder.pdf", "--key", run.token.uri("holder"), "--passphrase-file", "pin",
            "-o", "renewed.pdf",
        ]).expect(.done)
        // For somebody else's document it is not used, and no PIN sent.
        try run.signet(
            "sign key-two.pdf --key \(run.token.uri("holder")) --passphrase-file pin -o other.pdf"
        ).expectRefusal(.credentialRefused, naming: "CN=first", "--decrypt-key")
        #expect(run.count("C_Login") == 0)
    }

    /// What can be refused without the PIN is refused before.
    @Test func whatTheTokenCannotOpenAsksForNoPIN() throws {
        guard let recipient = try Recipient(["first"]) else { return }
        let run = recipient.run
        // The token has certificates, none of which is a recipient's.
        for file in ["key-ecdh", "key-two"] {
            let outcome = try recipient.show(file, key: "rsa2048")
            outcome.expectRefusal(.credentialRefused, naming: "CN=")
        }
        #expect(run.count("C_Login") == 0)
        try recipient.show("key-two", "--decrypt-cert", "stranger.crt")
            .expectRefusal(.credentialRefused, naming: "does not match a key")
        #expect(run.count("C_Login") == 0)
        try recipient.show("key-two", key: "bare")
            .expectRefusal(.missingInput, naming: "identifies the recipient", "--decrypt-cert")
        #expect(run.count("C_Login") == 0)
        try run.workspace.write(Data(), to: "empty")
        try recipient.show("key-two", pin: "empty")
            .expectRefusal(.credentialRefused, naming: "the PIN is empty")
        #expect(run.count("C_Login") == 0)
        for flags in ["flags=0x40000", "flags=0x20000", "flags=0x80000"] {
            try recipient.show("key-two", fault: flags).expect(.credentialRefused)
            #expect(run.count("C_Login") == 0)
        }
        // A document that is not encrypted asks nobody.
        try run.signet(
            "show letter.pdf --decrypt-key \(run.token.uri(nil)) --decrypt-passphrase-file pin"
        ).expect(.done)
        #expect(run.calls() == [])
    }

    /// A refused PIN is not sent again for the next document.
    @Test func aWrongPINIsTheLast() throws {
        guard let recipient = try Recipient() else { return }
        let run = recipient.run
        let outcome = try run.signet([
            "verify", "key-aes256.pdf", "key-two.pdf", "key-ecdh.pdf", "--decrypt-key",
            run.token.uri(nil), "--decrypt-passphrase-file", "other-pin",
        ]).expect(.credentialRefused)
        #expect(run.calls().filter { $0.hasPrefix("C_Login") } == ["C_Login 0xa0"])
        for name in ["key-aes256", "key-two", "key-ecdh"] {
            #expect(outcome.errors.contains("\(name).pdf: the PIN of the token 'token-a' is wrong"))
        }
    }

    /// Whatever the token says of data that are not what they should be, it is the same answer; and
    /// what the token itself fails at, is told.
    @Test func wrongContentDoesNotShowWhatIsWrong() throws {
        guard let recipient = try Recipient(["first", "curve"]) else { return }
        let run = recipient.run
        var answers: Set<String> = []
        for code in [
            "0x5", "0x6", "0x7", "0x20", "0x21", "0x30", "0x40", "0x41", "0x150", "0x80000001",
        ] {
            let outcome = try recipient.show("key-aes256", fault: "C_Decrypt#*=\(code)")
            outcome.expectRefusal(.credentialRefused, naming: "CN=first")
            answers.insert(outcome.errors)
        }
        #expect(answers.count == 1)
        #expect(run.count("C_Login") == 1)
        try recipient.show("key-ecdh", fault: "C_DeriveKey#1=0x30")
            .expectRefusal(.credentialRefused, naming: "CN=curve")
        for (file, fault) in [
            ("key-aes256", "C_Decrypt#1=0x32"), ("key-ecdh", "C_DeriveKey#1=0x32"),
        ] {
            try recipient.show(file, fault: fault).expect(.serviceUnavailable)
            run.expectLoggedOut()
        }
    }

    /// A refused confirmation is the last for all keys of the card, whatever they are used for.
    @Test func aWrongConfirmationCountsForEveryKey() throws {
        guard let recipient = try Recipient(["first", "second"], isConfirmed: true) else { return }
        let run = recipient.run
        try run.workspace.write("\(TokenFixture.pin)\n9999\n", to: "two")
        func decrypt(_ key: String, _ pin: String) -> [String] {
            ["--decrypt-key", run.token.uri(key), "--decrypt-passphrase-file", pin]
        }
        try run.signet(
            [
                "sign", "key-aes256.pdf", "letter.pdf", "--jobs", "1", "--key",
                run.token.uri("always"),
            ] + ["--passphrase-file", "two"] + decrypt("first", "two")
        ).expect(.credentialRefused)
        #expect(run.count("C_Login") == 1 && run.count("C_Login(context)") == 1)
        // By another name of the module it is the same token, and through a copy of it.
        let (link, copy) = (run.workspace.url("link.so").path, run.workspace.url("copy.so").path)
        let module = run.token.module
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: module)
        try FileManager.default.copyItem(atPath: module, toPath: copy)
        for other in [link, copy] {
            func sign(pin: String) throws {
                try run.signet(
                    ["sign", "key-aes256.pdf", "letter.pdf", "--jobs", "1"]
                        + ["--key", run.token.uri("always"), "--passphrase-file", pin]
                        + ["--decrypt-key", run.token.uri("first").replacing(module, with: other)]
                        + ["--decrypt-passphrase-file", pin]
                ).expect(.credentialRefused)
            }
            try sign(pin: "other-pin")
            #expect(run.count("C_Login") == 1)
            try sign(pin: "two")
            #expect(run.count("C_Login(context)") == 1)
        }
        // Where the PIN is right, that for the signer's token serves both.
        try run.signet(
            ["sign", "key-aes256.pdf", "--key", run.token.uri("always")]
                + ["--passphrase-file", "pin", "--decrypt-key", run.token.uri("first")]
        ).expect(.done)
        #expect(run.count("C_Login") == 1 && run.count("C_Login(context)") == 2)
    }

    /// What cannot be opened by its lengths alone costs no PIN, and its neighbours nothing.
    @Test func lengthsThatCannotBeAskForNoPIN() throws {
        guard let recipient = try Recipient(["first"]) else { return }
        let run = recipient.run
        let whole = [UInt8](try EncryptedSamples.document("key-aes256") ?? [])
        // The initial vector of AES-256-CBC, in hexadecimal: a byte of it becomes another element.
        let vector = Array("60864801650304012a0410".utf8)
        let start = try #require(whole.indices.first { whole[$0...].starts(with: vector) })
        var bytes = whole
        bytes.replaceSubrange(
            (start + vector.count - 2)..<(start + vector.count), with: Array("0e".utf8))
        bytes.replaceSubrange(
            (start + vector.count + 28)..<(start + vector.count + 32), with: Array("0500".utf8))
        try run.workspace.write(Data(bytes), to: "short.pdf")
        let decrypt = ["--decrypt-key", run.token.uri(nil), "--decrypt-passphrase-file", "pin"]
        try run.signet("show short.pdf \(decrypt)").expect(.malformedInput)
        #expect(run.count("C_Login") == 0)
        try run.signet("show short.pdf key-aes256.pdf \(decrypt)").expect(.malformedInput)
        #expect(run.count("C_Decrypt") == 1)
    }

    /// Which of two keys of one name was meant shows in what comes out.
    @Test func keysOfOneNameAreTriedOnce() throws {
        guard let recipient = try Recipient([]), let tool = try ExternalTool.find("pkcs11-tool"),
            let openssl = try ExternalTool.find("openssl")
        else { return }
        let write =
            "'\(tool)' --module '\(recipient.run.token.module)' --token-label token-a --login --pin "
            + "\(TokenFixture.pin) --id 60 --label same --write-object"
        let curve = "\(recipient.folder)/curve"
        try recipient.run.workspace.shell(
            """
            '\(openssl)' ecparam -name prime256v1 -genkey -noout -out o.pem
            for k in o.pem '\(curve).key'; do
                '\(openssl)' pkey -in "$k" -outform der -out k.der
                '\(openssl)' pkey -in "$k" -pubout -outform der -out p.der
                \(write) k.der --type privkey --usage-derive && \(write) p.der --type pubkey || exit 1
            done
            '\(openssl)' x509 -in '\(curve).crt' -outform der -out c.der && \(write) c.der --type cert
            """, environment: recipient.run.token.environment()
        ).expect(.done)
        try recipient.show("key-ecdh", key: "same").expect(.done)
        #expect(recipient.run.count("C_Login") == 1 && recipient.run.count("C_DeriveKey") == 2)
    }

    /// An identity is named as a file is; one of both is no guess.
    @Test func identitiesOpenDocumentsToo() throws {
        guard let recipient = try Recipient() else { return }
        let run = recipient.run
        func signet(_ arguments: ShellWords) throws -> CommandOutcome {
            try? FileManager.default.removeItem(at: run.workspace.url("log"))
            return try run.workspace.signet(
                arguments,
                environment: run.token.environment(log: run.workspace.url("log").path).merging([
                    "XDG_DATA_HOME": run.workspace.url("home").path
                ]) { $1 })
        }
        try signet([
            "identity", "import", "card", "--key", run.token.uri("curve"), "--cert",
            "\(recipient.folder)/curve.crt",
        ]).expect(.done)
        let folder = recipient.folder
        try signet("identity import soft --key \(folder)/first.key --cert \(folder)/first.crt")
            .expect(.done)
        try signet("show key-two.pdf --decrypt-key soft").expect(.done)
        try signet("show key-ecdh.pdf --decrypt-key card --decrypt-passphrase-file pin")
            .expect(.done)
        #expect(run.count("C_Login") == 1)
        try run.workspace.write("x", to: "soft")
        try signet("show key-two.pdf --decrypt-key soft")
            .expectRefusal(.usage, naming: "an identity and a file have this name", "./soft")
        try signet("show key-two.pdf --decrypt-key nobody")
            .expectRefusal(.missingInput, naming: "nobody")
    }

    @Test(arguments: [
        "csc:https://a.example/csc/v2", "exec:demo", "pkcs11:pin-value=1", "pkcs11:x",
    ])
    func keysThatOnlySignAreRefusedAtOnce(key: String) throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.signet("show letter.pdf --decrypt-key \(key)")
        outcome.expectRefusal(.usage, naming: "--decrypt-key")
        if !key.hasPrefix("pkcs11") { #expect(outcome.errors.contains("but not decrypt")) }
    }
}
