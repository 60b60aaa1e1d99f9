import Foundation
import SignetTestSupport
import Testing

/// `--online`: what authorities say over the network, and that nobody is asked without it.
@Suite struct OnlineRevocationTests {
    /// A trusted authority, `ca.pem`, and a letter signed with a certificate of it.
    private struct Authority {
        let workspace: Workspace
        /// Where the certificate says that its OCSP responder and its revocation list are.
        let responderPort: Int
        let listPort: Int

        /// - Parameter host: of the list; this machine unless named.
        init(
            responder: Bool, list: Int?, at host: String? = nil, isRevoked: Bool = false,
            isForTimestamps: Bool = false
        ) throws {
            workspace = try signingWorkspace()
            responderPort = try PythonEnvironment.freePort()
            listPort = try list ?? PythonEnvironment.freePort()
            try workspace.openssl([
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Root", "-days", "30",
                "-addext", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature",
            ])
            var extensions = "keyUsage=critical,digitalSignature\n"
            if isForTimestamps { extensions += "extendedKeyUsage=critical,timeStamping\n" }
            if responder {
                extensions += "authorityInfoAccess=OCSP;URI:http://127.0.0.1:\(responderPort)\n"
            }
            if list != nil || !responder {
                let host = host ?? "127.0.0.1:\(listPort)"
                extensions += "crlDistributionPoints=URI:http://\(host)/ca.crl\n"
            }
            try workspace.write(extensions, to: "jan.ext")
            try workspace.openssl("req -new -key key.pem -subj /CN=Jan -out jan.csr")
            try workspace.openssl([
                "x509", "-req", "-in", "jan.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-set_serial", "0x1234", "-days", "20", "-extfile", "jan.ext", "-out", "jan.pem",
            ])
            try write(isRevoked: isRevoked)
            guard !isForTimestamps else { return }
            try workspace.succeed("sign letter.pdf --key key.pem --cert jan.pem")
        }

        /// The authority's book, and the list that it publishes.
        ///
        /// - Parameter dates: of the list; a week from now on when there are none.
        func write(isRevoked: Bool, dates: [String] = ["-crldays", "7"]) throws {
            let status =
                isRevoked ? "R\t991231000000Z\t250101000000Z,keyCompromise" : "V\t991231000000Z\t"
            try workspace.write("\(status)\t1234\tunknown\t/CN=Jan\n", to: "index.txt")
            try workspace.write(
                "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ndefault_md=sha256\n", to: "ca.cnf")
            try workspace.openssl(
                "ca -config ca.cnf -gencrl -keyfile ca.key -cert ca.pem \(dates) -out list.pem")
            try workspace.openssl("crl -in list.pem -outform DER -out ca.crl")
        }

        /// The authority's own responder. The shell ends it when its input ends.
        func respond() throws -> BackgroundServer {
            let openssl = try #require(CommandRunner.find("openssl"), "openssl is not installed")
            let command =
                "\(openssl) ocsp -port \(responderPort) -index index.txt -CA ca.pem "
                + "-rsigner ca.pem -rkey ca.key -ndays 1 & read end; kill -9 $!"
            return try BackgroundServer("/bin/sh", ["-c", command], folder: workspace.folder)
        }

        func verify(_ options: [String]) throws -> (outcome: CommandOutcome, report: VerifyReport) {
            let outcome = try workspace.signet(
                "verify letter.signed.pdf --trust ca.pem --json \(options)")
            return (outcome, try outcome.json(VerifyReport.self))
        }

        /// What an authority that is asked says of the signer.
        func expect(isRevoked: Bool, sourceLocation: SourceLocation = #_sourceLocation) throws {
            try expect(
                isRevoked ? .indeterminate : .done, isRevoked ? "REVOKED_NO_POE" : nil, "--online",
                "--online-local", sourceLocation: sourceLocation)
        }

