package import PDFCore
import SignatureTerms

/// What was appended to a file.
package enum AddedRevisions {
    /// What about a document the parts behind so many bytes change that no signature or time stamp
    /// does, in words; nil for nothing.
    package static func change(
        of document: PDFDocument, behind byteCount: Int
    ) throws -> String? {
        guard let index = document.sections.firstIndex(where: { $0.offset < byteCount }) else {
            return "all of it is another"
        }
        let changes = try RevisionHistory(of: document).changes(since: index).flatMap(\.changes)
        return changes.first { $0.level == .forbidden }?.text
    }
}
