import Foundation
import SignetTestSupport
import Testing

/// What an issuer may certify, and what is certified only when somebody has seen it.
@Suite struct CertificateIssuingTests {
    /// A folder with `ca.crt`, a request `req.csr` and keys `ca.pem`, `sub.pem`, `req.pem`.
    private func workspace(san: String? = nil) throws -> Workspace {
        let workspace = try Workspace()
        for name in ["ca", "sub", "req"] { try workspace.makeKey(name) }
        try workspace.succeed("cert create --key ca.pem --subject CN=Root --ca -o ca.crt")
        let names = san.map { ["-addext", "subjectAltName=\($0)"] } ?? []
        try workspace.openssl("req -new -key req.pem -subj /CN=Requester -out req.csr \(names)")
        return workspace
    }

    private func issue(
        _ workspace: Workspace, by issuer: String = "ca", _ options: String...
    ) throws -> CommandOutcome {
        try workspace.signet(
            [
                "cert", "create", "--csr", "req.csr", "--issuer-cert", "\(issuer).crt",
                "--issuer-key", "\(issuer).pem", "-o", "leaf.crt",
            ] + options)
    }

    /// Whoever signs with it is told what else it says of them.
    @Test func namesThatWereNotRequestedAreTold() throws {
        let workspace = try workspace()
        let home = ["XDG_DATA_HOME": workspace.url("data").path]
        try workspace.succeed(
            [
                "identity", "request", "me", "--subject", "CN=Requester", "--type", "ec:P-256",
                "--no-passphrase", "-o", "req.csr", "--force",
            ], environment: home)
        // On standard output it stands alone.
        let alone = try workspace.succeed(
            "identity request other --subject CN=R --type ed25519 --no-passphrase -o -",
            environment: home)
        #expect(alone.output.hasSuffix("END CERTIFICATE REQUEST-----\n"), "\(alone.output)")
        try issue(workspace, "--san", "dns:evil.example").expect(.done)
        let outcome = try workspace.succeed("identity complete leaf.crt", environment: home)
        #expect(outcome.errors.contains("names that were not requested: dns:evil.example"))
        #expect(!outcome.errors.contains("does not contain these requested parts"))
        #expect(outcome.output.hasPrefix("me: stored certificate CN=Requester"))
        let none = try workspace.succeed("identity pending", environment: home)
        #expect(none.output.contains("other: "))
        try workspace.succeed("identity remove other --force", environment: home)
        let empty = try workspace.succeed("identity pending", environment: home)
        #expect(empty.output.isEmpty && empty.errors.contains("no pending requests"))
        try workspace.signet("identity complete ca.crt", environment: home)
            .expectRefusal(.malformedInput, naming: "identity complete CERT --chain ca.crt")
        let again = try workspace.succeed("identity complete leaf.crt", environment: home)
        #expect(again.errors.contains("nothing was changed"))
        #expect(!again.output.contains("stored certificate"), "\(again.output)")
    }

    /// A certificate that the store does not take leads to its key.
    @Test func aKeyIsFoundForEachCertificate() throws {
        let workspace = try workspace()
        let home = ["XDG_DATA_HOME": workspace.url("data").path]
        try issue(workspace).expect(.done)
        try workspace.signet("identity complete leaf.crt", environment: home).expectRefusal(
            .malformedInput, naming: "signet identity import NAME --key KEY --cert leaf.crt")
        try workspace.succeed(
            "identity request me --subject CN=Requester --no-passphrase -o req.csr --force",
            environment: home)
        try workspace.signet("identity complete me", environment: home).expectRefusal(
            .missingInput, naming: "'me' is a pending identity", "signet identity complete CERT")
        let shown = try workspace.succeed("identity show me --json", environment: home).json()
        let key = shown.key.text
        #expect(key.hasPrefix(workspace.url("data").path) && key.hasSuffix("/key.pem"))
        try workspace.write("extendedKeyUsage=serverAuth", to: "server.cnf")
        try workspace.openssl(
            """
            x509 -req -in req.csr -CA ca.crt -CAkey ca.pem -days 9 -set_serial 5 -out leaf.crt \
            -extfile server.cnf
            """)
        try workspace.signet("identity complete leaf.crt", environment: home)
            .expectRefusal(.credentialRefused, naming: "serverAuth", key)
        let imported = try workspace.succeed(
            "identity import web --key \(key) --cert leaf.crt", environment: home)
        #expect(imported.errors.contains("cannot sign documents"), "\(imported.errors)")
        let stored = try workspace.succeed("identity show web", environment: home)
        #expect(stored.output.contains("extended     serverAuth"), "\(stored.output)")
    }

