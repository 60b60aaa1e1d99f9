import Foundation
import SignetTestSupport
import Testing

/// A folder with an authority (`ca.crt`, `tsa.pem`, `tsa.crt`) and a file to stamp.
func timestampWorkspace(keyType: String = "ec:P-256") throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write("hello\n", to: "hello.txt")
    try workspace.succeed("key generate -o ca.pem --type ec:P-256 --no-passphrase")
    try workspace.succeed("cert create --key ca.pem --subject 'CN=Our CA' --ca -o ca.crt")
    try workspace.succeed("key generate -o tsa.pem --type \(keyType) --no-passphrase")
    try workspace.certify("tsa", profile: "tsa", key: "tsa.pem")
    return workspace
}

extension Workspace {
    /// Numbers are kept in the folder, not in the home of whoever runs the tests.
    var environment: [String: String] { ["XDG_DATA_HOME": url("data").path] }

    func tsp(_ arguments: ShellWords) throws -> CommandOutcome {
        try signet("tsp \(arguments)", environment: environment)
    }

    /// A certificate of the CA for a key, in `NAME.crt`.
    func certify(_ name: String, profile: String, key: String) throws {
        try signet([
            "cert", "create", "--profile", profile, "--key", key, "--subject", "CN=\(name)",
            "--issuer-cert", "ca.crt", "--issuer-key", "ca.pem", "-o", "\(name).crt",
        ]).expect(.done)
    }

    /// Answers `NAME.tsq` in `NAME.tsr`.
    func respond(_ name: String, _ options: ShellWords = []) throws -> CommandOutcome {
        try signet(
            "tsp respond \(name).tsq --key tsa.pem --cert tsa.crt -o \(name).tsr \(options)",
            environment: environment)
    }

    /// Requests and answers: `hello.tsq` and `hello.tsr` for `hello.txt`.
    func stampHello(_ options: ShellWords = []) throws {
        try signet("tsp request hello.txt -o hello.tsq \(options)").expect(.done)
        try respond("hello").expect(.done)
    }

    func bytes(_ name: String) throws -> [UInt8] { [UInt8](try read(name)) }
}

/// What `show --json` says of a response or token, as far as the tests look at it.
struct ShownStamp: Decodable {
    struct Token: Decodable {
        var time: String
        var serial: String
        var policy: String
        var nonce: String?
        var accuracy: String?
        var certificates: [String]
    }
    var schema: String
    var kind: String
    var status: String?
    var failures: [String]
    var token: Token?
}
