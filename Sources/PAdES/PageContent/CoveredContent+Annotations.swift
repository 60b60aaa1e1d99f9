import PDFCore

extension CoveredContent {
    /// An annotation of a page where people see one: its kind, itself, and its place.
    ///
    /// - Parameter own: what is drawn over it.
    static func shownAnnotation(
        _ entry: PDFObject, on page: PDFPage, besides own: Set<ObjectID>, in document: PDFDocument
    ) throws -> (subtype: PDFName, PDFDictionary, AnnotationExtent)? {
        guard let annotation = try document.resolve(entry).dictionaryValue,
            entry.referenceValue.map({ !own.contains($0) }) ?? true,
            try !AnnotationFlags(of: annotation, in: document)
                .surelyHas(AnnotationFlags.hidden | AnnotationFlags.noView),
            let subtype = try document.value(annotation, "Subtype").nameValue,
            let extent = try AnnotationExtent(of: annotation, on: page, in: document)
        else { return nil }
        // Links and windows for comments show nothing, unless they bring a look.
        if subtype == "Popup" || subtype == "Link", !extent.hasLook { return nil }
        return (subtype, annotation, extent)
    }
}