    /// A certificate for a server or for later is named as such, and a pending name stays free.
    @Test func certificatesThatAreNotForSigningNow() throws {
        let workspace = try workspace()
        let home = ["XDG_DATA_HOME": workspace.url("data").path]
        try workspace.write("extendedKeyUsage=serverAuth", to: "server.cnf")
        func issue(_ options: String) throws {
            try workspace.shell(
                "openssl x509 -req -in req.csr -CA ca.crt -CAkey ca.pem -days 9 -set_serial 5 "
                    + "-out leaf.crt \(options)"
            ).expect(.done)
        }
        try issue("-extfile server.cnf")
        try workspace.signet("identity complete leaf.crt", environment: home).expectRefusal(
            .malformedInput, naming: "signet key convert KEY --cert leaf.crt -o server.p12")
        try issue("")
        try workspace.succeed(
            "identity request me --subject CN=Requester --no-passphrase -o me.csr",
            environment: home)
        try workspace.signet(
            "identity import me --key req.pem --cert leaf.crt", environment: home
        ).expectRefusal(.cannotCreateOutput, naming: "a request for 'me' is already pending")
        try workspace.shell(
            "$S cert create --csr me.csr --issuer-key ca.pem --issuer-cert ca.crt -o later.crt "
                + "--days 9 --at-time $(date -u -d '30 days' +%FT%TZ)"
        ).expect(.done)
        let early = try workspace.signet("identity complete later.crt", environment: home)
        early.expectRefusal(.credentialRefused, naming: "is not valid before", "again when")
        #expect(!early.errors.contains("differs"), "\(early.errors)")
    }

    /// The certificate of a stored key is renewed with the commands of the hint.
    @Test func aCertificateIsRenewedWithItsKey() throws {
        let workspace = try workspace()
        let home = ["XDG_DATA_HOME": workspace.url("data").path]
        let request: ShellWords = "identity request me --subject CN=Requester -o new.csr"
        try workspace.succeed(
            """
            identity request me --subject CN=Requester --no-passphrase -o req.csr --force \
            --san upn:seal@firma.example
            """, environment: home)
        try issue(workspace, "--days", "30", "--accept-names").expect(.done)
        try workspace.succeed("identity complete leaf.crt", environment: home)
        let known = try workspace.signet(request, environment: home)
        known.expectRefusal(.cannotCreateOutput, naming: "already exists")
        let command = try #require(known.errors.firstMatch(of: /run: (signet .*?);/)).output.1
        #expect(command.contains(" --san upn:seal@firma.example "))
        try workspace.shell("\(command.replacing("signet ", with: "$S "))").expect(.done)
        try workspace.shell("mv renew.csr req.csr").expect(.done)
        try issue(workspace, "--days", "90", "--force", "--accept-names").expect(.done)
        let list: ShellWords = "identity list"
        let before = try workspace.succeed(list, environment: home).output
        let outcome = try workspace.succeed(
            "identity complete leaf.crt --force", environment: home)
        let after = try workspace.succeed(list, environment: home).output
        #expect(before != after)
        #expect(outcome.output.replacing("stored certificate ", with: "") == after)
        try issue(workspace, "--days", "80", "--force", "--san", "none").expect(.done)
        let lost = try workspace.succeed("identity complete leaf.crt --force", environment: home)
        #expect(lost.errors.contains("does not contain these names or usages"), "\(lost.errors)")
    }

