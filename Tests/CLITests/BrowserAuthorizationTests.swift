import Foundation
import SignetTestSupport
import Testing

/// Authorizations in a browser for keys at signing services, against Scripts/lib/csc_server.py, with
/// Scripts/lib/browser.py as the browser.
@Suite struct BrowserAuthorizationTests {
    private struct Service {
        let workspace: Workspace
        let address: String
        private let server: BackgroundServer
        private let python: String

        /// Nil, said loudly, where the test environment is missing.
        init?(_ options: String..., client: String = "app", in shared: Workspace? = nil) throws {
            guard let python = try PythonEnvironment.find("python") else { return nil }
            self.python = python
            workspace = try shared ?? signingWorkspace()
            server = try BackgroundServer(
                python,
                [
                    Self.script("csc_server"), "--key", "key.pem", "--cert", "valid.pem", "--log",
                    "requests", "--issued", "issued", "--multisign", "12", "--browser", client,
                ] + options, folder: workspace.folder)
            address = server.firstLine.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        private static func script(_ name: String) -> String {
            TestVectors.root.appendingPathComponent("Scripts/lib/\(name).py").path
        }

        func uri(_ version: String) -> String { "csc:\(address)/csc/\(version)" }

        func sign(
            _ options: [String] = [], by way: String = "follow", version: String = "v2",
            files: [String] = ["letter.pdf"]
        ) throws -> CommandOutcome {
            var outcome = try workspace.signet(
                ["sign"] + files + [
                    "--key", uri(version), "--service-client-id", "app", "-o",
                    files.count > 1 ? "out/" : "out.pdf", "-v",
                ] + options,
                environment: [
                    "BROWSER": "/no/such/program:\(python) \(Self.script("browser")) \(way) %s",
                    "XDG_STATE_HOME": workspace.url("state").path,
                ])
            try expectNoSecrets(in: outcome.errors + outcome.output)
            // Refusals begin with the error.
            while outcome.errors.hasPrefix("signet: waiting for your authorization"),
                let end = outcome.errors.firstIndex(of: "\n")
            {
                #expect(outcome.errors[..<end].contains(": log in at 127.0.0.1:"))
                outcome.errorBytes = Data(outcome.errors[end...].dropFirst().utf8)
            }
            return outcome
        }

        /// Signs on a terminal on which the redirect is entered, and returns what it shows.
        func paste(_ what: String, _ options: [String], version: String) throws -> String {
            let outcome = try CommandRunner.run(
                python,
                [
                    Self.script("browser"), what, try SignetBinary.path, "sign", "letter.pdf",
                    "-o", "out.pdf", "--key", uri(version), "--service-client-id", "app",
                    "--no-browser",
                ] + options, folder: workspace.folder)
            try expectNoSecrets(in: outcome.output + outcome.errors)
            return outcome.output
        }

        /// No code and no token is in messages, in the log, or in an argument of the browser.
        private func expectNoSecrets(in messages: String) throws {
            guard workspace.exists("issued") else { return }
            let log = try workspace.text("requests")
            let browser = workspace.exists("browser.log") ? try workspace.text("browser.log") : ""
            for secret in try workspace.text("issued").split(separator: "\n") {
                #expect(!(messages + log + browser).contains(secret))
            }
            #expect(!browser.contains("verifier"))
        }

        /// Whether the browser, which may end later than Signet, notes one of these.
        func browserSaw(_ answers: String...) throws -> Bool {
            for _ in 0..<100 {
                let log = try workspace.text("browser.log")
                if answers.contains(where: log.contains) { return true }
                Thread.sleep(forTimeInterval: 0.1)
            }
            return false
        }

        func count(_ method: String) throws -> Int {
            guard workspace.exists("requests") else { return 0 }
            return try workspace.text("requests")
                .split(separator: "\n").count { $0.contains("\"method\": \"\(method)\"") }
        }
    }

    // MARK: Login and consent

