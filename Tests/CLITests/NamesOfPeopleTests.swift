import Foundation
import SignetTestSupport
import Testing

/// Names in certificates, requests and signatures.
@Suite struct NamesOfPeopleTests {
    @Test(arguments: [
        ("/", "subjectAltName=email:jan@example.org", "jan@example.org"),
        ("/GN=Jana/SN=Nováková/O=Firma", "keyUsage=digitalSignature", "Jana Nováková"),
        ("/O=Firma", "keyUsage=digitalSignature", "Firma"),
        ("/OU=Rechnungen/C=CZ", "keyUsage=digitalSignature", "Rechnungen"),
        ("/C=CZ/serialNumber=PNOCZ-1", "keyUsage=digitalSignature", "PNOCZ-1"),
        ("/DC=firma/UID=jnovak", "keyUsage=digitalSignature", "jnovak"),
        ("/", "subjectAltName=IP:192.0.2.1", "192.0.2.1"),
        ("/CN=Two\nlines", "keyUsage=digitalSignature", "Two\\nlines"),
    ])
    func peopleWithoutCommonNameHaveOne(subject: String, more: String, name: String) throws {
        let workspace = try signingWorkspace()
        try workspace.openssl([
            "req", "-x509", "-key", "key.pem", "-utf8", "-subj", subject, "-days", "30", "-addext",
            "basicConstraints=critical,CA:FALSE", "-addext", more, "-out", "own.crt",
        ])
        let signed = try workspace.succeed(
            "sign letter.pdf --key key.pem --cert own.crt --at 1:top-right")
        #expect(signed.output.contains("signed by \(name) "))
        let verified = try workspace.succeed("verify letter.signed.pdf --trust own.crt")
        #expect(verified.output.contains("Signer        \(name)"), "\(verified.output)")
        #expect(!verified.output.contains("()"))
    }

