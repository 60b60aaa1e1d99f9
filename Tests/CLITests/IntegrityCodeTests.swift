import Foundation
import SignetTestSupport
import Testing

/// Timestamps of documents with MACs; without pyHanko these tests say so and do nothing.
@Suite struct IntegrityCodeCommandTests {
    private static let password = ["--password-env", "PW"]
    private static let environment = ["PW": "user"]

    /// A workspace with a sample as `locked.pdf`.
    private static func stamping(_ name: String) throws -> StampingWorkspace? {
        guard let bytes = try EncryptedSamples.document(name),
            let stamping = try StampingWorkspace()
        else { return nil }
        try stamping.workspace.write(Data(bytes), to: "locked.pdf")
        return stamping
    }

    private func run(_ workspace: Workspace, _ arguments: [String]) throws {
        try workspace.succeed("\(arguments) \(Self.password)", environment: Self.environment)
    }

    private func verified(_ stamping: StampingWorkspace, _ file: String) throws -> VerifyReport {
        let outcome = try stamping.workspace.succeed(
            ["verify", file, "--trust", "valid.pem", "--trust", stamping.server.file("ca.pem")]
                + ["--json"] + Self.password, environment: Self.environment)
        return try outcome.json(VerifyReport.self)
    }

    @Test(arguments: [("aes-mac", true), ("gcm", false)])
    func showsWhetherACodeIsDemanded(name: String, isDemanded: Bool) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let workspace = try Workspace()
        try workspace.write(Data(bytes), to: "locked.pdf")
        let show = ["show", "locked.pdf"] + Self.password
        let json = try workspace.signet("\(show) --json", environment: Self.environment)
        let encryption = try json.json().encryption
        #expect(encryption.integrityCodeDemanded == .bool(isDemanded))
        #expect(encryption.integrityCode == (isDemanded ? "standalone" : .null))
        let text = try workspace.succeed(show, environment: Self.environment)
        #expect(text.output.contains("MAC for every revision") == isDemanded)
        #expect(text.output.contains("has          MAC in the trailer") == isDemanded)
    }

    /// Where nobody signed, nothing else tells why the file is not to be relied on.
    @Test(arguments: [
        ("aes-mac", "/AuthCode", "FAILED", "missing or invalid", "missing"),
        ("aes-mac", "/Standalone", "FAILED", "missing or invalid", "malformed"),
        ("form", "/Perms", "INDETERMINATE", "could not be confirmed", "unchecked"),
    ])
    func reportsNameTheCode(
        name: String, key: String, word: String, sentence: String, code: String
    ) throws {
        guard let bytes = try EncryptedSamples.document(name) else { return }
        let workspace = try Workspace()
        var changed = Data(bytes)
        let place = try #require(changed.range(of: Data(key.utf8), options: .backwards))
        changed[place.upperBound - 1] = UInt8(ascii: "x")
        try workspace.write(changed, to: "locked.pdf")
        let verify = ["verify", "locked.pdf"] + Self.password
        for report in ["r.html", "r.xml"] {
            let outcome = try workspace.signet(
                "\(verify) --report \(report)", environment: Self.environment)
            #expect(outcome.output.contains("MAC           \(word)"))
        }
        let page = try workspace.text("r.html")
        #expect(page.contains(sentence) && !page.contains("signature is invalid"))
        #expect(page.contains("<h2>Message authentication code (MAC)</h2>"))
        let xml = try workspace.text("r.xml")
        #expect(xml.contains("<Type>urn:signet:problem:integrity-code-\(code)</Type>"))
        #expect(xml.contains("urn:signet:check:integrity-code"))
        guard let python = try PythonEnvironment.find("python") else { return }
        let schema = TestVectors.root.appendingPathComponent("Scripts/schema/report/report.xsd")
        let check =
            "import sys; from lxml import etree; etree.XMLSchema(etree.parse(sys.argv[1]))"
            + ".assertValid(etree.parse(sys.argv[2]))"
        let run = try ExternalTool.run(
            python, ["-c", check, schema.path, workspace.url("r.xml").path])
        #expect(run.status == 0, "\(run.errors)")
    }

    /// Installed programs take it for an empty document, and fail at nothing.
    @Test func showsNoPicturesOfWhatOthersCannotRead() throws {
        guard let stamping = try Self.stamping("gcm-mac") else { return }
        let workspace = stamping.workspace
        let sign = ["sign", "locked.pdf", "--key", "key.pem", "--cert", "valid.pem"]
        for options in [["--preview", "p.png", "--at", "1:center"], ["--at", "text:Secret"]] {
            let outcome = try workspace.signet(
                "\(sign) \(options) -o x.pdf \(Self.password)", environment: Self.environment)
            outcome.expectRefusal(.malformedInput, naming: "ISO/TS 32003")
        }
        #expect(!workspace.exists("p.png") && !workspace.exists("x.pdf"))
        guard try ExternalTool.find("pdftoppm") != nil else { return }
        try run(workspace, sign + ["--at", "1:center", "-o", "s.pdf"])
        let outcome = try workspace.signet(
            "verify s.pdf --report r.html --report-pages \(Self.password)",
            environment: Self.environment)
        #expect(outcome.errors.contains("the document is encrypted"))
        let page = try workspace.text("r.html")
        #expect(page.contains("The pages are not shown") && !page.contains("<img"))
    }

    @Test(arguments: ["aes-mac", "gcm-mac"])
    func stampsDocumentsAndSignatures(name: String) throws {
        guard let stamping = try Self.stamping(name) else { return }
        let workspace = stamping.workspace
        let authority = [
            "--tsa", stamping.server.url("ok"), "--tsa-anchor", stamping.server.file("ca.pem"),
        ]
        try run(
            workspace,
            ["sign", "locked.pdf", "--key", "key.pem", "--cert", "valid.pem", "-o", "s.pdf"]
                + authority)
        try run(workspace, ["timestamp", "s.pdf", "--digest", "sha512", "-o", "t.pdf"] + authority)
        try run(
            workspace, ["sign", "t.pdf", "--key", "key.pem", "--cert", "valid.pem", "-o", "u.pdf"])
        for (file, digest, count) in [
            ("s.pdf", "sha256", 1), ("t.pdf", "sha512", 2), ("u.pdf", "sha256", 3),
        ] {
            let report = try verified(stamping, file)
            #expect(report.verdict == "passed" && report.signatures.count == count)
            #expect(report.signatures.first?.level == "B-T")
            let code = try #require(report.integrityCode)
            #expect(code.valid && code.digest == digest)
            #expect(code.location == "attached-to-signature")
            let judged = try EncryptedSamples.judge(
                [UInt8](try workspace.read(file)), password: "user")
            #expect(judged == "USER" + String(repeating: " valid", count: count))
        }
        try expectsOpensslTakesTheToken(stamping, "s.pdf", "t.pdf")
    }

    /// The code changes nothing of what the authority signed.
    private func expectsOpensslTakesTheToken(
        _ stamping: StampingWorkspace, _ before: String, _ after: String
    ) throws {
        let workspace = stamping.workspace
        let (old, new) = (try workspace.read(before), try workspace.read(after))
        let update = new[old.count...]
        let mark = Data("/Contents <".utf8)
        let start = try #require(update.range(of: mark)?.upperBound)
        let end = try #require(update[start...].firstIndex(of: UInt8(ascii: ">")))
        let digits = String(decoding: update[start..<end], as: UTF8.self)
        var token: [UInt8] = []
        var rest = Substring(digits)
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            token.append(byte)
            rest = rest.dropFirst(2)
        }
        let length = 4 + Int(token[2]) << 8 + Int(token[3])
        try workspace.write(Data(token.prefix(length)), to: "token.der")
        try workspace.write(new[..<(start - 1)] + new[(end + 1)...], to: "covered")
        try workspace.openssl(
            """
            ts -verify -in token.der -token_in -data covered \
            -CAfile \(stamping.server.file("ca.pem"))
            """)
    }

    @Test func aDryRunAndShowKnowTheDocument() throws {
        guard let stamping = try Self.stamping("aes-mac") else { return }
        let workspace = stamping.workspace
        try run(
            workspace,
            ["sign", "locked.pdf", "--key", "key.pem", "--cert", "valid.pem", "--dry-run"])
        #expect(!workspace.exists("locked.signed.pdf"))
        let shown = try workspace.succeed(
            "show locked.pdf \(Self.password)", environment: Self.environment)
        #expect(shown.output.contains("AES-256"))
    }

    // MARK: Long-term levels

    /// How a sample is opened.
    private struct Access {
        let options: [String]
        let recipient: String

        init(recipient: String) throws {
            self.recipient = recipient
            options =
                recipient.isEmpty
                ? IntegrityCodeCommandTests.password
                : ["--decrypt-key", "\(try EncryptedSamples.path() ?? "")/\(recipient).key"]
        }
    }

    /// Every revision has a code of its own, in the trailer where it brings no signature.
    @Test(arguments: [
        ("aes-mac", "", true), ("gcm-mac", "", true), ("r5-mac", "", true),
        ("key-mac", "first", true), ("gcm", "", false), ("key-aes256", "first", false),
    ])
    func raises(name: String, recipient: String, isCoded: Bool) throws {
        guard let bytes = try EncryptedSamples.document(name), let server = try EvidenceServer()
        else { return }
        let workspace = try Workspace()
        try workspace.write(Data(bytes), to: "locked.pdf")
        let access = try Access(recipient: recipient)
        let trust = ["--trust", server.path("anchors.pem")]
        let tsa = ["--tsa", server.authority()]
        func run(_ arguments: [String]) throws {
            try workspace.succeed(
                "\(arguments) \(trust) \(access.options)", environment: Self.environment)
        }
        let key = [
            "--key", server.path("signer.pem"), "--cert", server.path("signer.crt"), "--chain",
            server.path("interm.crt"),
        ]
        try run(["sign", "locked.pdf", "--level", "LT", "-o", "lt.pdf"] + key + tsa)
        try run(["extend", "lt.pdf", "-o", "lta.pdf"] + tsa)
        try run(["sign", "locked.pdf", "--level", "LTA", "-o", "once.pdf"] + key + tsa)
        for (file, level, location) in [
            ("lt.pdf", "B-LT", "standalone"), ("lta.pdf", "B-LTA", "attached-to-signature"),
            ("once.pdf", "B-LTA", "attached-to-signature"),
        ] {
            let all = try workspace.read(file)
            let ends = all.indices(after: "%%EOF\n").filter { $0 >= bytes.count }
            #expect(ends.last == all.count && ends.count >= 3, "\(file): \(ends)")
            for end in ends {
                try workspace.write(all[..<end], to: "cut.pdf")
                let outcome = try workspace.signet(
                    "verify cut.pdf --json \(trust) \(access.options)",
                    environment: Self.environment)
                let report = try outcome.json(VerifyReport.self)
                #expect(report.integrityCode?.valid == (isCoded ? true : nil), "\(outcome.output)")
                guard end == all.count else { continue }
                #expect(report.signatures.first?.level == level, "\(outcome.output)")
                if isCoded { #expect(report.integrityCode?.location == location) }
            }
            let judged = try EncryptedSamples.judge(
                [UInt8](all), password: "user", recipient: recipient)
            #expect(
                judged?.contains(" valid") == true && judged?.contains("FAILED") == false
                    && judged?.contains("INVALID") == false, "\(file): \(judged ?? "")")
        }
    }

    // MARK: Secrets

    /// No key of a document is in what is said or written, whatever the steps are.
    @Test(arguments: [("gcm-mac", ""), ("aes-mac", ""), ("key-mac", "first")])
    func keepsKeysToItself(name: String, recipient: String) throws {
        guard let stamping = try Self.stamping(name),
            let bytes = try EncryptedSamples.document(name),
            let opinion = try EncryptedSamples.opinion(
                bytes, password: "user", recipient: recipient)
        else { return }
        let workspace = stamping.workspace
        let access = try Access(recipient: recipient)
        #expect(opinion.keys.count == 2)
        var said = Data()
        let certificate = ["--cert", "valid.pem"]
        for arguments in [
            ["remote", "prepare", "locked.pdf", "-o", "p.pdf", "--to-sign", "hash"] + certificate,
            ["sign", "locked.pdf", "--key", "key.pem", "-o", "s.pdf"] + certificate,
            ["timestamp", "s.pdf", "-o", "t.pdf", "--tsa", stamping.server.url("ok")]
                + ["--tsa-anchor", stamping.server.file("ca.pem")],
            ["verify", "s.pdf", "--json"], ["show", "s.pdf", "--json"], ["show", "p.pdf"],
        ] {
            let outcome = try workspace.signet(
                "\(arguments) -v \(access.options)", environment: Self.environment)
            #expect(
                [ExitCode.done, ExitCode.indeterminate].contains(outcome.exitCode),
                "\(arguments): \(outcome.errors)")
            said += Data(outcome.output.utf8) + Data(outcome.errors.utf8)
        }
        for file in try workspace.names where file != "locked.pdf" {
            said += try workspace.read(file)
        }
        for digits in opinion.keys {
            let key = try #require(Data(hexadecimal: digits))
            #expect(said.range(of: key) == nil)
            for text in [digits, digits.uppercased(), key.base64EncodedString()] {
                #expect(said.range(of: Data(text.utf8)) == nil)
            }
        }
    }
}

extension Data {
    /// The places after each mark.
    fileprivate func indices(after mark: String) -> [Int] {
        var found: [Int] = []
        var start = startIndex
        while let range = range(of: Data(mark.utf8), in: start..<endIndex) {
            found.append(range.upperBound)
            start = range.upperBound
        }
        return found
    }

    fileprivate init?(hexadecimal digits: String) {
        self.init()
        var rest = Substring(digits)
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            append(byte)
            rest = rest.dropFirst(2)
        }
    }
}