    @Test(arguments: ["v1", "v2"]) func logsInAndConsents(version: String) throws {
        guard let service = try Service("--mode", "oauth2code") else { return }
        try service.sign(version: version).expect(.done)
        try service.workspace.succeed("verify out.pdf --trust valid.pem")
        #expect(try service.count("consent") == 2)
        #expect(try service.count("authorize") == 0)
        #expect(try service.browserSaw("page 200 Signet received the response"))
        // The argument of the browser leads to the server, if the user opens it.
        #expect(try service.browserSaw("entrance 302 302", "entrance 302 410"))
        let opened = try service.workspace.text("browser.log").split(separator: "\n")
            .filter { $0.hasPrefix("argv") }
        #expect(opened.count == 2 && !opened.contains { $0.contains("state=") }, "\(opened)")
        #expect(try service.browserSaw("again 404", "again 0"))
        #expect(!service.workspace.exists("state"))
    }

    @Test func metadataAndAClientSecretAreUsed() throws {
        guard
            let service = try Service(
                "--mode", "oauth2code", "--metadata", "own", client: "app:a+b/c=%25")
        else { return }
        try service.workspace.write("a+b/c=%25\n", to: "secret")
        try service.sign(["--service-client-secret-file", "secret"]).expect(.done)
        try service.sign(["--force"]).expect(.credentialRefused)
    }

    @Test(arguments: ["v1", "v2"]) func oneConsentServesABatch(version: String) throws {
        guard let service = try Service("--mode", "oauth2code") else { return }
        let letter = try service.workspace.read("letter.pdf")
        let names = (1...12).map { "letter\($0).pdf" }
        for name in names { try service.workspace.write(letter, to: name) }
        try service.sign(version: version, files: names).expect(.done)
        #expect(try service.count("consent") == 2)
        #expect(try service.count("signHash") == 1)
        #expect(try service.workspace.text("requests").contains("\"signatures\": 12"))
        try service.workspace.succeed(
            ["verify"] + (1...12).map { "out/letter\($0).signed.pdf" } + ["--trust", "valid.pem"])
    }

    /// Other logins still need the client's identifier for the consent.
    @Test func anotherLoginMayHaveConsentInABrowser() throws {
        guard let service = try Service("--mode", "oauth2code", "--login", "u:secret") else {
            return
        }
        try service.workspace.write("secret\n", to: "password")
        let login = ["--service-user", "u", "--service-password-file", "password"]
        try service.sign(login).expect(.done)
        #expect(try service.count("consent") == 1)
        try service.workspace.signet(
            ["sign", "letter.pdf", "--key", service.uri("v2"), "-o", "x.pdf"] + login
        ).expectRefusal(.usage, naming: "--service-client-id")
    }

    // MARK: Refusals

    @Test(arguments: [
        ("page=deny", ExitCode.credentialRefused, "The user said no"),
        ("page#2=deny", ExitCode.credentialRefused, "The user said no"),
        ("page=expired", ExitCode.credentialRefused, "the code has expired"),
        ("page=issuer", ExitCode.credentialRefused, "http://evil.example"),
        ("page=state", ExitCode.serviceUnavailable, "redirects of other requests: "),
        ("page=twice", ExitCode.serviceUnavailable, "redirects of other requests: "),
        ("token=500", ExitCode.serviceUnavailable, "status 500"),
        ("token=html", ExitCode.serviceUnavailable, "malformed response"),
        ("token=hang:5", ExitCode.serviceUnavailable, "--key-timeout"),
        ("token=echo", ExitCode.credentialRefused, "contains a secret"),
        ("metadata=hang:5", ExitCode.serviceUnavailable, "--key-timeout"),
        ("metadata=500", ExitCode.serviceUnavailable, "its metadata"),
        (
            "token=to:http://127.0.0.1:9/", ExitCode.serviceUnavailable,
            "the authorization server 127"
        ),
        ("token=crlf:access_token", ExitCode.serviceUnavailable, "malformed access token"),
    ])
    func leavesNothingWithoutAuthorization(fault: String, code: Int32, words: String) throws {
        guard let service = try Service("--mode", "oauth2code", "--fault", fault) else { return }
        let refused = try service.sign(["--key-timeout", "3"])
        refused.expectRefusal(code, naming: words)
        #expect(!refused.errors.contains("use its URL"), "\(refused.errors)")
        #expect(!service.workspace.exists("out.pdf"))
        #expect(try service.count("signHash") == 0)
    }

