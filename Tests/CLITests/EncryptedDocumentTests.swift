import Foundation
import SignetTestSupport
import Testing

/// Encrypted PDFs, as qpdf makes them; without qpdf these tests say so and do nothing.
@Suite struct EncryptedDocumentTests {
    /// A workspace with `letter.pdf` encrypted as `locked.pdf`.
    private static func workspace(
        user: String = "opensesame", owner: String = "closesesame", _ options: String...
    ) throws -> Workspace? {
        let workspace = try signingWorkspace()
        let encrypt: ShellWords = "--encrypt \(user) \(owner) 256 \(options) --"
        guard let run = try workspace.tool("qpdf \(encrypt) letter.pdf locked.pdf") else {
            return nil
        }
        try #require(run.exitCode == 0, "\(run.errors)")
        return workspace
    }

    private static let sign = ["sign", "locked.pdf", "--key", "key.pem", "--cert", "valid.pem"]

    @Test func signsVerifiesAndShowsWithThePasswordFromEverySource() throws {
        guard let workspace = try Self.workspace() else { return }
        try workspace.write("opensesame\nmore\n", to: "pass")
        let sources: [([String], Data?)] = [
            (["--password-file", "pass"], nil), (["--password-env", "PW"], nil),
            (["--password-file", "-"], Data("opensesame\n".utf8)),
        ]
        for (source, input) in sources {
            let environment = ["PW": "opensesame"]
            let signed = try workspace.succeed(
                "\(Self.sign) --force \(source)", input: input, environment: environment)
            let verified = try workspace.succeed(
                "verify locked.signed.pdf --trust valid.pem \(source)", input: input,
                environment: environment)
            let shown = try workspace.succeed(
                "show locked.signed.pdf \(source)", input: input, environment: environment)
            #expect(shown.output.contains("AES-256, revision 6, opened as user"))
            for outcome in [signed, verified, shown] {
                #expect(!(outcome.output + outcome.errors).contains("sesame"))
            }
        }
    }

    @Test func anEmptyPasswordIsNamed() throws {
        guard let workspace = try Self.workspace() else { return }
        try workspace.write("\nopensesame\n", to: "pass")
        for (source, words) in [
            (["--password-env", "PW"], "--password-env is empty"),
            (["--password-file", "pass"], "first line of the password file 'pass' is empty"),
        ] {
            for command in [["show", "locked.pdf"], Self.sign] {
                try workspace.signet("\(command) \(source)", environment: ["PW": ""])
                    .expectRefusal(.credentialRefused, naming: words)
            }
        }
    }

    /// qpdf compresses what is empty to nothing, and a cipher adds a block to that.
    @Test(arguments: [["256"], ["128", "--use-aes=y"], ["128", "--use-aes=n"]])
    func takesEmptyStreams(cipher: [String]) throws {
        guard try ExternalTool.find("qpdf") != nil else { return }
        let workspace = try signingWorkspace()
        try workspace.succeed("field add letter.pdf --field F1 -o form.pdf")
        let weak = cipher.last == "--use-aes=n" ? ["--allow-weak-crypto"] : []
        try workspace.tool("qpdf \(weak) --encrypt '' owner \(cipher) -- form.pdf locked.pdf")?
            .expect(.done)
        let signed = try workspace.succeed("\(Self.sign) --strict")
        #expect(!signed.errors.contains("cannot be decoded"))
        try workspace.succeed("verify locked.signed.pdf --trust valid.pem")
    }

    /// The options that are named are those of the recipient's key, not of the signer's.
    @Test func namesTheOptionsOfTheRecipient() throws {
        guard let bytes = try EncryptedSamples.document("key-mac"),
            let folder = try EncryptedSamples.path()
        else { return }
        let workspace = try Workspace()
        try workspace.write(Data(bytes), to: "locked.pdf")
        try workspace.openssl(
            "pkey -aes256 -passout pass:right -in '\(folder)/first.key' -out first.key")
        try workspace.write("wrong\n", to: "pass")
        let show = ["show", "locked.pdf", "--decrypt-key", "first.key"]
        let unset = try workspace.signet("\(show) --decrypt-passphrase-env NOWHERE")
        unset.expectRefusal(.credentialRefused, naming: "--decrypt-passphrase-file")
        let wrong = try workspace.signet("\(show) --decrypt-passphrase-file pass")
        wrong.expectRefusal(.credentialRefused, naming: "only the first line")
        #expect(!wrong.errors.contains("--passphrase-file"))
    }

