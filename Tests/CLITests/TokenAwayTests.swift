import Foundation
import SignetTestSupport
import Synchronization
import Testing

/// Tokens that go away and come back, and programs that are interrupted.
@Suite(.serialized) struct TokenAwayTests {
    /// Tokens that may be taken away from under the program.
    private struct Removable {
        let run: TokenRun

        init?() throws {
            guard let run = try TokenRun() else { return nil }
            self.run = run
        }

        func take() throws { try move("tokens", "away") }
        func bringBack() throws { try move("away", "tokens") }

        private func move(_ from: String, _ to: String) throws {
            let store = run.token.store
            try FileManager.default.moveItem(at: store.url(from), to: store.url(to))
        }

        func waitFor(_ condition: () throws -> Bool) throws {
            for _ in 0..<200 {
                if try condition() { return }
                usleep(50_000)
            }
            Issue.record("waited in vain")
        }
    }

    /// The token is taken away while the second file is signed (case 24).
    @Test func takenAwayBetweenTwoFiles() throws {
        guard let token = try Removable() else { return }
        let workspace = token.run.workspace
        for name in ["a.pdf", "b.pdf", "c.pdf"] { try workspace.copy("letter.pdf", to: name) }
        let running = try RunningCommand(
            SignetBinary.path,
            ["sign", "a.pdf", "b.pdf", "c.pdf", "--jobs", "1", "--passphrase-file", "pin"]
                + ["--key", token.run.token.uri("p256")],
            environment: token.run.environment(fault: "sleep=1"), folder: workspace.folder)
        try token.waitFor { workspace.exists("a.signed.pdf") }
        try token.take()
        let outcome = try running.stop(with: 0).expect(.serviceUnavailable)
        #expect(outcome.errors.contains("was removed"), "\(outcome.errors)")
        #expect(!workspace.exists("c.signed.pdf"))
        try workspace.succeed("verify a.signed.pdf --trust \(token.run.token.file("p256.crt"))")
        #expect(token.run.count("C_Login") == 1)
    }

    /// An authority goes on when its token is back, by itself.
    @Test func anAuthorityOutlastsItsToken() throws {
        guard let token = try Removable() else { return }
        let run = token.run
        let request = try run.makeAuthority()
        let server = try run.serve()
        /// Whether a stamp came: a refusal is much shorter.
        func isStamped() throws -> Bool { try server.post(request)[0].body.count > 500 }
        #expect(try isStamped())
        try token.take()
        try token.waitFor { try !isStamped() }
        #expect(try !isStamped())
        try token.bringBack()
        try token.waitFor { try isStamped() }
        #expect(try isStamped())
        let end = try server.command.stop().expect(.done)
        #expect(end.errors.contains("they are granted again when the token is back"))
        #expect(end.errors.contains("timestamps are granted again"))
        // The PIN that it took before, once more; never one that was refused.
        #expect(run.count("C_Login") == 2)
        run.expectLoggedOut()
    }

    /// A PIN that changed meanwhile is not tried twice.
    @Test func aRefusalIsTheLastWord() throws {
        guard let run = try TokenRun() else { return }
        let request = try run.makeAuthority()
        let server = try run.serve(fault: "C_Sign#1=0x32 C_Login#2=0xa0")
        for attempt in 0..<3 {
            if attempt > 0 { usleep(2_100_000) }
            #expect(try server.post(request)[0].body.count < 500)
        }
        _ = try server.command.stop()
        #expect(run.count("C_Login") == 2)
    }

    /// Who interrupts the program while the token signs leaves no login behind (case 33). A call that
    /// does not return is not awaited forever, and then nothing is finalized.
    @Test(arguments: [(SIGINT, 1), (SIGTERM, 1), (SIGTERM, 30)])
    func logsOutWhenInterrupted(signal: Int32, seconds: Int) throws {
        guard let token = try Removable() else { return }
        let workspace = token.run.workspace
        let running = try RunningCommand(
            try SignetBinary.path,
            ["sign", "letter.pdf", "-o", "out.pdf", "--passphrase-file", "pin"]
                + ["--key", token.run.token.uri("p256")],
            environment: token.run.environment(fault: "sleep=\(seconds)"), folder: workspace.folder)
        try token.waitFor { token.run.count("C_Sign begins") > 0 }
        let outcome = try running.stop(with: signal)
        #expect(outcome.wasKilled && outcome.exitCode == 128 + signal, "\(outcome.exitCode)")
        if seconds > 1 {
            #expect(token.run.calls().contains("C_Logout 0x0"))
        } else {
            token.run.expectLoggedOut()
        }
        #expect(!workspace.exists("out.pdf"))
        #expect(try workspace.names.allSatisfy { !$0.hasSuffix(".tmp") })
    }

