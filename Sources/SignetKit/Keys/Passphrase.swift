public import Base
import CryptoBridge
import SystemBridge

/// A secret that unlocks a key. It is wiped from memory when it is no longer used.
public final class Passphrase: Sendable {
    let secret: SecretBytes

    /// Takes the bytes over; the caller's copy is wiped when it is the only one.
    public init(_ bytes: consuming [UInt8]) { secret = SecretBytes(consuming: &bytes) }

    init(sharing secret: SecretBytes) { self.secret = secret }

    /// Compares in constant time.
    public func isEqual(to other: Passphrase) -> Bool { secret.isEqual(to: other.secret) }
}

/// Where a passphrase comes from, if one is needed.
public enum PassphraseSource: Sendable {
    /// The first line of a file; `-` is standard input.
    case file(String)
    /// The value of an environment variable.
    case environment(String)
    /// Whatever else the program offers, such as a prompt.
    case ask(@Sendable () throws -> Passphrase)
    /// A person who types. Nil asks for the passphrase of the key's file.
    case person(@Sendable (SecretQuestion?) throws -> Passphrase)

    /// How often a person may mistype.
    static let tryCount = 3

    /// How often the secret may be wrong: files and variables do not change.
    var tries: Int {
        switch self {
        case .ask, .person: Self.tryCount
        case .file, .environment: 1
        }
    }

    /// Longest passphrase file that is read.
    private static let byteLimit = 64 * 1024

    /// A passphrase to protect something new with.
    ///
    /// - Parameter option: its name, for hints.
    func readNew(for path: String, as option: String = "passphrase") throws -> SecretBytes {
        let secret = try read(as: option)
        guard !secret.isEmpty else {
            throw SignetError(
                .credentialRefused, file: path, "the passphrase is empty",
                hint: Sentence(.leaveUnencrypted))
        }
        return secret
    }

    /// - Parameter option: its name, for hints.
    func read(as option: String = "passphrase") throws -> SecretBytes {
        SecretBytes.protectProcess()
        switch self {
        case .ask(let closure): return try closure().secret
        case .person(let closure): return try closure(nil).secret
        case .environment(let name):
            guard var value = ProcessEnvironment.secret(name) else {
                throw SignetError(
                    .credentialRefused, "the environment variable \(name) is not set",
                    hint: Sentence(.setVariableOrUseSecret, option))
            }
            return SecretBytes(consuming: &value)
        case .file(let path):
            var content = try reading(path) { () throws(FileError) in
                try FileSystem.readAll(path, limit: Self.byteLimit)
            }
            return Self.line(of: &content)
        }
    }

    /// The first line, and what comes after it; the bytes are wiped.
    static func line(of content: inout [UInt8], rest: ((inout [UInt8]) -> Void)? = nil)
        -> SecretBytes
    {
        let end = content.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? content.count
        var line = Array(content[..<end])
        if let rest {
            // Lines end as Unix, DOS or old Macs end them.
            let next = content[end...].drop { $0 == 0x0D }
            var tail = Array(next.first == 0x0A ? next.dropFirst() : next)
            rest(&tail)
            SecretBytes.wipe(&tail)
        }
        SecretBytes.wipe(&content)
        return SecretBytes(consuming: &line)
    }

    /// The secrets of all lines of a file that are not empty; what else there is has one.
    func allLines() throws -> [SecretBytes] {
        guard case .file(let path) = self else { return [try read(as: "otp")] }
        SecretBytes.protectProcess()
        var content = try reading(path) { () throws(FileError) in
            try FileSystem.readAll(path, limit: Self.byteLimit)
        }
        try Self.requireText(&content, path)
        var lines: [SecretBytes] = []
        while !content.isEmpty {
            var rest: [UInt8] = []
            lines.append(Self.line(of: &content) { rest = $0 })
            SecretBytes.wipe(&content)
            content = rest
        }
        for line in lines { try Self.requirePIN(line, path) }
        return lines.filter { !$0.isEmpty }
    }

    /// A blank at the end of a line, or the end of a line itself, is seen by nobody and would be a wrong
    /// try.
    private static func requirePIN(_ pin: SecretBytes, _ place: String) throws {
        let isClean = pin.withBytes { bytes -> Bool in
            let indices = bytes.indices
            guard let first = indices.first, let last = indices.last else { return true }
            return bytes[first] != 0x20 && bytes[last] != 0x20
                && !indices.contains { bytes[$0] < 0x20 || bytes[$0] == 0x7F }
        }
        guard isClean else {
            throw SignetError(
                .credentialRefused,
                "\(place) has a PIN with a blank before or behind it, or with a control character: "
                    + "it was not tried", hint: Sentence(.savePlainText))
        }
    }

    /// A PIN is typed: what an editor puts before a text is none of it, and a zero byte shows that the
    /// file is something else. A wrong try would be lost with it.
    private static func requireText(_ content: inout [UInt8], _ path: String) throws {
        guard !content.contains(0) else {
            SecretBytes.wipe(&content)
            throw SignetError(
                .credentialRefused, file: path,
                "is no plain text (it has zero bytes): nothing of it was tried",
                hint: Sentence(.savePlainText))
        }
        guard content.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
        var text = Array(content.dropFirst(3))
        swap(&text, &content)
        SecretBytes.wipe(&text)
    }

    /// The secrets of the first two lines of a file, as the PINs of a token are; what else there is
    /// has one.
    func readLines() throws -> (first: SecretBytes, second: SecretBytes?) {
        guard case .file(let path) = self else {
            let secret = try read()
            try Self.requirePIN(secret, "the variable")
            return (secret, nil)
        }
        SecretBytes.protectProcess()
        var content = try reading(path) { () throws(FileError) in
            try FileSystem.readAll(path, limit: Self.byteLimit)
        }
        try Self.requireText(&content, path)
        var second: SecretBytes?
        let first = Self.line(of: &content) { rest in
            if !rest.isEmpty { second = Self.line(of: &rest) }
        }
        for pin in [first, second].compactMap({ $0 }) { try Self.requirePIN(pin, path) }
        return (first, second.flatMap { $0.isEmpty ? nil : $0 })
    }
}
