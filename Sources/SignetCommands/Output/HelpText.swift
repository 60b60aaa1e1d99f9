import SystemBridge

/// Lays out the argument parser's help for the width of the terminal. The parser itself breaks
/// commands that users copy, and lists options shared by many commands first.
enum HelpText {
    /// A width at which the parser breaks no line.
    static let unlimited = 100_000

    /// Column of the descriptions.
    private static let explanationColumn = 26
    /// Column after the word `USAGE:`.
    private static let usageColumn = 7
    private static let options = "OPTIONS:"
    /// Options that the parser adds to every command.
    private static let commonOptions = ["--version", "-h, --help"]

    /// - Parameter text: unbroken help; other texts stay unchanged.
    static func laidOut(_ text: String, width: Int = columns) -> String {
        guard text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: ") else { return text }
        let style = TextStyle(isPainted: false, width: width)
        var isExample = false
        return inOrder(text).map { line in
            if !line.hasPrefix(" ") { isExample = line.hasPrefix("Example") }
            if isExample || line.isEmpty { return line }
            if line.hasPrefix("USAGE: ") { return usage(line, style) }
            let words = line.drop { $0 == " " }
            let indent = line.count - words.count
            return style.lines(
                StyledText(hint: String(words)), indent: indent, hanging: hanging(line, indent))
        }.joined(separator: "\n")
    }

    /// The terminal's width, or the one in the environment.
    private static var columns: Int {
        ProcessEnvironment.value("COLUMNS").flatMap { Int(String(decoding: $0, as: UTF8.self)) }
            ?? Terminal.width
    }

    /// Options of the command itself come first, common ones last.
    private static func inOrder(_ text: String) -> [String] {
        var sections = text.split(separator: "\n\n", omittingEmptySubsequences: false)
        guard let own = sections.firstIndex(where: { $0.hasPrefix(options + "\n") }),
            let usage = sections.firstIndex(where: { $0.hasPrefix("USAGE: ") }), usage < own
        else { return lines(sections) }
        let entries = sections[own].split(separator: "\n").dropFirst()
        guard
            entries.contains(where: { entry in
                entry.hasPrefix("  -")
                    && !commonOptions.contains { entry.dropFirst(2).hasPrefix($0) }
            })
        else { return lines(sections) }
        var section = sections.remove(at: own)
        while section.hasSuffix("\n") { section.removeLast() }
        let hasArguments = sections.dropFirst(usage + 1).first?.hasPrefix("ARGUMENTS:") ?? false
        sections.insert(section, at: usage + (hasArguments ? 2 : 1))
        return lines(sections)
    }

    private static func lines(_ sections: [Substring]) -> [String] {
        sections.joined(separator: "\n\n").split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// The column for continuation lines of a description.
    private static func hanging(_ line: String, _ indent: Int) -> Int {
        guard indent > 0 else { return 0 }
        if indent >= explanationColumn { return explanationColumn }
        guard let gap = line.dropFirst(indent).firstRange(of: /\ \ +/) else {
            let label = line.prefix(explanationColumn)
            return label.count == explanationColumn && label.hasSuffix(" ")
                ? explanationColumn : indent
        }
        return line.distance(from: line.startIndex, to: gap.upperBound)
    }

    /// The usage, broken between options but not before their values.
    private static func usage(_ line: String, _ style: TextStyle) -> String {
        var words: [String] = []
        var depth = 0
        for word in line.split(separator: " ") {
            let isValue = word.hasPrefix("<") && words.last?.hasPrefix("-") ?? false
            if depth > 0 || isValue || word == "..." {
                words[words.count - 1] += " " + word
            } else {
                words.append(String(word))
            }
            depth += word.count { $0 == "[" } - word.count { $0 == "]" }
        }
        var text = StyledText()
        for (index, word) in words.enumerated() {
            if index > 0 { text.append(" ") }
            text.append(whole: word)
        }
        return style.lines(text, hanging: usageColumn)
    }
}
