import Foundation
import SignetTestSupport
import Testing

/// Lists of trust anchors that the user has: Adobe's security settings and Mozilla's certdata.txt.
@Suite struct AnchorListTests {
    /// A folder with an authority, and `hello.p7s` by a signer below it.
    private struct Lists {
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

        var authority: [UInt8] {
            get throws {
                let lines = try workspace.text("ca.crt").split(separator: "\n")
                let text = lines.filter { !$0.hasPrefix("-") }.joined()
                return [UInt8](try #require(Data(base64Encoded: text)))
            }
        }

        /// Writes `settings.xml` with the authority.
        func writeSettings(action: Int = 1, root: Int = 1, policies: String...) throws {
            let restrictions = policies.map { "<OID>\($0)</OID>" }.joined()
            let text = """
                <?xml version="1.0"?>
                <SecuritySettings><TrustedIdentities><Identity>
                <ImportAction>\(action)</ImportAction>
                <Certificate>\(Data(try authority).base64EncodedString())</Certificate>
                <Trust><Root>\(root)</Root></Trust>
                <PolicyRestrictions>\(policies.isEmpty ? "" : """
                    <CertificatePolicies>\(restrictions)</CertificatePolicies>
                    """)</PolicyRestrictions>
                </Identity></TrustedIdentities></SecuritySettings>
                """
            try workspace.write(text, to: "settings.xml")
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
            try signet("sign settings.pdf --key me.pem --cert me.crt -o signed.pdf")
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
        try lists.signet("trust update --aatl settings.xml")
        try lists.verify("aatl", .indeterminate)
    }

    @Test(arguments: [(3, 1), (1, 0)])
    func refusesListsWithoutRoots(_ action: Int, _ root: Int) throws {
        let lists = try Lists()
        try lists.writeSettings(action: action, root: root)
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
        ("EMAIL_PROTECTION", "CKT_NSS_TRUSTED_DELEGATOR", "991231235959Z", .done),
        ("EMAIL_PROTECTION", "CKT_NSS_TRUSTED_DELEGATOR", "200101000000Z", .indeterminate),
        ("EMAIL_PROTECTION", "CKT_NSS_MUST_VERIFY_TRUST", "", .missingInput),
        ("SERVER_AUTH", "CKT_NSS_TRUSTED_DELEGATOR", "", .missingInput),
    ])
    func respectsTrustForMail(
        _ purpose: String, _ trust: String, _ end: String, _ code: ExitCode
    ) throws {
        let lists = try Lists()
        let der = try lists.authority
        func octets(_ bytes: some Sequence<UInt8>) -> String {
            let digits = bytes.map { byte in
                let octal = String(byte, radix: 8)
                return "\\" + String(repeating: "0", count: 3 - octal.count) + octal
            }
            return "MULTILINE_OCTAL\n\(digits.joined())\nEND\n"
        }
        let fields = DERNode(der)[0].children
        let limit = end.isEmpty ? "CK_BBOOL CK_FALSE\n" : octets(end.utf8)
        try lists.workspace.write(
            """
            BEGINDATA
            CKA_CLASS CK_OBJECT_CLASS CKO_CERTIFICATE
            CKA_VALUE \(octets(der))CKA_NSS_EMAIL_DISTRUST_AFTER \(limit)
            CKA_CLASS CK_OBJECT_CLASS CKO_NSS_TRUST
            CKA_ISSUER \(octets(fields[3].bytes))CKA_SERIAL_NUMBER \(octets(fields[1].bytes))\
            CKA_TRUST_\(purpose) CK_TRUST \(trust)

            """, to: "certdata.txt")
        try lists.signet(
            "trust update --mozilla certdata.txt", code == .missingInput ? .malformedInput : .done)
        try lists.verify("mozilla", code)
    }
}
