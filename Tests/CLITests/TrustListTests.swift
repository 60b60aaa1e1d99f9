import Foundation
import SignetTestSupport
import Testing

/// Trusted lists from end to end, with lists that lxml brought into canonical form.
@Suite struct TrustListTests {
    /// A workspace with `lists`, `anchor.crt`, `scheme.crt`, `signer.pem` and a signed `s.pdf`; nil
    /// without the Python environment.
    private struct Lists {
        let workspace: Workspace
        let python: String

        init?() throws {
            guard let python = try PythonEnvironment.find("python") else { return nil }
            self.python = python
            workspace = try Workspace()
            try make()
            try workspace.write(Data(SamplePDF.pages(1)), to: "a.pdf")
            try workspace.signet(
                "sign", "a.pdf", "--key", "signer.pem", "--cert", "signer.crt", "-o", "s.pdf"
            ).expect(ExitCode.done)
        }

        func make(_ options: String...) throws {
            let script = TestVectors.root.appendingPathComponent("Scripts/lib/make_trust_lists.py")
            let result = try ExternalTool.run(
                python, ["-W", "ignore", script.path, workspace.folder.path] + options)
            #expect(result.status == 0, "\(result.errors)")
        }

        func verify(_ options: String...) throws -> CommandOutcome {
            try workspace.signet(
                ["verify", "s.pdf", "--trust-list", "lists", "--trust-anchor", "anchor.crt"]
                    + options)
        }
    }

    @Test func saysWhatIsQualified() throws {
        guard let lists = try Lists() else { return }
        let outcome = try lists.verify("--require-qualified", "qesig")
        outcome.expect(ExitCode.done)
        #expect(outcome.output.contains("QESig: the certificate is a qualified one"))
        #expect(outcome.output.contains("Test Qualified CA, granted since 2025-01-01"))
        try lists.verify("--require-qualified", "adesig-qc").expect(ExitCode.done)
        let seal = try lists.verify("--require-qualified", "qeseal", "--json")
        seal.expect(ExitCode.indeterminate)
        #expect(seal.output.contains("qualification-not-reached"))
        #expect(seal.output.contains("SIG_CONSTRAINTS_FAILURE"))
        // One list, whose signer a person vouches for.
        try lists.workspace.signet(
            "verify", "s.pdf", "--trust-list", "lists/cz.xml", "--trust-list-cert", "scheme.crt",
            "--require-qualified", "any"
        ).expect(ExitCode.done)
        try lists.workspace.signet(
            "verify", "s.pdf", "--trust-list", "lists/cz.xml", "--trust-list-cert", "anchor.crt"
        ).expectRefusal(ExitCode.credentialRefused, naming: "--trust-list-cert")
        // Without a list nothing is said.
        let without = try lists.workspace.signet("verify", "s.pdf", "--trust", "ca.crt", "--json")
        without.expect(ExitCode.done)
        #expect(without.output.contains("\"qualification\":null"))
    }

    @Test func listsThatDoNotCount() throws {
        guard let lists = try Lists() else { return }
        for (variant, words) in [
            ("unsigned", "it is not signed"), ("altered", "was changed"), ("twice", "Id"),
            ("wrapped", "was changed"), ("other-key", "does not name"),
        ] {
            try lists.make("--variant", variant)
            let outcome = try lists.verify()
            outcome.expect(ExitCode.indeterminate)
            #expect(outcome.output.contains("Indeterminate Unknown"), "\(variant)")
            #expect(outcome.output.contains(words), "\(variant): \(outcome.output)")
        }
    }

    @Test func anExpiredListIsNoAnswer() throws {
        guard let lists = try Lists() else { return }
        try lists.make("--next-update", "2026-02-01T00:00:00Z")
        let outcome = try lists.verify("--json")
        outcome.expect(ExitCode.indeterminate)
        #expect(outcome.output.contains("\"level\":\"Indeterminate Unknown\""))
        #expect(outcome.output.contains("trust-list-expired"))
        #expect(outcome.output.contains("\"qualified\":null"))
    }

