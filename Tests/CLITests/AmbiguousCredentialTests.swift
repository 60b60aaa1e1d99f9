import Foundation
import SignetTestSupport
import Testing

/// Keys, certificates and names of which several fit, and files in two roles.
@Suite struct AmbiguousCredentialTests {
    /// `valid.pem` for the key, and another certificate for it.
    private func workspace(other: [String] = []) throws -> Workspace {
        let workspace = try signingWorkspace()
        try workspace.write(Data(SamplePDF().bytes), to: "in.pdf")
        try workspace.succeed("cert create --key key.pem --subject CN=Other -o other.pem \(other)")
        return workspace
    }

    private func join(_ names: [String], into name: String, _ workspace: Workspace) throws {
        try workspace.write(
            try names.reduce(into: Data()) { $0 += try workspace.read($1) }, to: name)
    }

    private func sign(_ workspace: Workspace, _ options: String...) throws -> CommandOutcome {
        try workspace.signet("sign in.pdf -o out.pdf --force \(options)")
    }

    // MARK: Certificates

    @Test(arguments: [["valid.pem", "other.pem"], ["other.pem", "valid.pem"]])
    func theOrderOfCertificatesDecidesNothing(names: [String]) throws {
        let workspace = try workspace()
        try join(names, into: "both.pem", workspace)
        let outcome = try sign(workspace, "--key", "key.pem", "--cert", "both.pem")
        outcome.expectRefusal(.usage, naming: "2 certificates match the key", "CN=Other")
        #expect(!workspace.exists("out.pdf"))
        // A bundle with both, and the one that is meant beside it.
        try join(["key.pem"] + names, into: "bundle.pem", workspace)
        try sign(workspace, "--key", "bundle.pem").expectRefusal(.usage, naming: "CN=Other")
        let named = try sign(workspace, "--key", "bundle.pem", "--cert", "other.pem").expect(.done)
        #expect(named.output.contains("signed by Other"))
        let remote = try workspace.signet(
            "remote prepare in.pdf --cert both.pem --to-sign hash -o prepared.pdf")
        remote.expectRefusal(.usage, naming: "2 certificates match")
    }

    @Test(arguments: [["valid.pem", "other.pem"], ["other.pem", "valid.pem"]])
    func theOnlyUsableCertificateIsTakenAndNamed(names: [String]) throws {
        let workspace = try workspace(other: ["--at-time", "2001-01-01T00:00:00Z", "--days", "9"])
        try join(names, into: "both.pem", workspace)
        let outcome = try sign(workspace, "--key", "key.pem", "--cert", "both.pem").expect(.done)
        #expect(outcome.errors.contains("2 certificates match; the only one that can sign"))
        #expect(!outcome.output.contains("Other"))
    }

    // MARK: Keys

    @Test(arguments: [false, true]) func theOrderOfKeysDecidesNothing(isReversed: Bool) throws {
        let workspace = try workspace()
        try workspace.succeed("key generate -o second.key --no-passphrase --type ec:P-256")
        try workspace.succeed("cert create --key second.key --subject CN=Second -o second.pem")
        let pairs = [["key.pem", "valid.pem"], ["second.key", "second.pem"]]
        try join((isReversed ? pairs.reversed() : pairs).flatMap { $0 }, into: "two.pem", workspace)
        let outcome = try sign(workspace, "--key", "two.pem")
        outcome.expectRefusal(.usage, naming: "2 certificates match its keys", "CN=Second")
        let named = try sign(workspace, "--key", "two.pem", "--cert", "second.pem").expect(.done)
        #expect(named.output.contains("signed by Second"))
        for command in [
            ["key", "convert", "two.pem", "-o", "one.pem", "--no-passphrase"],
            ["hash", "sign", "in.pdf", "--key", "two.pem", "-o", "signature"],
        ] {
            try workspace.signet(command).expectRefusal(
                .usage, naming: "2 private keys", "--alias")
        }
    }

    // MARK: Names

    @Test(arguments: ["Anna", "ann\u{0430}", "an\u{200B}na", "\u{FF41}nna"])
    func identitiesDoNotLookAlike(name: String) throws {
        let workspace = try workspace()
        func request(_ name: String) throws -> CommandOutcome {
            try workspace.signet(
                "identity request \(name) --subject CN=Anna --no-passphrase -o request.csr --force",
                environment: ["XDG_DATA_HOME": workspace.url("data").path])
        }
        try request("anna").expect(.done)
        let outcome = try request(name)
        outcome.expectRefusal(.usage, naming: "too similar to the identity 'anna'")
        try request("anne").expect(.done)
    }

    @Test(arguments: [
        "/CN=Jan/emailAddress=ceo@bank.example", "/CN=Jan/CN=The Bank", "/O=Bank+CN=Jan",
    ]) func subjectsOfRequestsAreNotCertifiedUnseen(subject: String) throws {
        let workspace = try workspace()
        try workspace.openssl("req -new -key key.pem -subj \(subject) -multivalue-rdn -out req.csr")
        try workspace.succeed("cert create --key key.pem --subject CN=CA --ca -o ca.pem")
        let issue = [
            "cert", "create", "--csr", "req.csr", "--issuer-cert", "ca.pem", "--issuer-key",
            "key.pem", "-o", "leaf.pem",
        ]
        let refused = try workspace.signet(issue)
        refused.expectRefusal(.usage, naming: "--accept-names", "--subject")
        #expect(!workspace.exists("leaf.pem"))
        try workspace.succeed("\(issue) --accept-names")
        try workspace.succeed("\(issue) --subject CN=Jan --force")
    }

    @Test func embeddingSaysWhereItShows() throws {
        let workspace = try workspace()
        try workspace.succeed([
            "remote", "prepare", "in.pdf", "--cert", "valid.pem", "--to-sign", "hash", "-o",
            "prepared.pdf", "--at", "1:bottom-right",
        ])
        try workspace.succeed("hash sign hash --input hash --key key.pem -o signature")
        let embedded = try workspace.succeed(
            "remote embed prepared.pdf --signature signature -o out.pdf")
        #expect(embedded.output.contains("visible on page 1)"))
    }
}