    /// Services without metadata answer the path of metadata as any unknown one.
    @Test(arguments: ["html", "to:/login", "400", "403", "410"])
    func servicesNeedNoMetadata(fault: String) throws {
        guard let service = try Service("--mode", "oauth2code", "--fault", "metadata=\(fault)")
        else { return }
        try service.sign().expect(.done)
    }

    @Test func aRefreshTokenIsNotNeeded() throws {
        guard
            let service = try Service(
                "--mode", "oauth2code", "--fault", "token=crlf:refresh_token")
        else { return }
        #expect(try !service.sign().expect(.done).errors.contains("malformed"))
        let kept = try service.sign(["--keep-login", "--force"]).expect(.done)
        #expect(kept.errors.contains("the login was not stored"), "\(kept.errors)")
    }

    /// A stored login that the service itself refuses is replaced by a new one.
    @Test func aRefusedLoginIsReplaced() throws {
        let fault = (3...4).map { "list#\($0)=401" }.joined(separator: " ")
        guard let service = try Service("--fault", fault) else { return }
        for _ in 1...2 { try service.sign(["--keep-login", "--force"]).expect(.done) }
        #expect(try service.count("consent") == 1)
        try service.sign(["--keep-login", "--force"]).expect(.done)
        #expect(try service.count("consent") == 2)
    }

    /// The issuer must be named if the metadata promise it, and be the one of the metadata.
    @Test func anIssuerOfMetadataIsRequired() throws {
        guard
            let service = try Service(
                "--mode", "oauth2code", "--metadata", "own", "--fault", "page=issuer")
        else { return }
        try service.sign().expectRefusal(.credentialRefused, naming: "names the issuer")
    }

    @Test func redirectsOfOthersChangeNothing() throws {
        guard let service = try Service("--mode", "oauth2code") else { return }
        try service.sign(by: "guess").expect(.done)
        for answer in ["GET 400", "GET 404", "HEAD 405", "POST 405"] {
            #expect(try service.browserSaw("guess " + answer))
        }
    }

    /// A stolen code is worth nothing without the verifier, and the theft is noticed.
    @Test func aStolenRedirectIsWorthNothing() throws {
        guard let service = try Service("--mode", "oauth2code") else { return }
        try service.sign(by: "thief").expectRefusal(
            .credentialRefused, naming: "the code is not valid")
        #expect(try service.browserSaw("thief 400"))
        #expect(!service.workspace.exists("out.pdf"))
    }

    @Test func waitsOnlyAsLongAsPermitted() throws {
        guard let service = try Service() else { return }
        try service.sign(["--key-timeout", "1"], by: "idle")
            .expectRefusal(.serviceUnavailable, naming: "in time")
        try service.sign(by: "fail").expectRefusal(.missingInput, naming: "--no-browser")
    }

    // MARK: Servers elsewhere

    @Test func aTokenEndpointElsewhereNeedsMetadata() throws {
        guard let other = try Service() else { return }
        let elsewhere = other.address + "/"
        guard let service = try Service("--oauth2", elsewhere),
            let confirmed = try Service("--metadata", "own"),
            let wrong = try Service("--metadata", "http://127.0.0.1:9")
        else { return }
        try service.sign().expectRefusal(.credentialRefused, naming: "is on another host")
        #expect(try other.count("page") == 0 && other.count("token") == 0)
        try wrong.sign().expectRefusal(.credentialRefused, naming: "names another issuer")
        // The server elsewhere confirms itself; the service does not know its tokens.
        guard let referring = try Service("--oauth2", confirmed.address + "/") else { return }
        try referring.sign().expectRefusal(.credentialRefused, naming: "the access token is not")
        // The code, and the refresh token after the service refused the first token.
        #expect(try confirmed.count("token") == 2)
        // The user's word replaces the metadata.
        try service.sign(["--oauth-server", elsewhere])
            .expectRefusal(.credentialRefused, naming: "the access token is not")
        #expect(try other.count("token") == 2)
        try service.sign(["--oauth-server", "http://192.0.2.1/"])
            .expectRefusal(.usage, naming: "unencrypted")
    }

    // MARK: Options