    @Test func aWithdrawnServiceIsNoAnchor() throws {
        guard let lists = try Lists() else { return }
        try lists.make("--status", "withdrawn")
        let outcome = try lists.verify("--json")
        outcome.expect(ExitCode.indeterminate)
        #expect(outcome.output.contains("\"level\":\"Indeterminate AdESig\""))
        #expect(outcome.output.contains("service-withdrawn"))
        // At a time at which it was granted it is one.
        try lists.verify("--at-time", "2024-06-01T00:00:00Z").expect(ExitCode.done)
    }

    @Test func keepsListsAndStopsOlderOnes() throws {
        guard let lists = try Lists() else { return }
        let home = ["XDG_DATA_HOME": lists.workspace.folder.path + "/data"]
        let update = ["trust", "update", "--from", "lists", "--trust-anchor", "anchor.crt"]
        let verify = [
            "verify", "s.pdf", "--trust-list", "eu", "--trust-anchor", "anchor.crt",
            "--require-qualified", "qesig",
        ]
        try lists.workspace.signet(verify, environment: home)
            .expectRefusal(ExitCode.missingInput, naming: "signet trust update")
        try lists.workspace.signet(update, environment: home).expect(ExitCode.done)
        try lists.workspace.signet(verify, environment: home).expect(ExitCode.done)
        let shown = try lists.workspace.signet(
            ["trust", "list", "--services", "--json", "--trust-anchor", "anchor.crt"],
            environment: home)
        shown.expect(ExitCode.done)
        #expect(shown.output.contains("\"schema\":\"signet.trust-list/1\""))
        #expect(shown.output.contains("Test Qualified CA"))
        // An older list, then a broken one: what is kept stays.
        try lists.make("--sequence", "4")
        let older = try lists.workspace.signet(update, environment: home)
        older.expect(ExitCode.invalid)
        #expect(older.errors.contains("older"))
        try lists.make("--sequence", "6", "--variant", "altered")
        let partial = try lists.workspace.signet(update + ["--json"], environment: home)
        partial.expect(ExitCode.serviceUnavailable)
        #expect(partial.output.contains("\"failures\":[{"))
        try lists.workspace.signet(verify, environment: home).expect(ExitCode.done)
    }

    /// Serves the folder; what is wrong with the answers for `PREFIX` says the file `fault`.
    private static let badServer = """
        import http.server, pathlib, sys, threading, time, os
        folder = pathlib.Path(sys.argv[1])
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_): pass
            def do_GET(self):
                prefix, fault = (folder / 'fault').read_text().split()
                body = (folder / 'lists' / self.path.lstrip('/').split('?')[0]).read_bytes()
                if not self.path.startswith('/' + prefix): fault = 'none'
                if fault == 'status': return self.send_error(503)
                if fault == 'loop':
                    self.send_response(302); self.send_header('Location', self.path + '?x')
                    return self.end_headers()
                if fault == 'file':
                    self.send_response(302); self.send_header('Location', 'file:///etc/passwd')
                    return self.end_headers()
                if fault == 'close': return self.connection.close()
                if fault == 'empty': body = b''
                if fault == 'page': body = b'<!DOCTYPE html><html><body>Sign in</body></html>'
                if fault == 'entity': body = b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
                if fault == 'half': body = body[:len(body) // 2]
                if fault == 'byte': body = body.replace(b'granted', b'grantex').replace(b'SequenceNumber>5', b'SequenceNumber>9')
                self.send_response(200)
                length = len(body) * 2 if fault == 'short' else 1 << 40 if fault == 'huge' else len(body)
                self.send_header('Content-Length', str(length)); self.end_headers()
                try: self.wfile.write(body)
                except OSError: pass
                self.close_connection = True
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        print(server.server_port, flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        os._exit(0)
        """

