package import PDFCore

/// A drawing on a page, as an annotation of its own (ISO 32000-2 §12.5.6.12).
///
/// Not as a part of the page's content: whatever state that leaves behind, unbalanced or in the
/// middle of a string or an image, would move the drawing, or swallow it. What is drawn last lies
/// above all else.
package struct PageMark {
    /// What is drawn, with a bounding box.
    package let form: ObjectID
    /// Left, bottom, right, top in user space.
    package let rect: [Double]
    /// Turns the drawing upright; nil for identity.
    package let matrix: [Int]?
    /// What is said to those who do not see it.
    package let description: String

    package init(form: ObjectID, rect: [Double], matrix: [Int]?, description: String) {
        self.form = form
        self.rect = rect
        self.matrix = matrix
        self.description = description
    }

    /// Print, ReadOnly and Locked (ISO 32000-2 Table 167).
    private static let flags = 4 | 64 | 128

    /// Adds the mark, last among the annotations of a page as it stands in `update`.
    ///
    /// - Parameter size: width and height of the form's bounding box.
    package func add(
        to page: PDFPage, size: (width: Double, height: Double), of document: PDFDocument,
        _ update: inout IncrementalUpdate
    ) throws {
        let id = update.allocate()
        var annotation: PDFDictionary = [
            "Type": .name("Annot"), "Subtype": .name("Stamp"),
            "Rect": .array(rect.map { .number($0) }), "P": .reference(page.id),
            "F": .integer(Self.flags), "Contents": .string(.text(description)),
            "AP": .dictionary(["N": .reference(look(size, &update))]),
        ]
        var attempt = update
        if let key = try StructureTree(of: document, in: update)?.tag(
            id, as: "Annot", on: page.id, description: description, &attempt)
        {
            update = attempt
            annotation["StructParent"] = .integer(key)
        }
        update.set(id, .dictionary(annotation))
        var dictionary = update.pending(page.id)?.dictionaryValue ?? page.dictionary
        // Not into an array that other pages may share.
        let annotations = try document.annotations(of: dictionary, on: page.id) ?? []
        dictionary["Annots"] = .array(annotations + [.reference(id)])
        if annotations.isEmpty, annotation["StructParent"] != nil, dictionary["Tabs"] == nil {
            dictionary["Tabs"] = .name("S")
        }
        update.set(page.id, .dictionary(dictionary))
    }

    /// One drawing serves all pages; each turns it as it needs.
    private func look(
        _ size: (width: Double, height: Double), _ update: inout IncrementalUpdate
    ) -> ObjectID {
        guard let matrix else { return form }
        let dictionary: PDFDictionary = [
            "Type": .name("XObject"), "Subtype": .name("Form"),
            "BBox": .array([.integer(0), .integer(0), .number(size.width), .number(size.height)]),
            "Matrix": .array(matrix.map { .integer($0) }),
            "Resources": .dictionary(["XObject": .dictionary(["Mark": .reference(form)])]),
        ]
        return update.add(.stream(PDFStream(dictionary: dictionary, data: Array("/Mark Do".utf8))))
    }
}