    @Test func redirectURIs() throws {
        guard let service = try Service() else { return }
        for uri in [
            "http://localhost/back", "http://127.0.0.1:\(try freePort())/a/b", "http://[::1]/back",
        ] {
            try service.sign(["--oauth-redirect", uri, "--force"]).expect(.done)
        }
        for uri in ["https://example.com/back", "urn:ietf:wg:oauth:2.0:oob", "http://a/?b"] {
            try service.sign(["--oauth-redirect", uri, "--force"])
                .expectRefusal(.usage, naming: "--no-browser")
        }
        try service.sign(["--no-browser", "--force"])
            .expectRefusal(.credentialRefused, naming: "no terminal")
        try service.workspace.signet("sign letter.pdf --key \(service.uri("v2")) --no-browser")
            .expect(.usage)
    }

    @Test(arguments: [
        ("paste-url", ["v1"], "exit 0"), ("paste-code", [], "exit 0"),
        ("paste-other", [], "wrong state"), ("paste-code", ["--metadata", "own"], "whole address"),
    ])
    func theRedirectCanBePasted(what: String, options: [String], words: String) throws {
        let isNamed = options.count == 2
        guard
            let service = isNamed
                ? try Service("--mode", "oauth2code", options[0], options[1])
                : try Service("--mode", "oauth2code")
        else { return }
        let shown = try service.paste(
            what, ["--oauth-redirect", "https://example.com/registered"],
            version: options.first == "v1" ? "v1" : "v2")
        #expect(shown.contains(words), "\(shown)")
        #expect(service.workspace.exists("out.pdf") == (words == "exit 0"))
    }

    private func freePort() throws -> Int {
        guard let other = try Service() else { return 0 }
        return Int(other.address.split(separator: ":").last ?? "") ?? 0
    }

    @Test func refreshTokensAreStoredOnlyOnRequest() throws {
        guard let service = try Service() else { return }
        try service.sign().expect(.done)
        #expect(!service.workspace.exists("state"))
        try service.sign(["--keep-login", "--force"]).expect(.done)
        #expect(try service.count("consent") == 2)
        let folder = service.workspace.url("state/signet/logins").path
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
        #expect(try service.workspace.mode("state/signet/logins") == 0o700)
        #expect(try service.workspace.mode("state/signet/logins/" + file) == 0o600)
        try service.sign(["--keep-login", "--force"]).expect(.done)
        try service.sign(["--keep-login", "--force"]).expect(.done)
        #expect(try service.count("consent") == 2)
        // One that the server refuses, and one without its service, are replaced.
        let path = "state/signet/logins/\(file)"
        for change in ["sed -i '$s/.*/old/' \(path)", "sed -i '$!d' \(path)"] {
            try service.workspace.shell(change).expect(.done)
            try service.sign(["--keep-login", "--force"]).expect(.done)
        }
        #expect(try service.count("consent") == 4)
        // Links, and files to which others have access, are not used.
        for change in [
            "chmod 644 \(path)", "mv \(path) token; chmod 600 token; ln -s $PWD/token \(path)",
        ] {
            try service.workspace.shell(change).expect(.done)
            try service.sign(["--keep-login", "--force"])
                .expectRefusal(.credentialRefused, naming: "remove")
        }
        try service.workspace.shell("rm \(path); mv token \(path); chmod 777 state/signet/logins")
            .expect(.done)
        try service.sign(["--keep-login", "--force"])
            .expectRefusal(.credentialRefused, naming: "other users can change")
        #expect(try service.count("consent") == 4)
    }

    /// A stored login is sent only to the service that issued it.
    @Test func storedLoginsBelongToTheirService() throws {
        guard let service = try Service(),
            let other = try Service("--fault", "list=pages", in: service.workspace)
        else { return }
        for each in [service, other] {
            try each.sign(["--keep-login", "--force"]).expect(.done)
        }
        try service.workspace.shell(
            "cd state/signet/logins && set -- [0-9a-f]*[0-9a-f] && cp $1 t && cp $2 $1 && cp t $2"
        ).expect(.done)
        let consents = try service.count("consent")
        for each in [service, other] {
            try each.sign(["--keep-login", "--force"]).expect(.done)
        }
        #expect(try service.count("consent") == consents + 2)
    }
}
