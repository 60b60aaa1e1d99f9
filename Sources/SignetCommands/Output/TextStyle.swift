import SignetKit
import SystemBridge

/// Text layout on a terminal: colors, and line breaks between words. NO_COLOR or a dumb terminal
/// turns colors off. Other outputs get plain text without line breaks.
struct TextStyle {
    private let isPainted: Bool
    /// Width in columns; nil if lines are not broken, as in files and pipes.
    private let width: Int?

    /// The smallest width of text next to a label.
    private static let narrowest = 24

    init(_ stream: Terminal.Stream = .output) {
        let noColor = ProcessEnvironment.value("NO_COLOR").map { !$0.isEmpty } ?? false
        let isDumb = ProcessEnvironment.value("TERM").map { $0 == Array("dumb".utf8) } ?? true
        let isTerminal = Terminal.isInteractive(stream)
        self.init(
            isPainted: isTerminal && !noColor && !isDumb, width: isTerminal ? Terminal.width : nil)
    }

    /// - Parameter width: columns at which lines are broken; nil for never.
    init(isPainted: Bool, width: Int?) {
        self.isPainted = isPainted
        self.width = width
    }

    /// The text after `indent` spaces; continuation lines after `hanging` spaces.
    func lines(_ text: StyledText, indent: Int = 0, hanging: Int) -> String {
        var result = String(repeating: " ", count: indent)
        // Skip line breaking, which is the slowest step for thousands of lines.
        guard let width else { return result + painted(text) }
        var line = StyledText()
        var column = indent
        let limit = max(width, hanging + Self.narrowest)
        for (index, word) in text.words.enumerated() {
            if index > 0 {
                if column + 1 + word.columnCount > limit, column > hanging {
                    result += painted(line) + "\n" + String(repeating: " ", count: hanging)
                    line = StyledText()
                    column = hanging
                } else {
                    line.append(" ", line.lastTone == word.firstTone ? word.firstTone : .plain)
                    column += 1
                }
            }
            line.append(word)
            column += word.columnCount
        }
        return result + painted(line)
    }

    private func painted(_ text: StyledText) -> String {
        guard isPainted else { return text.plain }
        return text.parts.map { part in
            part.tone.code.map { "\u{1B}[\($0)m\(part.text)\u{1B}[0m" } ?? part.text
        }.joined()
    }
}

/// The meaning of a text part, shown by a color.
enum Tone {
    case plain, good, doubtful, bad, strong, faint

    /// The terminal's escape code (ECMA-48, SGR).
    fileprivate var code: String? {
        switch self {
        case .plain: nil
        case .good: "1;32"
        case .doubtful: "1;33"
        case .bad: "1;31"
        case .strong: "1"
        case .faint: "2"
        }
    }

    init(_ verdict: Verdict) {
        self =
            switch verdict {
            case .passed: .good
            case .indeterminate: .doubtful
            case .failed: .bad
            }
    }
}
