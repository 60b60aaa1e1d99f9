import Foundation
import SignetTestSupport
import Testing

/// What is made and kept on tokens: lists, new keys, requests, identities.
@Suite struct TokenLifeTests {
    private func list(_ run: TokenRun, _ arguments: String...) throws -> [JSON] {
        try run.signet("key list --json \(arguments)").expect(.done).jsonLines()
    }

    @Test func listsKeysWithoutLoggingIn() throws {
        guard let run = try TokenRun() else { return }
        let tokens = try list(run, "pkcs11:?module-path=\(run.token.module)")
        #expect(run.count("C_Login") == 0)
        run.expectLoggedOut()
        let first = try #require(tokens.first { $0.token == "token-a" })
        #expect(first.isLocked == true)
        let key = try #require(first.keys.first { $0.subject == "CN=p256" })
        #expect(key.algorithm == "EC P-256" && key.problem == .null)
        #expect(first.keys.first { $0.uri.contains("object=bare") }?.problem == "no certificate")
        // What is listed is good to be used.
        try run.signet("sign letter.pdf --key \(key.uri.text) --passphrase-file pin -o out.pdf")
            .expect(.done)
        let text = try run.signet("key list pkcs11:token=token-a?module-path=\(run.token.module)")
        text.expect(.done)
        #expect(text.output.contains("CN=p256, EC P-256, valid to"))
        let login = try #require(text.output.firstMatch(of: /to list all keys, run: (.*)/)).output.1
        #expect(login.contains(";token=token-a?") && login.hasSuffix("' --login"), "\(login)")
    }

    @Test func aBrokenModuleIsToldAndHidesNoOther() throws {
        guard let run = try TokenRun() else { return }
        let tokens = try list(run, "pkcs11:?module-path=/nowhere.so")
        #expect(tokens.map(\.token) == [.null])
        #expect(tokens[0].problem.contains("/nowhere.so"))
    }

    @Test(arguments: [("ec:P-256", "EC P-256"), ("rsa:2048", "RSA 2048"), ("ed25519", "Ed25519")])
    func aKeyMadeOnATokenGoesAllTheWay(type: String, algorithm: String) throws {
        guard let run = try TokenRun() else { return }
        let name =
            "made-\(type.filter { $0.isLetter || $0.isNumber })-\(UUID().uuidString.prefix(8))"
        let made = try run.signet([
            "key", "generate", "-o", run.token.uri(name, token: "token-b"), "--type", type,
            "--passphrase-file", "other-pin",
        ]).expect(.done)
        #expect(made.output.contains("created private key (\(algorithm)) on the token token-b"))
        #expect(run.count("C_Login") == 1)
        run.expectLoggedOut()
        // The same name again is refused, and nothing changes.
        try run.signet([
            "key", "generate", "-o", run.token.uri(name, token: "token-b"), "--type", type,
            "--passphrase-file", "other-pin",
        ]).expectRefusal(.cannotCreateOutput, naming: "already")
        try run.signet([
            "csr", "create", "--key", run.token.uri(name, token: "token-b"), "--subject",
            "CN=\(name)", "--passphrase-file", "other-pin", "-o", "me.csr",
        ]).expect(.done)
        try run.workspace.openssl("req -in me.csr -verify -noout")
        // An authority whose key is on the other token.
        try run.signet([
            "cert", "create", "--ca", "--key", run.token.uri("p384"), "--subject", "CN=CA",
            "--passphrase-file", "pin", "-o", "ca.crt",
        ]).expect(.done)
        try run.signet([
            "cert", "create", "--csr", "me.csr", "--issuer-key", run.token.uri("p384"),
            "--issuer-cert", "ca.crt", "--passphrase-file", "pin", "-o", "me.crt",
        ]).expect(.done)
        try run.workspace.openssl("verify -CAfile ca.crt me.crt")
        try run.signet([
            "sign", "letter.pdf", "--key", run.token.uri(name, token: "token-b"), "--cert",
            "me.crt", "--passphrase-file", "other-pin", "-o", "out.pdf",
        ]).expect(.done)
        try run.signet("verify out.pdf --trust ca.crt").expect(.done)
    }

