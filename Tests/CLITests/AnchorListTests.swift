import Foundation
import SignetTestSupport
import Testing

/// Lists of trust anchors that the user has: Adobe's security settings and Mozilla's certdata.txt.
@Suite struct AnchorListTests {
    /// A folder with an authority, and `hello.p7s` by a signer below it.
    struct Lists {
        let workspace: Workspace

        init() throws {
            workspace = try Workspace()
            try workspace.write("hello\n", to: "hello.txt")
            try workspace.makeKey("ca")
            try workspace.succeed("cert create --key ca.pem --subject 'CN=Our CA' --ca -o ca.crt")
            try workspace.makeKey("me")
            try workspace.certify("me", profile: "signer", key: "me.pem")
            try workspace.succeed("cms sign hello.txt --key me.pem --cert me.crt -o hello.p7s")
        }

        @discardableResult func signet(
            _ arguments: ShellWords, _ code: Int32 = .done,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> CommandOutcome {
            try workspace.signet(arguments, environment: workspace.environment)
                .expect(code, sourceLocation: sourceLocation)
        }

        @discardableResult func verify(
            _ name: String, _ code: Int32 = .done, sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> CommandOutcome {
            try signet(
                "verify hello.p7s --content hello.txt --trust-list \(name)", code,
                sourceLocation: sourceLocation)
        }

        var authority: [UInt8] { get throws { try certificate("ca.crt") } }

        func certificate(_ name: String) throws -> [UInt8] {
            let lines = try workspace.text(name).split(separator: "\n")
            let text = lines.filter { !$0.hasPrefix("-") }.joined()
            return [UInt8](try #require(Data(base64Encoded: text)))
        }

        /// Writes `settings.xml` with the authority.
        func writeSettings(actions: [Int] = [1], root: Int = 1, policies: String...) throws {
            let restrictions = policies.map { "<OID>\($0)</OID>" }.joined()
            let certificate = Data(try authority).base64EncodedString()
            let identities = actions.map {
                """
                <Identity><ImportAction>\($0)</ImportAction>
                <Certificate>\(certificate)</Certificate>
                <Trust><Root>\(root)</Root></Trust>
                <PolicyRestrictions>\(policies.isEmpty ? "" : """
                    <CertificatePolicies>\(restrictions)</CertificatePolicies>
                    """)</PolicyRestrictions></Identity>
                """
            }
            try workspace.write(
                """
                <?xml version="1.0"?>
                <SecuritySettings><TrustedIdentities>
                \(identities.joined())
                </TrustedIdentities></SecuritySettings>
                """, to: "settings.xml")
        }

        /// Writes `settings.pdf` with `settings.xml`, and its signature into `signed.pdf`.
        func writeSignedSettings(_ python: String) throws {
            try workspace.write(Data(SamplePDF.pages(1)), to: "empty.pdf")
            let code = """
                import pikepdf
                pdf = pikepdf.open("empty.pdf")
                pdf.attachments["SecuritySettings.xml"] = open("settings.xml", "rb").read()
                pdf.save("settings.pdf")
                """
            try CommandRunner.run(python, ["-c", code], folder: workspace.folder).expect(.done)
            // An older list, and a newer one.
            try signet("sign settings.pdf --key me.pem --cert me.crt -o older.pdf")
            Thread.sleep(forTimeInterval: 1.1)
            try signet("sign settings.pdf --key me.pem --cert me.crt -o signed.pdf")
            try workspace.makeKey("you")
            try workspace.certify("you", profile: "signer", key: "you.pem")
            try signet("sign settings.pdf --key you.pem --cert you.crt -o other.pdf")
            let tomorrow = Date.now.addingTimeInterval(86400).ISO8601Format()
            try signet(
                """
                sign settings.pdf --key me.pem --cert me.crt -o future.pdf --at-time \(tomorrow)
                """)
        }
    }

    @Test func trustsTheRootsOfSecuritySettings() throws {
        let lists = try Lists()
        #expect(try lists.verify("aatl", .missingInput).errors.contains("trust update --aatl"))
        try lists.writeSettings()
        let stored = try lists.signet("trust update --aatl settings.xml --json")
        let answer = try stored.json()
        #expect(answer.schema == "signet.trust-import/1" && answer.anchorCount.number == 1)
        #expect(answer.signer == .null && stored.errors.contains("not signed"))
        let verified = try lists.verify("aatl")
        #expect(!verified.output.contains("ualif"), "anchors say nothing about qualification")
        // Other names of trust anchors stay as they are.
        try lists.signet("verify hello.p7s --content hello.txt", .indeterminate)
        try lists.verify("mozilla", .missingInput)
        // A newer list replaces the stored one.
        try lists.writeSettings(policies: "1.2.3.4")
        try lists.signet("trust update --aatl settings.xml", .invalid)
        let forced = try lists.signet("trust update --aatl settings.xml --force")
        #expect(forced.errors.contains("1 of 1 trust anchors of the stored list are missing"))
        let excluded = try lists.verify("aatl", .indeterminate).output
        #expect(
            excluded.contains("imported list limits 'Our CA' to other certificate policies"),
            "\(excluded)")
        #expect(!excluded.contains("--trust FILE"), "\(excluded)")
    }

    /// Both imported lists are listed, without lists of the EU; a damaged one with its problem.
    @Test func listsImportedLists() throws {
        let lists = try Lists()
        try lists.signet("trust list", .missingInput)
        try lists.writeSettings()
        try lists.signet("trust update --aatl settings.xml")
        try lists.workspace.write(
            try certdata(lists, "EMAIL_PROTECTION", "CKT_NSS_TRUSTED_DELEGATOR", ""),
            to: "certdata.txt")
        try lists.signet("trust update --mozilla certdata.txt")
        let text = try lists.signet("trust list").output
        for name in ["aatl", "mozilla"] {
            #expect(text.contains("imported list \(name): 1 trust anchor\n"), "\(text)")
        }
        let shown = try lists.signet("trust list --json").json()
        #expect(shown.schema == "signet.trust-list/1" && shown.imported.count == 2)
        #expect(shown.imported[0].name == "aatl" && shown.imported[0].anchorCount.number == 1)
        #expect(try lists.signet("doctor").output.contains("imported list mozilla"))
        // Each list has its own folder.
        try lists.workspace.shell("echo >> $(find . -path '*/trust/aatl/*.xml')").expect(.done)
        #expect(
            try lists.signet("trust list", .malformedInput).output
                .contains("aatl: the stored list was modified"))
        try lists.workspace.shell("rm -r $(find . -path '*/trust/aatl')").expect(.done)
        try lists.verify("mozilla")
        try lists.verify("aatl", .missingInput)
    }

