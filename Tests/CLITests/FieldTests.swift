import Foundation
import SignetTestSupport
import Testing

/// Empty signature fields: added, listed, signed.
@Suite struct FieldTests {
    private static let key = ["--key", "key.pem", "--cert", "valid.pem"]

    private func list(_ file: String, in workspace: Workspace) throws -> JSON {
        let outcome = try workspace.succeed("field list \(file) --json")
        return try outcome.json().fields
    }

    @Test func fieldsAreAddedListedAndSigned() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.succeed([
            "field", "add", "letter.pdf", "--field", "Buyer", "--at", "last:bottom-left", "--field",
            "Seller", "--at", "1:bottom-right", "--tooltip", "Head of department", "--required",
            "--json",
        ])
        let added = try outcome.json()
        #expect(added.fields.map(\.name) == ["Buyer", "Seller"])
        let original = try workspace.read("letter.pdf")
        #expect(try workspace.read("letter.fields.pdf").starts(with: original))

        let listed = try list("letter.fields.pdf", in: workspace)
        #expect(listed.map(\.name) == ["Buyer", "Seller"])
        for (field, added) in zip(listed, added.fields) {
            let (there, said) = (try #require(field.widgets.first), added.widget)
            #expect(there.page == 1 && said.page == 1)
            #expect(zip(there.rect, said.rect).allSatisfy { abs($0.number - $1.number) < 0.001 })
        }
        #expect(
            listed.allSatisfy {
                $0.state == "empty" && $0.required == true && $0.tooltip == "Head of department"
                    && $0.doubts.isEmpty && $0.constraints.isEmpty && $0.lock == .null
            })
        let text = try workspace.succeed("field list letter.fields.pdf")
        #expect(text.output.contains("letter.fields.pdf: 2 signature fields\n"))
        #expect(text.output.contains("\n  Buyer: empty, page 1\n"))
        let verbose = try workspace.succeed("field list letter.fields.pdf -v")
        #expect(verbose.output.contains(/Buyer: empty, page 1, \d+ x \d+ mm at \d+ x \d+ mm/))

