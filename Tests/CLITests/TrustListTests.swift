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

        /// Without options, a copy of what the first test made.
        init?(_ options: String...) throws {
            guard let python = try PythonEnvironment.find("python") else { return nil }
            self.python = python
            workspace = try Workspace()
            if options.isEmpty {
                let plain = try Self.plain.get()
                for name in try plain.names {
                    try FileManager.default.copyItem(at: plain.url(name), to: workspace.url(name))
                }
            } else {
                try make(options)
                try sign()
            }
        }

        private init(making python: String) throws {
            self.python = python
            workspace = try Workspace()
            try make()
            try sign()
        }

        private static let plain = Result {
            try Lists(making: PythonEnvironment.path("python")).workspace
        }

        private func sign() throws {
            try workspace.write(Data(SamplePDF.pages(1)), to: "a.pdf")
            try workspace.succeed("sign a.pdf --key signer.pem --cert signer.crt -o s.pdf")
        }

        func make(_ options: String...) throws { try make(options) }

        private func make(_ options: [String]) throws {
            let script = TestVectors.root.appendingPathComponent("Scripts/lib/make_trust_lists.py")
            let result = try ExternalTool.run(
                python, ["-W", "ignore", script.path, workspace.folder.path] + options)
            #expect(result.status == 0, "\(result.errors)")
        }

        func verify(_ options: String...) throws -> CommandOutcome {
            try workspace.signet(
                "verify s.pdf --trust-list lists --trust-anchor anchor.crt \(options)")
        }
    }

    @Test func saysWhatIsQualified() throws {
        guard let lists = try Lists() else { return }
        let outcome = try lists.verify("--require-qualified", "qesig").expect(.done)
        #expect(outcome.output.contains("QESig: qualified certificate"))
        #expect(outcome.output.contains("Test Qualified CA, granted since 2025-01-01"))
        try lists.verify("--require-qualified", "adesig-qc").expect(.done)
        let seal = try lists.verify("--require-qualified", "qeseal", "--json")
        seal.expect(.indeterminate)
        #expect(seal.output.contains("qualification-not-reached"))
        #expect(seal.output.contains("SIG_CONSTRAINTS_FAILURE"))
        try lists.verify("--report", "r.html").expect(.done)
        let page = try lists.workspace.text("r.html")
        #expect(page.contains("<bdi>LOTL</bdi>, number 5 of <bdi>2026-01-06</bdi>"))
        #expect(page.contains("<li><bdi>CZ</bdi>, number 5 of <bdi>2026-01-06</bdi></li>"))
        #expect(page.contains("<dt>Trusted certificate</dt><dd><bdi>Test Qualified CA"))
        #expect(page.contains("<dd>qualified electronic signature (<bdi>QESig</bdi>)</dd>"))
        // One list, whose signer a person vouches for.
        try lists.workspace.succeed([
            "verify", "s.pdf", "--trust-list", "lists/cz.xml", "--trust-list-cert", "scheme.crt",
            "--require-qualified", "any",
        ])
        try lists.workspace.signet(
            "verify s.pdf --trust-list lists/cz.xml --trust-list-cert anchor.crt"
        ).expectRefusal(.credentialRefused, naming: "--trust-list-cert")
        // Without a list nothing is said.
        let without = try lists.workspace.succeed("verify s.pdf --trust ca.crt --json")
        #expect(without.output.contains("\"qualification\":null"))
    }

    /// Who is trusted by a list is trusted where evidence is gathered, too.
    @Test func listsHoldForLevels() throws {
        guard let lists = try Lists() else { return }
        let sign = [
            "sign", "a.pdf", "--key", "signer.pem", "--cert", "signer.crt", "--dry-run",
            "--offline",
            "--level", "LTA", "--tsa", "http://127.0.0.1:9/",
        ]
        let trust = ["--trust-list", "lists", "--trust-anchor", "anchor.crt"]
        let listed = try lists.workspace.signet("\(sign) \(trust)")
        #expect(!listed.errors.contains("no trusted certificate chain"), "\(listed.errors)")
        try lists.workspace.signet(sign)
            .expectRefusal(.indeterminate, naming: "no trusted certificate chain for 'Jan Novák'")
        let extended = try lists.workspace.signet("extend s.pdf --offline \(trust)")
        #expect(!extended.errors.contains("no trusted certificate chain"), "\(extended.errors)")
        try lists.workspace.signet("sign a.pdf --key signer.pem \(trust)")
            .expectRefusal(.usage, naming: "--trust-list is for the validation data of")
    }

    @Test func listsThatDoNotCount() throws {
        guard let lists = try Lists() else { return }
        let variants = [
            ("unsigned", "it is not signed"), ("altered", "digest mismatch"), ("twice", "Id"),
            ("wrapped", "digest mismatch"), ("other-key", "not listed in"),
            ("nested", "more than once"),
            ("below", "more than once"), ("renamed", "unexpected reference"),
            ("included", "digest mismatch"),
            ("entity", "document type"), ("instruction", "processing instruction"),
            ("deep", "is missing"), ("huge", "is missing"), ("expired", "had expired"),
            ("dated-back", "expired on 2021-01-01"),
        ]
        try lists.make("--variant", variants.map(\.0).joined(separator: ","))
        for (variant, words) in variants {
            let outcome = try lists.workspace.signet(
                "verify s.pdf --trust-list \(variant) --trust-anchor anchor.crt")
            outcome.expect(.indeterminate)
            #expect(outcome.output.contains("Qualification not determined: "), "\(variant)")
            #expect(outcome.output.contains(words), "\(variant): \(outcome.output)")
        }
    }

    /// What lists name is neither read nor asked for.
    @Test func listsOpenNothing() throws {
        guard let lists = try Lists(), let strace = try ExternalTool.find("strace") else { return }
        let workspace = lists.workspace
        try workspace.write("secret", to: "secret.txt")
        let secret = "file://\(workspace.folder.path)/secret.txt"
        let good = try workspace.text("lists/cz.xml")
        let transform =
            "<d:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xslt-19991116\">"
            + "<x:value-of xmlns:x=\"http://www.w3.org/1999/XSL/Transform\" "
            + "select=\"document('\(secret)')\"/></d:Transform>"
        let end = "</TrustServiceStatusList>"
        for forged in [
            good.replacing("URI=\"\"", with: "URI=\"\(secret)\""),
            good.replacing("URI=\"\"", with: "URI=\"http://127.0.0.1:9/x\""),
            good.replacing("<d:Transforms>", with: "<d:Transforms>" + transform),
            "<!DOCTYPE a [<!ENTITY b SYSTEM \"\(secret)\">]>"
                + good.replacing("Test Trust", with: "&b;"),
            "<!DOCTYPE a SYSTEM \"\(secret)\">" + good,
            good.replacing(
                end,
                with: "<i:include xmlns:i=\"http://www.w3.org/2001/XInclude\" href=\"\(secret)\"/>"
                    + end),
        ] {
            #expect(forged != good)
            try workspace.write(forged, to: "lists/cz.xml")
            let outcome = try CommandRunner.run(
                strace,
                [
                    "-f", "-e", "trace=open,openat,socket,connect", "-o", "calls",
                    try SignetBinary.path, "verify", "s.pdf", "--trust-list", "lists",
                    "--trust-anchor", "anchor.crt",
                ], folder: workspace.folder)
            outcome.expect(.indeterminate)
            let calls = try workspace.text("calls")
            #expect(calls.contains("cz.xml"), "\(calls)")
            #expect(!calls.contains("secret.txt") && !calls.contains("AF_INET"), "\(calls)")
        }
    }

    /// A statement of the purpose that some issuers wrote in another form.
    @Test func malformedStatements() throws {
        guard let lists = try Lists("--statements", "compliance,device,bare") else { return }
        let outcome = try lists.verify("--json").expect(.done)
        #expect(outcome.output.contains("\"level\":\"QESig\""))
        #expect(outcome.output.contains("qc-statement-malformed"))
    }

    @Test func anExpiredListIsNoAnswer() throws {
        guard let lists = try Lists() else { return }
        try lists.make("--next-update", "2026-02-01T00:00:00Z")
        let outcome = try lists.verify("--json").expect(.indeterminate)
        #expect(outcome.output.contains("\"level\":\"Indeterminate Unknown\""))
        #expect(outcome.output.contains("trust-list-expired"))
        #expect(outcome.output.contains("\"qualified\":null"))
    }

    @Test("an expired list is not called valid after an update, and leads to the next one")
    func updatesToAnExpiredList() throws {
        guard let lists = try Lists() else { return }
        try lists.make("--next-update", "2026-02-01T00:00:00Z", "--status", "withdrawn")
        let updated = try lists.workspace.succeed(
            "trust update --from lists --trust-anchor anchor.crt",
            environment: ["XDG_DATA_HOME": lists.workspace.folder.path + "/data"])
        #expect(updated.output.contains("expired on 2026-02-01"))
        #expect(!updated.output.contains("valid until 2026-02-01"))
        let verified = try lists.verify().expect(.indeterminate)
        #expect(verified.output.contains("signet trust update"))
    }

    @Test func aWithdrawnServiceIsNoAnchor() throws {
        guard let lists = try Lists() else { return }
        try lists.make("--status", "withdrawn")
        let outcome = try lists.verify("--json").expect(.indeterminate)
        #expect(outcome.output.contains("\"level\":\"Indeterminate AdESig\""))
        #expect(outcome.output.contains("service-withdrawn"))
        // At a time at which it was granted it is one.
        try lists.verify("--at-time", "2024-06-01T00:00:00Z").expect(.done)
    }

    /// The lists call two countries otherwise than certificates do.
    @Test(arguments: [("GR", "EL"), ("GB", "UK")])
    func countriesThatListsCallOtherwise(country: String, territory: String) throws {
        guard let lists = try Lists("--country", country, "--territory", territory) else { return }
        let outcome = try lists.verify("--json").expect(.done)
        #expect(outcome.output.contains("\"level\":\"QESig\""))
        #expect(outcome.output.contains("\"territory\":\"\(territory)\""))
        // By the country's own name there is no list.
        try lists.make("--country", country, "--territory", country)
        let other = try lists.verify("--json").expect(.indeterminate)
        #expect(!other.output.contains("QESig"))
    }

    @Test func anotherProvidersName() throws {
        guard let lists = try Lists() else { return }
        // Case and blanks do not make another name.
        try lists.make("--provider", "TEST  Trust S.R.O.")
        try lists.verify("--require-qualified", "qesig").expect(.done)
        try lists.make("--provider", "Somebody Else a.s.")
        let outcome = try lists.verify("--json", "--require-qualified", "qesig")
        outcome.expect(.indeterminate)
        #expect(outcome.output.contains("provider-name-differs"))
        #expect(!outcome.output.contains("\"level\":\"QESig\""))
    }

    /// A service is its key: neither its name nor a key's identifier is enough.
    @Test(arguments: ["renewed", "ski"]) func onlyTheKeyIsTheService(identity: String) throws {
        guard let lists = try Lists() else { return }
        try lists.make("--identity", identity)
        let outcome = try lists.verify("--json").expect(.indeterminate)
        #expect(outcome.output.contains("service-not-listed"))
        #expect(outcome.output.contains("\"level\":\"N/A\""))
    }

    /// What the list says of the certificate counts more than what the certificate says.
    @Test func notQualifiedByTheList() throws {
        guard let lists = try Lists() else { return }
        try lists.make("--qualifier", "NotQualified")
        let outcome = try lists.verify("--json").expect(.done)
        #expect(outcome.output.contains("not-qualified-by-list"))
        #expect(outcome.output.contains("\"level\":\"AdESig\""))
        try lists.verify("--require-qualified", "any").expect(.indeterminate)
        // The same extension with another word.
        try lists.make("--qualifier", "QCNoQSCD")
        let without = try lists.verify("--json")
        #expect(without.output.contains("\"level\":\"AdESig-QC\""))
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
            .expectRefusal(.missingInput, naming: "signet trust update")
        try lists.workspace.succeed(update, environment: home)
        try lists.workspace.succeed(verify, environment: home)
        let shown = try lists.workspace.succeed(
            "trust list --services --json --trust-anchor anchor.crt", environment: home)
        #expect(shown.output.contains("\"schema\":\"signet.trust-list/1\""))
        #expect(shown.output.contains("Test Qualified CA"))
        // An older list, then a broken one: what is kept stays.
        try lists.make("--sequence", "4")
        let older = try lists.workspace.signet(update, environment: home).expect(.invalid)
        #expect(older.errors.contains("older"))
        try lists.make("--sequence", "6", "--variant", "altered")
        let partial = try lists.workspace.signet("\(update) --json", environment: home)
        partial.expect(.serviceUnavailable)
        #expect(partial.output.contains("\"failures\":[{"))
        try lists.workspace.succeed(verify, environment: home)
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
        try workspace.write(Self.badServer, to: "server.py")
        let server = try BackgroundServer(
            lists.python, [workspace.url("server.py").path, workspace.folder.path],
            folder: workspace.folder)
        let base =
            "http://127.0.0.1:\(server.firstLine.trimmingCharacters(in: .whitespacesAndNewlines))"
        try lists.make("--base", base)
        let home = ["XDG_DATA_HOME": workspace.folder.path + "/data"]
        func update(_ fault: String) throws -> CommandOutcome {
            try workspace.write(fault, to: "fault")
            return try workspace.signet(
                ["trust", "update", "--from", base + "/lotl.xml", "--trust-anchor", "anchor.crt"],
                environment: home)
        }
        func kept() throws -> String {
            try workspace.signet(
                "trust list --services --json --trust-anchor anchor.crt", environment: home
            ).output
        }
        try update("x none").expect(.done)
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
        try update("x none").expect(.done)
    }

    /// Whenever an update is killed, there are the lists of before or of after.
    @Test func killedUpdatesLeaveWholeLists() throws {
        guard let lists = try Lists(), let strace = try ExternalTool.find("strace") else { return }
        let workspace = lists.workspace
        let home = ["XDG_DATA_HOME": workspace.folder.path + "/data"]
        let update = ["trust", "update", "--from", "lists", "--trust-anchor", "anchor.crt"]
        func kept() throws -> String {
            let shown = try workspace.succeed(
                "trust list --services --json --trust-anchor anchor.crt", environment: home)
            return shown.output
        }
        try workspace.succeed(update, environment: home)
        var known = [try kept()]
        var killedCount = 0
        for (sequence, call) in [(6, "write"), (7, "rename"), (8, "linkat"), (9, "fsync")] {
            try lists.make("--sequence", "\(sequence)")
            for number in 1...4 {
                let outcome = try CommandRunner.run(
                    strace,
                    [
                        "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
                        "inject=\(call):signal=KILL:when=\(number)", try SignetBinary.path,
                    ] + update, environment: home, folder: workspace.folder)
                killedCount += outcome.exitCode == 0 ? 0 : 1
                let now = try kept()
                if !known.contains(now) {
                    #expect(now.contains("\"sequence\":\(sequence)"), "\(call) \(number)")
                    known.append(now)
                }
            }
            try workspace.succeed(update, environment: home)
            let after = try kept()
            if !known.contains(after) { known.append(after) }
        }
        #expect(killedCount > 2)
    }

    @Test func printsAnchors() throws {
        let workspace = try Workspace()
        let outcome = try workspace.succeed("trust list --anchors --json")
        #expect(outcome.output.contains("signet.trust-anchors/1"))
        #expect(
            outcome.output.contains(
                "e0a620fbb6747362bb933ac44169d676a553444716cf5f31605f12a22b8396b1"))
    }
}
