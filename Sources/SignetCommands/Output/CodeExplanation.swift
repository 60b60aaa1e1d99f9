import SignetKit

/// Explains a code in the JSON of `verify` and `show`: of a problem, a document finding or a
/// sub-indication.
struct CodeExplanation {
    let code: String
    /// One sentence; two sentences for a document finding.
    let meaning: String
    /// Clauses of standards; nil if there are none.
    let clause: String?
    /// The usual remedy; nil if only a new signature helps.
    let hint: String?

    /// Parses a row of the table: `code: meaning | clause | hint`. The placeholder `{tier}` is
    /// replaced by how `sign` treats a finding.
    private init(_ row: (name: String, text: String)) {
        code = row.name
        let parts = row.text.split(separator: " | ", omittingEmptySubsequences: false)
        let tier = DocumentFinding(rawValue: code).map(Self.tier) ?? ""
        meaning = String(parts[0]).replacing("{tier}", with: tier)
        clause = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
        hint = parts.count > 2 ? String(parts[2]) : nil
    }

    /// All codes by section. Problem codes are listed in the order of verification.
    static let sections = WordTable(file: "codes.txt").sections.dropFirst().map {
        (title: $0.title, explanations: $0.rows.map(CodeExplanation.init))
    }

    /// - Returns: the explanation of a code; nil if it is unknown. If a problem and a finding have
    ///   the same code, the explanation of the problem.
    static func of(_ code: String) -> CodeExplanation? {
        let all = sections.flatMap(\.explanations)
        return all.first { $0.code == code } ?? all.first { $0.code == code.lowercased() }
    }

    private static func tier(of finding: DocumentFinding) -> String {
        let strict = finding.isRefusedByStrict ? " --strict refuses the document." : ""
        switch finding.tier {
        case .allowed(let option): return "sign refuses the document without --\(option)."
        case .told: return "sign prints a note." + strict
        case .shown: return "show lists the finding." + strict
        }
    }
}
