import FileBridge
import SignetKit

/// Colours on a terminal; plain text elsewhere, with NO_COLOR, and on a dumb terminal.
struct TextStyle {
    private let isOn: Bool

    init() {
        let noColor = ProcessEnvironment.value("NO_COLOR").map { !$0.isEmpty } ?? false
        let isDumb = ProcessEnvironment.value("TERM").map { $0 == Array("dumb".utf8) } ?? true
        isOn = Terminal.isInteractive(.output) && !noColor && !isDumb
    }

    func answer(_ verdict: Verdict) -> String {
        switch verdict {
        case .passed: green("passed")
        case .indeterminate: yellow("indeterminate")
        case .failed: red("FAILED")
        }
    }

    func green(_ text: String) -> String { paint(text, "1;32") }
    func yellow(_ text: String) -> String { paint(text, "1;33") }
    func red(_ text: String) -> String { paint(text, "1;31") }
    func bold(_ text: String) -> String { paint(text, "1") }
    func dim(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
