import Foundation
import SignetTestSupport
import Testing

/// Every command that has results prints them as one JSON document, whose schema Scripts/schema
/// describes. Scripts/test validates what these and all other tests see.
@Suite struct JSONTests {
    private static let credential = ["--key", "key.pem", "--cert", "valid.pem"]

    /// What is typed, before `--json`, and the schema of the answer.
    @Test(
        arguments: [
            (["sign", "letter.pdf"] + credential, "sign"),
            (["sign", "letter.pdf", "--dry-run"] + credential, "sign"),
            (["sign", "note.txt"] + credential, "sign"),
            (["cms", "sign", "note.txt", "--attached", "-o", "note.p7m"] + credential, "sign"),
            (["hash", "digest", "note.txt"], "hash"),
            (["hash", "sign", "note.txt", "--key", "key.pem", "-o", "note.sig"], "hash-sign"),
            (
                ["remote", "prepare", "letter.pdf", "--cert", "valid.pem", "-o", "prepared.pdf"]
                    + ["--to-sign", "hash.bin"], "remote"
            ),
            (["key", "generate", "--type", "ed25519", "-o", "new.pem", "--no-passphrase"], "key"),
            (
                ["key", "convert", "key.pem", "-o", "new.der", "--to", "der", "--no-passphrase"],
                "key"
            ),
            (["show", "key.pem"], "key"),
            (["show", "valid.pem"], "certificate"),
            (["show", "letter.pdf"], "pdf"),
            (
                ["cert", "create", "--key", "key.pem", "--subject", "CN=A", "-o", "a.pem"],
                "certificate"
            ),
            (["csr", "create", "--key", "key.pem", "--subject", "CN=A", "-o", "a.csr"], "csr"),
            (["tsp", "request", "note.txt", "-o", "note.tsq"], "timestamp-request"),
            (["verify", "letter.pdf"], "verify"),
            (["show", "missing.pdf"], "error"),
        ]
    )
    func describesWhatItDid(arguments: [String], schema: String) throws {
        let workspace = try signingWorkspace()
        try workspace.write("a note\n", to: "note.txt")
        let outcome = try workspace.signet("\(arguments) --json")
        #expect(try outcome.json().schema.text == "signet.\(schema)/1")
        #expect(outcome.output.hasSuffix("}\n"))
    }

    @Test func describesRawVerification() throws {
        let workspace = try signingWorkspace()
        try workspace.succeed("hash sign letter.pdf --key key.pem -o s.bin")
        let outcome = try workspace.succeed(
            "hash verify letter.pdf --signature s.bin --cert valid.pem --json")
        #expect(try outcome.json().schema == "signet.hash-verify/1")
    }

    @Test func describesIdentities() throws {
        let workspace = try signingWorkspace()
        let store = ["XDG_DATA_HOME": workspace.url("data").path]
        for arguments in [
            ["identity", "import", "me"] + Self.credential,
            ["identity", "list"], ["identity", "show", "me"],
        ] {
            let outcome = try workspace.succeed("\(arguments) --json", environment: store)
            #expect(try outcome.json().schema == "signet.identity/1")
        }
    }
}
