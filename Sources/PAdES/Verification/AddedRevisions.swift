package import PDFCore
package import SignatureTerms

/// What was appended to a file.
package enum AddedRevisions {
    /// What the parts behind so many bytes change of a document that is more than this level, or that
    /// changes what it says or shows, in words; nil for nothing.
    package static func change(
        of document: PDFDocument, behind byteCount: Int, upTo level: ChangeLevel
    ) throws -> String? {
        guard let index = document.sections.firstIndex(where: { $0.offset < byteCount }) else {
            return "all of it is another"
        }
        let changes = try RevisionHistory(of: document).changes(since: index).flatMap(\.changes)
        return changes.first { $0.level > level || $0.isContent }?.text
    }
}
