import Base
import SignetKit

extension Sentence {
    /// The text on the command line, with options and commands. `{0}` is replaced by the first fact,
    /// `{sh:0}` by the first fact quoted for a shell.
    var text: String {
        let pattern = EmbeddedFile.row(code.rawValue, in: "sentences.txt") ?? description
        let pieces = pattern.split(separator: "{", omittingEmptySubsequences: false)
        return pieces.dropFirst().reduce(into: String(pieces[0])) { text, piece in
            let name = piece.prefix { $0 != "}" }
            guard name.endIndex < piece.endIndex, let value = value(of: name) else {
                return text += "{" + piece
            }
            text += value + piece[name.endIndex...].dropFirst()
        }
    }

    /// - Parameter name: the name of a placeholder; see ``text``.
    private func value(of name: Substring) -> String? {
        if name == "options" { return options }
        if name == "pictures" { return PictureFormats.alternatives }
        let isWord = name.hasPrefix("sh:")
        guard let index = Int(isWord ? name.dropFirst(3) : name), facts.indices.contains(index)
        else { return nil }
        return isWord ? ShellWord.quoted(facts[index]) : facts[index]
    }

    /// Options as text. The last facts are pairs: the name of an option and its value.
    private var options: String {
        stride(from: facts.count % 2, to: facts.count, by: 2)
            .map { "--\(facts[$0]) \(ShellWord.quoted(facts[$0 + 1]))" }
            .joined(separator: " ")
    }
}

extension PictureFormats {
    /// `PNG or JPEG`
    static var alternatives: String { names.joined(separator: " or ") }
    /// `PNG and JPEG 2000`
    static var lossless: String { losslessNames.joined(separator: " and ") }
}
