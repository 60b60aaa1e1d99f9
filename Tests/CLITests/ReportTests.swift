import Foundation
import SignetTestSupport
import Testing

/// The page for people.
@Suite struct ReportPageTests {
    private func workspace(name: String) throws -> Workspace {
        let workspace = try Workspace()
        // Signet itself certifies no name with characters that nobody sees.
        let escaped = name.replacing("/", with: "\\/")
        try workspace.write(Data(SamplePDF.pages(1)), to: "a.pdf")
        try workspace.makeKey("k")
        try workspace.openssl(
            "req -x509 -new -key k.pem -utf8 -subj /CN=\(escaped) -days 3650 -out c.pem")
        try workspace.succeed("sign a.pdf --key k.pem --cert c.pem -o s.pdf --reason=\(name)")
        return workspace
    }

    private func page(_ workspace: Workspace, _ options: String...) throws -> String {
        _ = try workspace.signet("verify s.pdf --report r.html --force \(options)")
        return try workspace.text("r.html").replacing("<wbr>", with: "")
    }

    @Test func saysWhatVerifySays() throws {
        let workspace = try workspace(name: "Jan Novák")
        let passed = try page(workspace, "--trust", "c.pem")
        #expect(passed.contains("class=\"answer passed\""))
        #expect(passed.contains("Jan Novák"))
        #expect(passed.contains("<svg"))
        #expect(!passed.contains("<dt>Location</dt>"))
        let doubtful = try page(workspace)
        #expect(doubtful.contains("class=\"answer indeterminate\""))
        #expect(!doubtful.contains("class=\"answer passed\""))
        let bytes = try workspace.read("s.pdf")
        let hash = try workspace.signet("hash digest s.pdf")
        #expect(passed.contains(String(hash.output.prefix(64))))
        var altered = bytes
        let place = try #require(altered.firstRange(of: Data("/MediaBox".utf8)))
        altered[place.upperBound + 2] ^= 1
        try workspace.write(Data(altered), to: "s.pdf")
        let failed = try page(workspace, "--trust", "c.pem")
        #expect(failed.contains("class=\"answer failed\""))
        // Nothing is said to be unchanged.
        #expect(!failed.contains("<dt>Document</dt>"))
    }

    @Test func hostileNamesShowAndDoNothing() throws {
        let workspace = try workspace(name: "<script>alert(1)</script>&\u{202E}fdp.exe\u{200B}'\"")
        let page = try page(workspace, "--trust", "c.pem")
        #expect(!page.contains("<script"))
        #expect(page.contains("&lt;script&gt;"))
        #expect(page.contains("⟨U+202E⟩"))
        #expect(page.contains("⟨U+200B⟩"))
        #expect(!page.unicodeScalars.contains("\u{202E}"))
    }

    @Test func isCompleteInItselfAndTheSameEachTime() throws {
        let workspace = try workspace(name: "Jan")
        let options = ["--trust", "c.pem", "--at-time", "2027-01-01T00:00:00Z"]
        let first = try page(workspace, options[0], options[1], options[2], options[3])
        let second = try page(workspace, options[0], options[1], options[2], options[3])
        #expect(first == second)
        #expect(first.contains("default-src 'none'"))
        for word in ["http://", "https://", "src=", "href=", "url(", "@import"] {
            #expect(!first.contains(word), "\(word)")
        }
    }

