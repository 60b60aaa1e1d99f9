/// The words of a stamp or a mark, with places for what is known when signing.
///
/// `{name}` and its like are filled in, `\n` breaks lines, `{{` stands for a brace.
public struct StampTemplate: Equatable, Sendable {
    /// What can be filled in.
    public enum Value: String, CaseIterable, Sendable {
        case name, subject, date, reason, location, initials
    }

    enum Part: Equatable, Sendable {
        case text(String)
        case value(Value)
    }

    let parts: [Part]

    /// - Throws: ``SignetError``, `.usage`, when the text is empty or names what is not known.
    public init(_ text: String) throws(SignetError) {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw SignetError(
                .usage, "the text is empty", hint: "for a stamp without text: \(.noText)")
        }
        var parts: [Part] = []
        var literal = ""
        var rest = Substring(text)
        while let character = rest.popFirst() {
            if character == "\\", rest.first == "n" {
                rest.removeFirst()
                literal.append("\n")
            } else if character == "{", rest.first == "{" {
                rest.removeFirst()
                literal.append("{")
            } else if character == "{", let word = Self.word(rest) {
                parts.append(.text(literal))
                literal = ""
                parts.append(.value(try Self.value(word)))
                rest = rest.dropFirst(word.count + 1)
            } else {
                literal.append(character)
            }
        }
        self.parts = parts + [.text(literal)]
    }

    /// What stands before the closing brace, if it looks like a name; braces around other things
    /// are nothing but braces.
    private static func word(_ rest: Substring) -> Substring? {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        let word = rest[..<end]
        return word.isEmpty || !word.allSatisfy { $0.isLetter || $0 == "-" || $0 == "_" }
            ? nil : word
    }

    private static func value(_ word: Substring) throws(SignetError) -> Value {
        if let value = Value(rawValue: String(word)) { return value }
        let names = Value.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        let near = Spelling.nearest(to: String(word), in: Value.allCases.map(\.rawValue))
        throw SignetError(
            .usage, "nothing is known of {\(word)} in the stamp's text",
            hint: near.map { "did you mean {\($0)}?" }
                ?? "there are \(names); for the word in braces: {{\(word)}")
    }

    /// The text with the values in their places. What a value contains is not looked at again.
    func filled(_ value: (Value) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .value(let known): value(known)
            }
        }.joined()
    }
}
