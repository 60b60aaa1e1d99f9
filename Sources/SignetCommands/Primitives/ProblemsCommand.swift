import ArgumentParser
import SignetKit

/// `signet help problems`: explains the codes of `verify`.
struct ProblemsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "problems",
        abstract: "Explain the codes in the JSON output of verify and show.",
        discussion: """
            Codes are stable and for programs; messages and hints may change.

            Examples:
              signet help problems
              signet help problems digest-mismatch
            """, shouldDisplay: false)

    static func canParse(_ arguments: [String]) -> Bool {
        arguments.starts(with: ["help", "problems"])
    }

    static let names = CodeExplanation.sections.flatMap(\.explanations).map(\.code)

    @Argument(help: "Codes (default: all)", completion: .list(names))
    var codes: [String] = []

    func run() throws {
        let style = TextStyle()
        let reporter = Reporter(options: .defaults())
        let known = try codes.map { code in
            guard let found = CodeExplanation.of(code) else {
                throw reporter.failure(
                    SignetError(
                        .usage, "unknown problem code '\(code)'",
                        hint: "list all codes: signet help problems"))
            }
            return found
        }
        for explanation in known { try reporter.result(lines(explanation, style: style)) }
        guard known.isEmpty else { return }
        let intro =
            "Codes of problems in the output of 'signet verify --json'. Each problem has its "
            + "verdict: failed, indeterminate or null (no effect)."
        try reporter.result(style.lines(StyledText(intro), hanging: 0) + "\n")
        for (title, explanations) in CodeExplanation.sections {
            let title = style.lines(StyledText(title, .strong), hanging: 0)
            let entries = explanations.map { lines($0, style: style) }
            try reporter.result(title + "\n\n" + entries.joined(separator: "\n"))
            try reporter.result("")
        }
    }

    private func lines(_ explanation: CodeExplanation, style: TextStyle) -> String {
        let details = [
            explanation.meaning, explanation.clause.map { "See \($0)." },
            explanation.hint.map { "Hint: \($0)" },
        ]
        return
            ([style.lines(StyledText(explanation.code, .strong), hanging: 0)]
            + details.compactMap { $0 }.map {
                style.lines(StyledText($0), indent: 4, hanging: 4)
            }).joined(separator: "\n")
    }
}
