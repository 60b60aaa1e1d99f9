import Base
import CryptoBridge
import SystemBridge
import TrustKit

/// What the work on a file depends on besides the file: what was asked, and for answers whom the
/// system believes and what stands in the files that were named. An answer to another question is
/// none.
public struct AnswerBasis: Sendable {
    private let common: [String]
    private let countsFiles: Bool

    /// Deepest folders in folders whose files are looked at.
    private static let maximumDepth = 4

    /// - Parameters:
    ///   - words: the command and its options.
    ///   - inputs: what the command is about, which stands among the words.
    ///   - countsFiles: whether it matters what stands in files.
    ///   - neutral: words that change nothing about the answer, with how many follow each.
    /// - Throws: ``SignetError`` when a file cannot be read.
    public init(
        of words: [String], inputs: [String], countsFiles: Bool, neutral: [String: Int]
    ) throws {
        self.countsFiles = countsFiles
        let inputs = Set(inputs.map { ExactText($0) })
        var facts: [String] = []
        var skipped = 0
        let counts = Dictionary(words.map { (ExactText($0), 1) }, uniquingKeysWith: +)
        for (index, word) in words.enumerated() {
            // A file may be an input and, where an option names it once more, one of the rules.
            let isRule =
                countsFiles && index > 0 && words[index - 1].hasPrefix("-")
                && counts[ExactText(word), default: 0] > 1
            if inputs.contains(ExactText(word)), !isRule { continue }
            if skipped > 0 {
                skipped -= 1
                continue
            }
            let parts = ExactText(word).parts(separator: "=", most: word.hasPrefix("-") ? 1 : 0)
            if let following = parts.first.flatMap({ neutral[$0.text] }) {
                skipped = parts.count == 1 ? following : 0
                continue
            }
            let value = parts.last?.text ?? word
            if parts.count > 1 { facts.append(parts[0].text) }
            // However its path is written, from whatever folder, it is the same file.
            facts.append(FileSystem.exists(value) ? FileSystem.place(value) : value)
            guard countsFiles else { continue }
            if word == TrustLists.european { facts += try Self.facts(of: TrustListCache().root, 0) }
            facts += try Self.facts(of: value, 0)
        }
        guard countsFiles else {
            common = facts
            return
        }
        for name in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
            let paths = (ProcessEnvironment.string(name) ?? "").split(separator: ":")
            facts += try [name] + paths.flatMap { try Self.facts(of: String($0), 0) }
        }
        for path in SystemTrust.directories + SystemTrust.bundles {
            facts += try Self.facts(of: path, Self.maximumDepth - 1)
        }
        common = facts
    }

    /// In hexadecimal.
    ///
    /// - Parameter input: what stands beside it counts too, since it may be what was signed.
    /// - Throws: ``SignetError``.
    public func sha256(for input: String) throws -> String {
        var facts = common
        if countsFiles, let content = try CompanionFile.path(of: input) {
            facts += try [FileSystem.place(content), FileHash.sha256(of: content)]
        }
        let context = try DigestContext(.sha256)
        for fact in facts {
            let bytes = Array(fact.utf8)
            // With its length: no two lists of facts are the same bytes.
            try context.update(Array("\(bytes.count):".utf8) + bytes)
        }
        return Hex.encode(try context.finish())
    }

    /// The names and hashes of a file, or of what is in a folder; none of anything else.
    private static func facts(of path: String, _ depth: Int) throws -> [String] {
        if FileSystem.isRegularFile(path) {
            return [FileSystem.place(path), try FileHash.sha256(of: path)]
        }
        guard depth < maximumDepth, FileSystem.isDirectory(path) else { return [] }
        let names = try reading(path) { try FileSystem.list(path) }
        return try [FileSystem.place(path)]
            + names.flatMap { try facts(of: "\(path)/\($0)", depth + 1) }
    }
}
