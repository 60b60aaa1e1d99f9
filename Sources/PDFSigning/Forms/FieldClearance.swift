import Base
package import PDFCore

/// Checks that new page content does not overlap form fields.
package enum FieldClearance {
    /// Overlaps of at most this many user space units are ignored.
    private static let slack = 0.5
    private static let unseenFlags = AnnotationFlags.hidden | AnnotationFlags.noView
    /// Maximum number of ancestors that are searched for a name.
    private static let nameDepth = 8

    /// - Parameters:
    ///   - rect: left, bottom, right, top in user space.
    ///   - what: the name of the new content in the message.
    /// - Throws: `coversField` with the field's name.
    package static func check(
        _ rect: [Double], _ what: String, on page: PDFPage, of document: PDFDocument
    ) throws {
        for entry in try document.value(page.dictionary, "Annots").arrayValue ?? [] {
            guard let widget = try document.resolve(entry).dictionaryValue,
                try document.value(widget, "Subtype").nameValue == "Widget",
                try !AnnotationFlags(of: widget, in: document).surelyHas(unseenFlags),
                let box = try document.rectangle(widget["Rect"]),
                min(box.right, rect[2]) - max(box.left, rect[0]) > slack,
                min(box.top, rect[3]) - max(box.bottom, rect[1]) > slack
            else { continue }
            let name = try name(of: widget, in: document)
            throw PAdESError(
                .coversField, "\(what) would overlap the field \(name.inQuotes)")
        }
    }

    private static func name(of widget: PDFDictionary, in document: PDFDocument) throws -> String {
        var parts: [String] = []
        var current: PDFDictionary? = widget
        for _ in 0..<nameDepth {
            guard let dictionary = current else { break }
            if let partial = try document.value(dictionary, "T").stringValue {
                parts.append(PDFString(bytes: partial, isHexadecimal: false).text)
            }
            current = try document.value(dictionary, "Parent").dictionaryValue
        }
        return parts.reversed().joined(separator: ".")
    }
}
