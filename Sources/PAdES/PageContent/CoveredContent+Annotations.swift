import PDFCore

extension CoveredContent {
    /// How thick the frame of a link may be to hide nothing, in points.
    private static let thinFrame = 4.0

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
        // Links and closed windows for comments show next to nothing, unless they bring a look.
        switch subtype {
        case "Popup" where !extent.hasLook:
            guard try document.value(annotation, "Open").booleanValue == true else { return nil }
        case "Link" where !extent.hasLook:
            let width = try AnnotationExtent.lineWidth(of: annotation, in: document)
            guard width > thinFrame else { return nil }
        default: break
        }
        return (subtype, annotation, extent)
    }
}
