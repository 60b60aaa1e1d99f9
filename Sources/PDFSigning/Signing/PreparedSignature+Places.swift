import Base
package import PDFCore

extension PreparedSignature {
    /// Maximum number of pages searched for a second use of a new widget.
    private static let searchedPageCount = 2000

    /// The page number and box of each signature appearance, read back from the finished file.
    ///
    /// - Throws: `malformedForm` if the position or appearance of a widget is not the intended one.
    package func checkedPlaces(in document: PDFDocument) throws -> [(page: Int?, rect: [Double])] {
        guard !shown.isEmpty else { return [] }
        let revised = try document.revised(by: bytes)
        return try shown.map { widgetID, placed, appearanceID in
            let widget = try revised.object(widgetID).dictionaryValue ?? PDFDictionary()
            let appearances = try revised.value(widget, "AP").dictionaryValue
            let rect = try (revised.value(widget, "Rect").arrayValue ?? []).prefix(4).compactMap {
                try revised.resolve($0).numberValue
            }
            let box = rect.count == 4 ? PDFRectangle(rect[0], rect[1], rect[2], rect[3]) : nil
            let found = box.map { [$0.left, $0.bottom, $0.right, $0.top] } ?? []
            let isThere =
                found.count == 4 && zip(found, placed.rect).allSatisfy { abs($0 - $1) < 0.001 }
            guard isThere, appearances?["N"]?.referenceValue == appearanceID,
                try revised.object(appearanceID).streamValue != nil,
                try placed.pageNumber.map({
                    let page = try revised.page(at: $0 - 1)
                    return try page.id == placed.page.id && page.holds(widgetID, in: revised)
                }) ?? true,
                try placed.widgetID != nil
                    || !Self.isElsewhere(widgetID, placed.page.id, in: revised)
            else {
                throw PAdESError(
                    .malformedForm,
                    "the signature would not be displayed in \(placed.rect) on page "
                        + "\(placed.pageNumber ?? 0), but elsewhere")
            }
            return (placed.pageNumber, found)
        }
    }

    /// Whether a page other than the intended one also lists the widget.
    private static func isElsewhere(
        _ widgetID: ObjectID, _ pageID: ObjectID, in document: PDFDocument
    ) throws -> Bool {
        // Pages may share their annotations.
        var known: Set<ObjectID> = []
        return try (0..<min(document.pageCount(), searchedPageCount)).contains { index in
            // A damaged page tree may contain fewer pages than /Count.
            guard let page = try? document.page(at: index), page.id != pageID,
                page.dictionary["Annots"]?.referenceValue.map({ known.insert($0).inserted }) ?? true
            else { return false }
            return try page.holds(widgetID, in: document)
        }
    }
}

extension PDFPage {
    fileprivate func holds(_ annotation: ObjectID, in document: PDFDocument) throws -> Bool {
        try (document.value(dictionary, "Annots").arrayValue ?? []).contains(.reference(annotation))
    }
}
