import Foundation
import SignetTestSupport
import Synchronization
import Testing

/// The exit codes that scripts may rely on.
typealias ExitCode = Int32

extension ExitCode {
    static let done: Int32 = 0
    static let indeterminate: Int32 = 3
    static let invalid: Int32 = 4
    static let nothingToVerify: Int32 = 5
    static let usage: Int32 = 64
    static let malformedInput: Int32 = 65
    static let missingInput: Int32 = 66
    static let serviceUnavailable: Int32 = 69
    static let cannotCreateOutput: Int32 = 73
    static let inputOutputError: Int32 = 74
    static let credentialRefused: Int32 = 77

    /// A key or certificate that reads well but must not make this signature.
    static let unfitIdentity: Int32 = credentialRefused
    /// A page or a place that the document does not have.
    static let noSuchPlace: Int32 = usage
}

/// The document that `verify --json` prints, as far as the tests look at it.
struct VerifyReport: Decodable {
    struct Signature: Decodable {
        struct Problem: Decodable {
            var code: String
            var message: String
            var hint: String?
        }
        struct Timestamp: Decodable {
            var time: String
            var tsa: String?
            var trusted: Bool
        }
        struct Signer: Decodable {
            var subject: String
            var issuer: String
            var serial: String
            var sha256: String
            var notBefore: String
            var notAfter: String
        }
        var field: String?
        var kind: String
        var verdict: String
        var subindication: String?
        var coverage: String
        var intact: Bool
        var trusted: Bool
        var changes: String?
        var contentChanges: [String]?
        var level: String?
        var format: String?
        var subfilter: String?
        var digest: String?
        var algorithm: String?
        var signer: Signer?
        var claimedTime: String?
        var timestamp: Timestamp?
        var problems: [Problem]
    }
    var schema: String
    var file: String
    var verdict: String
    var signatures: [Signature]
    /// Of the document itself.
    var problems: [Signature.Problem]?
    var integrityCode: IntegrityCode?

    struct IntegrityCode: Decodable {
        var valid: Bool
        var location: String?
        var digest: String?
    }

    /// Codes of all problems, those of the document last.
    var codes: [String] { (signatures.flatMap(\.problems) + (problems ?? [])).map(\.code) }
}

extension CommandOutcome {
    /// Expects this exit code, and that the process ended by itself.
    @discardableResult func expect(
        _ code: Int32, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) -> CommandOutcome {
        #expect(
            exitCode == code && !wasKilled,
            "\(comment.map { "\($0): " } ?? "")exit \(exitCode), stderr: \(errors)",
            sourceLocation: sourceLocation)
        return self
    }

    /// Expects a refusal that says what is wrong: an error line on stderr and nothing on stdout.
    func expectRefusal(
        _ code: Int32, naming words: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(code, sourceLocation: sourceLocation)
        #expect(
            errors.hasPrefix("signet: error: "), "stderr: \(errors)",
            sourceLocation: sourceLocation)
        #expect(output.isEmpty, sourceLocation: sourceLocation)
        for word in words where !word.isEmpty {
            #expect(errors.contains(word), "stderr: \(errors)", sourceLocation: sourceLocation)
        }
    }

    func json<Report: Decodable>(_ type: Report.Type) throws -> Report {
        try JSONDecoder().decode(type, from: outputBytes)
    }

    func json() throws -> JSON { try json(JSON.self) }

    /// One JSON document a line.
    func jsonLines() throws -> [JSON] {
        try output.split(separator: "\n").map {
            try JSONDecoder().decode(JSON.self, from: Data($0.utf8))
        }
    }
}

/// A temporary folder with what signing needs: `letter.pdf`, `key.pem` and its certificate
/// `valid.pem`.
func signingWorkspace() throws -> Workspace {
    let workspace = try Workspace()
    for file in ["pdf/handmade/letter.pdf", "pki/key.pem", "pki/valid.pem"] {
        try workspace.copyVector(file)
    }
    return workspace
}

/// Private keys that are set-up, not subject: made once for each name and type.
private enum MadeKeys {
    private static let made = Mutex<[String: Data]>([:])

    static func key(_ name: String, _ type: String) throws -> Data {
        let id = "\(name) \(type)"
        if let key = made.withLock({ $0[id] }) { return key }
        let workspace = try Workspace()
        try workspace.succeed("key generate --type \(type) -o k.pem --no-passphrase")
        let key = try workspace.read("k.pem")
        return made.withLock { keys in
            keys[id] = keys[id] ?? key
            return keys[id] ?? key
        }
    }
}

/// Signs a document with these bytes in a workspace of its own: `in.pdf` to `out.pdf`.
func sign(_ bytes: [UInt8], _ options: ShellWords = []) throws -> (Workspace, CommandOutcome) {
    let workspace = try signingWorkspace()
    try workspace.write(Data(bytes), to: "in.pdf")
    let outcome = try workspace.signet(
        "sign in.pdf --key key.pem --cert valid.pem -o out.pdf \(options)")
    return (workspace, outcome)
}

extension Workspace {
    func signet(
        _ arguments: ShellWords, input: Data? = nil, environment: [String: String] = [:]
    ) throws -> CommandOutcome {
        try signet(arguments.words, input: input, environment: environment)
    }

    func signet(
        _ arguments: [String], input: Data? = nil, environment: [String: String] = [:]
    ) throws -> CommandOutcome {
        try SignetBinary.run(arguments, in: self, input: input, environment: environment)
    }

    /// Runs `signet` and expects success.
    @discardableResult func succeed(
        _ arguments: ShellWords, input: Data? = nil, environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> CommandOutcome {
        try succeed(
            arguments.words, input: input, environment: environment, sourceLocation: sourceLocation)
    }

    @discardableResult func succeed(
        _ arguments: [String], input: Data? = nil, environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> CommandOutcome {
        try signet(arguments, input: input, environment: environment)
            .expect(.done, sourceLocation: sourceLocation)
    }

    /// Writes a private key, `NAME.pem`: always the same one for a name and type.
    func makeKey(_ name: String, _ type: String = "ec:P-256") throws {
        try write(MadeKeys.key(name, type), to: "\(name).pem")
    }

    /// Signs `letter.pdf` to `letter.signed.pdf` and expects success.
    func signLetter(_ options: ShellWords = []) throws {
        try signet("sign letter.pdf --key key.pem --cert valid.pem \(options)").expect(.done)
    }
}