        func expect(
            _ code: Int32, _ subIndication: String?, _ options: String...,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let (outcome, report) = try verify(options)
            outcome.expect(code, sourceLocation: sourceLocation)
            #expect(
                report.signatures.map(\.subindication) == [subIndication], "\(outcome.output)",
                sourceLocation: sourceLocation)
        }
    }

    /// Serves one folder, and counts the requests by their paths.
    private struct ListServer {
        private let workspace: Workspace
        private let server: BackgroundServer
        let port: Int

        init?() throws {
            guard let python = try ExternalTool.find("python3") else { return nil }
            workspace = try Workspace()
            let script = """
                import http.server, sys, threading
                class Handler(http.server.SimpleHTTPRequestHandler):
                    def count(self):
                        with open("requests", "a") as log: log.write(self.command + self.path + "\\n")
                    def do_GET(self):
                        self.count()
                        self.path = self.path.removeprefix("http://crl.invalid")
                        super().do_GET()
                    def do_POST(self):
                        self.count()
                        self.rfile.read(int(self.headers["Content-Length"]))
                        self.send_error(500)
                    def log_message(self, *arguments): pass
                server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
                print(server.server_address[1], flush=True)
                threading.Thread(target=server.serve_forever, daemon=True).start()
                sys.stdin.read()
                """
            server = try BackgroundServer(python, ["-c", script], folder: workspace.folder)
            port = try #require(Int(server.firstLine.filter(\.isNumber)))
        }

        func publish(_ authority: Authority) throws {
            try workspace.write(try authority.workspace.read("ca.crl"), to: "ca.crl")
        }

        func publish(_ text: String) throws { try workspace.write(text, to: "ca.crl") }

        var requests: [String] {
            get throws {
                guard workspace.exists("requests") else { return [] }
                return try workspace.text("requests").split(separator: "\n").map(String.init)
            }
        }
    }

    /// A server with the list of an authority that names it; nil without Python.
    private static func published(
        responder: Bool = false, isRevoked: Bool = false
    ) throws -> (Authority, ListServer)? {
        guard let server = try ListServer() else { return nil }
        let authority = try Authority(
            responder: responder, list: server.port, isRevoked: isRevoked)
        try server.publish(authority)
        return (authority, server)
    }

    @Test(arguments: [false, true])
    func asksTheResponder(isRevoked: Bool) throws {
        let authority = try Authority(responder: true, list: nil, isRevoked: isRevoked)
        let server = try authority.respond()
        defer { withExtendedLifetime(server) {} }
        try authority.expect(isRevoked: isRevoked)
    }

    @Test(arguments: [false, true])
    func fetchesTheList(isRevoked: Bool) throws {
        guard let (authority, server) = try Self.published(isRevoked: isRevoked) else { return }
        try authority.expect(isRevoked: isRevoked)
        #expect(try server.requests == ["GET/ca.crl"])
    }

    @Test func fetchesTheListWhenTheResponderIsGone() throws {
        guard let (authority, server) = try Self.published(responder: true) else { return }
        try authority.expect(isRevoked: false)
        #expect(try server.requests == ["GET/ca.crl"])
    }

    /// Who was told by the first place asks at no other.
    @Test func asksForNoListWhenTheResponderAnswers() throws {
        guard let (authority, server) = try Self.published(responder: true) else { return }
        let responder = try authority.respond()
        defer { withExtendedLifetime(responder) {} }
        try authority.expect(isRevoked: false)
        #expect(try server.requests.isEmpty)
    }

    @Test func connectsToNobodyUnlessPermitted() throws {
        guard let (authority, server) = try Self.published() else { return }
        try authority.expect(.indeterminate, "TRY_LATER")
        try authority.expect(.done, nil, "--crl", authority.workspace.url("ca.crl").path)
        #expect(try server.requests.isEmpty)
        // The address is that of the server, which does count.
        try authority.expect(isRevoked: false)
        #expect(try server.requests == ["GET/ca.crl"])
    }

    /// An older answer at hand must not hide what the authority says now.
    @Test(arguments: [["--trust", "ca.pem"], ["--signer", "jan.pem"]])
    func asksWhateverIsKnown(trust: [String]) throws {
        guard let (authority, server) = try Self.published() else { return }
        let workspace = authority.workspace
        try workspace.write(try workspace.read("ca.crl"), to: "old.crl")
        try authority.write(isRevoked: true)
        try server.publish(authority)
        let known = ["verify", "letter.signed.pdf", "--crl", "old.crl", "--trust", "ca.pem"]
        let good = try workspace.succeed(known)
        #expect(good.output.contains("Revocation    not revoked (CRL of '"), "\(good.output)")
        let revoked = try workspace.signet("\(known) \(trust) --online --online-local")
        revoked.expect(.indeterminate)
        #expect(revoked.output.contains("Revocation    revoked on 20"), "\(revoked.output)")
        #expect(try server.requests == ["GET/ca.crl"])
    }

    @Test func asksOnceForManyFiles() throws {
        guard let (authority, server) = try Self.published() else { return }
        let workspace = authority.workspace
        try workspace.succeed("sign letter.signed.pdf --key key.pem --cert jan.pem -o two.pdf")
        try workspace.succeed("cms sign letter.pdf --key key.pem --cert jan.pem -o letter.pdf.p7s")
        try workspace.succeed(
            "verify letter.signed.pdf two.pdf letter.pdf.p7s --trust ca.pem --online --online-local"
        )
        #expect(try server.requests == ["GET/ca.crl"])
        try workspace.succeed("cms verify letter.pdf.p7s --trust ca.pem --online --online-local")
        #expect(try server.requests.count == 2)
    }

    /// An authority may say something else the next time.
    @Test func journalsSkipNoFileThatWasAskedAbout() throws {
        guard let server = try ListServer() else { return }
        let authority = try Authority(responder: false, list: server.port)
        let arguments = [
            "verify", "letter.signed.pdf", "--trust", "ca.pem", "--online", "--online-local",
            "--journal", "j",
        ]
        try authority.workspace.signet(arguments).expect(.indeterminate)
        try server.publish(authority)
        try authority.workspace.succeed(arguments)
        try authority.write(isRevoked: true)
        try server.publish(authority)
        try authority.workspace.signet(arguments).expect(.indeterminate)
        #expect(try server.requests.count == 3)
    }

    /// Documents must not send requests into the network of whoever verifies them.
    @Test func needsConsentForLocalAddresses() throws {
        guard let server = try ListServer() else { return }
        for host in ["127.0.0.1", "localhost", "127.1", "0x7f.1", "[::ffff:127.0.0.1]"] {
            let authority = try Authority(responder: false, list: nil, at: "\(host):\(server.port)")
            try server.publish(authority)
            let (outcome, report) = try authority.verify(["--online"])
            outcome.expect(.indeterminate)
            #expect(report.signatures.map(\.subindication) == ["TRY_LATER"])
            #expect(
                outcome.output.contains("is not a public address"), "\(host): \(outcome.output)")
        }
        #expect(try server.requests.isEmpty)
        let authority = try Authority(responder: false, list: server.port)
        try authority.workspace.signet("verify letter.signed.pdf --online-local")
            .expectRefusal(.usage, naming: "--online")
    }

    /// The proxy decides where its requests may go.
    @Test func asksThroughALocalProxy() throws {
        guard let server = try ListServer() else { return }
        let authority = try Authority(responder: false, list: nil, at: "crl.invalid")
        try server.publish(authority)
        try authority.workspace.succeed(
            "verify letter.signed.pdf --trust ca.pem --online",
            environment: ["http_proxy": "http://127.0.0.1:\(server.port)", "no_proxy": "invalid"])
        #expect(try server.requests == ["GEThttp://crl.invalid/ca.crl"])
    }

    @Test func saysWhatWasTried() throws {
        let authority = try Authority(responder: true, list: PythonEnvironment.freePort())
        let found = try authority.verify(["--online", "--online-local"])
        found.outcome.expect(.indeterminate)
        #expect(found.report.signatures.map(\.subindication) == ["TRY_LATER"])
        let remarks = found.report.signatures[0].problems
            .filter { $0.code == "revocation-not-fetched" }.map(\.message)
        try #require(remarks.count == 2)
        #expect(
            remarks[0].hasPrefix(
                "the OCSP responder http://127.0.0.1:\(authority.responderPort): no connection"))
        #expect(
            remarks[1].hasPrefix(
                "the revocation list http://127.0.0.1:\(authority.listPort)/ca.crl: no connection"))
        let hinted = try authority.workspace.signet("verify letter.signed.pdf --trust ca.pem")
        #expect(hinted.output.contains("--online"))
    }

    @Test func believesNothingFromTheFuture() throws {
        guard let (authority, server) = try Self.published() else { return }
        let late = ["-crl_lastupdate", "20990101000000Z", "-crl_nextupdate", "20990201000000Z"]
        try authority.write(isRevoked: false, dates: late)
        try server.publish(authority)
        let found = try authority.verify(["--online", "--online-local"])
        #expect(found.report.signatures.map(\.subindication) == ["TRY_LATER"])
        #expect(found.outcome.output.contains("it was issued after the validation time"))
        try authority.write(isRevoked: true, dates: late)
        try server.publish(authority)
        try authority.expect(isRevoked: true)
    }

    @Test func asksAboutTimestampAuthorities() throws {
        guard let server = try ListServer() else { return }
        let authority = try Authority(responder: false, list: server.port, isForTimestamps: true)
        let workspace = authority.workspace
        try workspace.succeed("tsp request letter.pdf -o letter.tsq")
        try workspace.succeed(
            "tsp respond letter.tsq --key key.pem --cert jan.pem -o letter.pdf.tsr",
            environment: workspace.environment)
        for isRevoked in [false, true] {
            try authority.write(isRevoked: isRevoked)
            try server.publish(authority)
            for command in [["verify"], ["tsp", "verify"]] {
                let arguments = command + ["letter.pdf.tsr", "--trust", "ca.pem", "--json"]
                let known: [(String?, [String])] =
                    isRevoked
                    ? [("REVOKED_NO_POE", ["--online", "--online-local"])]
                    : [
                        (nil, []), (nil, ["--online", "--online-local"]),
                        (nil, ["--crl", "ca.crl"]),
                    ]
                for (subIndication, options) in known {
                    let outcome = try workspace.signet("\(arguments) \(options)")
                    let report = try outcome.json(VerifyReport.self)
                    #expect(outcome.output.contains("\"revocation\":null") == options.isEmpty)
                    #expect(report.signatures.map(\.subindication) == [subIndication])
                    let isUnknown = report.signatures[0].problems.contains {
                        $0.code == "revocation-unknown"
                    }
                    #expect(isUnknown == options.isEmpty)
                }
            }
        }
    }

    @Test func believesNoStranger() throws {
        guard let (authority, server) = try Self.published() else { return }
        // A good list, but of another authority with the same name.
        let stranger = try Authority(responder: false, list: server.port)
        try server.publish(stranger)
        try authority.expect(.indeterminate, "TRY_LATER", "--online", "--online-local")
        try server.publish("<html>Please log in</html>")
        let found = try authority.verify(["--online", "--online-local"])
        found.outcome.expect(.indeterminate)
        #expect(
            found.report.signatures[0].problems.contains {
                $0.message.hasSuffix("the response is not a CRL")
            })
    }

    @Test func asksNobodyOnAnUntrustedPath() throws {
        guard let (authority, server) = try Self.published() else { return }
        try authority.workspace.signet(
            "verify letter.signed.pdf --trust valid.pem --online --online-local"
        ).expect(.indeterminate)
        #expect(try server.requests.isEmpty)
    }
}
