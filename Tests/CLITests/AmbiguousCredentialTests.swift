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

    /// A given certificate is used or refused, whatever the file of the key contains.
    @Test func aCertificateOfAnotherKeyIsRefused() throws {
        let workspace = try workspace()
        try workspace.succeed(
            "key convert key.pem -o me.p12 --cert valid.pem --new-passphrase-env PP",
            environment: ["PP": "tree"])
        try workspace.makeKey("ec")
        try workspace.succeed("cert create --key ec.pem --subject CN=Ec --ca -o ec.crt")
        try workspace.succeed("cert create --key ec.pem --subject CN=Ec -o leaf.crt")
        for certificate in ["ec.crt", "leaf.crt"] {
            let key = "--key me.p12 --cert \(certificate) --passphrase-env PP"
            for command in [
                "sign in.pdf", "cms sign in.pdf", "remote prepare in.pdf --to-sign h -o p.pdf",
            ] {
                let outcome = try workspace.signet(
                    ShellWords(stringLiteral: command + " " + key), environment: ["PP": "tree"])
                outcome.expectRefusal(
                    .credentialRefused, naming: "does not belong to the private key me.p12")
            }
        }
        try workspace.signet("hash sign in.pdf --key key.pem --cert leaf.crt")
            .expectRefusal(.credentialRefused, naming: "matches no private key")
    }

    @Test func aCertificateOfTheIssuerIsAccepted() throws {
        let workspace = try workspace()
        try workspace.makeKey("ca")
        try workspace.makeKey("me")
        try workspace.succeed("cert create --key ca.pem --subject CN=Root --ca -o ca.crt")
        try workspace.succeed(
            "cert create --key me.pem --subject CN=Me --issuer-cert ca.crt --issuer-key ca.pem -o me.crt"
        )
        try join(["me.pem", "me.crt"], into: "both.pem", workspace)
        try sign(workspace, "--key", "both.pem", "--cert", "ca.crt").expect(.done)
    }

    // MARK: Keys

    /// A private key among the inputs is a mistake, a certificate can be signed.
    @Test func aKeyIsNoDocument() throws {
        let workspace = try workspace()
        try workspace.succeed(
            "key convert key.pem -o me.p12 --cert valid.pem --new-passphrase-env PP",
            environment: ["PP": "tree"])
        for key in ["key.pem", "me.p12"] {
            try workspace.signet("sign in.pdf \(key) -o out.pdf")
                .expectRefusal(.usage, naming: "private key", "to use this key, add --key \(key)")
            try workspace.signet("sign in.pdf \(key) --key key.pem --cert valid.pem")
                .expectRefusal(.usage, naming: "private key", "leave out this file")
        }
        try workspace.signet("sign key.pem --key in.pdf --cert valid.pem")
            .expectRefusal(.usage, naming: "swapped", "use in.pdf as input, and --key key.pem")
        #expect(!workspace.exists("in.signed.pdf") && !workspace.exists("key.pem.p7s"))
        try workspace.succeed("sign valid.pem --key key.pem --cert valid.pem")
    }

    @Test func filesThatAreNoKeysAreExplained() throws {
        let workspace = try workspace()
        try workspace.write(Data(), to: "empty.pem")
        try workspace.makeFolder("keys")
        try workspace.openssl("pkey -in key.pem -pubout -out pub.pem")
        for (options, words) in [
            ("--key empty.pem", "the file is empty"), ("--key keys", "use the file of the private"),
            ("--key pub.pem", "use the file of the private key"),
            ("--key key.pem --cert empty.pem", "the file is empty"),
            ("--key key.pem --cert keys", "use a file with the certificate"),
            ("--key key.pem --cert in.pdf", "use a file with the certificate"),
            ("--key key.pem --cert valid.pem --alias x", "leave out this value"),
            ("--key env:NAME", "printenv NAME | signet"), ("--key HOME", "printenv HOME | signet"),
        ] {
            let outcome = try workspace.signet(
                ["sign", "in.pdf"] + options.split(separator: " ").map(String.init))
            #expect(
                outcome.exitCode != .done && outcome.errors.contains(words), "\(outcome.errors)")
            #expect(!outcome.errors.contains("--recursive"))
        }
    }

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
                .usage, naming: "2 private keys", "add --cert FILE")
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
