import SystemBridge

/// Lays out the argument parser's help for the width of the terminal: the usage and the command's
/// own options first, examples unbroken, and for `-h` the everyday options only.
enum HelpText {
    /// A width at which the parser does not break lines.
    static let unlimited = 100_000
    /// Maximum number of lines of the help for `-h`.
    static let shortLength = 40

    /// Options in the help for `-h` of every command.
    static let common: Set<String> = [
        "--cert", "--force", "--help", "--json", "--key", "--output",
        "--passphrase-env", "--passphrase-file", "--quiet",
    ]

    /// More options for `-h`, by commands whose full help is longer than ``shortLength``.
    static let everyday: [String: Set<String>] = [
        "signet sign": [
            "--at", "--field", "--image", "--in-place", "--level", "--reason", "--tsa",
        ],
        "signet verify": [
            "--as-of", "--content", "--extract-revision", "--online", "--report",
            "--require-level", "--require-qualified", "--require-unchanged", "--signer", "--trust",
            "--trust-list",
        ],
        "signet extend": [
            "--crl", "--dry-run", "--in-place", "--level", "--recursive", "--renew", "--trust",
            "--tsa", "--within",
        ],
        "signet timestamp": ["--format", "--in-place", "--recursive", "--tsa", "--tsa-anchor"],
        "signet field add": [
            "--at", "--certify", "--field", "--in-place", "--lock", "--reason", "--required",
            "--size", "--tooltip",
        ],
        "signet convert": [
            "--gray", "--margin", "--max-size", "--page", "--pdfa", "--quality", "--recursive",
            "--strip", "--title",
        ],
        "signet show": ["--password-file"],
        "signet extract": ["--all", "--online", "--trust"],
        "signet csr create": ["--key-out", "--new-key", "--no-passphrase", "--san", "--subject"],
        "signet cert create": [
            "--accept-names", "--ca", "--csr", "--days", "--issuer-cert", "--issuer-key",
            "--profile", "--san", "--subject",
        ],
        "signet identity request": ["--no-passphrase", "--subject", "--type"],
        "signet key list": ["--login", "--service-user"],
        "signet hash digest": ["--digest", "--encoding", "--recursive"],
        "signet hash sign": ["--digest", "--encoding", "--input", "--padding"],
        "signet cms sign": ["--attached", "--level", "--pem", "--tsa"],
        "signet cms verify": ["--any-signer", "--content", "--online", "--signer", "--trust"],
        "signet tsp send": ["--tsa", "--tsa-anchor", "--tsa-user"],
        "signet tsp verify": ["--content", "--hash", "--request", "--trust"],
        "signet tsp serve": ["--accuracy", "--listen", "--policy"],
        "signet remote prepare": [
            "--at", "--field", "--level", "--name", "--reason", "--to-sign", "--to-sign-message",
        ],
        "signet remote embed": ["--cms", "--signature", "--tsa"],
    ]

    /// Column of the descriptions of options, and of subcommands.
    private static let (explanationColumn, commandColumn) = (26, 14)
    /// Column after the word `Usage:`.
    private static let usageColumn = 7
    private static let version = "  --version"
    private static let help = "  -h, --help"
    private static let subcommands = "SUBCOMMANDS:"

    /// - Parameters:
    ///   - text: unbroken help of the parser; other texts stay unchanged.
    ///   - command: the command, for references to other help.
    static func laidOut(
        _ text: String, isShort: Bool, of command: String, width: Int = columns
    ) -> String {
        guard text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: ") else { return text }
        let style = TextStyle(isPainted: false, width: width)
        let sections = inOrder(text, isRoot: command == "signet")
        let full = lines(sections + [["Exit codes: signet help exit-codes"]], style: style)
        guard isShort, full.count > shortLength else { return full.joined(separator: "\n") }
        let reference = "All options: \(command) --help    Exit codes: signet help exit-codes"
        return lines(
            [sections[0]]
                + sections.dropFirst().compactMap {
                    shortened($0, to: common.union(everyday[command] ?? []))
                } + [[reference]], style: style
        ).joined(separator: "\n")
    }

    /// The width from the variable COLUMNS; otherwise the width of the terminal.
    private static var columns: Int {
        ProcessEnvironment.value("COLUMNS").flatMap { Int(String(decoding: $0, as: UTF8.self)) }
            ?? Terminal.width
    }