    @Test(arguments: [([3], 1), ([1], 0), ([1, 3], 1), ([3, 1], 1), ([9], 1)])
    func refusesListsWithoutRoots(_ actions: [Int], _ root: Int) throws {
        let lists = try Lists()
        try lists.writeSettings(actions: actions, root: root)
        let refused = try lists.signet("trust update --aatl settings.xml", .malformedInput)
        #expect(refused.errors.contains("no trust anchor"))
        try lists.verify("aatl", .missingInput)
    }

    @Test func verifiesTheSignatureOfAList() throws {
        guard let python = try PythonEnvironment.find("python") else { return }
        let lists = try Lists()
        try lists.writeSettings()
        try lists.writeSignedSettings(python)
        let update: ShellWords = "trust update --aatl"
        let unknown = try lists.signet("\(update) signed.pdf", .credentialRefused)
        #expect(unknown.errors.contains("--trust-anchor"))
        try lists.workspace.succeed(
            "cert create --key me.pem --subject 'CN=Other' --ca -o other.crt")
        try lists.signet("\(update) signed.pdf --trust-anchor other.crt", .credentialRefused)
        try lists.signet("\(update) settings.pdf --trust-anchor ca.crt", .invalid)
        try lists.signet("\(update) settings.xml --trust-anchor ca.crt", .credentialRefused)
        var bytes = try lists.workspace.bytes("signed.pdf")
        bytes[300] ^= 1
        try lists.workspace.write(Data(bytes), to: "damaged.pdf")
        let damaged = try lists.workspace.signet("\(update) damaged.pdf --trust-anchor ca.crt")
        #expect(damaged.exitCode != .done)
        try lists.verify("aatl", .missingInput)
        let stored = try lists.signet("\(update) signed.pdf --trust-anchor ca.crt --json")
        #expect(try stored.json().signer.contains("CN=me"))
        try lists.verify("aatl")
        // Neither an unsigned nor an older list replaces it.
        let unsigned = try lists.signet("\(update) settings.xml", .credentialRefused)
        #expect(unsigned.errors.contains("the stored one is"))
        // Every certificate below the trust anchor could sign lists.
        let other = try lists.signet(
            "\(update) other.pdf --trust-anchor ca.crt", .credentialRefused)
        #expect(other.errors.contains("CN=you") && other.errors.contains("--force"))
        for name in ["older", "future"] {
            let refused = try lists.signet(
                "\(update) \(name).pdf --trust-anchor ca.crt", .invalid)
            #expect(refused.errors.contains(name), "\(refused.errors)")
        }
        // A stored list that was modified is not used, and replaced only with --force.
        let anchors = try lists.workspace.shell(
            "echo '<!-- -->' >> $(find . -name '*.xml' -path '*/trust/aatl/*')")
        #expect(anchors.exitCode == .done)
        #expect(try lists.verify("aatl", .malformedInput).errors.contains("modified"))
        let replaced = try lists.signet(
            "\(update) signed.pdf --trust-anchor ca.crt", .malformedInput)
        #expect(replaced.errors.contains("--aatl FILE --force"))
        try lists.signet("\(update) signed.pdf --trust-anchor ca.crt --force")
        try lists.verify("aatl")
        try lists.signet("\(update) other.pdf --trust-anchor ca.crt --force")
        #expect(try lists.signet("trust list").output.contains("signed by CN=you on 20"))
        try lists.signet("\(update) signed.pdf --trust-anchor ca.crt", .credentialRefused)
        try lists.signet("trust update --force", .usage)
    }

