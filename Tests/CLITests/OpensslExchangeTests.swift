import Foundation
import SignetTestSupport
import Testing

/// Artefacts that go from here to openssl and from openssl to here, beyond those that the tests of
/// `key`, `csr`, `hash` and `cms` exchange.
@Suite struct OpensslExchangeTests {
    /// `letter.pdf`, and a key with its certificate that openssl made.
    private func workspace(_ options: [String]) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.copyVector("pdf/handmade/letter.pdf")
        try workspace.openssl(
            """
            req -x509 -nodes -utf8 -subj '/C=CZ/CN=Jan Novák' -days 30 -keyout k.pem -out c.pem \
            -addext keyUsage=critical,digitalSignature,nonRepudiation -newkey \(options)
            """)
        return workspace
    }

    /// Where a PDF's only signature is, and what it covers.
    private func signature(of pdf: Data) throws -> (digits: Range<Int>, content: Data) {
        let key = try #require(pdf.range(of: Data("/ByteRange [".utf8), options: .backwards))
        let numbers = try String(
            decoding: pdf[key.upperBound..<#require(pdf[key.upperBound...].firstIndex(of: 0x5D))],
            as: UTF8.self
        ).split(separator: " ").compactMap { Int($0) }
        try #require(numbers.count == 4)
        return (
            numbers[1] + 1..<numbers[2] - 1,
            pdf[..<numbers[1]] + pdf[numbers[2]..<numbers[2] + numbers[3]]
        )
    }

    @Test(arguments: [["rsa:2048"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]])
    func pdfSignatures(options: [String]) throws {
        let workspace = try workspace(options)
        try workspace.succeed("sign letter.pdf --key k.pem --cert c.pem -o s.pdf")
        var pdf = try workspace.read("s.pdf")
        let (digits, content) = try signature(of: pdf)
        try workspace.write(content, to: "content")
        try workspace.write(try #require(Data(hex: pdf[digits])), to: "cms")
        try workspace.openssl([
            "cms", "-verify", "-in", "cms", "-inform", "DER", "-binary", "-content", "content",
            "-CAfile", "c.pem", "-purpose", "any", "-cades", "-out", "same",
        ])
        #expect(try workspace.read("same") == content)
        // A signature that openssl made in the place of ours: without a signing-certificate
        // attribute it is of the older kind, whose name is as long.
        let (pades, adobe) = (Data("ETSI.CAdES.detached".utf8), Data("adbe.pkcs7.detached".utf8))
        let kind = try #require(pdf.range(of: pades, options: .backwards))
        pdf.replaceSubrange(kind, with: adobe)
        let (_, changed) = try signature(of: pdf)
        try workspace.write(changed, to: "content")
        try workspace.openssl([
            "cms", "-sign", "-in", "content", "-binary", "-outform", "DER", "-signer", "c.pem",
            "-inkey", "k.pem", "-nosmimecap", "-out", "theirs",
        ])
        let theirs = try workspace.read("theirs").map { String(format: "%02x", $0) }.joined()
        try #require(theirs.utf8.count <= digits.count)
        pdf.replaceSubrange(
            digits,
            with: Data(theirs.padding(toLength: digits.count, withPad: "0", startingAt: 0).utf8))
        try workspace.write(pdf, to: "theirs.pdf")
        try workspace.succeed("verify theirs.pdf --trust c.pem")
        pdf[20] ^= 1
        try workspace.write(pdf, to: "damaged.pdf")
        try workspace.signet("verify damaged.pdf --trust c.pem").expect(.invalid)
    }

    @Test(arguments: [
        (["rsa:2048"], ["-pkeyopt", "digest:sha256"]),
        (["ec", "-pkeyopt", "ec_paramgen_curve:P-384"], []),
        (["ed25519"], ["-rawin"]),
    ])
    func remoteSignatures(options: [String], method: [String]) throws {
        let workspace = try workspace(options)
        try workspace.succeed("remote prepare letter.pdf --cert c.pem -o p.pdf --to-sign h")
        try workspace.openssl("pkeyutl -sign -inkey k.pem -in h -out s \(method)")
        try workspace.succeed("remote embed p.pdf --signature s -o s.pdf")
        try workspace.succeed("verify s.pdf --trust c.pem")
    }

    @Test func remoteHashesSignedHere() throws {
        let workspace = try workspace(["rsa:2048"])
        try workspace.succeed("remote prepare letter.pdf --cert c.pem -o p.pdf --to-sign h")
        try workspace.succeed("hash sign h --input hash --key k.pem -o s")
        try workspace.openssl(
            "pkeyutl -verify -certin -inkey c.pem -in h -sigfile s -pkeyopt digest:sha256")
        try workspace.succeed("remote embed p.pdf --signature s -o s.pdf")
    }

    /// What is usually done wrong with a hash can be seen.
    @Test(arguments: [
        (
            ["pkeyutl", "-sign", "-inkey", "k.pem", "-in", "h", "-out", "s"],
            "its algorithm identifier"
        ),
        (["dgst", "-sha256", "-sign", "k.pem", "-out", "s", "h"], "the hash of the hash"),
        (["dgst", "-sha256", "-sign", "k.pem", "-out", "s", "k.pem"], "does not match the"),
        (["dgst", "-sha512", "-sign", "k.pem", "-out", "s", "m"], "uses SHA-512"),
    ])
    func remoteHashesSignedWrongly(command: [String], words: String) throws {
        let workspace = try workspace(["rsa:2048"])
        try workspace.succeed(
            "remote prepare letter.pdf --cert c.pem -o p.pdf --to-sign h --to-sign-message m")
        try workspace.openssl("\(command)")
        try workspace.signet("remote embed p.pdf --signature s -o s.pdf")
            .expectRefusal(.credentialRefused, naming: words)
        #expect(!workspace.exists("s.pdf"))
    }

    /// The padding and its salt are parts of the signature.
    @Test(arguments: [
        (
            "pss", ["-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", "rsa_pss_saltlen:max"],
            "32 bytes"
        ),
        ("pss", [], "sign with PSS"),
        ("pkcs1", ["-pkeyopt", "rsa_padding_mode:pss"], "sign with PKCS#1 v1.5"),
    ])
    func remotePaddings(prepared: String, options: [String], words: String) throws {
        let workspace = try workspace(["rsa:2048"])
        try workspace.succeed(
            "remote prepare letter.pdf --cert c.pem --padding \(prepared) -o p.pdf --to-sign h")
        try workspace.openssl(
            "pkeyutl -sign -inkey k.pem -in h -out s -pkeyopt digest:sha256 \(options)")
        try workspace.signet("remote embed p.pdf --signature s -o s.pdf")
            .expectRefusal(.credentialRefused, naming: words)
    }

    @Test func messagesWithoutSignedAttributes() throws {
        let workspace = try workspace(["rsa:2048"])
        try workspace.openssl(
            "cms -sign -noattr -nodetach -binary -in letter.pdf -signer c.pem -inkey k.pem -outform DER -out m.p7m"
        )
        let refused = try workspace.signet("cms verify m.p7m --signer c.pem").expect(.invalid)
        #expect(refused.errors.contains("--allow-missing-attributes"), "\(refused.errors)")
        try workspace.succeed("cms verify m.p7m --signer c.pem --allow-missing-attributes")
    }

    /// A request is made here, certified by openssl days later, and the identity signs.
    @Test func identities() throws {
        let workspace = try workspace(["rsa:2048"])
        try workspace.openssl(
            "req -x509 -newkey rsa:2048 -nodes -subj /CN=CA -days 30 -keyout ca.pem -out ca.crt")
        let home = ["XDG_DATA_HOME": workspace.url("data").path, "PP": "tree"]
        for (name, options) in [("jan", ["--no-passphrase"]), ("eva", ["--passphrase-env", "PP"])] {
            try workspace.succeed(
                "identity request \(name) --subject CN=\(name),C=CZ -o \(name).csr \(options)",
                environment: home)
            try workspace.openssl("req -in \(name).csr -verify -noout")
            try workspace.signet("sign letter.pdf --identity \(name)", environment: home)
                .expectRefusal(
                    .missingInput, naming: "'\(name)' has no certificate yet",
                    "signet identity complete")
        }
        let waiting = try workspace.signet("identity list", environment: home)
        #expect(waiting.errors.contains("2 requests are pending"), "\(waiting.errors)")
        for name in ["eva", "jan"] {
            try workspace.openssl([
                "x509", "-req", "-in", "\(name).csr", "-CA", "ca.crt", "-CAkey", "ca.pem",
                "-copy_extensions", "copy", "-set_serial", "5", "-out", "\(name).crt", "-outform",
                "DER", "-days", "9",
            ])
            let outcome = try workspace.succeed("identity complete \(name).crt", environment: home)
            #expect(outcome.output.contains(name))
        }
        for (command, words) in [
            (["--key", "jan"], "use --identity jan"),
            (["--identity", "jna"], "did you mean 'jan'?"),
        ] {
            try workspace.signet("sign letter.pdf -o none.pdf \(command)", environment: home)
                .expectRefusal(.missingInput, naming: words)
        }
        let pending = try workspace.signet("identity pending --json", environment: home)
        #expect(!pending.output.contains("jan"))
        for (name, options) in [("jan", []), ("eva", ["--passphrase-env", "PP"])] {
            try workspace.succeed(
                "sign letter.pdf --identity \(name) -o \(name).pdf \(options)", environment: home)
            let outcome = try workspace.succeed("verify \(name).pdf --trust ca.crt")
            #expect(outcome.output.contains("CN=\(name)"))
        }
        #expect(try workspace.mode("data/signet/identities/jan/key.pem") == 0o600)
        #expect(try workspace.mode("data/signet/identities") == 0o700)
    }

    /// RFC 5280 §4.2: whoever does not know it must not accept the certificate.
    @Test func unknownCriticalExtension() throws {
        let workspace = try signingWorkspace()
        for (critical, code) in [("critical,", ExitCode.unfitIdentity), ("", ExitCode.done)] {
            try workspace.openssl(
                "req -x509 -new -key key.pem -subj /CN=X -out c.pem -addext 1.2.3.4=\(critical)ASN1:NULL"
            )
            let outcome = try workspace.signet(
                "sign letter.pdf --key key.pem --cert c.pem -o s.pdf")
            outcome.expect(code)
            #expect(outcome.errors.contains("critical extension") == !critical.isEmpty)
        }
    }

    @Test(arguments: [[], ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES"], ["-legacy"]])
    func pkcs12(options: [String]) throws {
        let workspace = try workspace(["rsa:2048"])
        try workspace.openssl(
            "pkcs12 -export -inkey k.pem -in c.pem -out me.p12 -passout pass:strom \(options)")
        try workspace.succeed(
            "sign letter.pdf --key me.p12 --passphrase-env PP -o s.pdf",
            environment: ["PP": "strom"])
        try workspace.succeed("verify s.pdf --trust c.pem")
    }
}

extension Data {
    fileprivate init?(hex digits: Data) {
        var bytes: [UInt8] = []
        var rest = digits[...]
        while !rest.isEmpty {
            guard let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self = Data(bytes)
    }
}
