import SignetKit

/// An English sentence of a verification result with placeholders `{1}`, and its name in the tables
/// of the languages.
struct SentencePattern {
    let name: String
    private let pieces: [ReportWords.Piece]

    /// All patterns, those with the longest fixed text first: they are the most specific.
    private static let all =
        ReportWords.sentences(of: .english)
        .map { SentencePattern(name: $0.name, pieces: ReportWords.pieces($0.text)) }
        .sorted { $0.fixedLength > $1.fixedLength }

    private var fixedLength: Int {
        pieces.reduce(0) { length, piece in
            if case .text(let text) = piece { length + text.utf8.count } else { length }
        }
    }

    /// - Returns: the name of the sentence and the values of its placeholders; nil if there is none.
    static func match(_ text: String) -> (name: String, values: [String])? {
        for pattern in all {
            if let values = pattern.values(in: text) { return (pattern.name, values) }
        }
        return nil
    }

    /// The values of the placeholders; nil if the text is another sentence. The pieces alternate, and
    /// the first and the last are fixed text.
    private func values(in text: String) -> [String]? {
        guard case .text(let start)? = pieces.first, case .text(let end)? = pieces.last,
            text.hasPrefix(start)
        else { return nil }
        guard pieces.count > 1 else { return text == start ? [] : nil }
        guard text.hasSuffix(end), text.utf8.count > start.utf8.count + end.utf8.count else {
            return nil
        }
        var rest = text.dropFirst(start.count).dropLast(end.count)
        var found: [Int: String] = [:]
        var place: Int?
        for piece in pieces.dropFirst().dropLast() {
            switch piece {
            case .place(let index): place = index
            case .text(let fixed):
                guard let next = rest.firstRange(of: fixed), let place else { return nil }
                found[place] = String(rest[..<next.lowerBound])
                rest = rest[next.upperBound...]
            }
        }
        if let place { found[place] = String(rest) }
        return found.keys.sorted() == Array(0..<found.count)
            ? found.keys.sorted().compactMap { found[$0] } : nil
    }
}

extension ReportWords {
    static func sentences(of language: Language) -> [(name: String, text: String)] {
        WordTable(language).sections.dropFirst().flatMap(\.rows)
    }
}