        try workspace.succeed("sign letter.fields.pdf --field Seller \(Self.key)")
        try workspace.succeed("sign letter.fields.signed.pdf --in-place \(Self.key)")
        let signed = try list("letter.fields.signed.pdf", in: workspace)
        #expect(signed.map(\.state) == ["signed", "signed"])
        #expect(signed.map(\.signer) == ["Valid Signer", "Valid Signer"])
        try workspace.succeed("verify letter.fields.signed.pdf --trust valid.pem")
    }

    @Test func othersReadTheFields() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed([
            "field", "add", "letter.pdf", "--field", "Buyer", "--at", "auto", "--field", "Seller",
            "--lock", "all", "--reason", "Seen", "--certify", "none",
        ])
        try workspace.tool("qpdf --check letter.fields.pdf")?.expect(.done)
        if let text = try workspace.tool("pdfsig letter.fields.pdf")?.output {
            #expect(text.contains("Signature Field Name: Buyer"))
            #expect(text.components(separatedBy: "is not signed").count == 3)
        }
        try workspace.succeed([
            "field", "add", "letter.pdf", "--field", "A", "--lock", "only:B,C", "--lock-level",
            "form-filling", "--reason", "Seen", "--reason", "Viděno", "--digest", "sha512",
            "--subfilter", "ETSI.CAdES.detached", "--certify", "annotations", "--tsa",
            "https://tsa.example", "--subject", "O=Firma,C=CZ", "--key-usage", "nonRepudiation",
            "-o", "seed.pdf",
        ])
        if let python = try PythonEnvironment.find("python") {
            let script = TestVectors.root.appendingPathComponent("Scripts/lib/field_judge.py").path
            let run = try ExternalTool.run(python, [script, workspace.url("seed.pdf").path])
            #expect(run.status == 0, "\(run.errors)")
            // What pyHanko makes of a field; see Scripts/lib/field_judge.py.
            let judged = try JSONDecoder().decode(JSON.self, from: Data(run.output))
            let expected: JSON = [
                "name": "A", "isEmpty": true, "flags": 0b1001010, "reasons": ["Seen", "Viděno"],
                "digests": ["sha512"], "formats": ["ETSI.CAdES.detached"],
                "timestamp": "https://tsa.example", "certification": 3,
                "certificateFlags": 0b101000,
                "subject": ["organization_name": "Firma", "country_name": "CZ"],
                "keyUsage": ["X1XXXXXXX"], "lock": ["/Include", "B", "C"], "lockLevel": 2,
            ]
            #expect(judged == .array([expected]))
        }
        if let signed = try workspace.tool("mutool sign letter.fields.pdf") {
            #expect(!(signed.output + signed.errors).contains("error:"), "\(signed)")
        }
    }

    static let demands: [(options: [String], wrong: [String], right: [String], words: String)] = [
        (
            ["--reason", "Approved", "--reason", "Rejected"], ["--reason", "Other"],
            ["--reason", "Rejected"], "Approved"
        ), (["--digest", "sha512"], ["--digest", "sha256"], ["--digest", "sha512"], "SHA512"),
        (
            ["--subfilter", "adbe.pkcs7.detached"], ["--subfilter", "ETSI.CAdES.detached"],
            ["--subfilter", "adbe.pkcs7.detached"], "adbe.pkcs7.detached"
        ),
        (
            ["--certify", "form-filling"], ["--certify", "annotations"],
            ["--certify", "form-filling"], "form-filling"
        ), (["--certify", "none"], ["--certify", "annotations"], [], "certif"),
        (["--lock", "only:Other"], ["--lock", "all"], ["--lock", "only:Other"], "lock"),
        (
            ["--lock", "all", "--lock-level", "no-changes"],
            ["--lock", "all", "--lock-level", "annotations"],
            ["--lock", "all", "--lock-level", "no-changes"], "no-changes"
        ),
        (
            ["--signer", "valid.pem"], ["--cert", "other.pem", "--key", "mine.pem"], [],
            "another signing certificate"
        ),
        (["--issuer", "valid.pem"], ["--cert", "other.pem", "--key", "mine.pem"], [], "issuer"),
        (
            ["--subject", "O=Signet tests,C=CZ"], ["--cert", "other.pem", "--key", "mine.pem"], [],
            "subject"
        ),
    ]

    /// What a field demands is what its signer has to give.
    @Test(arguments: demands.indices) func demandsHold(index: Int) throws {
        let (options, wrong, right, words) = Self.demands[index]
        let workspace = try signingWorkspace()
        try workspace.makeKey("mine")
        try workspace.succeed("cert create --key mine.pem --subject CN=Other -o other.pem")
        try workspace.succeed("field add letter.pdf --field A --at auto -o a.pdf \(options)")
        let signing = ["sign", "a.pdf", "--force"]
        let refused = try workspace.signet(
            "\(signing) \(wrong.contains("--key") ? wrong : Self.key + wrong)")
        #expect([ExitCode.usage, ExitCode.malformedInput].contains(refused.exitCode))
        #expect(refused.errors.contains(words), "\(refused.errors)")
        try workspace.signet("\(signing) \(Self.key) \(right)").expect(.done, "\(options)")
        try workspace.succeed("verify a.signed.pdf --trust valid.pem")

        // Advice binds nobody, except where there is none.
        guard !["--lock", "--certify"].contains(options[0]) else { return }
        try workspace.succeed("field add letter.pdf --field A -o b.pdf --advice \(options)")
        #expect(try list("b.pdf", in: workspace)[0].constraints.allSatisfy { $0.demanded == false })
        try workspace.succeed("sign b.pdf \(wrong.contains("--key") ? wrong : Self.key + wrong)")
    }

    @Test func timestampsAreDemanded() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("field add letter.pdf --field A --tsa https://tsa.example/ts")
        let field = try list("letter.fields.pdf", in: workspace)[0]
        #expect(field.constraints.map(\.kind) == ["timestamp"])
        #expect(field.constraints[0].values == ["https://tsa.example/ts"])
        try workspace.signet("sign letter.fields.pdf \(Self.key)")
            .expectRefusal(.malformedInput, naming: "https://tsa.example/ts", "--tsa")
    }

    @Test func keyUsageIsDemanded() throws {
        let workspace = try signingWorkspace()
        for (usage, code) in [
            ("nonRepudiation", ExitCode.done), ("keyCertSign", ExitCode.malformedInput),
        ] {
            try workspace.succeed("field add letter.pdf --field A --key-usage \(usage) --force")
            let signed = try workspace.signet("sign letter.fields.pdf \(Self.key) --force")
            signed.expect(code)
            #expect(signed.errors.contains("other key usage") == (code != .done))
        }
        try workspace.signet("field add letter.pdf --field A --key-usage all")
            .expectRefusal(.usage, naming: "unknown key usage 'all'", "nonRepudiation")
    }

    @Test func signedDocumentsGetFieldsByAnUpdateOrNone() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        let added = try workspace.succeed("field add letter.signed.pdf --field Later --at auto")
        #expect(added.errors.contains("already signed"))
        let signed = try workspace.read("letter.signed.pdf")
        #expect(try workspace.read("letter.signed.fields.pdf").starts(with: signed))
        let verified = try workspace.succeed("verify letter.signed.fields.pdf --trust valid.pem")
        #expect(verified.output.contains("the form field 'Later' was added"))

        for level in ["no-changes", "form-filling"] {
            try workspace.succeed("sign letter.pdf --certify \(level) -o \(level).pdf \(Self.key)")
            try workspace.signet("field add \(level).pdf --field Later --at auto -o no.pdf")
                .expectRefusal(.malformedInput, naming: "\(level).pdf")
            #expect(!workspace.exists("no.pdf"))
        }
    }

    @Test func locksThatForbidAllForbidFields() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed(
            "field add letter.pdf --field A --lock all --lock-level no-changes -o locked.pdf")
        try workspace.succeed(
            "sign locked.pdf --in-place --lock all --lock-level no-changes \(Self.key)")
        try workspace.signet("field add locked.pdf --field B --in-place")
            .expectRefusal(.malformedInput, naming: "'A' permits no changes")
        #expect(try list("locked.pdf", in: workspace).map(\.name) == ["A"])
    }

    /// Of each field, with its own words.
    @Test func taggedFilesGetTags() throws {
        let workspace = try signingWorkspace()
        let catalog = """
            /MarkInfo <</Marked true>> /StructTreeRoot 6 0 R /Lang (en)
            """
        let sample = SamplePDF(
            catalogEntries: catalog,
            extraObjects: ["<</Type /StructTreeRoot /K [] /ParentTree <</Nums []>>>>"])
        try workspace.write(Data(sample.bytes), to: "tagged.pdf")
        try workspace.succeed([
            "field", "add", "tagged.pdf", "--field", "A", "--at", "auto", "--field", "B", "--at",
            "1:top-left", "--tooltip", "Sign here",
        ])
        let text = String(
            decoding: try workspace.read("tagged.fields.pdf").dropFirst(sample.bytes.count),
            as: UTF8.self)
        #expect(text.components(separatedBy: "/StructParent ").count == 3)
        #expect(text.components(separatedBy: "/TU (Sign here)").count == 3)
        #expect(text.contains("/Tabs /S") || text.contains("/Tabs/S"))
    }

    /// A group of fields has a name as well.
    @Test func groupsKeepTheirNames() throws {
        let workspace = try signingWorkspace()
        let sample = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: ["<</T (Signature1) /Kids [7 0 R]>>", "<</T (x) /FT /Tx /Parent 6 0 R>>"])
        try workspace.write(Data(sample.bytes), to: "group.pdf")
        let outcome = try workspace.shell("$S sign group.pdf $K -o out.pdf --json").expect(.done)
        #expect(outcome.output.contains("\"field\":\"Signature2\""))
        for command in ["sign group.pdf $K --force --field", "field add group.pdf --field"] {
            try workspace.shell("$S \(command) Signature1 -o out.pdf")
                .expectRefusal(.usage, naming: "a group of fields")
        }
    }

    @Test func whatCannotBeAddedIsRefused() throws {
        let workspace = try signingWorkspace()
        func add(_ options: String...) throws -> CommandOutcome {
            try workspace.signet("field add letter.pdf -o out.pdf \(options)")
        }
        try add().expectRefusal(.usage, naming: "--field NAME")
        try add("--field", "A.B").expectRefusal(.usage, naming: "must not contain periods")
        try add("--field", "A", "--field", "A").expectRefusal(.usage, naming: "twice")
        try add("--field", "A", "--field", "B", "--at", "1:top")
            .expectRefusal(.usage, naming: "(2) differs from the number of positions (1)")
        try add("--field", "A", "--at", "1:top", "--field", "B", "--at", "1:top")
            .expectRefusal(.usage, naming: "another new field", "--at auto")
        try add("--field", "A", "--at", "7:top")
            .expectRefusal(.noSuchPlace, naming: "page 7 does not exist")
        try add("--field", "A", "--subject", "UID=7")
            .expectRefusal(.usage, naming: "CN, C, L, ST, O, OU and E")
        try add("--field", "A", "--signer", "none.pem")
            .expectRefusal(.missingInput, naming: "none.pem")
        try workspace.succeed("field add letter.pdf --field A -o out.pdf")
        try workspace.signet("field add out.pdf --field A")
            .expectRefusal(.usage, naming: "already exists")
        try add("--field", "B").expectRefusal(.cannotCreateOutput, naming: "--force")
        try add("--field", "B", "--force").expect(.done)
    }

    @Test func manyFilesGetFields() throws {
        let workspace = try signingWorkspace()
        try workspace.makeFolder("in")
        for name in ["a.pdf", "b.pdf"] {
            try workspace.write(workspace.read("letter.pdf"), to: "in/\(name)")
        }
        try workspace.write("not a PDF", to: "in/c.pdf")
        let run = try workspace.signet("field add in --recursive --field A --at auto -o out/")
        run.expect(.malformedInput)
        #expect(run.errors.contains("2 changed, 1 error"))
        let listed = try workspace.succeed("field list out --recursive --json")
        #expect(listed.output.split(separator: "\n").count == 3)
        try workspace.signet("field list letter.pdf --journal j")
            .expectRefusal(.usage, naming: "--journal")
    }
}
