import SignetKit

/// What a code in the JSON of `verify` and `show` means: of a problem, a finding about a document, a
/// sub-indication.
struct CodeExplanation {
    let code: String
    /// In one sentence, of findings in two.
    let meaning: String
    /// Clauses of standards; nil where there is none.
    let clause: String?
    /// What usually helps; nil where nothing does but another signature.
    let hint: String?

    /// A line of the table: `code: meaning | clause | hint`, with `{tier}` for how signing treats a
    /// finding.
    private init(_ row: (name: String, text: String)) {
        code = row.name
        let parts = row.text.split(separator: " | ", omittingEmptySubsequences: false)
        let tier = DocumentFinding(rawValue: code).map(Self.tier) ?? ""
        meaning = String(parts[0]).replacing("{tier}", with: tier)
        clause = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
        hint = parts.count > 2 ? String(parts[2]) : nil
    }

    /// All codes, those of problems in the order in which verification goes.
    static let sections = WordTable(PackageResources.codes_txt).sections.dropFirst().map {
        (title: $0.title, explanations: $0.rows.map(CodeExplanation.init))
    }

    /// - Parameter code: of a finding that is called like a problem, the problem's.
    static func of(_ code: String) -> CodeExplanation? {
        let all = sections.flatMap(\.explanations)
        return all.first { $0.code == code } ?? all.first { $0.code == code.lowercased() }
    }

    private static func tier(of finding: DocumentFinding) -> String {
        let strict = finding.isRefusedByStrict ? " --strict refuses it." : ""
        switch finding.tier {
        case .refused: return "sign refuses it."
        case .allowed(let option): return "sign refuses it without --\(option)."
        case .told: return "sign prints a note." + strict
        case .shown: return "show lists it." + strict
        }
    }
}
