import Foundation
import SignetTestSupport
import Testing

@Suite struct KeyGenerateTests {
    @Test(arguments: [
        ("rsa:2048", "RSA"), ("rsa:3072", "RSA"), ("ec:P-256", "EC"), ("ec:P-384", "EC"),
        ("ec:P-521", "EC"), ("ed25519", "ED25519"),
    ])
    func makesEveryTypeWithPrivateMode(type: String, kind: String) throws {
        let workspace = try Workspace()
        let outcome = try workspace.succeed("key generate --type \(type) -o k.pem --no-passphrase")
        #expect(try workspace.mode("k.pem") == 0o600)
        let text = try workspace.text("k.pem")
        #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(!outcome.output.contains("PRIVATE") && !outcome.errors.contains("PRIVATE"))
        try workspace.openssl("pkey -in k.pem -noout -check")
    }

    @Test func defaultsToEncryptedRSA3072() throws {
        let workspace = try Workspace()
        try workspace.write("pass phrase\nsecond line\n", to: "p.txt")
        try workspace.succeed("key generate -o k.pem --passphrase-file p.txt")
        let text = try workspace.text("k.pem")
        #expect(text.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
        let shown = try workspace.openssl("pkey -in k.pem -noout -text -passin 'pass:pass phrase'")
        #expect(shown.contains("3072 bit"))
        let structure = try workspace.openssl("asn1parse -in k.pem")
        for part in ["PBES2", "PBKDF2", "hmacWithSHA256", "aes-256-cbc", ":0927C0"] {
            #expect(structure.contains(part), "600,000 rounds of PBKDF2, AES-256-CBC")
        }
    }

    @Test func takesThePassphraseFromTheEnvironment() throws {
        let workspace = try Workspace()
        try workspace.succeed(
            "key generate --type ec:P-256 -o k.pem --passphrase-env PP", environment: ["PP": "tree"]
        )
        try workspace.openssl("pkey -in k.pem -noout -passin pass:tree")
    }

    @Test func asksForAPassphraseAndRefusesWithoutATerminal() throws {
        let workspace = try Workspace()
        let outcome = try workspace.withoutTerminal(["key", "generate", "-o", "k.pem"])
        outcome.expectRefusal(.credentialRefused, naming: "--passphrase-file")
        #expect(outcome.errors.contains("--passphrase-env"))
        #expect(try workspace.names == [])
    }

    @Test func writesThePublicKeyBesideIt() throws {
        let workspace = try Workspace()
        try workspace.succeed(
            "key generate --type ec:P-256 -o k.pem --no-passphrase --public-out pub.pem")
        let expected = try workspace.openssl("pkey -in k.pem -pubout")
        #expect(try workspace.text("pub.pem") == expected)
    }

    @Test func keepsAnExistingKeyUnlessForced() throws {
        let workspace = try Workspace()
        try workspace.write("precious", to: "k.pem")
        let arguments = ["key", "generate", "--type", "ec:P-256", "-o", "k.pem", "--no-passphrase"]
        try workspace.signet(arguments)
            .expectRefusal(.cannotCreateOutput, naming: "k.pem", "--force")
        #expect(try workspace.read("k.pem") == Data("precious".utf8))
        try workspace.succeed("\(arguments) --force")
        #expect(try workspace.mode("k.pem") == 0o600)
        #expect(try workspace.names == ["k.pem"])
    }

    @Test func refusesAFolderThatDoesNotExist() throws {
        try Workspace().signet("key generate -o no/k.pem --no-passphrase")
            .expectRefusal(.cannotCreateOutput, naming: "no")
    }
}

@Suite struct CertificateCreateTests {
    @Test func makesASelfSignedSignerCertificate() throws {
        let workspace = try Workspace()
        try workspace.copyVector("pki/key.pem")
        try workspace.succeed([
            "cert", "create", "--key", "key.pem", "--subject",
            "CN=Jan Novák,O=Firma\\, s.r.o.,C=CZ", "-o", "c.pem", "--days", "10",
        ])
        let text = try workspace.openssl(
            "x509 -in c.pem -noout -text -nameopt RFC2253,utf8,-esc_msb")
        #expect(text.contains("Subject: CN=Jan Novák,O=Firma\\, s.r.o.,C=CZ"))
        #expect(text.contains("Issuer: CN=Jan Novák,O=Firma\\, s.r.o.,C=CZ"))
        #expect(text.contains("Digital Signature"))
        #expect(!text.contains("CA:TRUE"))
        try workspace.openssl("verify -CAfile c.pem -partial_chain c.pem")
        // Valid now, no longer in eleven days.
        try workspace.openssl("x509 -in c.pem -noout -checkend 0")
        let later = try workspace.opensslOutcome("x509 -in c.pem -noout -checkend \(11 * 86400)")
        #expect(later.exitCode == 1)
    }