    /// A file can be replaced; a name with a fingerprint cannot.
    @Test func namesTrustAnchorsByFingerprint() throws {
        let workspace = try workspace(name: "Jan")
        let printed = try workspace.openssl("x509 -in c.pem -noout -fingerprint -sha256")
        let fingerprint = try #require(printed.split(separator: "=").last)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        func count(_ page: String) -> Int { page.components(separatedBy: fingerprint).count - 1 }
        // As the given anchor, as the signer's certificate, and as that signature's anchor.
        let trusted = try page(workspace, "--trust", "c.pem")
        #expect(count(trusted) == 3)
        #expect(!trusted.contains("c.pem"))
        #expect(!trusted.contains("system trust store"))
        let pinned = try page(workspace, "--signer", "c.pem")
        #expect(pinned.contains("<dt>Required signer</dt><dd><bdi>Jan</bdi> (<bdi>CN=Jan</bdi>)"))
        // No trust anchor without trust; the hint has the fingerprint, too.
        let doubtful = try page(workspace)
        #expect(count(doubtful) == 2)
        #expect(
            doubtful.contains(
                "<dt>Trusted certificates for this validation</dt><dd>system trust store</dd>"))
        #expect(!doubtful.contains("<dt>Trusted certificate</dt>"))
    }

    /// People read names and their own clock; the complete names are in the certificate's facts.
    @Test func readsLikeALetter() throws {
        let workspace = try workspace(name: "Jan Novák")
        func page(_ zone: String, _ time: String = "2027-01-01T23:30:00Z") throws -> String {
            _ = try workspace.signet(
                "verify s.pdf --report r.html --force --trust c.pem --at-time \(time)",
                environment: ["TZ": zone])
            return try workspace.text("r.html")
        }
        let prague = try page("Europe/Prague")
        #expect(prague.contains("2027-01-01 23:30:00 UTC (2027-01-02 00:30:00 UTC+01:00)"))
        #expect(prague.contains("<dt>Signer</dt><dd><bdi>Jan Novák</bdi></dd>"))
        #expect(prague.contains("<dt>Subject of the certificate</dt><dd><bdi>CN=Jan Novák</bdi>"))
        #expect(
            try page("Europe/Prague", "2027-01-01T22:30:00Z")
                .contains("2027-01-01 22:30:00 UTC (23:30:00 UTC+01:00)"))
        #expect(
            try page("UTC").contains(
                "2027-01-01 23:30:00 UTC</bdi> (set by the person who validated)"))
    }

    /// First an overview, also of files that were not verified, then each file.
    @Test func reportsSeveralFiles() throws {
        let workspace = try workspace(name: "Jan")
        var bytes = try workspace.read("s.pdf")
        let place = try #require(bytes.firstRange(of: Data("/MediaBox".utf8)))
        bytes[place.upperBound + 2] ^= 1
        try workspace.write(bytes, to: "x.pdf")
        let outcome = try workspace.signet("verify s.pdf x.pdf --trust c.pem --report r.html")
            .expect(.invalid)
        #expect(outcome.output.components(separatedBy: "wrote validation report").count == 2)
        let page = try workspace.text("r.html")
        let (head, parts) = (page.components(separatedBy: "<article")[0], page)
        #expect(head.contains("s.pdf</bdi></a></td><td><strong class=\"passed\">valid<"))
        #expect(head.contains("x.pdf</bdi></a></td><td><strong class=\"failed\">invalid<"))
        for place in 0...1 {
            #expect(head.contains("<a href=\"#file\(place)\">"))
            #expect(parts.contains("<article id=\"file\(place)\">"))
        }
        for file in ["s.pdf", "x.pdf"] {
            let hash = try workspace.signet("hash digest \(file)").output.prefix(64)
            #expect(page.replacing("<wbr>", with: "").contains(hash))
        }
        let missing = try workspace.signet("verify s.pdf gone.pdf --trust c.pem --report n.html")
            .expect(.missingInput)
        #expect(missing.output.contains("n.html: wrote validation report"))
        let partial = try workspace.text("n.html")
        #expect(
            partial.contains("<bdi>gone.pdf</bdi></td><td><strong class=\"failed\">not verified"))
        #expect(partial.contains("All signatures are valid"))
        let none = try workspace.signet("verify gone.pdf lost.pdf --report o.html")
        #expect(none.errors.contains("o.html: the report was not written, because no file"))
        #expect(!workspace.exists("o.html"))
        try workspace.signet("verify s.pdf x.pdf --report r.xml")
            .expectRefusal(.usage, naming: "exactly one file")
        try workspace.signet("verify s.pdf --report r.html --journal j")
            .expectRefusal(.usage, naming: "--journal")
    }

    /// What somebody altered is invalid in red, whatever else was changed; what the terminal says is
    /// there; and the page of a message names what was signed.
    @Test func keepsWhatTheTerminalSays() throws {
        let workspace = try workspace(name: "Jan")
        try workspace.succeed(
            "sign a.pdf --key k.pem --cert c.pem -o s.pdf --force --certify form-filling")
        let certified = try page(workspace, "--trust", "c.pem")
        #expect(certified.contains("permits form filling and signing"))
        #expect(certified.contains("All signatures are valid"))
        #expect(!certified.contains("<dt>believed</dt>"))
        try workspace.succeed("sign c.pem --key k.pem --cert c.pem -o m.p7s")
        try workspace.succeed("verify m.p7s --content c.pem --trust c.pem --report m.html")
        let message = try workspace.text("m.html").replacing("<wbr>", with: "")
        #expect(message.contains("<h2>Signature <bdi>1</bdi></h2>"))
        for file in ["m.p7s", "c.pem"] {
            let hash = try workspace.signet("hash digest \(file)").output.prefix(64)
            #expect(message.contains(hash), "\(file)")
            #expect(message.contains("\(try workspace.read(file).count) bytes"))
        }
    }

    /// The same answer in the format of ETSI TS 119 102-2, whatever names hold.
    @Test func writesValidationReports() throws {
        let name = "]]>&<\"'\u{202E}x"
        let workspace = try workspace(name: name)
        func report(_ options: String..., code: Int32) throws -> String {
            try workspace.signet(
                "verify s.pdf --report r.xml --force --at-time 2027-01-01T00:00:00Z \(options)"
            ).expect(code)
            return try workspace.text("r.xml")
        }
        let passed = try report("--trust", "c.pem", code: ExitCode.done)
        #expect(passed.contains("mainindication:total-passed<"))
        #expect(passed.contains("]]&gt;&amp;&lt;&quot;&#39;\u{202E}x</ReasonElement>"))
        #expect(try report("--trust", "c.pem", code: ExitCode.done) == passed)
        let doubtful = try report(code: ExitCode.indeterminate)
        #expect(doubtful.contains("mainindication:indeterminate<"))
        #expect(doubtful.contains("subindication:NO_CERTIFICATE_CHAIN_FOUND<"))
        #expect(!doubtful.contains("total-passed"))
        try workspace.signet("verify a.pdf --report u.xml").expect(.nothingToVerify)
        let unsigned = try workspace.text("u.xml")
        #expect(unsigned.contains("noSignatureFound"))
        // Read by others.
        guard let python = try PythonEnvironment.find("python") else { return }
        let judge = TestVectors.root.appendingPathComponent("Scripts/corpus")
        let outcome = try CommandRunner.run(
            python,
            [judge.path, "reports", workspace.folder.path, "--signet", try SignetBinary.path])
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.hasPrefix("1 reports good, 0 wrong"), "\(outcome.output)")
    }

    @Test func refusesWhatIsNoPage() throws {
        let workspace = try workspace(name: "Jan")
        try workspace.signet("verify s.pdf --report r.pdf")
            .expectRefusal(.usage, naming: "write .html and print it with a browser")
        try workspace.signet("verify missing.pdf --report r.html").expectRefusal(.missingInput)
        #expect(!workspace.exists("r.html"))
        try workspace.write("x", to: "r.html")
        try workspace.signet("verify s.pdf --trust c.pem --report r.html")
            .expectRefusal(.cannotCreateOutput)
        #expect(try workspace.read("r.html") == Data("x".utf8))
    }

    // MARK: Languages

    /// Headings and verdicts in every language, and a translated reason.
    @Test func speaksLanguages() throws {
        let workspace = try workspace(name: "Jan")
        let answers = [
            "ar": "جميع التوقيعات صالحة", "cs": "Všechny podpisy jsou platné",
            "de": "Alle Signaturen sind gültig",
            "en": "All signatures are valid", "es": "Todas las firmas son válidas",
            "fr": "Toutes les signatures sont valides", "it": "Tutte le firme sono valide",
            "pl": "Wszystkie podpisy są ważne", "sk": "Všetky podpisy sú platné",
            "uk": "Усі підписи дійсні", "zh": "所有签名均有效",
        ]
        for (language, answer) in answers {
            let page = try page(workspace, "--trust", "c.pem", "--lang", language)
            let direction = language == "ar" ? "rtl" : "ltr"
            #expect(page.contains("<html lang=\"\(language)\" dir=\"\(direction)\">"))
            #expect(page.contains(answer), "\(language)")
            #expect(!page.contains("{1}"), "\(language)")
        }
        let german = try page(workspace, "--lang", "de")
        #expect(german.contains("das Zertifikat ist selbstsigniert und nicht vertrauenswürdig"))
        #expect(german.contains("nicht vertrauenswürdig"))
        // Commands break between words only.
        #expect(german.contains("<span>--trust</span>"))
        // Without a signature, nothing about it was not checked.
        try workspace.signet("verify a.pdf --report u.html").expect(.nothingToVerify)
        #expect(try !workspace.text("u.html").contains("authorized to sign"))
        try workspace.signet("verify s.pdf --report r.html --lang tlh")
            .expectRefusal(.usage, naming: "--lang")
        try workspace.signet("verify s.pdf --report r.xml --lang de")
            .expectRefusal(.usage, naming: "--report FILE.html")
    }

    // MARK: Pictures

    private func pictures(in page: String) -> Int {
        page.components(separatedBy: "<img ").count - 1
    }

    /// A visible signature, then a second one: the page as it was and as it is, with both framed.
    @Test func showsPagesBeforeAndAfter() throws {
        let workspace = try workspace(name: "Jan")
        func sign(_ input: String, _ place: String, to output: String) throws {
            try workspace.succeed(
                "sign \(input) --key k.pem --cert c.pem -o \(output) --at \(place) --force")
        }
        // Nothing shows, and nothing was changed.
        let none = try page(workspace, "--trust", "c.pem", "--report-pages")
        #expect(pictures(in: none) == 0)
        #expect(none.contains("No page has a visible signature"))
        try sign("a.pdf", "1:bottom-right", to: "one.pdf")
        try sign("one.pdf", "1:top-left", to: "s.pdf")
        let two = try page(workspace, "--trust", "c.pem", "--report-pages")
        guard try ExternalTool.find("pdftoppm") != nil else { return }
        #expect(pictures(in: two) == 2)
        #expect(two.components(separatedBy: "<div class=\"mark").count == 3)
        #expect(two.contains("Page 1 when it was signed (<bdi>Signature1</bdi>)"))
        #expect(two.contains("Page 1 now"))
        #expect(two.contains("img-src data:"))
        #expect(try page(workspace, "--trust", "c.pem").contains("img-src") == false)
        try workspace.write(Data(try workspace.read("one.pdf")), to: "s.pdf")
        let one = try page(workspace, "--trust", "c.pem", "--report-pages")
        #expect(pictures(in: one) == 1)
        // 60 x 20 mm, 15 mm from the edges of A4 or Letter: the frame is in the lower right.
        let left = try #require(one.firstMatch(of: /left:(\d+)\.\d\d%;top:(\d+)/))
        #expect(try #require(Int(left.output.1)) > 50)
        #expect(try #require(Int(left.output.2)) > 80)
    }

    /// Programs that draw are given no password; where there is none, nothing is left behind.
    @Test func saysWhyPagesAreNotShown() throws {
        let workspace = try workspace(name: "Jan")
        try workspace.succeed("sign a.pdf --key k.pem --cert c.pem -o s.pdf --force --at 1:top")
        let missing = try workspace.signet(
            "verify s.pdf --report x.html --report-pages", environment: ["PATH": "/nonexistent"])
        missing.expectRefusal(.missingInput, naming: "apt install poppler-utils")
        #expect(!workspace.exists("x.html"))
        try workspace.signet("verify s.pdf --report x.xml --report-pages")
            .expectRefusal(.usage, naming: "--report FILE.html")
        try workspace.succeed("sign c.pem --key k.pem --cert c.pem -o m.p7s")
        try workspace.signet("verify m.p7s --content c.pem --report x.html --report-pages")
            .expectRefusal(.usage, naming: "not a PDF")
        #expect(!workspace.exists("x.html"))
        guard let qpdf = try ExternalTool.find("qpdf") else { return }
        let run = try ExternalTool.run(
            qpdf,
            ["--encrypt", "secret", "owner", "256", "--", workspace.url("a.pdf").path]
                + [workspace.url("e.pdf").path])
        #expect(run.status == 0)
        try workspace.write("secret", to: "pass")
        try workspace.succeed(
            "sign e.pdf --password-file pass --key k.pem --cert c.pem -o s.pdf --force --at 1:top")
        let outcome = try workspace.succeed(
            "verify s.pdf --password-file pass --trust c.pem --report x.html --report-pages")
        #expect(outcome.errors.contains("the document is encrypted"))
        let page = try workspace.text("x.html")
        #expect(page.contains("The pages are not shown because the document is encrypted"))
        #expect(pictures(in: page) == 0)
    }

    /// Who is killed while the pages are drawn leaves no report; neither does a full disk.
    @Test func leavesNoPartOfAReport() throws {
        let workspace = try workspace(name: "Jan")
        try workspace.succeed("sign a.pdf --key k.pem --cert c.pem -o s.pdf --force --at 1:top")
        try workspace.makeFolder("bin")
        let slow = "#!/bin/sh\n: >'\(workspace.url("started").path)'\nexec /bin/sleep 30\n"
        try workspace.write(slow, to: "bin/pdftoppm")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: workspace.url("bin/pdftoppm").path)
        let before = try workspace.names
        let running = try RunningCommand(
            try SignetBinary.path, ["verify", "s.pdf", "--report", "r.html", "--report-pages"],
            environment: ["PATH": workspace.url("bin").path], folder: workspace.folder)
        for _ in 0..<2000 where !workspace.exists("started") { usleep(5000) }
        #expect(try running.stop(with: SIGKILL).wasKilled)
        let after = try workspace.names.filter { !$0.hasPrefix("stderr-") }
        #expect(after == (before + ["started"]).sorted())
        // A program that never ends its picture is stopped.
        try workspace.write("#!/bin/sh\nexec /bin/cat /dev/zero\n", to: "bin/pdftoppm")
        let flood = try workspace.succeed(
            "verify s.pdf --trust c.pem --report r.html --report-pages",
            environment: ["PATH": workspace.url("bin").path])
        #expect(flood.errors.contains("wrote more than 256 MB"))
        for name in ["f.html", "f.xml"] {
            try workspace.shell("ulimit -f 1; $S verify s.pdf --report \(name)")
                .expect(.inputOutputError)
            #expect(!workspace.exists(name))
        }
    }

    // MARK: For programs

    /// By their hashes alone the pieces take no room, and nobody learns what they say.
    @Test func piecesMayBeHashesAlone() throws {
        let workspace = try workspace(name: "Jan")
        func report(_ options: String...) throws -> String {
            try workspace.succeed("verify s.pdf --report r.xml --force --trust c.pem \(options)")
            return try workspace.text("r.xml")
        }
        #expect(try report("--report-objects", "embed").contains("<base64>"))
        let short = try report("--report-objects", "digest")
        #expect(!short.contains("<base64>"))
        #expect(short.contains("<ValidationObjectRepresentation>\n<DigestAlgAndValue>"))
        try workspace.signet("verify s.pdf --report r.html --report-objects digest")
            .expectRefusal(.usage, naming: "--report FILE.xml")
        guard let python = try PythonEnvironment.find("python") else { return }
        let schema = TestVectors.root.appendingPathComponent("Scripts/schema/report/report.xsd")
        let outcome = try ExternalTool.run(
            python,
            [
                "-c",
                "import sys; from lxml import etree; etree.XMLSchema(etree.parse(sys.argv[1]))"
                    + ".assertValid(etree.parse(sys.argv[2]))",
                schema.path, workspace.url("r.xml").path,
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    // MARK: Browsers

    /// Valid HTML that fits a desk and a phone, fetches nothing and prints all, whatever names hold.
    @Test(.timeLimit(.minutes(5))) func browsersShowAndPrintIt() throws {
        guard let python = try PythonEnvironment.find("python"),
            try ExternalTool.find("chromium") != nil
        else { return }
        let workspace = try workspace(name: "<img src=http://127.0.0.1:9/x>\u{202E}\"'&lt;")
        try workspace.succeed([
            "sign", "a.pdf", "--key", "k.pem", "--cert", "c.pem", "-o", "one.pdf", "--at",
            "1:bottom-right", "--field", "</bdi><img src='//localhost:9/y' onerror=alert(1)>",
            "--reason", "</title><script src=//127.0.0.1:9/z></script>", "--force",
        ])
        try workspace.succeed(
            "sign one.pdf --key k.pem --cert c.pem -o s.pdf --at 1:top-left --force")
        var pages: [String] = []
        for language in ["en", "ar"] {
            let page = try page(workspace, "--trust", "c.pem", "--report-pages", "--lang", language)
            #expect(page.contains("127.0.0.1:9"))
            pages.append(workspace.url("\(language).html").path)
            try workspace.write(page, to: "\(language).html")
        }
        let judge = TestVectors.root.appendingPathComponent("Scripts/lib/report_judge.py")
        let outcome = try CommandRunner.run(python, [judge.path] + pages)
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
    }
}
