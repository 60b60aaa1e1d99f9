import Foundation
import SignetTestSupport
import Testing

/// What `verify` says to people.
struct VerificationTextTests {
    /// A root, an intermediate under it, and a signer: `root.crt`, `sub.crt`, `me.crt`, `me.pem`; and
    /// `other.crt`, which has nothing to do with them.
    private func workspace() throws -> Workspace {
        let workspace = try Workspace()
        try workspace.copyVector("pdf/handmade/letter.pdf")
        try workspace.write("some data", to: "data.bin")
        for name in ["root", "sub", "me", "other"] { try workspace.makeKey(name) }
        try workspace.succeed(
            "cert create --key root.pem --subject 'CN=Example Root' --ca -o root.crt")
        try workspace.succeed("cert create --key other.pem --subject CN=Other --ca -o other.crt")
        for (name, profile, issuer) in [("sub", "ca", "root"), ("me", "signer", "sub")] {
            try workspace.succeed([
                "cert", "create", "--profile", profile, "--key", "\(name).pem", "--subject",
                "CN=Example \(name)", "--issuer-cert", "\(issuer).crt", "--issuer-key",
                "\(issuer).pem", "-o", "\(name).crt",
            ])
        }
        try workspace.write(workspace.read("sub.crt") + workspace.read("root.crt"), to: "chain.pem")
        return workspace
    }

    private func sign(_ workspace: Workspace, _ chain: [String], as output: String) throws {
        try workspace.succeed(
            ["sign", "letter.pdf", "--key", "me.pem", "--cert", "me.crt", "-o", output, "--force"]
                + chain.flatMap { ["--chain", $0] })
    }

