import Foundation
import SignetTestSupport
import Testing

@Suite struct CSRTests {
    @Test(arguments: [
        ("rsa:2048", []), ("rsa:2048", ["--padding", "pss"]), ("rsa:2048", ["--digest", "sha512"]),
        ("ec:P-256", []), ("ec:P-384", ["--digest", "sha384"]), ("ec:P-521", []), ("ed25519", []),
        ("dsa:2048", []),
    ])
    func makesRequestsThatOthersVerify(type: String, options: [String]) throws {
        let workspace = try Workspace()
        try workspace.succeed(
            [
                "csr", "create", "--new-key", type, "--key-out", "k.pem", "--no-passphrase",
                "--subject", "CN=Jan Novák,O=Firma\\, s.r.o.,L=Plzeň,C=CZ", "-o", "r.csr",
                "--san", "email:jan@firma.cz,dns:firma.cz,ip:192.0.2.1,uri:https://firma.cz/a,b",
            ] + options)
        #expect(try workspace.mode("k.pem") == 0o600)
        let openssl = try workspace.opensslOutcome(
            "req -in r.csr -verify -noout -text -nameopt RFC2253,utf8,-esc_msb")
        #expect(openssl.errors.contains("verify OK"))
        let text = openssl.output
        #expect(text.contains("Subject: CN=Jan Novák,O=Firma\\, s.r.o.,L=Plzeň,C=CZ"))
        for part in [
            "email:jan@firma.cz", "DNS:firma.cz", "IP Address:192.0.2.1",
            "URI:https://firma.cz/a,b",
            "Digital Signature, Non Repudiation", "1.3.6.1.5.5.7.3.36",
        ] { #expect(text.contains(part), "\(part)") }
        if options.contains("pss") { #expect(text.contains("rsassaPss")) }
        try workspace.succeed("csr verify r.csr")

        guard let gnutls = try workspace.tool("certtool --crq-info --infile r.csr") else { return }
        gnutls.expect(.done)
        for part in [
            "Subject: CN=Jan Novák,O=Firma\\, s.r.o.,L=Plzeň,C=CZ", "Self signature: verified",
            "RFC822Name: jan@firma.cz", "DNSname: firma.cz", "IPAddress: 192.0.2.1",
            "URI: https://firma.cz/a,b",
        ] { #expect(gnutls.output.contains(part), "\(part): \(gnutls.errors)") }
    }

    @Test func usagesOfServers() throws {
        let workspace = try Workspace()
        let make = [
            "csr", "create", "--subject", "CN=a.example", "--san", "dns:a.example", "-o", "r.csr",
            "--new-key", "ec:P-256", "--no-passphrase", "--force", "--key-out",
        ]
        let warning = "add --usage digitalSignature,serverAuth"
        #expect(try workspace.succeed(make + ["a.pem"]).errors.contains(warning))
        try workspace.succeed(make + ["c.pem", "--usage", "serverAuth"])
        let text = try workspace.openssl("req -in r.csr -noout -text")
        #expect(text.contains("Digital Signature") && !text.contains("Non Repudiation"), "\(text)")
        let usage = ["--usage", "digitalSignature,keyEncipherment,serverAuth"]
        #expect(try !workspace.succeed(make + ["b.pem"] + usage).errors.contains(warning))
        try workspace.signet("identity request web --subject CN=a.example -o w.csr \(usage)")
            .expectRefusal(
                .usage, naming: "an identity signs documents", "signet csr create",
                "--subject CN=a.example -o w.csr")
        try workspace.signet(
            "identity request web --subject CN=a -o w.csr --san dns:*.a.example \(usage)"
        ).expectRefusal(.usage, naming: "\(usage[0]) \(usage[1]) --san 'dns:*.a.example'")
        let home = ["XDG_DATA_HOME": workspace.url("data").path]
        let request: ShellWords =
            "identity request web --subject CN=a --san dns:a.example --no-passphrase -o w.csr"
        let named = try workspace.succeed(request, environment: home)
        #expect(
            named.errors.contains(
                "csr create --new-key rsa:3072 --key-out KEY --usage digitalSignature,serverAuth "
                    + "--san dns:a.example --subject CN=a -o w.csr"), "\(named.errors)")
        let nameless = try workspace.succeed(
            "csr create --key a.pem --subject CN=*.a.example --usage serverAuth -o n.csr")
        #expect(nameless.errors.contains("add --san dns:NAME"), "\(nameless.errors)")
        // A host name as the CN is a server, an organization is not.
        for (name, isHost) in [("*.a.example", true), ("www.a.example", true), ("A s.r.o.", false)]
        {
            let made = try workspace.succeed([
                "csr", "create", "--key", "a.pem", "--subject", "CN=\(name),C=CZ", "-o", "h.csr",
                "--force",
            ])
            #expect(
                made.errors.contains("--san 'dns:\(name)' --usage digitalSignature") == isHost,
                "\(made.errors)")
        }
        for (options, hint) in [
            ("--usage nonrepudation", "did you mean 'nonRepudiation'?"),
            ("--usage serverAut", "did you mean 'serverAuth'?"),
            ("--key-usage serverAuth", "use --extended-key-usage serverAuth"),
            ("--extended-key-usage digitalSignature", "use --key-usage digitalSignature"),
        ] {
            try workspace.signet(make + ["d.pem"] + options.split(separator: " ").map(String.init))
                .expectRefusal(.usage, naming: hint)
        }
    }

    @Test(arguments: [
        (["--subject", "CN=A,orgId=VATCZ-1"], "organizationIdentifier"),
        (["--subject", "CN=A,orgId=VATCZ-1"], "2.5.4.97=VALUE"),
        (["--subject", "CN=A", "--san", "dns:*.*.b.cz"], "such as www.b.cz or *.b.cz"),
        (["--subject", "CN=A", "--san", "dns:10.0.0.1"], "for an IP address, use ip:"),
        (["--subject", "CN=A", "B,C=CZ"], "put the value of --subject in quotation marks"),
        (
            ["--subject", "CN=A", "B", "s.r.o.,C=CZ"],
            "put the value of --subject in quotation marks"
        ),
    ])
    func wrongNamesAreExplained(options: [String], hint: String) throws {
        let workspace = try Workspace()
        try workspace.copyVector("pki/key.pem")
        try workspace.signet(["csr", "create", "--key", "key.pem", "-o", "r.csr"] + options)
            .expectRefusal(.usage, naming: hint)
    }

    @Test(arguments: [
        ["-newkey", "rsa:2048"], ["-newkey", "rsa:2048", "-sigopt", "rsa_padding_mode:pss"],
        ["-newkey", "rsa:2048", "-sha1"], ["-newkey", "rsa-pss"], ["-newkey", "ed25519"],
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384", "-sha384"],
        ["-newkey", "dsa:params.pem"],
    ])
    func verifiesRequestsThatOpensslMade(options: [String]) throws {
        let workspace = try Workspace()
        if options.contains("dsa:params.pem") {
            try workspace.openssl(
                "genpkey -genparam -algorithm DSA -pkeyopt dsa_paramgen_bits:2048 -out params.pem")
        }
        for form in ["PEM", "DER"] {
            let output = ["-keyout", "k", "-outform", form, "-out", "r"]
            try workspace.openssl(
                "req -new -nodes -utf8 -subj '/C=CZ/CN=Jan Novák' \(output) \(options)")
            let outcome = try workspace.succeed("csr verify r")
            #expect(outcome.output.contains("CN=Jan Novák,C=CZ"))
        }
    }

    @Test(
        "--usage takes key usages and extended key usages",
        arguments: [
            ["csr", "create", "--key", "key.pem"],
            ["identity", "request", "work", "--no-passphrase"],
        ])
    func usageInOneList(command: [String]) throws {
        let workspace = try Workspace()
        try workspace.copyVector("pki/key.pem")
        let home = ["XDG_DATA_HOME": workspace.folder.path + "/data"]
        try workspace.succeed(
            "\(command) --subject CN=Firma --usage digitalSignature,emailProtection -o r.csr",
            environment: home)
        let text = try workspace.openssl("req -in r.csr -noout -text")
        #expect(text.contains("Digital Signature") && text.contains("E-mail Protection"))
        #expect(!text.contains("Non Repudiation") && !text.contains("1.3.6.1.5.5.7.3.36"))
        try workspace.signet(
            "\(command) --subject CN=F --usage codeSigning --key-usage digitalSignature -o s.csr",
            environment: home
        ).expectRefusal(.usage, naming: "--usage cannot be combined")
    }

    @Test func takesMultiValuedNamesUsagesAndDER() throws {
        let workspace = try Workspace()
        try workspace.copyVector("pki/key.pem")
        try workspace.succeed([
            "csr", "create", "--key", "key.pem", "--subject", "CN=Jan+serialNumber=7,C=CZ", "-o",
            "r.der", "--der", "--key-usage", "digitalSignature", "--extended-key-usage",
            "emailProtection,1.2.3.4",
        ])
        let text = try workspace.openssl("req -in r.der -inform DER -noout -text -nameopt RFC2253")
        #expect(text.contains("CN=Jan+serialNumber=7,C=CZ"))
        #expect(text.contains("E-mail Protection, 1.2.3.4"))
        #expect(!text.contains("Non Repudiation"))
    }

    @Test func verifiesWhatOpensslMadeAndRefusesWhatWasChanged() throws {
        let workspace = try Workspace()
        try workspace.copyVector("pki/key.pem")
        try workspace.openssl("req -new -key key.pem -subj /CN=Mallory -outform DER -out r.der")
        let good = try workspace.succeed("csr verify r.der --json")
        let report = try good.json()
        #expect(report.schema == "signet.csr/1" && report.verified == true)
        #expect(report.subject == "CN=Mallory")
        var request = try workspace.read("r.der")
        let name = try #require(request.range(of: Data("Mallory".utf8)))
        request[name.lowerBound] ^= 1
        try workspace.write(request, to: "bad.der")
        let bad = try workspace.signet("csr verify bad.der").expect(.invalid)
        #expect(bad.output.contains("FAILED"))
        try workspace.signet("csr verify key.pem").expectRefusal(.malformedInput)
    }

    /// An authority is told what it should not certify.
    @Test func remarksOnWeakRequests() throws {
        let workspace = try Workspace()
        try workspace.openssl(
            "req -new -newkey rsa:1024 -nodes -keyout weak.pem -sha1 -subj /CN=x -out weak.csr")
        let weak = try workspace.succeed("csr verify weak.csr")
        #expect(weak.errors.contains("SHA-1 is no longer secure"))
        #expect(weak.errors.contains("the key is too weak (RSA 1024)"))
        let report = try workspace.signet("csr verify weak.csr --json").json()
        #expect(report.warnings.count == 2)
    }

    /// Names that read otherwise, and what is none.
    @Test(arguments: [
        ["--subject", "CN=Jan\nCN=Boss"], ["--subject", "CN=Jan\u{202E}"],
        ["--subject", "CN=Jan\\00Boss"], ["--subject", "CN=x", "--san", "dns:x..y"],
        ["--subject", "CN=x", "--san", "dns:evil.com\\0good.com"], ["--subject", "no name"],
        ["--subject", "CN=x", "--san", "dns:a b"], ["--subject", "CN=x", "--key-usage", "flying"],
        ["--subject", "CN=x", "--extended-key-usage", "flying"], [],
        ["--subject", "CN=x", "--padding", "pss"], ["--subject", "CN=x", "--new-key", "rsa:12"],
    ])
    func refusesAndLeavesNothing(options: [String]) throws {
        let workspace = try Workspace()
        let key = options.contains("--new-key") ? [] : ["--new-key", "ed25519"]
        try workspace.signet("csr create \(key) --key-out k --no-passphrase -o r \(options)")
            .expectRefusal(.usage)
        #expect(try workspace.names.isEmpty)
    }
}
