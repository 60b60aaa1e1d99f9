import Base

/// The text of an appearance or mark, with placeholders.
///
/// `{name}` and others are replaced, `{date:d. MMMM yyyy}` has a custom format, `\n` breaks lines,
/// text between `**` and `**` in a line is bold; `{{` is a brace, `\*` is an asterisk.
public struct StampTemplate: Equatable, Sendable {
    /// The available placeholders.
    public enum Value: String, CaseIterable, Sendable {
        case name, subject, date, reason, location, initials
    }

    /// The format of `{date}`.
    enum DateStyle: Equatable, Sendable {
        /// Date and time in the usual format of the language.
        case usual
        case short, long
        case format(DateFormat)
    }

    private enum Part: Equatable {
        case text(String)
        case value(Value)
        case date(DateStyle)
    }

    /// Part of a line in one style.
    struct Piece: Equatable {
        var text: String
        let isBold: Bool
    }

    private struct Run: Equatable {
        let part: Part
        let isBold: Bool
    }

    private let lines: [[Run]]

    /// Parses a template.
    ///
    /// - Throws: ``SignetError``: `.usage` if the text is empty or contains an unknown placeholder.
    public init(_ text: String) throws(SignetError) {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw SignetError(.usage, "the text is empty", hint: Sentence(.leaveOutText))
        }
        var lines: [[Run]] = []
        for line in text.replacing("\\n", with: "\n")
            .split(separator: "\n", omittingEmptySubsequences: false)
        { lines.append(try Self.runs(of: line)) }
        self.lines = lines
    }

    private static func runs(of line: Substring) throws(SignetError) -> [Run] {
        var runs: [Run] = []
        var literal = ""
        var isBold = false
        var rest = line
        func finish(_ part: Part? = nil) {
            if !literal.isEmpty { runs.append(Run(part: .text(literal), isBold: isBold)) }
            literal = ""
            if let part { runs.append(Run(part: part, isBold: isBold)) }
        }
        while let character = rest.popFirst() {
            if character == "\\", rest.first == "*" {
                literal.append(rest.removeFirst())
            } else if character == "*", rest.first == "*", isBold || rest.dropFirst().contains("**")
            {
                rest.removeFirst()
                finish()
                isBold.toggle()
            } else if character == "{", rest.first == "{" {
                literal.append(rest.removeFirst())
            } else if character == "{", let word = word(rest) {
                finish(try part(word))
                rest = rest.dropFirst(word.count + 1)
            } else {
                literal.append(character)
            }
        }
        finish()
        return runs
    }

    /// The text before the closing brace if it has the form of a name; other braces are plain text.
    private static func word(_ rest: Substring) -> Substring? {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        let name = rest[..<end].prefix { $0 != ":" }
        return name.isEmpty || !name.allSatisfy { $0.isLetter || $0 == "-" || $0 == "_" }
            ? nil : rest[..<end]
    }

    private static func part(_ word: Substring) throws(SignetError) -> Part {
        let name = word.prefix { $0 != ":" }
        let value = try value(name)
        let hasStyle = name.endIndex != word.endIndex
        guard value == .date else {
            guard !hasStyle else {
                throw SignetError(
                    .usage, "only {date} has a format, not {\(name)}",
                    hint: Sentence(.leaveOutFormat))
            }
            return .value(value)
        }
        guard hasStyle else { return .date(.usual) }
        let style = word[name.endIndex...].dropFirst()
        switch style {
        case "":
            throw SignetError(
                .usage, "the date's format is empty", hint: Sentence(.writeDateFormat))
        case "short": return .date(.short)
        case "long": return .date(.long)
        default: return .date(.format(try DateFormat(style)))
        }
    }

    private static func value(_ word: Substring) throws(SignetError) -> Value {
        if let value = Value(rawValue: String(word)) { return value }
        let names = Value.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        let near = Spelling.nearest(to: String(word), in: Value.allCases.map(\.rawValue))
        throw SignetError(
            .usage, "unknown placeholder {\(word)} in the text",
            hint: near.map { Sentence(.meantWord, $0) }
                ?? Sentence(.chooseWord, names, String(word)))
    }

    /// The lines with replaced placeholders. Values are not parsed again.
    ///
    /// - Parameter value: returns the text of a placeholder, which may contain several lines.
    func filled(_ value: (Value) -> String, date: (DateStyle) -> String) -> [[Piece]] {
        lines.flatMap { runs in
            var filled: [[Piece]] = [[]]
            for run in runs {
                let text =
                    switch run.part {
                    case .text(let text): text
                    case .value(let known): value(known)
                    case .date(let style): date(style)
                    }
                for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
                    .enumerated()
                {
                    if index > 0 { filled.append([]) }
                    filled[filled.count - 1].append(Piece(text: String(line), isBold: run.isBold))
                }
            }
            return filled
        }
    }
}
