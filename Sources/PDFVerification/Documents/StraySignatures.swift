import Base
import PDFCore
import PDFSigning

/// Signatures in fields that only a page lists: some viewers display and validate them.
enum StraySignatures {
    /// Maximum number of pages and annotations that are examined.
    private static let limit = 100_000

    static func problems(
        of document: PDFDocument, form: AcroForm
    ) throws -> [VerificationProblem] {
        if try form.directParts.contains(where: { try isSigned($0, in: document) }) {
            return [doubt("a field that is not an indirect object has a signature")]
        }
        let known = Set(form.fields.flatMap { $0.widgetIDs + [$0.id] })
        var remaining = limit
        for index in 0..<((try? document.pageCount()) ?? 0) {
            remaining -= 1
            guard remaining > 0, let page = try? document.page(at: index) else { break }
            let entries = try? document.value(page.dictionary, "Annots").arrayValue
            for entry in entries ?? [] {
                remaining -= 1
                guard remaining > 0 else { break }
                if let id = entry.referenceValue, known.contains(id) { continue }
                guard try isSigned(entry, in: document) else { continue }
                return [doubt("page \(index + 1) has a signature that is not in the form")]
            }
        }
        return []
    }

    private static func doubt(_ what: String) -> VerificationProblem {
        .doubt(
            .signatureOutsideForm, "\(what): it was not verified, but some viewers display it")
    }

    /// Whether an annotation is a field with a signature whose byte range fits the file.
    private static func isSigned(_ entry: PDFObject, in document: PDFDocument) throws -> Bool {
        guard let widget = try? document.resolve(entry).dictionaryValue else { return false }
        let parent = try? document.value(widget, "Parent").dictionaryValue
        guard (widget["FT"] ?? parent?["FT"])?.nameValue == "Sig",
            let id = (widget["V"] ?? parent?["V"])?.referenceValue
        else { return false }
        return try SignatureValue.read(id, in: document).value != nil
    }
}