    @Test func issuesFromARequest() throws {
        let workspace = try Workspace()
        try workspace.copyVector("pki/other-key.pem")
        try workspace.copyVector("pki/key.pem")
        try workspace.succeed("cert create --key key.pem --subject 'CN=Test CA' --ca -o ca.pem")
        try workspace.openssl("req -new -key other-key.pem -subj /CN=Requester -out req.pem")
        try workspace.succeed(
            "cert create --csr req.pem --issuer-cert ca.pem --issuer-key key.pem -o leaf.pem")
        try workspace.openssl("verify -CAfile ca.pem leaf.pem")
        let subject = try workspace.openssl("x509 -in leaf.pem -noout -subject")
        #expect(subject.contains("Requester"))
    }

    @Test func refusesARequestWithoutProofOfPossession() throws {
        let workspace = try Workspace()
        try workspace.copyVector("pki/key.pem")
        try workspace.copyVector("pki/valid.pem")
        try workspace.openssl("req -new -key key.pem -subj /CN=Mallory -outform DER -out req.der")
        var request = try workspace.read("req.der")
        let name = try #require(request.range(of: Data("Mallory".utf8)))
        request[name.lowerBound] ^= 1
        try workspace.write(request, to: "req.der")
        let outcome = try workspace.signet(
            "cert create --csr req.der --issuer-cert valid.pem --issuer-key key.pem -o leaf.pem")
        outcome.expectRefusal(.malformedInput, naming: "req.der")
        #expect(!workspace.exists("leaf.pem"))
    }

    @Test func refusesAnIssuerKeyThatDoesNotFit() throws {
        let workspace = try Workspace()
        for file in ["pki/key.pem", "pki/other-key.pem", "pki/valid.pem"] {
            try workspace.copyVector(file)
        }
        try workspace.openssl("req -new -key key.pem -subj /CN=Requester -out req.pem")
        let outcome = try workspace.signet([
            "cert", "create", "--csr", "req.pem", "--issuer-cert", "valid.pem", "--issuer-key",
            "other-key.pem", "-o", "leaf.pem",
        ])
        outcome.expectRefusal(.unfitIdentity)
        #expect(!workspace.exists("leaf.pem"))
    }
}

extension Workspace {
    /// Runs a program in the folder. If it is missing: nil with a message, or an error with CI=true.
    @discardableResult func tool(_ line: ShellWords) throws -> CommandOutcome? {
        guard let path = try ExternalTool.find(line.words[0]) else { return nil }
        return try CommandRunner.run(path, Array(line.words.dropFirst()), folder: folder)
    }

    /// The pixels of a file's first page, one a point; nil without poppler.
    func pixels(_ file: String) throws -> PixelMap? {
        guard let drawn = try tool("pdftoppm -r 72 -cropbox -singlefile \(file)") else {
            return nil
        }
        drawn.expect(.done)
        let map: PixelMap = try #require(PixelMap(ppm: [UInt8](drawn.outputBytes)))
        return map
    }

    func opensslOutcome(_ arguments: ShellWords) throws -> CommandOutcome {
        try #require(try tool("openssl \(arguments)"), "openssl is not installed")
    }

    /// Runs the openssl program and expects success; returns what it printed.
    @discardableResult func openssl(_ arguments: ShellWords) throws -> String {
        let outcome = try opensslOutcome(arguments).expect(.done, "openssl \(arguments.words)")
        return outcome.output
    }

    /// Runs signet in a session of its own, so that it finds no terminal to ask on.
    func withoutTerminal(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws -> CommandOutcome {
        let setsid = try #require(CommandRunner.find("setsid"), "setsid is not installed")
        return try CommandRunner.run(
            setsid, ["--wait", try SignetBinary.path] + arguments, environment: environment,
            folder: folder)
    }
}
