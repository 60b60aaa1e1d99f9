package import PDFCore

/// Annotations that viewers draw with the form's defaults: fonts, sizes, colors.
package enum DrawnByForm {
    /// - Parameter withAppearances: whether widgets with an appearance are included, as with
    ///   /NeedAppearances.
    package static func contains(
        _ annotation: PDFDictionary, withAppearances: Bool, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        let kind = try document.value(annotation, "Subtype").nameValue
        guard kind == "Widget" || kind == "FreeText" || annotation["DA"] != nil else {
            return false
        }
        if withAppearances, kind == "Widget" { return true }
        let appearances = try document.value(annotation, "AP").dictionaryValue ?? PDFDictionary()
        return try document.value(appearances, "N") == .null
    }

    /// Whether the document has an annotation without an appearance that viewers draw with the
    /// form's defaults.
    static func isAny(in document: PDFDocument) throws(PDFError) -> Bool {
        for index in 0..<(try document.pageCount()) {
            let page = try document.page(at: index).dictionary
            for entry in try document.value(page, "Annots").arrayValue ?? [] {
                guard let annotation = try document.resolve(entry).dictionaryValue,
                    try contains(annotation, withAppearances: false, in: document)
                else { continue }
                return true
            }
        }
        return false
    }
}
