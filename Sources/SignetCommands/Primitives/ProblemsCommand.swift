import ArgumentParser
import SignetKit

/// `signet help problems`: what the codes mean that `verify` gives.
struct ProblemsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "problems",
        abstract: "Explain the codes that verify gives for programs.",
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

    /// Whatever can be asked for.
    static let names =
        ProblemCode.names + ReportedCodes.sections.flatMap(\.explanations).map(\.code)

    @Argument(help: "Codes (default: all).", completion: .list(names))
    var codes: [String] = []

    func run() throws {
        let style = TextStyle()
        let reporter = Reporter(options: .defaults())
        for code in codes where ProblemCode(rawValue: code) == nil && ReportedCodes.of(code) == nil
        {
            throw reporter.failure(
                SignetError(
                    .usage, "'\(code)' is no code of a problem",
                    hint: "see all of them: signet help problems"))
        }
        guard codes.isEmpty else {
            for code in codes {
                if let found = ProblemCode(rawValue: code).flatMap(ProblemExplanation.of) {
                    try reporter.result(lines(found, style))
                } else if let found = ReportedCodes.of(code) {
                    try reporter.result(lines(found.code, [found.meaning], style))
                }
            }
            return
        }
        let sections =
            ProblemExplanation.sections.map { section in
                (section.title, section.explanations.map { lines($0, style) })
            }
            + ReportedCodes.sections.map { title, explanations in
                (title, explanations.map { lines($0.code, [$0.meaning], style) })
            }
        for (title, entries) in sections {
            let title = style.lines(StyledText(title, .strong), hanging: 0)
            try reporter.result(title + "\n\n" + entries.joined(separator: "\n"))
            try reporter.result("")
        }
    }

    private func lines(_ explanation: ProblemExplanation, _ style: TextStyle) -> String {
        let details = [
            explanation.meaning, explanation.clause.map { "See \($0)." },
            explanation.hint.map { "Hint: \($0)" },
        ]
        return lines(explanation.code.rawValue, details.compactMap { $0 }, style)
    }

    private func lines(_ code: String, _ details: [String], _ style: TextStyle) -> String {
        ([style.lines(StyledText(code, .strong), hanging: 0)]
            + details.map { style.lines(StyledText($0), indent: 4, hanging: 4) })
            .joined(separator: "\n")
    }
}
