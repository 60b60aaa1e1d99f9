import Foundation
import SignetTestSupport
import Testing

/// What people get wrong, and what they are told then.
@Suite struct MistakeTests {
    private static let key = ["--key", "key.pem", "--cert", "valid.pem"]

    /// An empty signature field of this size in points.
    private func form(_ width: Int, _ height: Int) -> Data {
        Data(
            SamplePDF(
                pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R]",
                catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
                extraObjects: [
                    "<</Type /Annot /Subtype /Widget /FT /Sig /T (Approval) /F 4 /P 3 0 R "
                        + "/Rect [300 200 \(300 + width) \(200 + height)]>>"
                ]
            ).bytes)
    }

    // MARK: Values

    @Test func missingArgumentsAreNamed() throws {
        let workspace = try signingWorkspace()
        for (arguments, problem, hint) in [
            ("hash sign letter.pdf", "no key is given", "add --key SOURCE"),
            ("cert create", "no output is given", "add --output FILE"),
            ("show", "no input file is given", "see 'signet show --help'"),
            ("verify letter.pdf --trust", "--trust requires a value", "add --trust FILE|DIR"),
            ("verify letter.pdf -o", "-o requires a value", "add -o PATH"),
        ] {
            let outcome = try workspace.signet(arguments.split(separator: " ").map(String.init))
            outcome.expectRefusal(.usage, naming: problem)
            #expect(outcome.errors.contains(hint), "\(outcome.errors)")
        }
    }

    @Test func aWrongTimeIsAUsageError() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        for arguments in [
            ["sign", "letter.pdf", "--at-time", "2026-11-22 18:00"] + Self.key,
            ["verify", "letter.signed.pdf", "--at-time", "2026-11-22T18:00:00"],
            ["verify", "letter.signed.pdf", "--as-of", "31.12.2030"],
        ] {
            let outcome = try workspace.signet(arguments)
            outcome.expectRefusal(
                .usage, naming: "is invalid for '\(arguments[2])': expected a date")
            #expect(!outcome.errors.contains("SignetError"))
        }
    }

    @Test func aMistypedFieldIsNotMadeAnew() throws {
        let workspace = try signingWorkspace()
        try workspace.write(form(180, 60), to: "form.pdf")
        try workspace.signet("sign form.pdf --field Aproval \(Self.key)")
            .expectRefusal(.usage, naming: "did you mean 'Approval'?")
        try workspace.succeed("sign form.pdf --field Aproval --new-field \(Self.key)")
        try workspace.signet("sign form.pdf --lock only:Aproval -o lock.pdf \(Self.key)")
            .expectRefusal(.usage, naming: "the lock names 'Aproval'", "did you mean 'Approval'?")
        // Another name, and not a slip.
        let other = try workspace.succeed("sign form.pdf --field Second -o other.pdf \(Self.key)")
        #expect(other.errors.contains("no field 'Second': a new field is created"))
        let made = try workspace.succeed("sign letter.pdf --field Second \(Self.key)")
        #expect(made.errors.contains("a new field is created"))
        #expect(made.output.contains("(PAdES B-B, field Second)"))
    }

    @Test func whatWasPreparedForATimeStampGetsOne() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed(
            "remote prepare letter.pdf --cert valid.pem --level T -o p.pdf --to-sign h")
        try workspace.succeed("hash sign h --input hash --key key.pem -o s")
        try workspace.signet("remote embed p.pdf --signature s -o out.pdf")
            .expectRefusal(.usage, naming: "prepared for level B-T, but no TSA is given")
        try workspace.write(Data(), to: "s")
        try workspace.signet("remote embed p.pdf --signature s -o out.pdf")
            .expectRefusal(.malformedInput, naming: "s: the file is empty")
        #expect(!workspace.exists("out.pdf"))
    }

    @Test func aPreparedDocumentIsNotSignedAgain() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("remote prepare letter.pdf --cert valid.pem -o p.pdf --to-sign h")
        for command in [
            "sign p.pdf --key key.pem --cert valid.pem",
            "remote prepare p.pdf --cert valid.pem -o q.pdf --to-sign g",
        ] {
            try workspace.signet(command.components(separatedBy: " ")).expectRefusal(
                .malformedInput, naming: "the signature is pending",
                "signet remote embed p.pdf --signature FILE -o OUT.pdf")
        }
    }

    // MARK: Secrets

    /// Errors are logged, so they contain no secret that stands at the place of a name.
    @Test(arguments: [
        ["--key"], ["--cert", "valid.pem", "--key"], ["--key", "key.pem", "--cert"], ["--cert"], [],
    ])
    func aKeyInPlaceOfAFileIsNotPrinted(options: [String]) throws {
        let workspace = try signingWorkspace()
        let key = String(decoding: try workspace.read("key.pem"), as: UTF8.self)
        let secret = String(key.split(separator: "\n")[1])
        let values = options.isEmpty ? [key, "--" + key] : [key, key.replacing("\n", with: "")]
        for value in values + [String(repeating: secret, count: 3)] {
            for more in [[], ["--json"]] {
                let outcome = try workspace.signet(
                    ["sign", "letter.pdf"] + options + [value] + more)
                #expect(outcome.exitCode == .usage || outcome.exitCode == .missingInput)
                #expect(!(outcome.output + outcome.errors).contains(secret), "\(outcome.errors)")
                let option = options.last.map { "\($0) expects a file" } ?? ""
                #expect(outcome.errors.contains(option) || options.isEmpty, "\(outcome.errors)")
            }
        }
        let piped = try workspace.shell(
            "KEY=$(cat key.pem); printf %s \"$KEY\" | $S sign letter.pdf --cert valid.pem --key -")
        piped.expect(.done)
    }

    /// The name of a missing file with a secret may be the secret.
    @Test(arguments: [
        ["sign", "letter.pdf", "--key", "locked.pem", "--cert", "valid.pem", "--passphrase-file"],
        ["show", "locked.pem", "--passphrase-file"],
        ["key", "convert", "key.pem", "-o", "new.pem", "--new-passphrase-file"],
        ["key", "generate", "-o", "new.pem", "--type", "ec:P-256", "--passphrase-file"],
    ])
    func aSecretInPlaceOfItsFileIsNotPrinted(arguments: [String]) throws {
        let workspace = try signingWorkspace()
        try workspace.shell(
            "PW=old $S key convert key.pem -o locked.pem --new-passphrase-env PW"
        ).expect(.done)
        for more in [[], ["--json"]] {
            let outcome = try workspace.signet(arguments + ["s3cret"] + more)
            outcome.expect(.missingInput)
            #expect(!(outcome.output + outcome.errors).contains("s3cret"), "\(outcome.errors)")
            #expect(outcome.errors.contains("passphrase-env NAME"), "\(outcome.errors)")
        }
    }

    /// An unset variable in a script leaves a name empty.
    @Test(arguments: [
        ["--key", ""], ["--key="], ["--key", "key.pem", "--cert", ""], ["--passphrase-file", ""],
        ["--chain", ""], ["-o", ""], ["--password-file="], ["key.pem", ""],
    ])
    func anEmptyNameIsNamed(options: [String]) throws {
        let outcome = try signingWorkspace().signet(["sign", "letter.pdf"] + options)
        let option = options.last { $0.hasPrefix("-") }?.filter { $0 != "=" }
        outcome.expectRefusal(
            .usage,
            naming: option.map { "the value of \($0) is empty" } ?? "the name of an input is empty")
    }

    @Test(arguments: [
        "sign letter.pdf --cert valid.pem --key - --passphrase-file -",
        "sign - --cert valid.pem --key=-", "verify - --trust -",
        "hash verify - --public-key key.pem --signature -",
    ])
    func standardInputIsReadOnce(command: String) throws {
        try signingWorkspace().signet(command.components(separatedBy: " ")).expectRefusal(
            .usage, naming: "standard input (-) can be used only once", "-env NAME")
    }

    // MARK: Remote keys

    @Test(arguments: [
        (
            "prepare letter.pdf -o p.pdf --to-sign h --padding pss",
            "--padding requires --cert FILE or --key SOURCE"
        ),
        (
            "prepare letter.pdf --cert valid.pem -o p.pdf --to-sign-message m --hash-encoding hex",
            "--hash-encoding requires --to-sign FILE"
        ),
        ("embed p.pdf -o x.pdf", "--cms for a PDF prepared without --cert"),
    ])
    func optionsOfRemoteWithoutEffectAreRefused(command: String, words: String) throws {
        try signingWorkspace().signet(("remote " + command).components(separatedBy: " "))
            .expectRefusal(.usage, naming: words)
    }

    /// No hint names an option that the command does not have.
    @Test func hintsNameOnlyWhatExists() throws {
        let workspace = try signingWorkspace()
        try workspace.signet(
            "remote prepare letter.pdf --cert valid.pem -o letter.pdf --to-sign h --force"
        ).expectRefusal(.usage, naming: "use another path for the output; a batch")
        try workspace.succeed("remote prepare letter.pdf --cert valid.pem -o p.pdf --to-sign h")
        try workspace.succeed(
            "remote prepare letter.pdf --cert valid.pem -o q.pdf --to-sign-message m")
        try workspace.shell("openssl dgst -sha1 -sign key.pem -out s m").expect(.done)
        let weak = try workspace.signet("remote embed q.pdf --signature s -o out.pdf")
        #expect(weak.errors.contains("sign with SHA-256"), "\(weak.errors)")
        #expect(!weak.errors.contains("--digest sha1"), "\(weak.errors)")
    }

    // MARK: Certificates

    @Test func aKeyInPlaceOfACertificateIsNamed() throws {
        let workspace = try signingWorkspace()
        try workspace.shell(
            "PW=p $S key convert key.pem --cert valid.pem -o me.p12 --new-passphrase-env PW"
        ).expect(.done)
        for command in [
            "sign letter.pdf --key key.pem --cert me.p12", "verify letter.pdf --trust me.p12",
            "remote prepare letter.pdf --cert me.p12 -o p.pdf --to-sign h",
        ] {
            try workspace.signet(command.components(separatedBy: " ")).expectRefusal(
                .malformedInput, naming: "me.p12: the file is a PKCS#12 file, not a certificate",
                "use --key me.p12 without --cert")
        }
        try workspace.shell("openssl pkey -in key.pem -pubout -out pub.pem").expect(.done)
        try workspace.signet("hash verify letter.pdf --signature valid.pem --cert pub.pem")
            .expectRefusal(
                .malformedInput, naming: "a public key, not a certificate",
                "use --public-key pub.pem")
    }

    @Test func theSchemeOfATokensURIIsNamed() throws {
        try signingWorkspace().signet(["sign", "letter.pdf", "--key", "token=HSM;object=seal"])
            .expectRefusal(.missingInput, naming: "--key 'pkcs11:token=HSM;object=seal'")
        try signingWorkspace().signet([
            "sign", "letter.pdf", "--key", "pkcs11:token=HSM;module-path=/usr/lib/a.so",
        ]).expectRefusal(.usage, naming: "'module-path' before '?': it belongs after '?'")
    }

    // MARK: Outputs

    @Test func anEndingOfTheOtherFormatIsRefused() throws {
        let workspace = try signingWorkspace()
        try workspace.write(Data(SamplePNG.quarters(4, 2).bytes), to: "photo.png")
        try workspace.write("text", to: "a.txt")
        for (files, hint) in [
            ("photo.png -o x.pdf", "--as-pdf"), ("a.txt -o x.pdf", ".p7s"),
            ("letter.pdf -o x.p7s", "--format cms"),
        ] {
            try workspace.signet("sign \(files.components(separatedBy: " ")) \(Self.key)")
                .expectRefusal(.usage, naming: hint)
        }
        try workspace.succeed("sign letter.pdf -o x.p7s --format cms \(Self.key)")
        try workspace.succeed("sign a.txt -o x.pdf --format cms \(Self.key)")
        try workspace.succeed("sign photo.png -o y.pdf --as-pdf \(Self.key)")
    }

    @Test(arguments: [["sign"] + key, ["hash", "sign", "--key", "key.pem"]])
    func outputsOfOneNameAreRefused(command: [String]) throws {
        let workspace = try signingWorkspace()
        for folder in ["a", "b", "out"] { try workspace.makeFolder(folder) }
        for folder in ["a", "b"] {
            try workspace.write(try workspace.read("letter.pdf"), to: "\(folder)/contract.pdf")
        }
        try FileManager.default.createSymbolicLink(
            at: workspace.url("link"), withDestinationURL: workspace.url("a"))
        // A folder that is yet to be made too.
        try workspace.signet("\(command) a/contract.pdf b/contract.pdf -o new/")
            .expectRefusal(.usage, naming: "two outputs")
        #expect(!workspace.exists("new"))
        for other in ["b/contract.pdf", "link/contract.pdf"] {
            let outcome = try workspace.signet("\(command) a/contract.pdf \(other) -o out/ --force")
            outcome.expectRefusal(.usage, naming: "two outputs")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: workspace.url("out").path)
                    .isEmpty)
        }
        try workspace.shell("ln letter.pdf same.pdf; $S sign letter.pdf same.pdf $K --in-place")
            .expectRefusal(.usage, naming: "two outputs")
    }

    @Test func aFolderIsMadeWhereItsNameEndsInASlash() throws {
        let workspace = try signingWorkspace()
        try workspace.write(try workspace.read("letter.pdf"), to: "other.pdf")
        let inputs = ["letter.pdf", "other.pdf"]
        try workspace.succeed("sign \(inputs) -o signed/ --dry-run \(Self.key)")
        #expect(!workspace.exists("signed"))
        try workspace.signet("sign \(inputs) -o signed \(Self.key)")
            .expectRefusal(.cannotCreateOutput, naming: "signed/")
        try workspace.succeed("sign \(inputs) -o signed/ \(Self.key)")
        #expect(workspace.exists("signed/other.signed.pdf"))
        try workspace.signet("sign letter.pdf -o letter.pdf/such/ \(Self.key)")
            .expectRefusal(.cannotCreateOutput)
    }

    @Test func aDryRunFailsWhereTheRunWould() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        for output in ["missing/out.pdf", "letter.pdf/such/out.pdf"] {
            for more in [[], ["--dry-run"]] {
                try workspace.signet("sign letter.pdf -o \(output) \(Self.key) \(more)")
                    .expectRefusal(.cannotCreateOutput, naming: output)
            }
        }
        let before = try workspace.names
        // What is there already does not matter for a check.
        try workspace.succeed("sign letter.pdf -o letter.signed.pdf --dry-run \(Self.key)")
        #expect(try workspace.names == before)
    }

    // MARK: Stamps

    @Test(arguments: [
        ("{nme}", "did you mean {name}"), ("{foo-bar}", "{subject}"), ("", "--no-text"),
        (" ", "--no-text"),
    ])
    func wrongTemplatesAreRefused(template: String, hint: String) throws {
        let workspace = try signingWorkspace()
        for option in ["--text", "--mark-text"] {
            let outcome = try workspace.signet(
                "sign letter.pdf --at 1:top --mark 1:bottom \(option) \(template) \(Self.key)")
            outcome.expectRefusal(.usage, naming: option, hint)
        }
        #expect(!workspace.exists("letter.signed.pdf"))
    }

    @Test(arguments: [(60, 14), (30, 10), (12, 5), (4, 3)])
    func aSmallFieldIsSignedWithWhatFits(width: Int, height: Int) throws {
        let workspace = try signingWorkspace()
        try workspace.write(form(width, height), to: "form.pdf")
        let outcome = try workspace.succeed("sign form.pdf \(Self.key)")
        #expect(outcome.errors.contains("too small") == (width < 60), "\(outcome.errors)")
        try workspace.succeed("verify form.signed.pdf --trust valid.pem")
        // What somebody asked for is not left out quietly.
        try workspace.signet(
            "sign form.pdf --text {name}\\n{date}\\n{name}\\n{date} -o x \(Self.key)"
        ).expectRefusal(.usage, naming: "does not fit")
    }

    @Test func aForeignNameIsPointedOut() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.succeed("sign letter.pdf --name 'Somebody Else' \(Self.key)")
        #expect(outcome.errors.contains("'Somebody Else'"))
        let report = try workspace.succeed("verify letter.signed.pdf --trust valid.pem")
        #expect(report.output.contains("name in the signature: 'Somebody Else'"))

        let subject = try workspace.signet("show valid.pem --json").output
        let name = try #require(subject.firstMatch(of: /CN=([^,"\\]+)/)?.output.1)
        let right = try workspace.succeed(
            "sign letter.pdf --name \(name.uppercased()) -o right.pdf \(Self.key)")
        #expect(!right.errors.contains("names"))
        let verified = try workspace.succeed("verify right.pdf --trust valid.pem")
        #expect(!verified.output.contains("name in the signature"), "\(verified.output)")
    }

    // MARK: Hints

    @Test func hintsNameWhatHelps() throws {
        let workspace = try signingWorkspace()
        try workspace.write(
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0L9 9\"/></svg>", to: "me.svg")
        try workspace.copyVector("gallery/default.png")
        let cases: [(options: [String], hint: String)] = [
            (["--image", "me.svg"], "--ink me.svg"), (["--image", "valid.pem"], "PNG or JPEG"),
            (["--ink", "default.png"], "--image default.png"),
            (["--text", "\u{1F984}"], "remove the character"),
            (["--passphrase", "secret"], "--passphrase-file FILE"),
            (["--passphrase=secret"], "--passphrase-env NAME"),
        ]
        for (options, hint) in cases {
            let outcome = try workspace.signet("sign letter.pdf --at 1:top \(Self.key) \(options)")
            #expect(outcome.exitCode != 0)
            #expect(outcome.errors.contains(hint), "\(outcome.errors)")
            #expect(!outcome.errors.contains("secret\n"))
        }
        try workspace.signet("sign letter.pdf --at 5:top \(Self.key)")
            .expectRefusal(.usage, naming: "letter.pdf: page 5 does not exist")
    }

    /// What other programs call things is pointed out, not what is spelled alike.
    @Test(arguments: [
        (["verify", "a.pdf", "--cert", "c.pem"], "--signer FILE"),
        (["verify", "a.pdf", "--CAfile", "c.pem"], "use --trust FILE"),
        (["sign", "a.pdf", "--hash", "sha512"], "use --digest NAME"),
        (["sign", "a.pdf", "--pass", "x"], "--passphrase-file FILE"),
        (["sign", "a.pdf", "--timestamp-url", "x"], "use --tsa URL"),
        (["hash", "verify", "a", "--key", "k.pem"], "use --public-key FILE or --cert FILE"),
        (["csr", "create", "--upn", "a@b"], "use --san upn:NAME"),
        (["sign", "a.pdf", "-k", "k.pem"], "use --key FILE"),
        (["sign", "a.pdf", "--pin-env", "P"], "use --passphrase-env NAME"),
        (["sign", "a.pdf", "--pin-file", "p"], "use --passphrase-file FILE"),
        (["csr", "create", "--eku", "x"], "use --extended-key-usage NAMES"),
        (["remote", "prepare", "--encoding", "hex"], "use --hash-encoding NAME"),
        (["identity", "complete", "me", "me.crt"], "signet identity complete CERT"),
        (["key"], "use one of: generate, convert, list; see 'signet key --help'"),
        (["info"], "did you mean: signet show"), (["keygen"], "signet key generate"),
        (["version"], "signet --version"), (["renew"], "did you mean: signet extend --renew"),
        (["embed"], "did you mean: signet remote embed"),
        (["remote", "sign"], "did you mean: signet remote embed"),
        (["identity", "request", "me", "--upn", "x"], "use --san upn:NAME@DOMAIN"),
        (["sign", "a.pdf", "--pin-env", "P"], "use --passphrase-env NAME"),
        (["sign", "a.pdf", "--allow-expired"], "no option permits an expired certificate"),
        (["verify", "a.p7s", "b.p7s", "--content", "c"], "use --content FOLDER"),
        (["sign", "a.pdf", "--at", "bottom-right"], "use last:bottom-right or 1:bottom-right"),
        (["sign", "a.pdf", "--at", "0:top"], "the page '0' is invalid (use last or 1)"),
        (["sign", "a.pdf", "--at", "1:tpo"], "did you mean 1:top?"),
        (["sign", "a.pdf", "--at", "botom-left"], "use last:bottom-left or 1:bottom-left"),
        (["sign", "a.pdf", "--at", "1:somewhere"], "must be one of top-left, top, top-right"),
        (["sign", "a.pdf", "--mark", "top"], "use all:top or 2-last:top"),
        (["sign", "a.pdf", "--hel"], "did you mean '--help'?"),
        (["--verison"], "did you mean '--version'?"),
        (["sign", "a.pdf", "--at", "0:auto"], "the page '0' is invalid (use last or 1)"),
        (["sign", "a.pdf", "--kee", "k", "--cert", "c"], "did you mean '--key'?"),
        (["sign", "a.pdf", "--certify", "no-change"], "did you mean 'no-changes'?"),
        (["key", "generate", "ec:P-256", "-o", "k"], "did you mean '--type ec:P-256'?"),
        (["key", "generate", "rsa:1024", "-o", "k"], "did you mean '--type rsa:3072'?"),
        (["key", "show", "k.pem"], "did you mean: signet show"),
        (["verify", "a.pdf", "--key", "k.pem"], "--signer FILE"),
        (["verify", "a.pdf", "--level", "T"], "use --require-level LEVEL"),
        (["verify", "a.pdf", "--offline"], "leave it out: verify works offline unless --online"),
        (["sign", "a.pdf", "--online"], "leave it out: sign fetches validation data if"),
        (["sign", "a.pdf", "--page", "3"], "such as --at 3:bottom-right"),
        (["sign", "a.pdf", "--require-level", "T"], "use --level LEVEL"),
        (["sign", "a.pdf", "--report", "r"], "--report is an option of 'signet verify'"),
        (["sign", "a.pdf", "--encoding", "hex"], "--encoding is an option of other commands"),
        (["sign", "a.pdf", "--pdfa"], "a PDF/A document stays PDF/A"),
        (["sign", "a.pdf", "--field-name", "x"], "use --field NAME"),
        (["verify", "a.pdf", "--tsa-anchor", "c"], "use --trust FILE"),
        (["verify", "a.pdf", "--pin", "1"], "use --password-file FILE or --password-env NAME;"),
        (["convert", "a.jpg", "--passphrase", "x"], "the command needs no passphrase"),
        (["hash", "sign", "a.txt", "--pss"], "use --padding pss"),
        (
            [
                "csr", "create", "--key", "k", "--subject", "CN=a", "-o", "a", "--san", "dns:a.de",
                "dns:b.de",
            ],
            "separate the names with commas"
        ),
        (["sign", "a.pdf", "--service-token", "1"], "use --service-token-file FILE"),
        (["key", "create"], "did you mean: signet key generate"),
        (["sign", "a.pdf", "--ink-from-photo"], "takes no value, and requires a photo"),
        (["sign", "a.pdf", "-r"], "use --recursive"),
        (["sign", "a.pdf", "--lang", "german"], "use de"),
        (["sign", "a.pdf", "--reason", ""], "the value of --reason is empty"),
        (["convert", "a.jpg", "--size", "A4"], "use --page A4"),
        (["hash", "verify", "a.bin", "--key", "k"], "use --public-key FILE or --cert FILE"),
        (["tsp", "serve", "--port", "1"], "use --listen HOST:PORT"),
        (["timestamp", "a.pdf", "--trust", "c"], "use --tsa-anchor FILE"),
        (["sign", "a.pdf", "--key-env", "K"], "printenv NAME | signet ... --key -"),
        (["field", "add", "a.pdf", "--name", "x"], "use --field NAME"),
        (["field", "add", "a.pdf", "--field", ""], "the value of --field is empty"),
        (["sign", "a.pdf", "--field", ""], "the value of --field is empty"),
        (["sign", "a.pdf", "--at", "1:top", "--at", "2:top"], "--at is given twice"),
        (["sign", "a.pdf", "--reason", "a", "--reason=b"], "--reason is given twice"),
    ])
    func habitsOfOtherProgramsAreKnown(arguments: [String], hint: String) throws {
        let outcome = try Workspace().signet(arguments)
        outcome.expectRefusal(.usage, naming: hint)
        #expect(!outcome.errors.contains("Did you mean"), "\(outcome.errors)")
    }

    /// Refused before any file is processed.
    @Test func aJournalIsNoOutput() throws {
        let workspace = try signingWorkspace()
        try workspace.shell("cp letter.pdf b.pdf; mkdir out").expect(.done)
        let options: ShellWords = "\(Self.key) --journal out/letter.signed.pdf -o out/"
        try workspace.succeed("sign b.pdf \(options)")
        let journal = try workspace.read("out/letter.signed.pdf")
        let outcome = try workspace.signet("sign letter.pdf b.pdf \(options) --force")
        outcome.expectRefusal(.usage, naming: "would overwrite an input file")
        #expect(!outcome.errors.contains("2 files"), "\(outcome.errors)")
        #expect(try workspace.read("out/letter.signed.pdf") == journal)
    }

    @Test func filesAndFoldersInPlaceOfOthers() throws {
        let workspace = try signingWorkspace()
        try workspace.copyVector("gallery/default.png")
        try FileManager.default.createDirectory(
            at: workspace.url("folder"), withIntermediateDirectories: false)
        try workspace.signet("sign --files-from folder \(Self.key)")
            .expectRefusal(.usage, naming: "use it as input instead: folder --recursive")
        try workspace.signet("verify letter.pdf --crl valid.pem")
            .expectRefusal(.malformedInput, naming: "a certificate, not a CRL")
        try workspace.succeed("convert default.png -o folder")
        #expect(workspace.exists("folder/default.pdf"))
        try workspace.succeed("sign valid.pem \(Self.key) --container letter.asice")
        try workspace.signet("extract letter.asice -o letter.pdf --trust valid.pem")
            .expectRefusal(.cannotCreateOutput, naming: "a file with this name exists")
    }

    /// An option with another meaning is not suggested.
    @Test(arguments: [
        ["sign", "a.pdf", "--key-env", "K"], ["verify", "a.pdf", "--zzz"],
        ["identity", "request", "x", "--foo", "a"],
    ])
    func nothingUnrelatedIsSuggested(arguments: [String]) throws {
        let outcome = try Workspace().signet(arguments).expect(.usage)
        #expect(!outcome.errors.lowercased().contains("did you mean"), "\(outcome.errors)")
    }

    /// Options that may be repeated stay so, and a length without a unit is questioned.
    @Test func repeatedOptionsAndUnits() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed(
            "field add letter.pdf --field A --at 1:top --field B --at 1:bottom --reason x --reason y"
        )
        let outcome = try workspace.succeed("sign letter.pdf --at 1:top --margin 10 \(Self.key)")
        #expect(outcome.errors.contains("--margin 10 has no unit: points are used (4 mm)"))
    }

    @Test func typesAndFormatsAreTakenAsTheyAreWritten() throws {
        let workspace = try signingWorkspace()
        for (type, name) in [
            ("p256", "EC P-256"), ("rsa2048", "RSA 2048"), ("ec:p384", "EC P-384"),
        ] {
            let made = try workspace.succeed(
                "key generate --type \(type) -o \(type).pem --no-passphrase")
            #expect(made.output.contains(name))
        }
        // The name of an output says what it is.
        for (file, head) in [("me.der", [0x30]), ("me.p12", [0x30]), ("me.pem", [0x2D])] {
            try workspace.succeed(
                "key convert key.pem --cert valid.pem -o \(file) --new-passphrase-env SECRET",
                environment: ["SECRET": "secret"])
            #expect(try workspace.read(file).prefix(1) == Data(head.map(UInt8.init)))
        }
        try #expect(
            workspace.signet(
                "show me.p12 --passphrase-env SECRET", environment: ["SECRET": "secret"]
            ).output.contains("PKCS#12"))
    }

    @Test(arguments: [
        (["verify", "--json", "--foo"], "unknown option '--foo'"),
        (["key", "generate", "--foo"], "unknown option '--foo'"),
        (["remote", "prepare", "--foo"], "unknown option '--foo'"),
        (["key", "generate"], "add --output PATH"), (["sign"], "no input file"),
    ])
    func unknownOptionsComeBeforeMissingOnes(arguments: [String], words: String) throws {
        let outcome = try Workspace().signet(arguments)
        outcome.expect(.usage)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test(arguments: [
        (["sing"], "signet sign"), (["hepl"], "signet help"), (["key", "gen"], "key generate"),
        (["help", "vefiry"], "signet help verify"), (["help", "key", "generat"], "key generate"),
        (["help", "frobnicate"], "signet --help"), (["frobnicate"], "signet --help"),
    ])
    func unknownCommandsAreGuessed(arguments: [String], hint: String) throws {
        let outcome = try Workspace().signet(arguments)
        outcome.expectRefusal(.usage, naming: "unknown command", hint)
    }

    // MARK: Help

    @Test func whatIsNeededFirstComesFirst() throws {
        let help = try Workspace().signet("sign --help").output
        let places = [
            "\n  --key ", "\n  -o, ", "\n  --reason ", "\n  --decrypt-key ", "\n  --json ",
        ].map { help.range(of: $0)?.lowerBound }
        #expect(places.allSatisfy { $0 != nil })
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    }

    @Test func everyCommandShowsItsOwnExamples() throws {
        let help = try Workspace().signet("tsp show --help").output
        #expect(help.contains("signet tsp show "))
        #expect(!help.contains("  signet show "))
    }
}
