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

    @Test func refusesWhatIsNoPage() throws {
        let workspace = try workspace(name: "Jan")
        try workspace.signet("verify", "s.pdf", "--report", "r.pdf")
            .expectRefusal(ExitCode.usage, naming: ".html")
        try workspace.signet("verify", "missing.pdf", "--report", "r.html")
            .expectRefusal(ExitCode.missingInput)
        #expect(!workspace.exists("r.html"))
        try workspace.write(Data("x".utf8), to: "r.html")
        try workspace.signet("verify", "s.pdf", "--trust", "c.pem", "--report", "r.html")
            .expectRefusal(ExitCode.cannotCreateOutput)
        #expect(try workspace.read("r.html") == Data("x".utf8))
    }
}
