import Foundation
import SignetTestSupport
import Testing

/// What a person is told who may have meant something else.
@Suite struct HintTests {
    private static let key = ["--key", "key.pem", "--cert", "valid.pem"]

    @Test func whoNamesNothingSeesWhatThereIs() throws {
        let outcome = try Workspace().signet("")
        outcome.expectRefusal(
            .usage, naming: "no command is given", "\nDocuments:\n  sign ", "  verify ")
    }

    @Test func longTermLevelsSayWhatSelfSignedCertificatesNeed() throws {
        let workspace = try timestampWorkspace()
        let server = try ServedAuthority(workspace)
        try workspace.copyVector("pdf/handmade/letter.pdf")
        try workspace.makeKey("me")
        try workspace.succeed("cert create --key me.pem --subject CN=Me -o me.crt")
        let outcome = try workspace.signet(
            """
            sign letter.pdf --key me.pem --cert me.crt --level LT -o x.pdf \
            --tsa http://127.0.0.1:\(server.port)/
            """)
        outcome.expect(ExitCode.indeterminate)
        #expect(
            outcome.errors.contains(
                "if you trust this certificate itself, add it with --trust FILE"))
    }

    @Test func timestampsThatLackRevocationDataAreNotCalledUntrusted() throws {
        let workspace = try timestampWorkspace()
        try workspace.write(
            "extendedKeyUsage=critical,timeStamping\ncrlDistributionPoints=URI:http://localhost/a.crl",
            to: "tsa.cnf")
        try workspace.succeed("csr create --key tsa.pem --subject CN=TSA -o tsa.csr")
        try workspace.shell(
            "openssl x509 -req -in tsa.csr -CA ca.crt -CAkey ca.pem -days 9 -set_serial 7 "
                + "-extfile tsa.cnf -out tsa.crt"
        ).expect(.done)
        let server = try ServedAuthority(workspace)
        try workspace.copyVector("pdf/handmade/letter.pdf")
        try workspace.makeKey("me")
        try workspace.succeed("cert create --key me.pem --subject CN=Me -o me.crt")
        let authority: ShellWords = "--tsa http://127.0.0.1:\(server.port)/ --tsa-anchor ca.crt"
        let stamped = try workspace.succeed("timestamp hello.txt \(authority)")
        #expect(!stamped.errors.contains("warning"), "\(stamped.errors)")
        let signed = try workspace.succeed(
            "sign letter.pdf --key me.pem --cert me.crt \(authority)")
        #expect(signed.output.contains("revocation status of the TSA unknown"))
        #expect(signed.errors.contains("verify with --online or --crl FILE"), "\(signed.errors)")
    }

    @Test(arguments: [
        ["--key", "valid.pem"], ["--key=valid.pem"], ["-o", "a.pdf", "--output", "b.pdf"],
    ])
    func oneKeyAndOneOutput(more: [String]) throws {
        let workspace = try signingWorkspace()
        try workspace.signet("sign letter.pdf \(Self.key) \(more)")
            .expectRefusal(.usage, naming: "is given twice")
        #expect(!workspace.exists("letter.signed.pdf") && !workspace.exists("b.pdf"))
    }

    /// As other programs and standards write them.
    @Test(arguments: [["--digest", "SHA-256"], ["--digest", "sha_512"], ["--format", "PDF"]])
    func namesAreReadInAnySpelling(options: [String]) throws {
        try signingWorkspace().signet("sign letter.pdf \(Self.key) \(options)").expect(.done)
    }

    @Test func oneMistakeIsSaidOnce() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.signet("sign letter.pdf valid.pem -o x.pdf \(Self.key)")
        outcome.expect(.cannotCreateOutput)
        #expect(outcome.errors.components(separatedBy: "a folder as output").count == 2)
    }

    @Test(arguments: [
        (["hash", "letter.pdf"], "did you mean: signet hash digest letter.pdf"),
        (["verify", "letter.pdf", "--require-level", "Q"], "see 'signet verify --help'"),
        (["help", "problem"], "did you mean: signet help problems"),
        (["help", "level"], "did you mean: signet help levels"),
        (["help", "exit-code"], "did you mean: signet help exit-codes"),
        (["help", "sgn"], "did you mean: signet help sign"),
        (["help", "topics"], "topics: levels, "),
        (["timestamp", "letter.pdf", "--trust", "a.pem"], "--tsa-anchor"),
        (["cert", "create", "--days", "-5"], "--days=-5"),
        (["cert", "create", "--not-after", "2027-01-01"], "use --days"),
        (["identity", "import", "work", "key.pem"], "did you mean: --key key.pem"),
        (["sign", "letter.pdf", "--journal", "j", "-o", "-"], "--journal and -o -"),
        (["convert", "a.jpg", "--page", "10x15", "-o", "a.pdf"], "10x15cm"),
        (["sign", "letter.pdf", "--key", "a", "--key", "b"], "see 'signet sign --help'"),
        (["sign", "letter.pdf", "key.pem", "-o", "out/"], "--key key.pem"),
        (
            ["csr", "create", "--key", "none", "--subject", "Me", "-o", "a"],
            "error: the subject 'Me'"
        ),
    ])
    func hintsNameWhatFits(arguments: [String], hint: String) throws {
        try signingWorkspace().signet(arguments).expectRefusal(.usage, naming: hint)
    }

    @Test func anOutputIsNoSecondInput() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.signet("sign letter.pdf 'out file.pdf' \(Self.key)")
        outcome.expect(.missingInput)
        #expect(outcome.errors.contains("-o 'out file.pdf'"), "\(outcome.errors)")
        #expect(workspace.exists("letter.signed.pdf"))
    }

    @Test func aNameWithASpaceIsTwoInputs() throws {
        let workspace = try signingWorkspace()
        try workspace.write(try workspace.read("letter.pdf"), to: "my letter.pdf")
        let outcome = try workspace.signet(["sign", "my", "letter.pdf"] + Self.key)
        #expect(outcome.errors.contains("did you mean: 'my letter.pdf'"), "\(outcome.errors)")
    }

    /// The format of a wrong file is named, with what helps.
    @Test func aFileOfAnotherFormatIsNamed() throws {
        let workspace = try signingWorkspace()
        try workspace.write(Data([0xFF, 0xD8, 0xFF, 0xE0]), to: "photo.pdf")
        try workspace.write("<?xml version=\"1.0\"?><a/>", to: "a.xml")
        try workspace.write(
            "<?xml version=\"1.0\"?><Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"/>",
            to: "xades.xml")
        try workspace.write("damaged", to: "broken.asice")
        try workspace.write("From: a\nMIME-Version: 1.0\n\nHello\n", to: "a.eml")
        for (command, words) in [
            ("verify photo.pdf", "the file is a JPEG image, not a PDF"),
            ("verify photo.pdf", "--as-pdf"),
            ("verify a.xml", "the file is an XML file, neither a PDF"),
            ("verify a.eml", "save the attachment"),
            ("verify xades.xml", "XML signatures are verified only in containers"),
            ("verify broken.asice", "the file is not a ZIP archive"),
            ("verify valid.pem", "to trust this certificate, add --trust valid.pem"),
            ("extract letter.pdf -o q/", "signet verify letter.pdf --extract-revision 1"),
            ("cms verify letter.pdf", "signet verify letter.pdf"),
            ("csr verify valid.pem", "the file is a certificate, neither"),
            ("verify letter.pdf --trust letter.pdf", "the file is a PDF, neither"),
            (
                "cert create --key valid.pem --subject CN=A -o a.crt",
                "a certificate, but no private key"
            ),
        ] {
            let outcome = try workspace.signet(command.components(separatedBy: " "))
            #expect(outcome.exitCode == .malformedInput, "\(command)")
            #expect(outcome.errors.contains(words), "\(command): \(outcome.errors)")
            #expect(!outcome.errors.contains("signet show a."), "\(outcome.errors)")
        }
    }

    @Test func aKeyInAVariableIsExplained() throws {
        let workspace = try signingWorkspace()
        let base64 = try workspace.shell(
            "grep -v -- ----- key.pem | $S sign letter.pdf --cert valid.pem --key -")
        #expect(base64.errors.contains("base64 -d"), "\(base64.errors)")
        let pem = try workspace.shell(
            "base64 key.pem | $S sign letter.pdf --cert valid.pem --key -")
        #expect(pem.errors.contains("base64 -d"), "\(pem.errors)")
        let escaped = try workspace.shell(
            "sed 's/$/\\\\n/' key.pem | tr -d '\\n' | $S sign letter.pdf --cert valid.pem --key -")
        #expect(escaped.errors.contains("printf '%b'"), "\(escaped.errors)")
        let empty = try workspace.shell("$S sign letter.pdf --cert valid.pem --key - </dev/null")
        #expect(empty.errors.contains("standard input: the input is empty"), "\(empty.errors)")
    }

    @Test func aSignatureBesideADocumentIsNamed() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("cms sign letter.pdf -o letter.pdf.p7s \(Self.key)")
        let outcome = try workspace.signet("verify letter.pdf").expect(.nothingToVerify)
        #expect(outcome.errors.contains("signet verify letter.pdf.p7s"))
    }

    @Test func aSizeWithoutAUnitIsToldInMillimetres() throws {
        let workspace = try signingWorkspace()
        for (size, isTold) in [("80x40", true), ("80x40pt", false), ("60x20mm", false)] {
            let outcome = try workspace.succeed(
                "sign letter.pdf --at 1:top --size \(size) -o \(size).pdf \(Self.key)")
            #expect(outcome.errors.contains("28 x 14 mm") == isTold, "\(outcome.errors)")
        }
    }

    @Test func rareAlgorithmsAreTold() throws {
        let workspace = try signingWorkspace()
        try workspace.makeKey("e", "ed25519")
        try workspace.succeed("cert create --key e.pem --subject CN=E -o e.crt")
        let rare = try workspace.succeed("sign letter.pdf --key e.pem --cert e.crt")
        #expect(rare.errors.contains("do not support Ed25519"))
        let usual = try workspace.signet("sign letter.pdf -o u.pdf \(Self.key)")
        #expect(!usual.errors.contains("do not support"))
    }

    /// A certificate of an authority that publishes its own one is of no root.
    @Test func aMissingIssuerIsTold() throws {
        let workspace = try Workspace()
        try workspace.copyVector("pdf/handmade/letter.pdf")
        for (name, more) in [("root", ["--ca"]), ("me", [])] {
            try workspace.makeKey(name)
            try workspace.succeed(
                "cert create --key \(name).pem --subject CN=\(name) -o \(name).crt \(more)")
        }
        try workspace.succeed("csr create --key me.pem --subject CN=me -o me.csr")
        let usage = "keyUsage=critical,digitalSignature\n"
        for (file, extensions) in [
            ("named.crt", usage + "authorityInfoAccess=caIssuers;URI:http://ca.example/sub.cer\n"),
            ("silent.crt", usage),
        ] {
            try workspace.write(extensions, to: "x.cnf")
            try workspace.openssl([
                "x509", "-req", "-in", "me.csr", "-CA", "root.crt", "-CAkey", "root.pem", "-days",
                "9", "-extfile", "x.cnf", "-out", file,
            ])
        }
        let note = "the issuer certificate ('root') is not included"
        for (index, (options, isTold)) in [
            (["--cert", "named.crt"], true),
            (["--cert", "named.crt", "--chain", "root.crt"], false),
            (["--cert", "silent.crt"], false),
        ].enumerated() {
            let outcome = try workspace.succeed(
                "sign letter.pdf --key me.pem -o \(index).pdf \(options)")
            #expect(outcome.errors.contains(note) == isTold, "\(options): \(outcome.errors)")
        }
    }

    // MARK: Shown and explained

    @Test func aPNGIsExplained() throws {
        let workspace = try Workspace()
        try workspace.write(Data(SamplePNG.quarters(4, 2).bytes), to: "scan")
        let outcome = try workspace.succeed("show scan")
        #expect(outcome.output.contains("PNG picture, 4 x 2 pixels"))
        #expect(outcome.output.contains("RGB, without loss"))
    }

    @Test func aPhotoBecomesADocumentBesideIt() throws {
        let workspace = try Workspace()
        try workspace.write(Data(SamplePNG.quarters(4, 2).bytes), to: "card.PNG")
        try workspace.succeed("convert card.PNG")
        let made = try workspace.read("card.pdf")
        try workspace.signet("convert card.PNG")
            .expectRefusal(.cannotCreateOutput, naming: "card.pdf: the output file already exists")
        #expect(try workspace.read("card.pdf") == made)
        try workspace.signet("convert card.PNG card.PNG").expectRefusal(.usage, naming: "-o FILE")
    }

    @Test func anIdentityIsDescribed() throws {
        let workspace = try signingWorkspace()
        let data = ["XDG_DATA_HOME": workspace.url("data").path]
        try workspace.succeed("identity import work \(Self.key)", environment: data)
        let outcome = try workspace.succeed("identity show work", environment: data)
        for word in [
            "work\n", "  valid from ", "  certificate  SHA-256 ", "/identities/work/key.pem",
        ] { #expect(outcome.output.contains(word), "\(outcome.output)") }
        let shown = try workspace.signet("identity show work --json", environment: data).json()
        #expect(shown.sha256.text.count == 64 && shown.key.text.hasSuffix("key.pem"))
    }

    @Test func theLevelsAreExplained() throws {
        let outcome = try Workspace().signet("help levels")
        outcome.expect(.done)
        for word in ["  LTA  ", "signet tsp serve", "--crl ca.crl"] {
            #expect(outcome.output.contains(word))
        }
    }

    @Test func theGeneralHelpNamesWhatElseIsExplained() throws {
        let outcome = try Workspace().signet("help help")
        outcome.expect(.done)
        #expect(outcome.output.contains("Topics: levels,"))
    }

    @Test func optionsThatBeginWithADash() throws {
        let workspace = try signingWorkspace()
        try workspace.signet(["sign", "letter.pdf", "—key", "key.pem"])
            .expectRefusal(.usage, naming: "type two hyphens: --key")
        let outcome = try workspace.signet("hash sign letter.pdf")
        outcome.expect(.usage)
        #expect(!outcome.errors.contains("did you mean"), "\(outcome.errors)")
    }

    @Test func aKeyIsNoCertificate() throws {
        try signingWorkspace().signet("sign letter.pdf --key key.pem --cert key.pem")
            .expectRefusal(
                .malformedInput, naming: "the file is a private key, not a certificate",
                "use a file with the certificate")
        try signingWorkspace().signet("sign letter.pdf --key valid.pem --cert key.pem")
            .expectRefusal(.usage, naming: "are swapped", "--key key.pem --cert valid.pem")
    }

    /// What takes a PDF to level T asks nobody about certificates.
    @Test func levelTNeedsATimeStampAlone() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        let outcome = try workspace.signet(
            "verify letter.signed.pdf --trust valid.pem --require-level T")
        outcome.expect(ExitCode.indeterminate)
        #expect(
            outcome.output.contains("  signet timestamp letter.signed.pdf --tsa URL"),
            "\(outcome.output)")
    }
}