    @Test func beginsWithWhatIsKnown() throws {
        let workspace = try workspace()
        try sign(workspace, ["sub.crt", "root.crt"], as: "whole.pdf")
        let unknown = try workspace.signet("verify whole.pdf --trust other.crt")
        unknown.expect(.indeterminate)
        #expect(
            unknown.output.hasPrefix(
                """
                whole.pdf: INDETERMINATE

                  Signature1: INDETERMINATE (NO_CERTIFICATE_CHAIN_FOUND)
                    Problem       the signer is not confirmed: the certificate of 'Example Root' \
                (issuer of 'Example sub') was not found
                    Fix           get the certificate of the CA 'Example Root' from this CA: if it is a \
                root CA that you trust, add --trust FILE; if it is an intermediate CA, add --chain FILE; \
                if the CA is on an EU trusted list, run:
                                  signet trust update
                                  signet verify whole.pdf --trust other.crt --trust-list eu
                    Document      not modified after signing (signature covers the entire file)
                    Signer        Example me (CN=Example me), not confirmed
                    Certificate   issued by 'Example sub', not trusted

                """), "\(unknown.output)")
        let passed = try workspace.succeed("verify whole.pdf --trust root.crt --report r.html")
        #expect(
            try workspace.text("r.html").contains(
                "<dd>not checked: the certificate contains no OCSP or CRL URL</dd>"))
        #expect(
            passed.output.hasPrefix(
                """
                whole.pdf: PASSED

                  Signature1: PASSED
                    Document      not modified after signing (signature covers the entire file)
                    Signer        Example me (CN=Example me)
                    Certificate   issued by 'Example sub', trusted
                    Revocation    not checked: the certificate contains no OCSP or CRL URL

                """), "\(passed.output)")
    }

    @Test func saysNothingThatSoundsLikeHelpWhereItFailed() throws {
        let workspace = try workspace()
        try sign(workspace, ["sub.crt", "root.crt"], as: "whole.pdf")
        var bytes = try workspace.read("whole.pdf")
        let word = try #require(bytes.range(of: Data("/Contents".utf8)))
        bytes[word.lowerBound - 20] ^= 1
        let title = try #require(bytes.range(of: Data("%PDF-1.".utf8)))
        bytes[title.upperBound] ^= 1
        try workspace.write(bytes, to: "bad.pdf")
        let failed = try workspace.signet("verify bad.pdf --trust root.crt").expect(.invalid)
        for word in [
            "  Signature1: FAILED (",
            "Signer        Example me (CN=Example me), not confirmed (the signature is invalid)\n",
        ] {
            #expect(failed.output.contains(word), "\(failed.output)")
        }
        for word in ["entire file", "not modified", "PASSED"] {
            #expect(!failed.output.contains(word), "\(failed.output)")
        }
    }

    @Test func givesHintsThatCanBeFollowed() throws {
        let workspace = try workspace()
        // Only the signer's certificate goes along: the next one up is missing.
        try sign(workspace, [], as: "bare.pdf")
        let bare = try workspace.signet("verify bare.pdf --trust root.crt").expect(.indeterminate)
        #expect(bare.output.contains("get the certificate of the CA 'Example sub' from this CA"))
        #expect(bare.output.contains("--chain FILE"))
        try workspace.succeed("verify bare.pdf --trust root.crt --chain me.crt --chain sub.crt")
        // An intermediate is a step, no anchor.
        try workspace.signet("verify bare.pdf --trust other.crt --chain sub.crt")
            .expect(.indeterminate)
        // With the next one it is the root that is missing, and what is there can be written out.
        try sign(workspace, ["sub.crt", "root.crt"], as: "whole.pdf")
        let whole = try workspace.signet("verify whole.pdf --trust other.crt --save-certs certs")
        whole.expect(.indeterminate)
        #expect(whole.output.contains("get the certificate of the CA 'Example Root' from this CA"))
        let sub = try #require(
            FileManager.default.contentsOfDirectory(atPath: workspace.url("certs").path)
                .first { $0.hasPrefix("Example-sub-") })
        try workspace.succeed("verify bare.pdf --trust root.crt --chain certs/\(sub)")
        // A root that goes along is named as one.
        try workspace.openssl([
            "cms", "-sign", "-in", "data.bin", "-binary", "-outform", "DER", "-signer", "me.crt",
            "-inkey", "me.pem", "-certfile", "chain.pem", "-out", "data.bin.p7s",
        ])
        try FileManager.default.moveItem(
            at: workspace.url("data.bin"), to: workspace.url("elsewhere.bin"))
        let verify = ["verify", "data.bin.p7s", "--content", "elsewhere.bin"]
        let rooted = try workspace.signet("\(verify) --trust other.crt")
        #expect(rooted.output.contains("the CA 'Example Root' publishes:"))
        // Whoever enclosed it could have made it: what tells is what the authority publishes.
        let root = try workspace.signet("show root.crt --json").json()
        let digits = Array(root.sha256.text.uppercased())
        let pairs = stride(from: 0, to: digits.count, by: 2).map { String(digits[$0..<$0 + 2]) }
            .joined(separator: ":")
        #expect(rooted.output.contains(pairs), "\(rooted.output)")
        // The commands can be followed.
        let trusting = try #require(rooted.output.components(separatedBy: "  signet ").last)
        let words = trusting.prefix { $0 != "\n" }.split(separator: " ").map(String.init)
        _ = try workspace.signet("\(verify) --save-certs certs")
        #expect(
            rooted.output.contains(
                "verify data.bin.p7s --content elsewhere.bin --trust other.crt --save-certs certs\n"
            ))
        try workspace.succeed(words)
        // A certificate that only --chain contains can be saved and trusted too.
        let chained = ["cms"] + verify + ["--chain", "root.crt", "--trust", "other.crt"]
        let commands = try workspace.signet(chained).output.components(separatedBy: "  signet ")
            .dropFirst().map { $0.prefix { $0 != "\n" }.split(separator: " ").map(String.init) }
        for command in commands where command[0] == "cms" { _ = try workspace.signet(command) }
        try workspace.succeed(try #require(commands.last))
    }

    @Test func trustsEarlierSignersToo() throws {
        let workspace = try workspace()
        for name in ["first", "second"] {
            try workspace.makeKey(name)
            try workspace.succeed(
                "cert create --key \(name).pem --subject CN=\(name) -o \(name).crt")
        }
        try workspace.succeed("sign letter.pdf --key first.pem --cert first.crt -o one.pdf")
        try workspace.succeed("sign one.pdf --key second.pem --cert second.crt -o two.pdf")
        let output = try workspace.signet("verify two.pdf --require-level B").output
        let commands = output.components(separatedBy: "  signet ").dropFirst()
            .map { $0.prefix { $0 != "\n" }.split(separator: " ").map(String.init) }
        for command in commands.dropLast() { _ = try workspace.signet(command) }
        let last = try #require(commands.last)
        #expect(last.contains("--require-level"))
        try workspace.succeed(last)
        let quiet = try workspace.signet("verify two.pdf --quiet").expect(.indeterminate)
        #expect(
            quiet.errors.contains(
                "error: two.pdf: INDETERMINATE: the signer is not confirmed: the certificate is"))
    }

    @Test func messagesTakeChainsToo() throws {
        let workspace = try workspace()
        try workspace.succeed("cms sign data.bin --key me.pem --cert me.crt -o data.bin.p7s")
        for command in [["verify"], ["cms", "verify"]] {
            let arguments = command + ["data.bin.p7s", "--trust", "root.crt"]
            try workspace.signet(arguments).expect(.indeterminate)
            try workspace.succeed("\(arguments) --chain sub.crt")
        }
    }

    @Test func savesCertificatesWithoutReplacingAnything() throws {
        let workspace = try workspace()
        // Signet itself certifies no such name.
        try workspace.openssl([
            "req", "-x509", "-new", "-key", "me.pem", "-utf8", "-subj",
            "/CN=..\\/..\\/etc\\/é\u{200B} x\\/.", "-days", "3650", "-out", "odd.crt",
        ])
        try workspace.succeed("cms sign data.bin --key me.pem --cert odd.crt -o data.bin.p7s")
        let save = ["cms", "verify", "data.bin.p7s", "--trust", "odd.crt", "--save-certs", "certs"]
        let folder = workspace.url("certs").path
        try workspace.succeed(save)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 1)
        #expect(names[0].hasPrefix("etc-é-x-") && names[0].hasSuffix(".crt"), "\(names)")
        // The same again is no conflict, something else is.
        try workspace.succeed(save)
        try workspace.write("mine", to: "certs/\(names[0])")
        try workspace.signet(save).expect(.cannotCreateOutput)
        #expect(try workspace.read("certs/\(names[0])") == Data("mine".utf8))
        try workspace.succeed("\(save) --force")
        let report = try workspace.signet("\(save) --json").json()
        #expect(report.savedCertificates.map(\.text) == ["certs/\(names[0])"])
    }

    @Test func repeatsReasonsAndSaysHintsOnce() throws {
        let workspace = try workspace()
        try sign(workspace, ["sub.crt", "root.crt"], as: "one.pdf")
        try workspace.succeed(
            "sign one.pdf --key me.pem --cert me.crt --chain sub.crt --chain root.crt -o two.pdf")
        let output = try workspace.signet("verify two.pdf --trust other.crt").output
        #expect(
            output.components(
                separatedBy: "certificate of 'Example Root' (issuer of 'Example sub') was"
            ).count
                == 3)
        #expect(output.components(separatedBy: "Fix  ").count == 2)
        #expect(!output.contains("expired on"))
        let late = try workspace.signet("verify two.pdf --trust other.crt --at-time 2099-01-01")
        #expect(late.output.contains("not trusted, expired on 20"))
    }

    /// Of an authority that is trusted nobody is told that it is not known.
    @Test func tellsAnotherKeyOfATrustedName() throws {
        let workspace = try workspace()
        try sign(workspace, ["sub.crt"], as: "one.pdf")
        try workspace.makeKey("again")
        try workspace.succeed(
            "cert create --key again.pem --subject 'CN=Example Root' --ca -o again.crt")
        let outcome = try workspace.signet("verify one.pdf --trust again.crt")
        outcome.expect(.indeterminate)
        #expect(
            outcome.output.contains("the trusted CA 'Example Root' has another key"),
            "\(outcome.output)")
        #expect(!outcome.output.contains("was not found"))
    }

    @Test(arguments: [
        "\u{200B}", "\u{200F}", "\u{2060}", "\u{206F}", "\u{61C}", "\u{AD}", "\u{180E}",
        "\u{FEFF}", "\u{E0041}", "\u{85}", "\u{202E}", "\u{3164}",
    ])
    func showsWhatCannotBeSeen(character: String) throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter("--reason pay\(character)900")
        let scalar = try #require(character.unicodeScalars.first)
        let escape = "pay\\u{" + String(scalar.value, radix: 16) + "}900"
        let text = try workspace.succeed("verify letter.signed.pdf --trust valid.pem")
        #expect(text.output.contains("Reason        \(escape)\n"))
        #expect(!text.output.contains(character))
    }
}
