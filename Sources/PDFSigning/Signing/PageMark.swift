package import PDFCore

/// A drawing on a page, as an annotation (ISO 32000-2 §12.5.6.12).
///
/// Page content could leave a graphics state, or an unfinished string or image, that moves or hides
/// an appended drawing. Annotations are drawn above the content.
package struct PageMark {
    /// The form XObject with a bounding box.
    package let form: ObjectID
    /// Left, bottom, right, top in user space.
    package let rect: [Double]
    /// Rotates the drawing upright; nil for identity.
    package let matrix: [Int]?
    /// The alternate description for screen readers.
    package let description: String

    package init(form: ObjectID, rect: [Double], matrix: [Int]?, description: String) {
        self.form = form
        self.rect = rect
        self.matrix = matrix
        self.description = description
    }

    /// Print, ReadOnly and Locked (ISO 32000-2 Table 167).
    private static let flags = 4 | 64 | 128

    /// Adds each mark as the last annotation of its page in `update`.
    ///
    /// - Parameter size: width and height of the form's bounding box.
    package static func add(
        _ marks: [(mark: PageMark, page: PDFPage)], size: (width: Double, height: Double),
        of document: PDFDocument, _ update: inout IncrementalUpdate
    ) throws {
        let ids = marks.map { _ in update.allocate() }
        let key = try tag(zip(ids, marks).map { ($0, $1.page.id) }, marks, in: document, &update)
        for (index, (mark, page)) in marks.enumerated() {
            var annotation = mark.annotation(on: page)
            annotation["AP"] = .dictionary(["N": .reference(mark.addAppearance(size, &update))])
            annotation["StructParent"] = key.map { .integer($0 + index) }
            update.set(ids[index], .dictionary(annotation))
            try update.append(ids[index], toAnnotationsOf: page, isTagged: key != nil, in: document)
        }
    }

    /// - Returns: see ``StructureTree/tag(_:as:description:_:)``.
    private static func tag(
        _ annotations: [StructureTree.Annotation], _ marks: [(mark: PageMark, page: PDFPage)],
        in document: PDFDocument, _ update: inout IncrementalUpdate
    ) throws -> Int? {
        guard let description = marks.first?.mark.description else { return nil }
        var attempt = update
        let key = try StructureTree(of: document, in: update)?.tag(
            annotations, as: "Annot", description: description, &attempt)
        if key != nil { update = attempt }
        return key
    }

    private func annotation(on page: PDFPage) -> PDFDictionary {
        [
            "Type": .name("Annot"), "Subtype": .name("Stamp"),
            "Rect": .array(rect.map { .number($0) }), "P": .reference(page.id),
            "F": .integer(Self.flags), "Contents": .string(.text(description)),
        ]
    }

    /// The form XObject of a mark's appearance. All marks share one drawing; a mark with a `matrix`
    /// wraps it in a rotated form.
    private func addAppearance(
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