    @Test(arguments: [
        ("Jan Novák", false), ("JAN  NOVÁK", false), ("Jan Novák 123456", false),
        ("Jan Nov?k", false), ("Jan NovÃ¡k", false), ("Jana Nováková", true),
    ])
    func spellingsOfANameAreOne(name: String, isOther: Bool) throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("cert create --key key.pem --subject 'CN=Jan Novák' -o own.crt")
        let signed = try workspace.signet([
            "sign", "letter.pdf", "--key", "key.pem", "--cert", "own.crt", "--name", name,
        ]).expect(.done)
        #expect(signed.errors.contains("the signature names") == isOther)
    }

    /// RFC 5280 §7.1: the signer identifier names the issuer in another string type or case.
    @Test func theIssuerOfASignerIsComparedAsName() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("cert create --key key.pem --subject CN=Uncommon -o own.crt")
        try workspace.openssl(
            """
            cms -sign -binary -nodetach -in letter.pdf -signer own.crt -inkey key.pem \
            -outform DER -out m.p7m
            """)
        var message = try workspace.read("m.p7m")
        let name = try #require(
            message.range(of: Data([0x0C, 8] + "Uncommon".utf8), options: .backwards))
        message.replaceSubrange(name, with: Data([0x13, 8] + "UNCOMMON".utf8))
        try workspace.write(message, to: "m.p7m")
        for trust in ["--trust", "--signer"] {
            try workspace.succeed("cms verify m.p7m \(trust) own.crt")
        }
    }

    @Test func requestsShowAllNames() throws {
        let workspace = try signingWorkspace()
        let names = "email:a@b.cz,upn:x@y,rid:1.2.3,dirname:CN=a,C=CZ,uri:https://a.cz/b,c"
        let shown = [
            "email:a@b.cz", "upn:x@y", "rid:1.2.3", "dn:CN=a,C=CZ", "uri:https://a.cz/b,c",
        ]
        for command in [
            ["csr", "create", "--key", "key.pem", "-o", "out"],
            ["cert", "create", "--key", "key.pem", "-o", "out", "--force"],
            [
                "identity", "request", "work", "--no-passphrase", "-o", "out", "--force",
                "--key-usage", "digitalSignature", "--extended-key-usage", "emailProtection",
            ],
        ] {
            try workspace.signet(
                command + ["--subject", "CN=a", "--san", names, "--san", "dns:a.cz"],
                environment: ["XDG_DATA_HOME": workspace.url("data").path]
            ).expect(.done)
            let output = try workspace.succeed("show out").output
            for name in shown + ["dns:a.cz"] { #expect(output.contains(name), "\(output)") }
        }
        try workspace.signet(
            "csr create --key key.pem --subject CN=a --san email:a@b.cz,upm:x@y -o bad.csr"
        ).expectRefusal(.usage, naming: "mail address")
    }

    @Test func requestsShowWhatTheyAskBesides() throws {
        let workspace = try signingWorkspace()
        try workspace.write(
            """
            [req]
            distinguished_name = dn
            attributes = asked
            req_extensions = e
            prompt = no
            [dn]
            CN = a
            [asked]
            challengePassword = open sesame
            unstructuredName = host.example.org
            unstructuredAddress = Praha
            [e]
            1.3.6.1.4.1.311.20.2 = ASN1:BMPSTRING:User
            subjectAltName = otherName:1.2.3.4;UTF8:boss
            """, to: "r.cnf")
        try workspace.openssl("req -new -key key.pem -config r.cnf -out r.csr")
        let shown = try workspace.succeed("show r.csr").output
        for word in [
            "open sesame", "host.example.org", "Praha", "User", "other:1.2.3.4:0c04626f7373",
        ] {
            #expect(shown.contains(word), "\(shown)")
        }
        let json = try workspace.succeed("show r.csr --json").output
        #expect(json.contains("\"challengePassword\":\"open sesame\""))
        #expect(json.contains("\"certificateTemplate\":\"User\""))
    }

    @Test func successNamesPeopleAndDays() throws {
        let workspace = try signingWorkspace()
        let made = try workspace.signet([
            "cert", "create", "--key", "key.pem", "--subject", "CN=Jan Novák,C=CZ", "-o", "own.crt",
            "--at-time", "2026-01-01T00:00:00Z", "--days", "31",
        ]).expect(.done)
        #expect(
            made.output.hasSuffix(
                ": created self-signed certificate for Jan Novák (valid until 2026-01-31)\n"))
        let long = String(repeating: "x", count: 65)
        for command: ShellWords in [
            "csr create --key key.pem", "identity request work --no-passphrase",
        ] {
            let request = try workspace.signet(
                "\(command) --subject CN=\(long) -o r.csr --force",
                environment: ["XDG_DATA_HOME": workspace.url("data").path]
            ).expect(.done)
            #expect(request.errors.contains("CN has 65 characters"))
        }
        try workspace.signet([
            "csr", "create", "--key", "key.pem", "--subject", "CN=Müller, Söhne", "-o", "x.csr",
        ]).expectRefusal(.usage, naming: "has no type such as CN=", "CN=\"Novák, Jan\"")
    }

    @Test(arguments: ["csr", "cert"], ["", " "])
    func emptySubjectsAreRefused(command: String, subject: String) throws {
        let workspace = try signingWorkspace()
        let create = [command, "create", "--key", "key.pem", "-o", "x", "--subject", subject]
        try workspace.signet(create).expectRefusal(.usage, naming: "--subject")
        try workspace.succeed(create + ["--san", "email:jan@example.org"])
    }

    @Test func theFormOfOpenSSLIsNamed() throws {
        let workspace = try signingWorkspace()
        for subject in ["C=CZ/CN=Jan", "/C=CZ/CN=Jan"] {
            try workspace.signet("csr create --key key.pem --subject \(subject) -o x.csr")
                .expectRefusal(.usage, naming: "write it with commas: CN=Jan,C=CZ")
        }
    }

    @Test func extensionsThatAreNotShownAreCounted() throws {
        let workspace = try signingWorkspace()
        try workspace.openssl([
            "req", "-x509", "-key", "key.pem", "-subj", "/CN=a", "-out", "own.crt", "-addext",
            "1.2.3.4=critical,DER:0500",
        ])
        let shown = try workspace.succeed("show own.crt").output
        #expect(shown.contains("not described; critical: 1.2.3.4"), "\(shown)")
    }

    // MARK: Identities

    @Test func identitiesTakeTheirChainLater() throws {
        let workspace = try signingWorkspace()
        func run(_ command: String) throws -> CommandOutcome {
            try workspace.signet(
                ShellWords(stringLiteral: command),
                environment: ["XDG_DATA_HOME": workspace.url("data").path])
        }
        try workspace.makeKey("ca")
        try run("cert create --key ca.pem --subject CN=Root --ca -o root.crt").expect(.done)
        try run(
            """
            cert create --key key.pem --subject CN=Sub --ca -o sub.crt --issuer-cert \
            root.crt --issuer-key ca.pem
            """
        ).expect(.done)
        try run("identity request work --subject CN=Jan --no-passphrase -o r.csr").expect(.done)
        try run("cert create --csr r.csr --issuer-cert sub.crt --issuer-key key.pem -o leaf.crt")
            .expect(.done)
        let pending = try run("identity remove work")
        pending.expectRefusal(.usage, naming: "confirmation", "--force")
        try run("identity complete leaf.crt").expect(.done)
        let again = try run("identity complete leaf.crt").expect(.done)
        #expect(again.errors.contains("no request is pending"))
        try run("sign letter.pdf --identity work --chain sub.crt -o given.pdf").expect(.done)
        try run("verify given.pdf --trust root.crt").expect(.done)
        let both = try workspace.read("leaf.crt") + workspace.read("sub.crt")
        try workspace.write(both, to: "both.pem")
        try run("identity complete both.pem").expect(.done)
        try run("sign letter.pdf --identity work -o kept.pdf").expect(.done)
        try run("verify kept.pdf --trust root.crt").expect(.done)
        try run("identity request other --subject CN=Eva --no-passphrase -o r.csr --force")
            .expect(.done)
        try run(
            "cert create --csr r.csr --issuer-cert sub.crt --issuer-key key.pem -o eva.crt"
        ).expect(.done)
        try run("identity complete eva.crt --chain sub.crt").expect(.done)
        try run("sign letter.pdf --identity other -o chained.pdf").expect(.done)
        try run("verify chained.pdf --trust root.crt").expect(.done)
    }
}
