public import Base
import CryptoBridge
import SystemBridge

/// A secret that unlocks a key. It is wiped from memory after use.
public final class Passphrase: Sendable {
    let secret: SecretBytes

    /// Takes ownership of the bytes. The caller's copy is wiped if it is the only reference.
    public init(_ bytes: consuming [UInt8]) { secret = SecretBytes(consuming: &bytes) }

    init(sharing secret: SecretBytes) { self.secret = secret }

    /// Compares in constant time.
    public func isEqual(to other: Passphrase) -> Bool { secret.isEqual(to: other.secret) }
}

/// The source of a passphrase.
public indirect enum PassphraseSource: Sendable {
    /// The first line of a file; `-` is standard input.
    case file(String)
    /// The value of an environment variable.
    case environment(String)
    /// Another source, such as a prompt.
    case ask(@Sendable () throws -> Passphrase)
    /// A prompt. The question is nil for the passphrase of the key's file.
    case person(@Sendable (SecretQuestion?) throws -> Passphrase)
    /// Another source, and a function that receives each passphrase from it.
    case remembered(PassphraseSource, @Sendable (Passphrase) -> Void)

    /// Maximum number of attempts to enter a passphrase.
    static let tryCount = 3

    /// Number of attempts: 1 for files and variables, whose content does not change.
    var tries: Int {
        switch self {
        case .ask, .person: Self.tryCount
        case .file, .environment: 1
        case .remembered(let source, _): source.tries
        }
    }

    /// Maximum size of a passphrase file, in bytes.
    private static let byteLimit = 64 * 1024

    /// The passphrase for a new key.
    ///
    /// - Parameter option: name of the option, for hints.
    /// - Throws: ``SignetError``: `credentialRefused` for an empty passphrase.
    func readNew(for path: String, as option: String = "passphrase") throws -> SecretBytes {
        let secret = try read(as: option)
        guard !secret.isEmpty else {
            throw SignetError(
                .credentialRefused, file: path, "the passphrase is empty",
                hint: Sentence(.leaveUnencrypted))
        }
        return secret
    }

    /// - Parameter option: name of the option, for hints.
    func read(as option: String = "passphrase") throws -> SecretBytes {
        SecretBytes.protectProcess()
        switch self {
        case .ask(let closure): return try closure().secret
        case .person(let closure): return try closure(nil).secret
        case .remembered(let source, let remember):
            let secret = try source.read(as: option)
            remember(Passphrase(sharing: secret))
            return secret
        case .environment(let name):
            guard var value = ProcessEnvironment.secret(name) else {
                throw SignetError(
                    .credentialRefused,
                    "the environment variable named by --\(option)-env is not set",
                    hint: Sentence(.setVariableOrUseSecret, option))
            }
            return SecretBytes(consuming: &value)
        case .file(let path):
            var content = try Self.text(path, as: option)
            return Self.line(of: &content)
        }
    }

    /// The error if this source gave an empty passphrase and the key has another one.
    func emptiness(_ option: String) -> SignetError {
        let what: String
        var hint = Sentence(.useSecret, option)
        switch self {
        case .environment:
            what = "the environment variable named by --\(option)-env is empty"
            hint = Sentence(.setVariableOrUseSecret, option)
        case .file(let path):
            what = "the first line of the \(option) file '\(path)' is empty"
            hint = Sentence(.fillSecretFile)
        case .ask, .person: what = "the passphrase is empty"
        case .remembered(let source, _): return source.emptiness(option)
        }
        return SignetError(.credentialRefused, what, hint: hint)
    }

    /// Returns the first line and passes the remaining bytes to `rest`. The input is wiped.
    static func line(of content: inout [UInt8], rest: ((inout [UInt8]) -> Void)? = nil)
        -> SecretBytes
    {
        let end = content.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? content.count
        var line = Array(content[..<end])
        if let rest {
            // Lines may end as on Unix, DOS or old Macs.
            let next = content[end...].drop { $0 == 0x0D }
            var tail = Array(next.first == 0x0A ? next.dropFirst() : next)
            rest(&tail)
            SecretBytes.wipe(&tail)
        }
        SecretBytes.wipe(&content)
        return SecretBytes(consuming: &line)
    }

    /// The secrets in all nonempty lines of a file; other sources have one.
    func allLines() throws -> [SecretBytes] {
        guard case .file(let path) = self else { return [try read(as: "otp")] }
        var content = try Self.text(path, as: "otp")
        var lines: [SecretBytes] = []
        while !content.isEmpty {
            var rest: [UInt8] = []
            lines.append(Self.line(of: &content) { rest = $0 })
            SecretBytes.wipe(&content)
            content = rest
        }
        for line in lines { try Self.requirePIN(line, place: path) }
        return lines.filter { !$0.isEmpty }
    }

    /// Rejects a PIN that begins or ends with a space or contains control characters: it would
    /// cause a failed attempt.
    private static func requirePIN(_ pin: SecretBytes, place: String) throws {
        let isClean = pin.withBytes { bytes -> Bool in
            let indices = bytes.indices
            guard let first = indices.first, let last = indices.last else { return true }
            return bytes[first] != 0x20 && bytes[last] != 0x20
                && !indices.contains { bytes[$0] < 0x20 || bytes[$0] == 0x7F }
        }
        guard isClean else {
            throw SignetError(
                .credentialRefused,
                "\(place) contains a PIN with leading or trailing spaces or a control character: "
                    + "the PIN was not tried", hint: Sentence(.savePlainText))
        }
    }

    /// The content of a file, without a byte order mark. Zero bytes are rejected: a wrong file would
    /// cost a PIN attempt. The name of a missing file is not printed: it may be the secret.
    private static func text(_ path: String, as option: String) throws -> [UInt8] {
        SecretBytes.protectProcess()
        var content = try reading(path) {
            do {
                return try FileSystem.readAll(path, limit: byteLimit)
            } catch let error as FileError where error.code == .missing {
                throw SignetError(
                    .missingInput,
                    "the file with the secret was not found; its name is not printed, because it "
                        + "may be the secret itself",
                    hint: Sentence(.nameSecretFile, option))
            }
        }
        guard !content.contains(0) else {
            SecretBytes.wipe(&content)
            throw SignetError(
                .credentialRefused, file: path,
                "the file is not plain text (it contains zero bytes): it was not used",
                hint: Sentence(.savePlainText))
        }
        guard content.starts(with: [0xEF, 0xBB, 0xBF]) else { return content }
        let text = Array(content.dropFirst(3))
        SecretBytes.wipe(&content)
        return text
    }

    /// The secrets in the first two lines of a file, as PINs of a token; other sources have one.
    func readLines() throws -> (first: SecretBytes, second: SecretBytes?) {
        if case .remembered(let source, _) = self { return try source.readLines() }
        guard case .file(let path) = self else {
            let secret = try read()
            try Self.requirePIN(secret, place: "the variable")
            return (secret, nil)
        }
        var content = try Self.text(path, as: "passphrase")
        var second: SecretBytes?
        let first = Self.line(of: &content) { rest in
            if !rest.isEmpty { second = Self.line(of: &rest) }
        }
        for pin in [first, second].compactMap({ $0 }) { try Self.requirePIN(pin, place: path) }
        return (first, second.flatMap { $0.isEmpty ? nil : $0 })
    }
}