    /// The policies of an anchor bind intermediates too (RFC 5280 §6.1).
    @Test(arguments: [(nil, ExitCode.indeterminate), ("1.2.3.4", .done), ("2.5.29.32.0", .done)])
    func restrictsIntermediates(_ policy: String?, _ code: ExitCode) throws {
        let lists = try Lists()
        try lists.writeSettings(policies: "1.2.3.4")
        try lists.signet("trust update --aatl settings.xml")
        let line = policy.map { "certificatePolicies=\($0)" } ?? ""
        try lists.workspace.write(
            "[ca]\nbasicConstraints=critical,CA:TRUE\n\(line)\n", to: "ca.ext")
        try lists.workspace.write("[me]\ncertificatePolicies=1.2.3.4\n", to: "me.ext")
        try lists.workspace.makeKey("sub")
        for (name, issuer, extensions) in [("sub", "ca", "ca"), ("me", "sub", "me")] {
            try lists.workspace.openssl(
                """
                req -new -key \(name).pem -subj /CN=\(name) -out \(name).csr
                """)
            try lists.workspace.openssl(
                """
                x509 -req -in \(name).csr -CA \(issuer).crt -CAkey \(issuer).pem -days 30 \
                -extfile \(extensions).ext -extensions \(extensions) -out \(name).crt
                """)
        }
        try lists.workspace.succeed(
            "cms sign hello.txt --key me.pem --cert me.crt --chain sub.crt -o hello.p7s --force")
        try lists.verify("aatl", code)
    }

    /// The system trust store contains roots of the list without their conditions.
    @Test func replacesTheSystemTrustStore() throws {
        let lists = try Lists()
        try lists.writeSettings(policies: "1.2.3.4")
        try lists.signet("trust update --aatl settings.xml")
        let path = lists.workspace.url("ca.crt").path
        for (options, code) in [([], ExitCode.indeterminate), (["--trust", "ca.crt"], .done)] {
            try lists.workspace.signet(
                ["verify", "hello.p7s", "--content", "hello.txt", "--trust-list", "aatl"] + options,
                environment: lists.workspace.environment.merging(["SSL_CERT_FILE": path]) { $1 }
            ).expect(code)
        }
    }

    /// A list that is cut off distrusts fewer certificates.
    @Test func refusesShorterLists() throws {
        let lists = try Lists()
        let trusted = try certdata(
            lists, "EMAIL_PROTECTION", "CKT_NSS_TRUSTED_DELEGATOR", "")
        let distrust = """
            CKA_CLASS CK_OBJECT_CLASS CKO_NSS_TRUST
            CKA_ISSUER MULTILINE_OCTAL
            \\060\\014\\061\\012\\060\\010\\006\\003\\125\\004\\003\\014\\001\\101
            END
            CKA_SERIAL_NUMBER MULTILINE_OCTAL
            \\002\\001\\001
            END
            CKA_TRUST_EMAIL_PROTECTION CK_TRUST CKT_NSS_NOT_TRUSTED

            """
        try lists.workspace.write(trusted, to: "short.txt")
        try lists.workspace.write(trusted + "\n" + distrust, to: "long.txt")
        try lists.workspace.write(trusted + "\n" + distrust.dropLast(8), to: "cut.txt")
        try lists.signet("trust update --mozilla long.txt")
        let short = try lists.signet("trust update --mozilla short.txt", .invalid)
        #expect(
            short.errors.contains("distrust record 'A, serial number 01'")
                && short.errors.contains("--force"))
        let cut = try lists.signet("trust update --mozilla cut.txt", .malformedInput)
        #expect(cut.errors.contains("incomplete"))
        try lists.signet("trust update --mozilla short.txt --force")
    }

