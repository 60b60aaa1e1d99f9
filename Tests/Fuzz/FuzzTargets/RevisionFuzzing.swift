import Base
import PDFCore
import PDFSigning

@testable import RevisionDiff

/// Access to the comparison of revisions for fuzzing.
enum RevisionFuzzing {
    /// The highest change level of all revisions after the oldest section.
    static func furthestChange(in document: PDFDocument) throws -> ChangeLevel {
        let history = RevisionHistory(of: document)
        return try history.changes(since: document.sections.count - 1).map(\.level).max() ?? .none
    }

    /// Compares the appearances of all fields with their values.
    static func readAppearances(in document: PDFDocument) throws {
        for field in try AcroForm(of: document).fields {
            let text = try FieldText(field, in: document)
            for id in field.widgetIDs {
                let appearance = try WidgetAppearance(id, in: document)
                _ = try text.agreement(with: appearance.strings { _ in true })
                _ = try text.markAgreement(with: appearance)
                _ = try appearance.isPlainButton { _, _, _ in false }
                _ = try appearance.isBlank
            }
        }
    }
}
