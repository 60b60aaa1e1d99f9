package import PDFCore
package import SignatureTerms

/// The comparison of revisions by itself, for fuzzing.
package enum RevisionFuzzing {
    /// How far the changes of all revisions after the oldest section go.
    package static func furthestChange(in document: PDFDocument) throws -> ChangeLevel {
        let history = RevisionHistory(of: document)
        return try history.changes(since: document.sections.count - 1).map(\.level).max() ?? .none
    }
}
