import Base
import CryptoBridge
import SystemBridge
import TrustKit

/// Everything that a result depends on, except the file itself: the options, and for reports the
/// trust anchors and the content of named files. A result for other options is not reused.
public struct AnswerBasis: Sendable {
    private let common: [String]
    private let countsFiles: Bool

    /// Deepest level of subfolders whose files are included.
    private static let maximumDepth = 4

    /// - Parameters:
    ///   - words: the command and its options.
    ///   - inputs: the input files, which are among the words.
    ///   - countsFiles: whether file contents are included.
    ///   - neutral: options without effect on the result, with the number of their values.
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
            if skipped > 0 {
                skipped -= 1
                continue
            }
            // A file may be an input and also the value of an option.
            let isRule =
                countsFiles && index > 0 && words[index - 1].hasPrefix("-")
                && counts[ExactText(word), default: 0] > 1
            if inputs.contains(ExactText(word)), !isRule { continue }
            let parts = ExactText(word).parts(separator: "=", most: word.hasPrefix("-") ? 1 : 0)
            if let following = parts.first.flatMap({ neutral[$0.text] }) {
                skipped = parts.count == 1 ? following : 0
                continue
            }
            let value = parts.last?.text ?? word
            if parts.count > 1 { facts.append(parts[0].text) }
            // All spellings of a path denote the same file.
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

    /// SHA-256 of everything that the result for an input depends on, except the file itself;
    /// hexadecimal.
    ///
    /// - Parameter input: path of the file. If file contents are included, so is the content that
    ///   it signs.
    /// - Throws: ``SignetError`` if a file cannot be read.
    public func sha256(for input: String) throws -> String {
        var facts = common
        if countsFiles, let content = try CompanionFile.path(of: input) {
            facts += try [FileSystem.place(content), FileHash.sha256(of: content)]
        }
        let context = try DigestContext(.sha256)
        for fact in facts {
            let bytes = Array(fact.utf8)
            // The length prevents two lists of facts from having the same bytes.
            try context.update(Array("\(bytes.count):".utf8) + bytes)
        }
        return Hex.encode(try context.finish())
    }

    /// The names and hashes of a file, or of the content of a folder; empty for other paths.
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