    /// The sections as lines: abstract, usage, discussion, the command's own options, others.
    private static func inOrder(_ text: String, isRoot: Bool) -> [[String]] {
        var sections = text.split(separator: "\n\n").map(entries).filter { !$0.isEmpty }
        if let usage = sections.firstIndex(where: { $0[0].hasPrefix("Usage: ") }) {
            sections.insert(sections.remove(at: usage), at: min(1, usage))
        }
        // The parser's own options are among the options without a title.
        guard let untitled = sections.firstIndex(where: { $0[0] == "OPTIONS:" }) else {
            return sections
        }
        var own = sections.remove(at: untitled)
        own.removeAll { $0.hasPrefix(help) || !isRoot && $0.hasPrefix(version) }
        let helpLine = help.padding(to: explanationColumn) + "-h: short help; --help: all options"
        if let general = sections.lastIndex(where: { $0[0] == "GENERAL:" }) {
            sections[general].append(helpLine)
        } else {
            own.append(helpLine)
        }
        let first = sections.firstIndex { isHeading($0[0]) && $0[0] != "ARGUMENTS:" }
        if own.count > 1 { sections.insert(own, at: first ?? sections.count) }
        return sections
    }

    private static func isHeading(_ line: String) -> Bool {
        line.hasSuffix(":") && line == line.uppercased()
    }

    /// The lines of a section, with descriptions next to their options if there is room.
    private static func entries(_ section: Substring) -> [String] {
        section.split(separator: "\n").reduce(into: []) { lines, line in
            let words = line.drop { $0 == " " }
            if line.count - words.count == explanationColumn, let label = lines.last {
                lines[lines.count - 1] = (label + "  ").padding(to: explanationColumn) + words
            } else {
                lines.append(renamed(String(line)))
            }
        }
    }

    /// `<file>` as in hints: `FILE`.
    private static func renamed(_ line: String) -> String {
        if line.hasPrefix("OVERVIEW: ") { return String(line.dropFirst("OVERVIEW: ".count)) }
        if line.hasPrefix("USAGE: ") {
            let words = line.dropFirst("USAGE: ".count)
                .replacing(/\ \[(?:-|<options>)[^\]]*\]/, with: "").split(separator: " ")
            let command = words.prefix { $0.allSatisfy(\.isLowercase) }
            let values = words[command.endIndex...].map(named).filter { $0 != "OPTIONS" }
            return "Usage: "
                + (command.map(String.init) + ["[options]"] + values).joined(separator: " ")
                .replacing(" ...", with: "...")
        }
        guard line.hasPrefix("  -") || line.hasPrefix("  <") else { return line }
        let explanation = line.dropFirst(explanationColumn)
        let label = line.prefix(explanationColumn)
        guard label.hasSuffix(" "), !explanation.hasPrefix("<"),
            let end = label.lastIndex(where: { $0 != " " })
        else { return named(line[...]) }
        return named(label[...end]).padding(to: explanationColumn) + String(explanation)
    }

    private static func named(_ label: Substring) -> String {
        String(label).replacing(/<([^>]*)>/) { $0.output.1.uppercased() }
    }

    /// The part of a section for `-h`; nil if there is none.
    private static func shortened(_ section: [String], to names: Set<String>) -> [String]? {
        guard isHeading(section[0]) else {
            return ["Usage: ", "Example"].contains { section[0].hasPrefix($0) } ? section : nil
        }
        var kept = [section[0]]
        var isKept = section[0].hasSuffix(subcommands)
        for line in section.dropFirst() {
            if line.hasPrefix("  -") {
                isKept = line.split(whereSeparator: { " ,".contains($0) }).prefix(2)
                    .contains { names.contains(String($0)) }
            }
            if isKept { kept.append(line) }
        }
        let isHelp = kept.count == 2 && kept[1].hasPrefix(help)
        return kept.count > 1 && !isHelp ? kept : nil
    }

    private static func lines(_ sections: [[String]], style: TextStyle) -> [String] {
        sections.map { section in
            if section[0].hasPrefix("Example") { return section.joined(separator: "\n") }
            return section.map { line in
                let words = line.drop { $0 == " " }
                let indent = line.count - words.count
                if line.hasPrefix("Usage: ") {
                    return style.lines(StyledText(line), indent: 0, hanging: usageColumn)
                }
                if section[0].hasSuffix(subcommands) {
                    guard indent > 0 else { return line.replacing(" " + subcommands, with: ":") }
                    let name = words.prefix { $0 != " " }
                    let text = words.dropFirst(name.count).drop { $0 == " " }
                    return style.lines(
                        StyledText(String(name).padding(to: commandColumn - indent) + text),
                        indent: indent, hanging: commandColumn)
                }
                let hanging = indent == 0 || !isHeading(section[0]) ? indent : explanationColumn
                return style.lines(
                    StyledText(hint: String(words)), indent: indent, hanging: hanging)
            }.joined(separator: "\n")
        }.joined(separator: "\n\n")
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