    @Test func requestedPartsThatAreMissingAreTold() throws {
        let workspace = try workspace()
        let home = ["XDG_DATA_HOME": workspace.url("data").path]
        try workspace.succeed(
            [
                "identity", "request", "me", "--subject", "CN=Requester", "--type", "ec:P-256",
                "--no-passphrase", "-o", "req.csr", "--force", "--san", "upn:seal@firma.example",
            ], environment: home)
        try issue(workspace, "--san", "none").expect(.done)
        let outcome = try workspace.succeed("identity complete leaf.crt", environment: home)
        #expect(
            outcome.errors.contains(
                "does not contain these requested parts: upn:seal@firma.example"),
            "\(outcome.errors)")
    }

    /// A certificate by openssl for `sub.pem`, under the root.
    private func intermediate(_ workspace: Workspace, _ extensions: String) throws {
        try workspace.write("[e]\n\(extensions)\n", to: "e.cnf")
        try workspace.openssl("req -new -key sub.pem -subj /CN=Sub -out sub.csr")
        try workspace.openssl([
            "x509", "-req", "-in", "sub.csr", "-CA", "ca.crt", "-CAkey", "ca.pem",
            "-CAcreateserial", "-days", "30", "-extfile", "e.cnf", "-extensions", "e", "-out",
            "sub.crt",
        ])
    }

    @Test(arguments: [
        "DNS:bank.example", "email:ceo@bank.example,IP:127.0.0.1", "otherName:1.2.3.4;UTF8:boss",
    ])
    func certifiesNoNamesUnseen(san: String) throws {
        let workspace = try workspace(san: san)
        let words = san.hasPrefix("other") ? "other:1.2.3.4:0c04626f7373" : "bank.example"
        try issue(workspace).expectRefusal(.usage, naming: words, "--accept-names")
        #expect(!workspace.exists("leaf.crt"))
        let accepted = try issue(workspace, "--accept-names")
        if san.hasPrefix("other") {
            accepted.expectRefusal(.usage, naming: "--san")
        } else {
            accepted.expect(.done)
            #expect(accepted.output.contains("bank.example"))
        }
        let own = try issue(workspace, "--san", "email:r@firma.cz,dns:firma.cz", "--force")
        own.expect(.done)
        let text = try workspace.openssl("x509 -in leaf.crt -noout -text")
        #expect(text.contains("email:r@firma.cz, DNS:firma.cz") && !text.contains("bank"))
        try issue(workspace, "--san", "none", "--force").expect(.done)
        #expect(
            !(try workspace.openssl("x509 -in leaf.crt -noout -text")).contains("Alternative Name"))
    }

    struct Limit: Sendable, CustomTestStringConvertible {
        let extensions: String
        let options: [String]
        let words: String
        var testDescription: String { extensions + " " + options.joined(separator: " ") }
    }

    @Test(arguments: [
        Limit(
            extensions: "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,cRLSign", options: [],
            words: "may not sign certificates"),
        Limit(
            extensions: "basicConstraints=critical,CA:TRUE,pathlen:0",
            options: ["--profile", "ca"], words: "path length constraint is 0"),
        Limit(extensions: "basicConstraints=critical,CA:FALSE", options: [], words: "is not a"),
        Limit(
            extensions: "basicConstraints=critical,CA:TRUE\nextendedKeyUsage=serverAuth",
            options: [], words: "may issue only for serverAuth"),
        Limit(
            extensions: "basicConstraints=critical,CA:TRUE\nextendedKeyUsage=emailProtection",
            options: ["--profile", "tsa"], words: "not for timeStamping"),
        Limit(
            extensions: "basicConstraints=critical,CA:TRUE\n"
                + "nameConstraints=critical,permitted;email:firma.cz",
            options: ["--san", "email:ceo@bank.example"], words: "permitted subtree"),
        Limit(
            extensions: "basicConstraints=critical,CA:TRUE\n"
                + "nameConstraints=critical,excluded;DNS:bank.example",
            options: ["--san", "dns:www.bank.example"], words: "excluded subtree"),
        Limit(
            extensions: "basicConstraints=critical,CA:TRUE", options: ["--days", "31"],
            words: "smaller value for --days"),
        Limit(
            extensions: "basicConstraints=critical,CA:TRUE",
            options: ["--at-time", "2020-01-01T00:00:00Z"], words: "is valid from"),
        Limit(
            extensions: "basicConstraints=critical,CA:TRUE",
            options: ["--at-time", "2099-01-01T00:00:00Z"], words: "is valid from"),
        Limit(
            extensions: "basicConstraints=critical,CA:TRUE", options: ["--subject", "CN=Sub"],
            words: "the same name"),
    ])
    func keepsToTheIssuersLimits(limit: Limit) throws {
        let workspace = try workspace()
        try intermediate(workspace, limit.extensions)
        let outcome = try workspace.signet(
            [
                "cert", "create", "--csr", "req.csr", "--issuer-cert", "sub.crt", "--issuer-key",
                "sub.pem", "-o", "leaf.crt",
            ] + limit.options)
        #expect([ExitCode.usage, ExitCode.credentialRefused].contains(outcome.exitCode))
        outcome.expectRefusal(outcome.exitCode, naming: limit.words)
        #expect(!workspace.exists("leaf.crt"))
    }

    @Test func issuesWhatTheIssuerMayGrant() throws {
        let workspace = try workspace()
        try intermediate(
            workspace,
            "basicConstraints=critical,CA:TRUE,pathlen:1\nextendedKeyUsage=emailProtection\n"
                + "nameConstraints=critical,permitted;email:firma.cz")
        try issue(workspace, by: "sub", "--san", "email:r@firma.cz").expect(.done)
        let text = try workspace.openssl("x509 -in leaf.crt -noout -text")
        #expect(text.contains("E-mail Protection") && !text.contains("1.3.6.1.5.5.7.3.36"))
        // No longer than the issuer itself, and one level less.
        let end = try workspace.openssl("x509 -in sub.crt -noout -enddate")
        #expect(try workspace.openssl("x509 -in leaf.crt -noout -enddate") == end)
        try issue(workspace, by: "sub", "--profile", "ca", "--force").expect(.done)
        #expect(try workspace.openssl("x509 -in leaf.crt -noout -text").contains("pathlen:0"))
        try workspace.openssl("verify -CAfile ca.crt -untrusted sub.crt leaf.crt")
    }
}
