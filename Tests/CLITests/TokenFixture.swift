import Foundation
import SignetTestSupport
import Testing

/// Two SoftHSM tokens with keys of all kinds and their certificates, made once, behind a module that
/// misbehaves as it is told and logs the calls.
final class TokenFixture: Sendable {
    private struct Failure: Error { let description: String }

    static let pin = "1234"
    static let otherPIN = "4321"
    private let workspace: Workspace
    private let library: String
    /// SoftHSM's configuration, and the folder `tokens`.
    let store: Workspace

    /// Nil, said loudly, where SoftHSM, OpenSC or a C compiler is missing.
    static let shared = Result { try TokenFixture() }

    private init?() throws {
        let modules = [
            "/usr/lib/softhsm/libsofthsm2.so", "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
            "/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so",
        ]
        guard let softhsm = try ExternalTool.find("softhsm2-util"),
            let tool = try ExternalTool.find("pkcs11-tool"),
            let openssl = try ExternalTool.find("openssl"),
            let compiler = ["cc", "gcc", "clang"].lazy.compactMap(CommandRunner.find).first
        else { return nil }
        library = modules.first(where: FileManager.default.fileExists) ?? modules[0]
        workspace = try Workspace()
        store = try Self.configured()
        try store.makeFolder("tokens")
        func run(_ program: String, _ arguments: [String]) throws {
            let outcome = try CommandRunner.run(
                program, arguments, environment: environment(), folder: workspace.folder)
            guard outcome.exitCode == 0 else {
                throw Failure(description: "\(program) \(arguments): \(outcome.errors)")
            }
        }
        try run(
            compiler,
            [
                "-shared", "-fPIC", "-o", "fault.so",
                TestVectors.root.appendingPathComponent("Scripts/lib/fault_token.c").path, "-ldl",
            ])
        for (label, pin) in [("token-a", Self.pin), ("token-b", Self.otherPIN)] {
            try run(
                softhsm,
                ["--init-token", "--free", "--label", label, "--so-pin", "87654321", "--pin", pin])
        }
        try workspace.write(Data((Self.pin + "\n").utf8), to: "pin")
        try workspace.write(Data((Self.otherPIN + "\n").utf8), to: "other-pin")
        for (id, name, type, more) in [
            ("01", "rsa2048", "rsa:2048", []), ("02", "rsa3072", "rsa:3072", []),
            ("03", "p256", "EC:prime256v1", []), ("04", "p384", "EC:secp384r1", []),
            ("05", "ed25519", "EC:edwards25519", []),
            ("11", "always", "rsa:2048", ["--always-auth"]),
        ] { try make(id, name, type, more, on: "token-a", Self.pin, tool, openssl, run) }
        try make(
            "21", "elsewhere", "EC:prime256v1", [], on: "token-b", Self.otherPIN, tool, openssl, run
        )
        // A key without a certificate.
        try run(
            tool,
            [
                "--module", library, "--token-label", "token-a", "--login", "--pin", Self.pin,
                "--keypairgen", "--key-type", "EC:prime256v1", "--id", "06", "--label", "bare",
                "--usage-sign",
            ])
        try workspace.succeed(
            [
                "cert", "create", "--key", uri("bare"), "--subject", "CN=bare", "-o", "bare.crt",
                "--passphrase-file", file("pin"),
            ], environment: environment())
    }

    /// The same keys on tokens of a test's own: SoftHSM writes a token anew when a PIN is wrong, and
    /// who reads it at that moment finds none.
    init(copying other: TokenFixture) throws {
        workspace = other.workspace
        library = other.library
        store = try Self.configured()
        try FileManager.default.copyItem(at: other.store.url("tokens"), to: store.url("tokens"))
    }

    private static func configured() throws -> Workspace {
        let store = try Workspace()
        try store.write(
            Data(
                """
                directories.tokendir = \(store.url("tokens").path)
                objectstore.backend = file
                log.level = ERROR
                slots.removable = false

                """.utf8), to: "softhsm2.conf")
        return store
    }

    private func make(
        _ id: String, _ name: String, _ type: String, _ more: [String], on token: String,
        _ pin: String, _ tool: String, _ openssl: String, _ run: (String, [String]) throws -> Void
    ) throws {
        let login = ["--module", library, "--token-label", token, "--login", "--pin", pin]
        try run(
            tool,
            login + [
                "--keypairgen", "--key-type", type, "--id", id, "--label", name, "--usage-sign",
            ] + more)
        try workspace.succeed(
            [
                "cert", "create", "--key", uri(name, token: token), "--subject", "CN=\(name)", "-o",
                "\(name).crt", "--passphrase-file", file(pin == Self.pin ? "pin" : "other-pin"),
            ], environment: environment())
        try run(openssl, ["x509", "-in", "\(name).crt", "-outform", "der", "-out", "\(name).der"])
        try run(
            tool,
            login + [
                "--write-object", "\(name).der", "--type", "cert", "--id", id, "--label", name,
            ])
    }