    @Test func anIdentityRemembersTheTokenAndNoSecret() throws {
        guard let run = try TokenRun() else { return }
        try run.signet("identity import card --key \(run.token.uri("p256"))").expect(.done)
        #expect(run.count("C_Login") == 0)
        let folder = "home/signet/identities/card"
        #expect(try run.workspace.mode("\(folder)/key.uri") == 0o600)
        #expect(!run.workspace.exists("\(folder)/key.pem"))
        try run.signet("sign letter.pdf --identity card --passphrase-file pin").expect(.done)
        #expect(run.count("C_Login") == 1)
        // Without the token it is still listed, and signing says what is missing.
        let absent = run.environment().merging(["FAULT_MODULE": "/nowhere.so"]) { $1 }
        let listed = try run.workspace.succeed("identity list", environment: absent)
        #expect(listed.output.contains("CN=p256"))
        try run.workspace.signet(
            "sign letter.pdf --identity card --passphrase-file pin -o b.pdf", environment: absent
        ).expectRefusal(.missingInput, naming: "cannot be used")
    }

    @Test func aTimeStampingAuthorityMayHaveItsKeyOnAToken() throws {
        guard let run = try TokenRun() else { return }
        _ = try run.makeAuthority()
        let respond: ShellWords = """
            tsp respond letter.tsq --key \(run.token.uri(nil)) --cert tsa.crt --passphrase-file pin
            """
        try run.signet("\(respond) -o letter.tsr").expect(.done)
        #expect(run.count("C_Login") == 1)
        run.expectLoggedOut()
        try run.workspace.openssl("ts -verify -in letter.tsr -queryfile letter.tsq -CAfile tsa.crt")
        // A token that signs wrongly: an error here, no answer.
        try run.signet("\(respond) -o wrong.tsr", fault: "flip=1")
            .expectRefusal(.credentialRefused, naming: "does not match the public key")
        #expect(!run.workspace.exists("wrong.tsr"))
    }

    @Test func manySignaturesShareTheSessions() throws {
        guard let run = try TokenRun() else { return }
        let digests = (0..<200).map {
            String(repeating: "0", count: 61) + String(1000 + $0).suffix(3)
        }
        try run.workspace.write(Data(digests.joined(separator: "\n").utf8), to: "hashes")
        try run.signet([
            "hash", "sign", "hashes", "--input", "hash-list", "--key", run.token.uri("p256"),
            "--passphrase-file", "pin", "-o", "signatures",
        ]).expect(.done)
        #expect(run.count("C_Login") == 1)
        #expect(run.count("C_Sign") == 200)
        run.expectLoggedOut()
        try run.signet([
            "hash", "verify", "hashes", "--input", "hash-list", "--signature", "signatures",
            "--cert", run.token.file("p256.crt"),
        ]).expect(.done)
    }

    /// The certificate comes from the token, nobody logs in; the signature is made afterwards.
    @Test func preparesWithTheCertificateOfTheToken() throws {
        guard let run = try TokenRun() else { return }
        try run.signet([
            "remote", "prepare", "letter.pdf", "--key", run.token.uri("p256"), "-o", "prepared.pdf",
            "--to-sign", "hash",
        ]).expect(.done)
        #expect(run.count("C_Login") == 0)
        run.expectLoggedOut()
        try run.signet([
            "hash", "sign", "hash", "--input", "hash", "--key", run.token.uri("p256"), "-o", "sig",
            "--passphrase-file", "pin",
        ]).expect(.done)
        #expect(run.count("C_Login") == 1)
        try run.signet("remote embed prepared.pdf --signature sig -o out.pdf").expect(.done)
        try run.signet("verify out.pdf --trust \(run.token.file("p256.crt"))").expect(.done)
        try run.signet("remote prepare letter.pdf -o no.pdf --to-sign no").expect(.done)
    }

    @Test func showsWhatAURIMeans() throws {
        guard let run = try TokenRun() else { return }
        let shown = try run.signet("show \(run.token.uri("p256"))").expect(.done)
        #expect(shown.output.contains("CN=p256") && !shown.output.contains("CN=rsa2048"))
        #expect(run.count("C_Login") == 0)
    }
}
