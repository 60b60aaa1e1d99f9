import ArgumentParser
import SignetKit

/// `signet help problems`: what the codes mean that `verify` gives.
struct ProblemsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "problems",
        abstract: "Explain the codes of problems that verify finds.",
        discussion: """
            The codes are stable, for programs; messages and hints are for people and may change.

            Examples:
              signet help problems
              signet help problems digest-mismatch
            """,
        shouldDisplay: false)

    static func isMeant(by arguments: [String]) -> Bool {
        arguments.starts(with: ["help", "problems"])
    }

    @Argument(help: "Codes (default: all).", completion: .list(ProblemCode.names))
    var codes: [String] = []

    func run() throws {
        let style = TextStyle()
        let reporter = Reporter(options: try OutputOptions.parse([]))
        for code in codes where ProblemCode(rawValue: code) == nil {
            throw reporter.failure(
                SignetError(
                    .usage, "'\(code)' is no code of a problem",
                    hint: "see all of them: signet help problems"))
        }
        guard codes.isEmpty else {
            for code in codes.compactMap(ProblemCode.init).compactMap(ProblemExplanation.of) {
                try reporter.result(lines(code, style))
            }
            return
        }
        for section in ProblemExplanation.sections {
            let entries = section.explanations.map { lines($0, style) }
            let title = style.lines(StyledText(section.title, .strong), hanging: 0)
            try reporter.result(title + "\n\n" + entries.joined(separator: "\n"))
            try reporter.result("")
        }
    }

    private func lines(_ explanation: ProblemExplanation, _ style: TextStyle) -> String {
        let details = [
            explanation.meaning, explanation.clause.map { "See \($0)." },
            explanation.hint.map { "Hint: \($0)" },
        ]
        let code = style.lines(StyledText(explanation.code.rawValue, .strong), hanging: 0)
        return
            ([code]
            + details.compactMap { $0 }
            .map { style.lines(StyledText($0), indent: 4, hanging: 4) })
            .joined(separator: "\n")
    }
}
