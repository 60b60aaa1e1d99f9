package import PDFCore

/// Positions of the annotations on a page (ISO 32000-2 §12.5).
package struct PageAnnotations {
    /// Boxes, in user space, of all annotations that viewers may draw.
    package private(set) var boxes: [PDFRectangle] = []
    /// The boxes of signature fields.
    package private(set) var signatures: [PDFRectangle] = []

    /// Maximum number of annotations that are read.
    private static let limit = 20_000

    package init(on page: PDFPage, in document: PDFDocument) throws {
        let annotations = try document.value(page.dictionary, "Annots").arrayValue ?? []
        for entry in annotations.prefix(Self.limit) {
            guard let (subtype, annotation, extent) = try Self.shown(entry, on: page, in: document)
            else { continue }
            boxes.append(extent.box)
            if subtype == "Widget", extent.box.width > 0, extent.box.height > 0,
                try document.inherited("FT", of: annotation)?.nameValue == "Sig"
            {
                signatures.append(extent.box)
            }
        }
    }

    /// Subtype, dictionary and extent of an annotation that viewers may draw.
    package static func shown(
        _ entry: PDFObject, on page: PDFPage, in document: PDFDocument
    ) throws -> (subtype: PDFName, PDFDictionary, AnnotationExtent)? {
        guard let annotation = try document.resolve(entry).dictionaryValue,
            try !AnnotationFlags(of: annotation, in: document)
                .surelyHas(AnnotationFlags.hidden | AnnotationFlags.noView),
            let subtype = try document.value(annotation, "Subtype").nameValue,
            let extent = try AnnotationExtent(of: annotation, on: page, in: document)
        else { return nil }
        // Links and pop-up windows are hardly visible without an appearance.
        guard extent.hasAppearance || subtype != "Popup" && subtype != "Link" else { return nil }
        return (subtype, annotation, extent)
    }
}
