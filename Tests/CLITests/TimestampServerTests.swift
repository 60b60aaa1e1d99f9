import Foundation
import SignetTestSupport
import Testing

/// What a server may do to a client, and what people are told then.
@Suite struct TimestampServerTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var path: String
        var service = "http"
        var options: [String] = []
        var exitCode: Int32 = ExitCode.serviceUnavailable
        /// Words of the message, or of the warning of a success.
        var words: String

        var testDescription: String { ([service, path] + options).joined(separator: " ") }
    }

    private static let anchors = ["--tsa-trust", "@tls-ca.pem"]
    private static let login = ["--tsa-user", "user", "--tsa-password-env", "GOOD"]
    private static let client = ["--tsa-client-cert", "@client.pem", "--tsa-client-key"]

    /// Runs `timestamp` on a file, an `@` before names of the server's files replaced.
    private func run(_ test: Case, _ stamping: StampingWorkspace) throws -> CommandOutcome {
        let server = stamping.server
        return try stamping.workspace.signet(
            ["timestamp", "letter.pdf", "--tsa", server.url(test.path, test.service), "-v"]
                + test.options.map { $0.hasPrefix("@") ? server.file(String($0.dropFirst())) : $0 },
            environment: ["GOOD": "pässword", "BAD": "geheim"])
    }

    /// The URL says https, but the server uses no TLS.
    @Test func unencryptedServersAreNamed() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let url = stamping.server.url("ok").replacing("http://", with: "https://")
        let outcome = try stamping.workspace.signet(
            "timestamp letter.pdf --tsa \(url) --tsa-timeout 1")
        #expect(outcome.errors.contains("if the server uses no TLS"), "\(outcome.errors)")
    }

    @Test(arguments: [
        Case(path: "500", words: "status 500: 'Internal error: out of stamps'"),
        Case(path: "binary-error", words: "answers with status 404\n"),
        Case(path: "busy", words: "asks to wait 3600 s; the limit is 120 s"),
        Case(path: "html", words: "something else than a timestamp: 'Please log in'"),
        Case(path: "empty", words: "answers with nothing"),
        Case(path: "garbage", words: "a damaged timestamp"),
        Case(path: "endless", words: "longer than 1048576 bytes"),
        Case(path: "endless-header", words: "the header of the response is too long"),
        Case(path: "not-http", words: "does not use HTTP"),
        Case(path: "reset", words: "Connection reset by peer); it may have counted the request"),
        Case(path: "cut", words: "closed the connection while receiving the response"),
        Case(path: "slow", options: ["--tsa-timeout", "1"], words: "waiting for the response"),
        Case(path: "drip", options: ["--tsa-timeout", "1"], words: "receiving the response after"),
        Case(
            path: "", service: "mute", options: ["--tsa-timeout", "1"],
            words: "waiting for the response"),
        Case(path: "", service: "dead", words: "no connection"),
        Case(path: "loop", words: "redirects more than 5 times"),
        Case(path: "to-file", words: "does not start with http:// or https://: file:///etc/passwd"),
        Case(
            path: "to-http", service: "https", options: anchors,
            words: "redirects from https to unencrypted http://"),
        Case(path: "reject", words: "rejection (badAlg"),
        Case(path: "ok", options: ["--tsa-policy", "1.2.3.4.6"], words: "unacceptedPolicy"),
        Case(path: "ok", service: "https", words: "certificate is not trusted"),
        Case(
            path: "ok", service: "https", options: ["--tsa-trust", "@other-ca.pem"],
            words: "certificate is not trusted"),
        Case(path: "years-ago", words: "but this computer's clock shows"),
        Case(path: "years-ahead", words: "but this computer's clock shows"),
        // Demanded anchors are not those of the authority, nor those of its web server.
        Case(
            path: "ok", options: ["--tsa-anchor", "@other-ca.pem"],
            words: "the TSA 'tsa' is not trusted"),
        Case(
            path: "ok", service: "https", options: anchors + ["--tsa-anchor", "@tls-ca.pem"],
            words: "the TSA 'tsa' is not trusted"),
        // A lying server is worse than none.
        Case(path: "nonce", exitCode: ExitCode.invalid, words: "nonce mismatch"),
        Case(path: "imprint", exitCode: ExitCode.invalid, words: "message imprint mismatch"),
        Case(
            path: "bad-signature", exitCode: ExitCode.invalid,
            words: "does not match the signing certificate"),
        Case(
            path: "wrong-certificate", exitCode: ExitCode.invalid,
            words: "extended key usage timeStamping"),
        // Whoever may not come in.
        Case(path: "auth", exitCode: ExitCode.credentialRefused, words: "requires a login"),
        Case(
            path: "auth", service: "https",
            options: anchors + ["--tsa-user", "user", "--tsa-password-env", "BAD"],
            exitCode: ExitCode.credentialRefused, words: "the login was refused"),
        Case(path: "forbidden", exitCode: ExitCode.credentialRefused, words: "status 403"),
        Case(
            path: "ok", service: "client", options: anchors,
            exitCode: ExitCode.credentialRefused, words: "requires a client certificate"),
        Case(
            path: "ok", service: "client",
            options: anchors + client.prefix(1) + ["@tsa.pem", "--tsa-client-key", "@tsa.key"],
            exitCode: ExitCode.credentialRefused, words: "or a different one"),
        Case(
            path: "ok", service: "client", options: anchors + client + ["@tsa.key"],
            exitCode: ExitCode.credentialRefused, words: "does not belong to the private key"),
        // What is not even tried.
        Case(path: "auth", options: login, exitCode: ExitCode.usage, words: "unencrypted"),
    ])
    func saysWhatFailed(_ test: Case) throws {
        guard let stamping = try StampingWorkspace() else { return }
        let outcome = try run(test, stamping)
        outcome.expectRefusal(test.exitCode, naming: test.words)
        #expect(!outcome.errors.contains("pässword") && !outcome.errors.contains("geheim"))
        #expect(try stamping.workspace.names.filter { $0.hasPrefix("letter") } == ["letter.pdf"])
    }

    @Test(arguments: [
        Case(path: "ok", words: "the TSA 'tsa' is not trusted"),
        Case(path: "ok", options: ["--tsa-anchor", "@ca.pem"], words: ""),
        Case(
            path: "ok", options: ["--tsa-anchor", "@other-ca.pem", "--tsa-anchor", "@ca.pem"],
            words: ""), Case(path: "chunked", words: ""), Case(path: "redirect", words: ""),
        Case(path: "created", words: ""),
        Case(path: "limited", words: "waiting 1 s: http://127.0.0.1:"),
        Case(path: "wrong-type", words: "declared as 'text/html'"),
        Case(path: "modified", words: "grantedWithMods"),
        Case(path: "ok", service: "https", options: anchors, words: ""),
        Case(path: "auth", service: "https", options: anchors + login, words: ""),
        Case(path: "auth", options: login + ["--tsa-allow-insecure-auth"], words: ""),
        // The login stays where it belongs.
        Case(path: "to-other-host", options: login + ["--tsa-allow-insecure-auth"], words: ""),
        Case(path: "ok", service: "client", options: anchors + client + ["@client.key"], words: ""),
        Case(path: "bare", words: ""),
    ])
    func copesWith(_ test: Case) throws {
        guard let stamping = try StampingWorkspace() else { return }
        let outcome = try run(test, stamping).expect(.done)
        #expect(outcome.errors.contains(test.words) || test.words.isEmpty, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("is not trusted") != test.options.contains("--tsa-anchor"))
        #expect(stamping.workspace.exists("letter.timestamped.pdf"))
    }

    @Test func triesAuthoritiesInOrder() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let server = stamping.server
        let good = try stamping.sign(
            "letter.pdf", "--tsa", server.url("", "dead"), "--tsa", server.url("nonce"), "--tsa",
            server.url("ok"))
        good.expect(.done)
        #expect(good.errors.contains("no connection") && good.errors.contains("nonce"))
        let bad = try stamping.sign(
            "letter.pdf", "--tsa", server.url("", "dead"), "--tsa", server.url("500"), "-o",
            "bad.pdf")
        bad.expectRefusal(.serviceUnavailable, naming: "no connection", "status 500")
        #expect(!stamping.workspace.exists("bad.pdf"))
    }

    /// The files of a batch wait together, and a fallback is used at once.
    @Test func waitsAsAuthoritiesAsk() throws {
        guard let server = try TimestampServer() else { return }
        let workspace = try signingWorkspace()
        let names = (1...4).map { "\($0).txt" }
        for name in names { try workspace.write(name, to: name) }
        try workspace.succeed("timestamp \(names) --tsa \(server.url("limited"))")
        for name in names { #expect(workspace.exists(name + ".tsr")) }
        let other = try workspace.succeed(
            "timestamp letter.pdf --tsa \(server.url("busy")) --tsa \(server.url("ok"))")
        #expect(!other.errors.contains("waiting"))
    }

    @Test func limitsItsRequests() throws {
        guard let server = try TimestampServer() else { return }
        let workspace = try signingWorkspace()
        let begun = ContinuousClock.now
        try workspace.succeed(
            "timestamp letter.pdf key.pem valid.pem --tsa \(server.url("ok")) --tsa-rate 60/min")
        #expect(ContinuousClock.now - begun >= .seconds(2))
        for rate in ["60", "0/min", "x/min"] {
            try workspace.signet("timestamp key.pem --tsa \(server.url("ok")) --tsa-rate \(rate)")
                .expectRefusal(.usage, naming: "expected 1/min to 60000/min")
        }
    }

    @Test func saysWhenAnAuthorityMayHaveCountedTwice() throws {
        guard let server = try TimestampServer() else { return }
        let workspace = try signingWorkspace()
        let outcome = try workspace.succeed(
            "timestamp letter.pdf key.pem --jobs 1 --tsa \(server.url("once"))")
        #expect(outcome.errors.contains("sent again; it may have counted both"))
        #expect(try server.counts() == (connections: 2, requests: 3))
    }

    @Test func aBareTokenIsKeptAsAResponse() throws {
        guard let stamping = try StampingWorkspace() else { return }
        try run(Case(path: "bare", options: ["--format", "tsr"], words: ""), stamping).expect(.done)
        try stamping.workspace.openssl(
            """
            ts -verify -in letter.pdf.tsr -data letter.pdf \
            -CAfile \(stamping.server.file("ca.pem"))
            """)
    }

    @Test func addressesWithPasswordsAreRefusedAndNotRepeated() throws {
        let workspace = try signingWorkspace()
        for address in ["http://jan:geheim@127.0.0.1/", "ftp://127.0.0.1/", "127.0.0.1", "http://"]
        {
            let outcome = try workspace.signet("timestamp letter.pdf --tsa \(address)")
            outcome.expectRefusal(.usage, naming: "https://tsa.example/path")
            #expect(!outcome.errors.contains("geheim"))
        }
    }

    @Test func usesTheProxyOfTheEnvironment() throws {
        guard let stamping = try StampingWorkspace() else { return }
        try stamping.workspace.succeed(
            "timestamp letter.pdf --tsa http://tsa.invalid/ok",
            environment: ["http_proxy": stamping.server.url(""), "no_proxy": ""])
    }

    @Test func usesTheAnchorsOfTheEnvironment() throws {
        guard let stamping = try StampingWorkspace() else { return }
        try stamping.workspace.succeed(
            "timestamp letter.pdf --tsa \(stamping.server.url("ok", "https"))",
            environment: ["SSL_CERT_FILE": stamping.server.file("tls-ca.pem")])
    }
}