    /// Whatever servers answer, what is kept stays, and somebody is told.
    @Test func badServersChangeNothing() throws {
        guard let lists = try Lists() else { return }
        let workspace = lists.workspace
        try workspace.write(Data(Self.badServer.utf8), to: "server.py")
        let server = try BackgroundServer(
            lists.python, [workspace.url("server.py").path, workspace.folder.path],
            folder: workspace.folder)
        let base =
            "http://127.0.0.1:\(server.firstLine.trimmingCharacters(in: .whitespacesAndNewlines))"
        try lists.make("--base", base)
        let home = ["XDG_DATA_HOME": workspace.folder.path + "/data"]
        func update(_ fault: String) throws -> CommandOutcome {
            try workspace.write(Data(fault.utf8), to: "fault")
            return try workspace.signet(
                ["trust", "update", "--from", base + "/lotl.xml", "--trust-anchor", "anchor.crt"],
                environment: home)
        }
        func kept() throws -> String {
            try workspace.signet(
                ["trust", "list", "--services", "--json", "--trust-anchor", "anchor.crt"],
                environment: home
            ).output
        }
        try update("x none").expect(ExitCode.done)
        let good = try kept()
        #expect(good.contains("Test Qualified CA"))
        for fault in [
            "status", "loop", "file", "close", "empty", "page", "entity", "half", "byte", "short",
            "huge",
        ] {
            for list in ["lotl", "cz"] {
                let outcome = try update("\(list) \(fault)")
                #expect(outcome.exitCode != 0 && !outcome.wasKilled, "\(list) \(fault)")
                #expect(outcome.errors.contains("signet: "), "\(list) \(fault)")
                #expect(!outcome.errors.contains("root:"), "\(list) \(fault)")
                #expect(try kept() == good, "\(list) \(fault): \(outcome.errors)")
            }
        }
        try update("x none").expect(ExitCode.done)
    }

    @Test func printsAnchors() throws {
        let workspace = try Workspace()
        let outcome = try workspace.signet("trust", "list", "--anchors", "--json")
        outcome.expect(ExitCode.done)
        #expect(outcome.output.contains("signet.trust-anchors/1"))
        #expect(
            outcome.output.contains(
                "e0a620fbb6747362bb933ac44169d676a553444716cf5f31605f12a22b8396b1"))
    }
}

/// The page for people.
@Suite struct ReportPageTests {
    private func workspace(name: String) throws -> Workspace {
        let workspace = try Workspace()
        // Signet itself certifies no name with characters that nobody sees.
        let escaped = name.replacing("/", with: "\\/")
        try workspace.write(Data(SamplePDF.pages(1)), to: "a.pdf")
        try workspace.signet(
            "key", "generate", "-o", "k.pem", "--no-passphrase", "--type", "ec:P-256"
        )
        .expect(ExitCode.done)
        try workspace.openssl(
            "req", "-x509", "-new", "-key", "k.pem", "-utf8", "-subj", "/CN=\(escaped)", "-days",
            "3650", "-out", "c.pem")
        try workspace.signet(
            "sign", "a.pdf", "--key", "k.pem", "--cert", "c.pem", "-o", "s.pdf", "--reason=\(name)"
        ).expect(ExitCode.done)
        return workspace
    }

    private func page(_ workspace: Workspace, _ options: String...) throws -> String {
        _ = try workspace.signet(
            ["verify", "s.pdf", "--report", "r.html", "--force"] + options)
        return String(decoding: try workspace.read("r.html"), as: UTF8.self)
    }

