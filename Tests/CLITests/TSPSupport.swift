import Foundation
import SignetTestSupport
import Testing

/// A folder with an authority (`ca.crt`, `tsa.pem`, `tsa.crt`) and a file to stamp.
func timestampWorkspace(keyType: String = "ec:P-256") throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write("hello\n", to: "hello.txt")
    try workspace.makeKey("ca")
    try workspace.succeed("cert create --key ca.pem --subject 'CN=Our CA' --ca -o ca.crt")
    try workspace.makeKey("tsa", keyType)
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

/// `tsp serve`, on a port of its own.
struct ServedAuthority {
    let command: RunningCommand
    let port: Int

    init(_ workspace: Workspace, _ options: String...) throws {
        try self.init(
            workspace, ["--key", "tsa.pem"] + options, environment: workspace.environment)
    }

    init(_ workspace: Workspace, _ options: [String], environment: [String: String]) throws {
        command = try RunningCommand(
            SignetBinary.path, ["tsp", "serve", "--cert", "tsa.crt", "--listen", ":0"] + options,
            environment: environment, folder: workspace.folder)
        let line = command.firstLine()
        #expect(line.contains("http://127.0.0.1:"), "\(line)")
        port = try #require(Int(line.split(separator: ":").last?.dropLast() ?? ""))
    }

    /// One connection, one request after the other.
    func post(_ body: [UInt8], times: Int = 1) throws -> [LoopbackClient.Response] {
        try Self.post(body, times: times, to: port)
    }

    static func post(
        _ body: [UInt8], times: Int, to port: Int
    ) throws -> [LoopbackClient.Response] {
        let client = try LoopbackClient(port: port)
        return try (0..<times).map { _ in
            client.send(head(length: body.count))
            client.send(body)
            return try #require(client.receive())
        }
    }

    static func head(
        _ line: String = "POST / HTTP/1.1", type: String = "application/timestamp-query",
        length: Int
    ) -> String {
        "\(line)\r\nHost: localhost\r\nContent-Type: \(type)\r\nContent-Length: \(length)\r\n\r\n"
    }
}
