import SignetKit

/// What the codes of problems mean, where that is laid down, and what a person can do.
struct ProblemExplanation {
    let code: ProblemCode
    /// In one sentence.
    let meaning: String
    /// Clauses of standards; nil where there is none.
    let clause: String?
    /// What usually helps; nil where nothing does but another signature.
    let hint: String?

    init(_ code: ProblemCode, _ meaning: String, _ clause: String? = nil, hint: String? = nil) {
        self.code = code
        self.meaning = meaning
        self.clause = clause
        self.hint = hint
    }

    /// A part of the table under a heading.
    struct Section {
        let title: String
        let explanations: [ProblemExplanation]
    }

    /// All codes, in the order in which verification goes.
    static let sections = [
        documentSection, revisionSection, dictionarySection, messageSection, trustSection,
        timeSection,
    ]

    /// - Parameter code: has an entry; a test sees to it.
    static func of(_ code: ProblemCode) -> ProblemExplanation? {
        for section in sections {
            if let found = section.explanations.first(where: { $0.code == code }) { return found }
        }
        return nil
    }
}