    @Test func saysWhatVerifySays() throws {
        let workspace = try workspace(name: "Jan Novák")
        let passed = try page(workspace, "--trust", "c.pem")
        #expect(passed.contains("class=\"answer passed\""))
        #expect(passed.contains("Jan Novák"))
        #expect(passed.contains("<svg"))
        let doubtful = try page(workspace)
        #expect(doubtful.contains("class=\"answer indeterminate\""))
        #expect(!doubtful.contains("class=\"answer passed\""))
        let bytes = try workspace.read("s.pdf")
        let hash = try workspace.signet("hash", "digest", "s.pdf")
        #expect(passed.contains(String(hash.output.prefix(64))))
        var altered = bytes
        let place = try #require(altered.firstRange(of: Data("/MediaBox".utf8)))
        altered[place.upperBound + 2] ^= 1
        try workspace.write(Data(altered), to: "s.pdf")
        let failed = try page(workspace, "--trust", "c.pem")
        #expect(failed.contains("class=\"answer failed\""))
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

    /// What somebody altered is invalid in red, whatever else was changed; what the terminal says is
    /// there; and the page of a message names what was signed.
    @Test func keepsWhatTheTerminalSays() throws {
        let workspace = try workspace(name: "Jan")
        try workspace.signet(
            "sign", "a.pdf", "--key", "k.pem", "--cert", "c.pem", "-o", "s.pdf", "--force",
            "--certify", "form-filling"
        ).expect(ExitCode.done)
        let certified = try page(workspace, "--trust", "c.pem")
        #expect(certified.contains("the document, permits filling in forms and signing"))
        #expect(certified.contains("The signature is in order"))
        #expect(!certified.contains("<dt>believed</dt>"))
        try workspace.signet("sign", "k.pem", "--key", "k.pem", "--cert", "c.pem", "-o", "m.p7s")
            .expect(ExitCode.done)
        try workspace.signet(
            "verify", "m.p7s", "--content", "k.pem", "--trust", "c.pem", "--report", "m.html"
        ).expect(ExitCode.done)
        let message = String(decoding: try workspace.read("m.html"), as: UTF8.self)
        for file in ["m.p7s", "k.pem"] {
            let hash = try workspace.signet("hash", "digest", file).output.prefix(64)
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
                ["verify", "s.pdf", "--report", "r.xml", "--force", "--at-time"]
                    + ["2027-01-01T00:00:00Z"] + options
            ).expect(code)
            return String(decoding: try workspace.read("r.xml"), as: UTF8.self)
        }
        let passed = try report("--trust", "c.pem", code: ExitCode.done)
        #expect(passed.contains("mainindication:total-passed<"))
        #expect(passed.contains("]]&gt;&amp;&lt;&quot;&#39;\u{202E}x</ReasonElement>"))
        #expect(try report("--trust", "c.pem", code: ExitCode.done) == passed)
        let doubtful = try report(code: ExitCode.indeterminate)
        #expect(doubtful.contains("mainindication:indeterminate<"))
        #expect(doubtful.contains("subindication:NO_CERTIFICATE_CHAIN_FOUND<"))
        #expect(!doubtful.contains("total-passed"))
        try workspace.signet("verify", "a.pdf", "--report", "u.xml")
            .expect(ExitCode.nothingToVerify)
        let unsigned = String(decoding: try workspace.read("u.xml"), as: UTF8.self)
        #expect(unsigned.contains("noSignatureFound"))
        // Read by others.
        guard let python = try PythonEnvironment.find("python") else { return }
        let judge = TestVectors.root.appendingPathComponent("Scripts/corpus-reports")
        let outcome = try CommandRunner.run(
            python, [judge.path, workspace.folder.path, "--signet", try SignetBinary.path])
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.hasPrefix("1 reports good, 0 wrong"), "\(outcome.output)")
    }

    @Test func refusesWhatIsNoPage() throws {
        let workspace = try workspace(name: "Jan")
        try workspace.signet("verify", "s.pdf", "--report", "r.pdf")
            .expectRefusal(ExitCode.usage, naming: ".html or .xml")
        try workspace.signet("verify", "missing.pdf", "--report", "r.html")
            .expectRefusal(ExitCode.missingInput)
        #expect(!workspace.exists("r.html"))
        try workspace.write(Data("x".utf8), to: "r.html")
        try workspace.signet("verify", "s.pdf", "--trust", "c.pem", "--report", "r.html")
            .expectRefusal(ExitCode.cannotCreateOutput)
        #expect(try workspace.read("r.html") == Data("x".utf8))
    }
}