    /// However many sessions sign, the outputs are the same but for times and values (case 32).
    @Test func sessionsChangeNothing() throws {
        guard let token = try Removable() else { return }
        let workspace = token.run.workspace
        let count = 60
        let letter = try workspace.read("letter.pdf")
        let names = (0..<count).map { "\($0).pdf" }
        for name in names { try workspace.write(letter, to: name) }
        var sizes: [[Int]] = []
        for jobs in ["1", "2", "4"] {
            try? FileManager.default.removeItem(at: workspace.url("log"))
            try workspace.succeed(
                ["sign"] + names + [
                    "--jobs", jobs, "-o", "out\(jobs)/", "--passphrase-file", "pin",
                ] + ["--key", token.run.token.uri("rsa2048")], environment: token.run.environment())
            #expect(token.run.count("C_Login") == 1)
            #expect(token.run.count("C_Sign") == count)
            token.run.expectLoggedOut()
            sizes.append(
                try names.map {
                    try workspace.read("out\(jobs)/\($0.dropLast(4)).signed.pdf").count
                })
        }
        #expect(sizes[0] == sizes[1] && sizes[1] == sizes[2])
        try workspace.succeed(
            ["verify"] + names.map { "out4/\($0.dropLast(4)).signed.pdf" }
                + ["--trust", token.run.token.file("rsa2048.crt")])
    }

    /// A key on the token, a request, an authority, and the certificate back on the token.
    @Test func anIdentityBeginsAndEndsOnTheToken() throws {
        guard let token = try Removable() else { return }
        let (run, workspace) = (token.run, token.run.workspace)
        let pin = ["--passphrase-file", "pin"]
        let uri = run.token.uri("fresh")
        try run.signet("key generate -o \(uri) --type ec:P-256 \(pin)").expect(.done)
        let request = ["identity", "request", "card", "--subject", "CN=Fresh", "-o", "card.csr"]
        try run.signet("\(request) --key letter.pdf")
            .expectRefusal(.usage, naming: "is not a key on a token")
        try run.signet("\(request) --key \(uri) --type rsa:3072").expect(.usage)
        try run.signet("\(request) --key \(uri) \(pin)").expect(.done)
        #expect(run.count("C_Login") == 1)
        run.expectLoggedOut()
        #expect(try run.signet("identity pending").output.contains("CN=Fresh"))
        let pending = try FileManager.default.contentsOfDirectory(
            atPath: workspace.url("home/signet/pending").path)
        let folder = "home/signet/pending/\(pending.first ?? "")"
        #expect(try workspace.mode("\(folder)/key.uri") == 0o600)
        #expect(!workspace.exists("\(folder)/key.pem"))
        try run.signet(
            "cert create --ca --key \(run.token.uri("p384")) --subject CN=CA \(pin) -o ca.crt"
        ).expect(.done)
        let issuer = ["--issuer-key", run.token.uri("p384"), "--issuer-cert", "ca.crt"] + pin
        try run.signet("cert create --csr card.csr \(issuer) -o card.crt").expect(.done)
        // A wrong PIN: tried once, and the request still waits.
        let complete = ["identity", "complete", "card.crt", "--to-token", "--passphrase-file"]
        try run.signet("\(complete) other-pin").expect(.credentialRefused)
        #expect(run.count("C_Login") == 1)
        #expect(try run.signet("identity pending").output.contains("CN=Fresh"))
        try run.signet("\(complete) pin").expect(.done)
        #expect(run.count("C_Login") == 1)
        run.expectLoggedOut()
        #expect(try run.signet("identity list").output.contains("CN=Fresh"))
        // Other programs find it there.
        let listed = try run.signet("key list \(uri)")
        #expect(listed.output.contains("CN=Fresh, EC P-256, valid to"), "\(listed.output)")
        try run.signet("sign letter.pdf --key \(uri) -o one.pdf \(pin)").expect(.done)
        try run.signet("sign letter.pdf --identity card -o two.pdf \(pin)").expect(.done)
        try run.signet("verify one.pdf two.pdf --trust ca.crt").expect(.done)
        try run.signet("identity complete card.crt --passphrase-file pin").expect(.usage)
    }
}
