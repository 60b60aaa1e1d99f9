import Base

/// The text of an appearance or mark, with placeholders.
///
/// `{name}` and others are replaced, `{date:d. MMMM yyyy}` has a custom format, `\n` breaks lines,
/// text between `**` and `**` in a line is bold; `{{` is a brace, `\*` is an asterisk. One
/// `{qr:TEXT}` adds a QR code with TEXT, which may contain placeholders.
public struct StampTemplate: Equatable, Sendable {
    /// The available placeholders.
    public enum Value: String, CaseIterable, Sendable {
        case name, subject, date, reason, location, initials, sha256
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
    /// The lines of the QR code's text; empty without a code.
    private let code: [[Run]]

    /// Parses a template.
    ///
    /// - Throws: ``SignetError``: `.usage` if the text is empty, or contains an unknown placeholder
    ///   or two QR codes.
    public init(_ text: String) throws(SignetError) {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw SignetError(.usage, "the text is empty", hint: Sentence(.leaveOutText))
        }
        let text = text.replacing("\\n", with: "\n")[...]
        guard let range = Self.codeRange(in: text) else {
            (lines, code) = (try Self.lines(of: text), [])
            return
        }
        var (before, after) = (text[..<range.lowerBound], text[range.upperBound...])
        let content = text[range].dropFirst(Self.codeStart.count).dropLast()
        guard !content.isEmpty, Self.codeRange(in: after) == nil else {
            throw SignetError(
                .usage, "the text must have only one QR code, with content",
                hint: Sentence(.writeCode))
        }
        // A line with only the code is no line of the text.
        if before.isEmpty, after.first == "\n" {
            after.removeFirst()
        } else if before.last == "\n", after.isEmpty || after.first == "\n" {
            before.removeLast()
        }
        let rest = before + after
        lines = rest.allSatisfy(\.isWhitespace) ? [] : try Self.lines(of: rest[...])
        code = try Self.lines(of: content)
    }

    private static let codeStart = "{qr:"

    /// The first `{qr:TEXT}`, with all braces of its placeholders.
    private static func codeRange(in text: Substring) -> Range<Substring.Index>? {
        var (rest, depth) = (text, 0)
        var start: Substring.Index?
        while let character = rest.first {
            if rest.hasPrefix("{{") {
                rest.removeFirst()
            } else if start == nil {
                if rest.hasPrefix(codeStart) { (start, depth) = (rest.startIndex, 1) }
            } else if character == "{" {
                depth += 1
            } else if character == "}" {
                depth -= 1
            }
            rest.removeFirst()
            if let start, depth == 0 { return start..<rest.startIndex }
        }
        return nil
    }

    private static func lines(of text: Substring) throws(SignetError) -> [[Run]] {
        var lines: [[Run]] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            lines.append(try runs(of: line))
        }
        return lines
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
        let isName = !name.isEmpty && name.allSatisfy { $0.isLetter || $0 == "-" || $0 == "_" }
        return isName || Value(rawValue: String(name)) != nil ? rest[..<end] : nil
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
        Self.filled(lines, value, date)
    }

    /// The text of the QR code with replaced placeholders; nil without a code.
    func filledCode(_ value: (Value) -> String, date: (DateStyle) -> String) -> String? {
        guard hasCode else { return nil }
        return Self.filled(code, value, date).map { $0.map(\.text).joined() }
            .joined(separator: "\n")
    }

    var hasCode: Bool { !code.isEmpty }

    /// Whether a placeholder occurs in the text or in its QR code.
    func uses(_ value: Value) -> Bool {
        (lines + code).joined().contains { $0.part == .value(value) }
    }

    private static func filled(
        _ lines: [[Run]], _ value: (Value) -> String, _ date: (DateStyle) -> String
    ) -> [[Piece]] {
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