    @Test func refusesOtherFormats() throws {
        let lists = try Lists()
        try lists.workspace.write("\u{1}\u{2} acrodata", to: "addressbook.acrodata")
        let unknown = try lists.signet("trust update --aatl addressbook.acrodata", .malformedInput)
        #expect(unknown.errors.contains("not documented"))
        try lists.workspace.write(
            "<SecuritySettings><s:Signature xmlns:s='http://www.w3.org/2000/09/xmldsig#'/>"
                + "</SecuritySettings>", to: "signed.xml")
        let signed = try lists.signet("trust update --aatl signed.xml", .malformedInput)
        #expect(signed.errors.contains("signatures in XML"))
        let empty = try lists.signet("trust update --mozilla hello.txt", .malformedInput)
        #expect(empty.errors.contains("no trust anchor"))
        try lists.signet("trust update --aatl hello.txt --territory CZ", .usage)
    }

    /// Of Mozilla's list, only trust for e-mail counts.
    @Test(arguments: [
        ("EMAIL_PROTECTION", "CKT_NSS_TRUSTED_DELEGATOR", "", ExitCode.done),
        ("EMAIL_PROTECTION", "CKT_NSS_TRUSTED_DELEGATOR", "491231235959Z", .done),
        ("EMAIL_PROTECTION", "CKT_NSS_TRUSTED_DELEGATOR", "500101000000Z", .indeterminate),
        ("EMAIL_PROTECTION", "CKT_NSS_TRUSTED_DELEGATOR", "200101000000Z", .indeterminate),
        ("EMAIL_PROTECTION", "CKT_NSS_MUST_VERIFY_TRUST", "", .missingInput),
        ("SERVER_AUTH", "CKT_NSS_TRUSTED_DELEGATOR", "", .missingInput),
    ])
    func respectsTrustForMail(
        _ purpose: String, _ trust: String, _ end: String, _ code: ExitCode
    ) throws {
        let lists = try Lists()
        let list = try certdata(lists, purpose, trust, end)
        try lists.workspace.write(list, to: "certdata.txt")
        try lists.signet(
            "trust update --mozilla certdata.txt", code == .missingInput ? .malformedInput : .done)
        let verified = try lists.verify("mozilla", code).output
        if code == .indeterminate {
            #expect(
                verified.contains("the imported list limits 'Our CA' to earlier certificates"),
                "\(verified)")
            #expect(!verified.contains("--trust FILE"))
        }
        // Distrust of a certificate below the authority.
        try lists.workspace.write(
            list + """
                CKA_CLASS CK_OBJECT_CLASS CKO_NSS_TRUST
                \(name(of: try lists.certificate("me.crt")))\
                CKA_TRUST_EMAIL_PROTECTION CK_TRUST CKT_NSS_NOT_TRUSTED

                """, to: "distrusted.txt")
        guard code != .missingInput else { return }
        try lists.signet("trust update --mozilla distrusted.txt")
        #expect(
            try lists.verify("mozilla", .indeterminate).output
                .contains("the imported list distrusts the certificate of 'me'"))
    }

    func octets(_ bytes: some Sequence<UInt8>) -> String {
        let digits = bytes.map { byte in
            let octal = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - octal.count) + octal
        }
        return "MULTILINE_OCTAL\n\(digits.joined())\nEND\n"
    }

    func name(of certificate: [UInt8]) -> String {
        let fields = DERNode(certificate)[0].children
        return "CKA_ISSUER \(octets(fields[3].bytes))CKA_SERIAL_NUMBER \(octets(fields[1].bytes))"
    }

    /// Mozilla's list with the authority.
    func certdata(
        _ lists: Lists, _ purpose: String, _ trust: String, _ end: String
    ) throws -> String {
        let der = try lists.authority
        let limit = end.isEmpty ? "CK_BBOOL CK_FALSE\n" : octets(end.utf8)
        return """
            BEGINDATA
            CKA_CLASS CK_OBJECT_CLASS CKO_CERTIFICATE
            CKA_VALUE \(octets(der))CKA_NSS_EMAIL_DISTRUST_AFTER \(limit)
            CKA_CLASS CK_OBJECT_CLASS CKO_NSS_TRUST
            \(name(of: der))CKA_TRUST_\(purpose) CK_TRUST \(trust)

            """
    }
}
