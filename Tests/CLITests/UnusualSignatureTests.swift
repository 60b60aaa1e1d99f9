import Foundation
import SignetTestSupport
import Testing

/// Signatures and files as other programs write them.
struct UnusualSignatureTests {
    @Test(
        "white space after the end of the file is a note",
        arguments: [
            ("\n\n\n\n\n", true), (" ", true), ("\0", true), ("\r\n\r\n\r\n\r\n", true),
            (String(repeating: "\0", count: 900), true),
            (String(repeating: "\0", count: 5000), false), ("x", false), ("\n% comment\n", false),
        ])
    func trailingWhiteSpace(added: String, passes: Bool) throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("sign letter.pdf --key key.pem --cert valid.pem -o s.pdf")
        try workspace.write(try workspace.read("s.pdf") + Data(added.utf8), to: "t.pdf")
        let outcome = try workspace.signet(
            "verify t.pdf --trust valid.pem --require-unchanged --json")
        outcome.expect(passes ? .done : .invalid)
        let report = try outcome.json(VerifyReport.self)
        #expect(report.codes.contains("trailing-white-space") == passes)
        #expect(report.signatures.first?.coverage == (passes ? "whole-file" : "partial"))
    }

    /// Viewers that do not find `startxref` in the last 1024 bytes search for objects, which would
    /// display another version that the signed file hides.
    @Test func muchWhiteSpaceIsNamed() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("sign letter.pdf --key key.pem --cert valid.pem -o s.pdf")
        try workspace.write(try workspace.read("s.pdf") + Data(count: 5000), to: "t.pdf")
        let report = try workspace.signet("verify t.pdf --trust valid.pem --json")
            .expect(.invalid).json(VerifyReport.self)
        #expect(
            report.signatures[0].problems.contains {
                $0.message.contains("5000 bytes of white space were added")
            })
    }

    @Test("added data has one count in all messages", arguments: ["x", "\r\nx", "\n\n\n%%\n"])
    func addedDataIsCountedOnce(added: String) throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("sign letter.pdf --key key.pem --cert valid.pem -o s.pdf")
        try workspace.write(try workspace.read("s.pdf") + Data(added.utf8), to: "t.pdf")
        let outcome = try workspace.signet("verify t.pdf --trust valid.pem -v").expect(.invalid)
        let count = added.utf8.count
        let text = outcome.output + outcome.errors
        let counts = text.matches(of: /(\d+) bytes?\b/).compactMap { Int($0.output.1) }
        #expect(!counts.isEmpty && counts.allSatisfy { $0 == count }, "\(text)")
        #expect(text.contains("\(count) byte\(count == 1 ? "" : "s") of other data"))
    }

    /// `in.pdf` with a signature by openssl, whose dictionary replaces SIGNATURE in the objects.
    private func signed(_ objects: [String], fields: String) throws -> Workspace {
        let workspace = try signingWorkspace()
        let (gap, range) = (8192, "[0 0000000000 0000000000 0000000000]")
        let signature =
            "<</Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /ByteRange \(range) "
            + "/Contents <\(String(repeating: "0", count: gap))>>>"
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [\(fields)] /SigFlags 3>>",
            extraObjects: objects.map { $0.replacingOccurrences(of: "SIGNATURE", with: signature) })
        var bytes = Data(sample.bytes)
        let hole = try #require(bytes.range(of: Data("<0000".utf8))).lowerBound
        let end = hole + gap + 2
        func padded(_ number: Int) -> String {
            String(String(10_000_000_000 + number).dropFirst())
        }
        let place = try #require(bytes.range(of: Data(range.utf8)))
        bytes.replaceSubrange(
            place,
            with: Data("[0 \(padded(hole)) \(padded(end)) \(padded(bytes.count - end))]".utf8))
        try workspace.write(bytes[..<hole] + bytes[end...], to: "content")
        try workspace.openssl(
            "cms -sign -in content -binary -outform DER -signer valid.pem -inkey key.pem -out value"
        )
        let value = try workspace.read("value").map { String(format: "%02x", $0) }.joined()
        bytes.replaceSubrange(hole + 1..<hole + 1 + value.count, with: Data(value.utf8))
        try workspace.write(bytes, to: "in.pdf")
        return workspace
    }

    private static let widget =
        "/Type /Annot /Subtype /Widget /F 4 /Rect [100 100 300 160] /P 3 0 R"

    @Test func aValueInTheWidgetIsFound() throws {
        let workspace = try signed(
            [
                "<<\(Self.widget) /Parent 7 0 R /FT /Sig /V 8 0 R>>",
                "<</FT /Sig /T (Podpis) /Kids [6 0 R]>>", "SIGNATURE",
            ], fields: "7 0 R")
        let outcome = try workspace.signet("verify in.pdf --trust valid.pem --json").expect(.done)
        #expect(try outcome.json(VerifyReport.self).codes.contains("value-in-widget"))
        let listed = try workspace.succeed("field list in.pdf")
        #expect(listed.output.contains("Podpis: signed"))
        try workspace.signet("sign in.pdf --field Podpis --key key.pem --cert valid.pem -o x.pdf")
            .expect(.usage)
        try workspace.succeed("sign in.pdf --key key.pem --cert valid.pem -o out.pdf")
        let both = try workspace.signet("verify out.pdf --trust valid.pem --json").expect(.done)
        #expect(try both.json(VerifyReport.self).signatures.count == 2)
    }

    /// Other viewers display such a signature, so it is not "no signature".
    @Test(arguments: ["", "<</FT /Sig /T (Second) /V 7 0 R>>"])
    func aSignatureOutsideTheFormIsADoubt(fields: String) throws {
        let workspace = try signed(
            ["<</FT /Sig /T (Sig1) /V 7 0 R /Subtype /Widget /Rect [0 0 0 0]>>", "SIGNATURE"],
            fields: fields)
        let outcome = try workspace.signet("verify in.pdf --trust valid.pem --json")
        outcome.expect(.indeterminate)
        #expect(try outcome.json(VerifyReport.self).codes.contains("signature-outside-form"))
    }

    /// Viewers open a file by its name.
    @Test func theNameOfAFileFitsItsKind() throws {
        let workspace = try signingWorkspace()
        try workspace.write("hello\n", to: "hello")
        let sign = [
            "cms", "sign", "hello", "--key", "key.pem", "--cert", "valid.pem", "--attached",
        ]
        try workspace.succeed(sign + ["-o", "hello.p7m"])
        try workspace.succeed("verify hello.p7m --trust valid.pem")
        try workspace.copy("hello.p7m", to: "hello.pdf")
        try workspace.signet("verify hello.pdf --trust valid.pem")
            .expectRefusal(.malformedInput, naming: "not a PDF")
        try workspace.succeed(sign + ["--pem", "-o", "letter.txt"])
        try workspace.succeed("verify letter.txt --trust valid.pem")
        let text = try workspace.text("letter.txt")
        for other in ["Pay 100.\n\n\(text)", "\(text)\nPay 100.\n"] {
            try workspace.write(other, to: "letter.txt")
            try workspace.signet("verify letter.txt --trust valid.pem").expect(.indeterminate)
        }
    }

    @Test func aDirectSignatureDictionaryIsADoubt() throws {
        let workspace = try signed(
            ["<<\(Self.widget) /FT /Sig /T (Podpis) /V SIGNATURE>>"], fields: "6 0 R")
        let outcome = try workspace.signet("verify in.pdf --trust valid.pem --json")
            .expect(.indeterminate)
        let report = try outcome.json(VerifyReport.self)
        #expect(report.signatures.first?.intact == true)
        #expect(report.codes.contains("signature-direct"))
        // A changed byte is still a failure.
        var bytes = try workspace.read("in.pdf")
        let text = try #require(bytes.range(of: Data("(Sample)".utf8)))
        bytes.replaceSubrange(text, with: Data("(Simple)".utf8))
        try workspace.write(bytes, to: "in.pdf")
        try workspace.signet("verify in.pdf --trust valid.pem").expect(.invalid)
    }

    @Test func usageRightsAreAWarning() throws {
        let sample = SamplePDF(
            catalogEntries: "/Perms <</UR3 6 0 R>>", extraObjects: ["<</Type /Sig>>"])
        let (workspace, outcome) = try sign(sample.bytes)
        outcome.expect(.done)
        #expect(outcome.errors.contains("usage rights"))
        #expect(try workspace.succeed("show in.pdf").output.contains("usage rights"))
    }

    @Test func anotherSignerFails() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("sign letter.pdf --key key.pem --cert valid.pem -o s.pdf")
        try workspace.succeed("cert create --key key.pem --subject CN=Other -o other.crt")
        let outcome = try workspace.signet("verify s.pdf --signer other.crt --json")
            .expect(.invalid)
        #expect(try outcome.json(VerifyReport.self).codes.contains("signer-not-pinned"))
    }

    @Test func anExpiredCertificateHasItsCode() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("cert create --key key.pem --subject CN=Jan --days 30 -o me.crt")
        try workspace.succeed("sign letter.pdf --key key.pem --cert me.crt -o s.pdf")
        let outcome = try workspace.signet(
            "verify s.pdf --trust me.crt --at-time 2040-01-01T00:00:00Z --json"
        ).expect(.indeterminate)
        #expect(try outcome.json(VerifyReport.self).codes.contains("expired"))
        let future = try workspace.signet(
            "sign letter.pdf --key key.pem --cert me.crt --at-time 2040-01-01T00:00:00Z -o x.pdf")
        #expect(future.errors.contains("will have expired"))
        #expect(future.errors.contains("leave out --at-time"), "\(future.errors)")
    }

    @Test(arguments: [
        "sign letter.pdf -o x.pdf", "sign text -o x.p7s", "sign text --container x.asice",
        "cms sign text -o x.p7s", "cms sign text --attached -o x.p7m",
    ])
    func aClaimedTimeInTheFutureIsReported(command: ShellWords) throws {
        let workspace = try signingWorkspace()
        try workspace.write("x", to: "text")
        let time = Date(timeIntervalSinceNow: 86_400).ISO8601Format()
        let signed = try workspace.succeed(
            "\(command) --key key.pem --cert valid.pem --at-time \(time)")
        #expect(
            signed.errors.matches(of: /is in the future: validators report it/).count == 1,
            "\(signed.errors)")
    }

    // MARK: CMS

    /// `m.p7s` by openssl, over `text`, with a new key.
    private func message(_ type: String, _ options: [String]) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.write("some text\n", to: "text")
        try workspace.makeKey("me", type)
        try workspace.succeed("cert create --key me.pem --subject CN=me -o me.crt")
        try workspace.openssl(
            "cms -sign -in text -binary -outform DER -signer me.crt -inkey me.pem -out m.p7s \(options)"
        )
        return workspace
    }

    /// RFC 4055 §3.1 only recommends the same hash.
    @Test func anotherHashInTheMaskPasses() throws {
        let workspace = try message(
            "rsa:2048", ["-keyopt", "rsa_padding_mode:pss", "-keyopt", "rsa_mgf1_md:sha1"])
        try workspace.signet("cms verify m.p7s --content text --trust me.crt").expect(.done)
        try workspace.write("same text\n", to: "text")
        try workspace.signet("cms verify m.p7s --content text --trust me.crt").expect(.invalid)
    }

    /// RFC 8017 B.1.
    @Test func aMissingNULLIsNamed() throws {
        let workspace = try message("rsa:2048", ["-noattr", "-md", "sha256"])
        try workspace.openssl("dgst -sha256 -binary -out hash text")
        let head: [UInt8] = [
            0x30, 0x2F, 0x30, 0x0B, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
            0x01, 0x04, 0x20,
        ]
        try workspace.write(Data(head) + workspace.read("hash"), to: "info")
        try workspace.openssl(
            "pkeyutl -sign -inkey me.pem -in info -pkeyopt rsa_padding_mode:pkcs1 -out value")
        try workspace.write(
            try workspace.read("m.p7s").dropLast(256) + workspace.read("value"), to: "m.p7s")
        let outcome = try workspace.signet("cms verify m.p7s --content text --trust me.crt")
            .expect(.invalid)
        #expect(outcome.output.contains("NULL"), "\(outcome.output)")
    }

    // MARK: Revocation

    private static let extensions = "keyUsage = digitalSignature\n"

    /// A certificate `leaf.crt` with key `leaf.pem`, issued by `ca.crt`, and `s.pdf` signed with it.
    private func issued(_ extensions: String) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.copyVector("pdf/handmade/letter.pdf")
        for name in ["ca", "leaf"] { try workspace.makeKey(name, "rsa:2048") }
        try workspace.succeed("cert create --key ca.pem --subject CN=CA --ca -o ca.crt")
        try workspace.succeed("csr create --key leaf.pem --subject CN=Leaf -o leaf.csr")
        try workspace.write(extensions, to: "extensions")
        try workspace.openssl(
            """
            x509 -req -in leaf.csr -CA ca.crt -CAkey ca.pem -set_serial 4097 -days 30 \
            -extfile extensions -out leaf.crt
            """)
        try workspace.succeed("sign letter.pdf --key leaf.pem --cert leaf.crt -o s.pdf")
        return workspace
    }

    /// RFC 6960 §2.2.
    @Test func theStatusUnknownIsReported() throws {
        let workspace = try issued(Self.extensions)
        try workspace.write("", to: "index")
        try workspace.openssl("ocsp -issuer ca.crt -cert leaf.crt -reqout q.der")
        try workspace.openssl(
            """
            ocsp -index index -CA ca.crt -rsigner ca.crt -rkey ca.pem -reqin q.der -ndays 30 \
            -respout unknown.der
            """)
        let outcome = try workspace.signet(
            "verify s.pdf --trust ca.crt --ocsp unknown.der --json"
        ).expect(.indeterminate)
        let problem = try #require(
            outcome.json(VerifyReport.self).signatures[0].problems.first {
                $0.code == "revocation-unknown"
            })
        #expect(problem.message.contains("'unknown'"))
        #expect(problem.hint?.contains("ask the CA") == true)
        let shown = try workspace.succeed("show unknown.der")
        #expect(shown.output.contains("OCSP response"))
        let listed = try workspace.succeed("show unknown.der --json")
        #expect(listed.output.contains("signet.ocsp/1"))
        #expect(shown.output.contains("serial 1001: unknown"))
    }

    @Test func aListAtLDAPIsNotFetched() throws {
        let workspace = try issued(
            Self.extensions + "crlDistributionPoints = URI:ldap://example.invalid/cn=CA\n")
        let outcome = try workspace.signet("verify s.pdf --trust ca.crt --json")
            .expect(.indeterminate)
        let problem = try #require(outcome.json(VerifyReport.self).signatures[0].problems.first)
        #expect(problem.message.contains("its CRL address ldap://example.invalid/cn=CA"))
        #expect(problem.hint?.contains("--crl") == true)
    }

    @Test func aResponderAtLDAPIsNotCalledAList() throws {
        let workspace = try issued(
            Self.extensions + "authorityInfoAccess = OCSP;URI:ldap://example.invalid/cn=CA\n")
        let outcome = try workspace.signet("verify s.pdf --trust ca.crt --json")
            .expect(.indeterminate)
        let problem = try #require(outcome.json(VerifyReport.self).signatures[0].problems.first)
        #expect(problem.message.contains("its OCSP address ldap://example.invalid/cn=CA"))
        #expect(problem.hint?.contains("download") != true, "\(problem)")
    }

    // MARK: Other

    @Test func documentsAreShownWithTheirSigners() throws {
        let workspace = try signingWorkspace()
        let metadata =
            "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
            + "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
            + "xmlns:a='http://www.aiim.org/pdfa/ns/id/' a:part='3'><a:conformance>B"
            + "</a:conformance></rdf:Description><rdf:Description xmlns:fx="
            + "'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#' fx:ConformanceLevel='BASIC'/>"
            + "</rdf:RDF></x:xmpmeta>"
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R]",
            catalogEntries: "/Metadata 7 0 R /AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<<\(Self.widget) /FT /Tx /T (amount) /V (100)>>",
                "<</Type /Metadata /Subtype /XML /Length \(metadata.utf8.count)>>\nstream\n"
                    + "\(metadata)\nendstream",
            ])
        try workspace.write(Data(sample.bytes), to: "in.pdf")
        try workspace.succeed("sign in.pdf --key key.pem --cert valid.pem -o out.pdf")
        let shown = try workspace.succeed("show out.pdf").output
        #expect(shown.contains("PDF/A-3b, Factur-X (BASIC)"), "\(shown)")
        #expect(shown.contains("'amount': '100'"), "\(shown)")
        #expect(shown.contains("'Signature1' (signed by "), "\(shown)")
    }

    @Test(
        arguments: [
            (
                [0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 26)
                    + Array("mimetypeapplication/vnd.etsi.asic-e+zip".utf8), "not a ZIP archive", ""
            ),
            (
                [0, 0, 0, 24] + Array("ftypheic".utf8), "a HEIC image",
                "heif-convert"
            ),
            ([0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2], "a Java key store", ""),
        ] as [([UInt8], String, String)])
    func otherFilesAreNamed(bytes: [UInt8], name: String, hint: String) throws {
        let workspace = try Workspace()
        try workspace.write(Data(bytes), to: "file")
        let outcome = try workspace.signet("show file").expect(.malformedInput)
        #expect(outcome.errors.contains(name), "\(outcome.errors)")
        #expect(hint.isEmpty || outcome.errors.contains(hint), "\(outcome.errors)")
    }

    @Test func locksOfOtherNewFieldsAreAWarning() throws {
        let workspace = try signingWorkspace()
        let added = try workspace.succeed(
            "field add letter.pdf --field Buyer --field Seller --lock all -o fields.pdf")
        #expect(added.errors.contains("locks 'Seller'"), "\(added.errors)")
    }

    @Test("a weak key is the problem, not missing trust", arguments: [true, false])
    func namesWeakKeys(isSelfSigned: Bool) throws {
        let workspace = try signingWorkspace()
        try workspace.openssl(
            "req -x509 -newkey rsa:2048 -nodes -subj /CN=CA -keyout ca.pem -out ca.crt -days 9")
        let issuer = isSelfSigned ? [] : ["-CA", "ca.crt", "-CAkey", "ca.pem"]
        try workspace.openssl(
            """
            req -x509 -newkey rsa:1024 -nodes -subj /CN=Weak -keyout w.pem -out w.crt -days 9 \
            -addext keyUsage=digitalSignature -addext basicConstraints=CA:FALSE \(issuer)
            """)
        try workspace.succeed("sign letter.pdf --key w.pem --cert w.crt -o s.pdf")
        let anchor = isSelfSigned ? "w.crt" : "ca.crt"
        let outcome = try workspace.signet("verify s.pdf --trust \(anchor)").expect(.indeterminate)
        #expect(outcome.output.contains("the key is too weak (RSA 1024)"))
        #expect(!outcome.output.contains("not trusted"), "\(outcome.output)")
        let other = try workspace.signet("verify s.pdf --trust valid.pem").expect(.indeterminate)
        #expect(other.output.contains("not trusted"), "\(other.output)")
    }
}