    func file(_ name: String) -> String { workspace.url(name).path }

    /// The module that misbehaves.
    var module: String { file("fault.so") }

    func uri(_ object: String?, token: String = "token-a") -> String {
        "pkcs11:token=\(token)\(object.map { ";object=" + $0 } ?? "")?module-path=\(module)"
    }

    func environment(fault: String = "", log: String? = nil) -> [String: String] {
        var variables = [
            "SOFTHSM2_CONF": store.url("softhsm2.conf").path, "FAULT_MODULE": library,
            "FAULT": fault,
        ]
        variables["FAULT_LOG"] = log
        return variables
    }
}

/// A folder with `letter.pdf`, and runs of the command beside a token.
struct TokenRun {
    let token: TokenFixture
    let workspace: Workspace

    /// Nil where there is no token to test with.
    init?() throws {
        guard let shared = try TokenFixture.shared.get() else { return nil }
        workspace = try Workspace()
        token = try TokenFixture(copying: shared)
        try workspace.copyVector("pdf/handmade/letter.pdf")
        for name in ["pin", "other-pin"] {
            try FileManager.default.copyItem(
                atPath: token.file(name), toPath: workspace.url(name).path)
        }
    }

    /// What the command needs to know of the token, and data folders that are nobody's.
    func environment(fault: String = "", log: String = "log") -> [String: String] {
        token.environment(fault: fault, log: workspace.url(log).path)
            .merging(["XDG_DATA_HOME": workspace.url("home").path]) { $1 }
    }

    /// Runs the command; the log then holds the calls of this run.
    func signet(_ arguments: ShellWords, fault: String = "") throws -> CommandOutcome {
        try signet(arguments.words, fault: fault)
    }

    func signet(_ arguments: [String], fault: String = "") throws -> CommandOutcome {
        try? FileManager.default.removeItem(at: workspace.url("log"))
        return try workspace.signet(arguments, environment: environment(fault: fault))
    }

    /// Makes `tsa.crt` for the key rsa2048, and returns a request for a timestamp, `letter.tsq`.
    func makeAuthority() throws -> [UInt8] {
        try signet(
            """
            cert create --profile tsa --key \(token.uri("rsa2048")) --subject CN=TSA \
            --passphrase-file pin -o tsa.crt
            """
        ).expect(.done)
        try signet("tsp request letter.pdf -o letter.tsq").expect(.done)
        return try workspace.bytes("letter.tsq")
    }

    /// The authority of `makeAuthority()`.
    func serve(
        _ key: String? = nil, fault: String = "", log: String = "log"
    ) throws -> ServedAuthority {
        try? FileManager.default.removeItem(at: workspace.url(log))
        return try ServedAuthority(
            workspace, ["--key", token.uri(key), "--passphrase-file", "pin"],
            environment: environment(fault: fault, log: log))
    }

    /// Signs the letter to `out.pdf`.
    func sign(
        _ object: String?, _ options: String..., pin: String? = "pin", fault: String = ""
    ) throws -> CommandOutcome {
        try signet(
            ["sign", "letter.pdf", "--key", token.uri(object), "-o", "out.pdf"]
                + (pin.map { ["--passphrase-file", $0] } ?? []) + options, fault: fault)
    }

    /// The calls of the last run, each with its answer: `C_Login 0xa0`.
    func calls() -> [String] {
        let text = (try? workspace.read("log")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").map {
            $0.split(separator: " ").dropFirst().joined(separator: " ")
        }
    }

    /// How often a function was called.
    func count(_ function: String) -> Int {
        calls().count { $0.hasPrefix(function + " ") || $0.hasPrefix(function + "(0x") }
    }

    /// Nothing is left of a run that failed, and the token is as it was.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let names = try workspace.names.filter { $0 != "log" }
        #expect(names == ["letter.pdf", "other-pin", "pin"], sourceLocation: sourceLocation)
        expectLoggedOut(sourceLocation: sourceLocation)
    }

    /// No login is left behind for the next program.
    func expectLoggedOut(sourceLocation: SourceLocation = #_sourceLocation) {
        let calls = calls()
        guard calls.contains("C_Initialize 0x0") else { return }
        #expect(calls.last == "C_Finalize 0x0", sourceLocation: sourceLocation)
        let hasLogin = calls.contains { $0 == "C_Login 0x0" || $0 == "C_Login(pad) 0x0" }
        #expect(calls.contains("C_Logout 0x0") == hasLogin, sourceLocation: sourceLocation)
    }
}