    /// What everybody may read is signed and checked without the key of the attached files; one that
    /// is named and does not open them, or cannot be used, is told.
    /// Another encryption, or none, would break the signatures that are there.
    @Test func unknownEncryptionIsNotToBeChangedWhereThereAreSignatures() throws {
        guard let bytes = try EncryptedSamples.document("gcm") else { return }
        let workspace = try Workspace()
        var changed = Data(bytes)
        let place = try #require(changed.firstRange(of: Data("/V 6".utf8)))
        changed[place.upperBound - 1] = UInt8(ascii: "9")
        try workspace.write(changed, to: "locked.pdf")
        for command in [["verify"], ["show"], ["extend", "-o", "x.pdf"]] {
            try workspace.signet("\(command) locked.pdf")
                .expectRefusal(
                    .malformedInput, naming: "use a program that supports this encryption")
        }
    }

    @Test func signsWhereAttachedFilesAloneAreEncrypted() throws {
        guard let bytes = try EncryptedSamples.document("key-attached"),
            let folder = try EncryptedSamples.path()
        else { return }
        let workspace = try signingWorkspace()
        try workspace.write(Data(bytes), to: "locked.pdf")
        let verify = ["verify", "locked.signed.pdf", "--trust", "valid.pem"]
        let rejected = "does not match the encrypted attached files"
        for (key, isUseless) in [(nil, false), ("stranger", true), ("first", false)] {
            let decrypt = key.map { ["--decrypt-key", "\(folder)/\($0).key"] } ?? []
            try workspace.succeed("\(Self.sign) --force \(decrypt)")
            for command in [verify, ["show", "locked.pdf"]] {
                let outcome = try workspace.succeed("\(command) \(decrypt)")
                let told = outcome.output + outcome.errors
                #expect(told.contains(rejected) == isUseless, "\(told)")
            }
            let shown = try workspace.signet("show locked.signed.pdf \(decrypt)")
            let access = key == "first" ? "owner" : "user"
            #expect(shown.output.contains("attached files only, opened as \(access)"))
        }
        for command in [Self.sign + ["--force"], verify, ["show", "locked.pdf"]] {
            try workspace.signet("\(command) --decrypt-key nowhere.key")
                .expectRefusal(.missingInput, naming: "nowhere.key")
        }
    }

    @Test func refusesAWrongPassword() throws {
        guard let workspace = try Self.workspace() else { return }
        for command in [Self.sign, ["verify", "locked.pdf"], ["show", "locked.pdf"]] {
            let outcome = try workspace.signet(
                "\(command) --password-env PW", environment: ["PW": "abracadabra"])
            outcome.expectRefusal(.credentialRefused, naming: "locked.pdf", "password")
            #expect(outcome.errors.contains("signet: hint: "))
            #expect(!outcome.errors.contains("abracadabra"))
        }
        #expect(!workspace.exists("locked.signed.pdf"))
    }

    /// Ligatures, decomposed accents and wide characters count as their plain forms do.
    @Test func takesPasswordsInOtherForms() throws {
        guard try ExternalTool.file("/usr/lib/x86_64-linux-gnu/libidn.so.12") != nil,
            let workspace = try Self.workspace(user: "škola 1 fin")
        else { return }
        for password in ["škola 1 fin", "s\u{30C}kola\u{3000}\u{FF11} \u{FB01}n"] {
            try workspace.succeed(
                "show locked.pdf --password-env PW", environment: ["PW": password])
        }
    }

    @Test func namesTheOptionsWithoutATerminal() throws {
        guard let workspace = try Self.workspace() else { return }
        for command in [Self.sign, ["verify", "locked.pdf"], ["show", "locked.pdf"]] {
            let outcome = try workspace.withoutTerminal(command)
            outcome.expectRefusal(.credentialRefused, naming: "--password-file", "--password-env")
        }
    }

    @Test func ownerPasswordOverridesThePermissions() throws {
        guard let workspace = try Self.workspace(user: "", "--modify=none") else { return }
        let refused = try workspace.signet(Self.sign)
        refused.expectRefusal(
            .credentialRefused, naming: "permit neither signing", "owner password",
            "--password-file")
        try workspace.succeed("\(Self.sign) --password-env PW", environment: ["PW": "closesesame"])
        // It opens without a password, for whoever checks the signature.
        try workspace.succeed("verify locked.signed.pdf --trust valid.pem")
    }

    @Test func onePasswordForAllInputs() throws {
        guard let workspace = try Self.workspace() else { return }
        let files = ["locked.pdf", "letter.pdf"]
        try workspace.succeed(
            "sign \(files) --key key.pem --cert valid.pem --password-file -",
            input: Data("opensesame".utf8))
        #expect(workspace.exists("locked.signed.pdf") && workspace.exists("letter.signed.pdf"))
    }

    @Test func optionsThatContradictEachOther() throws {
        let workspace = try signingWorkspace()
        let contradictions = [
            ["--password-file", "a", "--password-env", "B"],
            ["--password-file", "-", "--passphrase-file", "-"],
        ]
        for options in contradictions {
            try workspace.signet("sign letter.pdf --key key.pem --cert valid.pem \(options)")
                .expectRefusal(.usage)
        }
        try workspace.signet("sign - --key key.pem --password-file -").expectRefusal(.usage)
    }
}
