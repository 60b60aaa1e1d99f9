import PDFCore
import SignatureTerms

// Pages, whose content may be in several parts.
extension ShownContent {
    /// Looks at what a page draws.
    mutating func look(atPage page: PDFDictionary, _ id: ObjectID) throws(PDFError) {
        let contents = try value(page, "Contents")
        let parts: [PDFObject]
        switch contents {
        case .stream: parts = [page["Contents"] ?? contents]
        case .array(let elements): parts = elements
        // Of an annotation, a text.
        case .string, .null: return
        default:
            guard try value(page, "Type").nameValue == "Page" else { return }
            return noteOddPart(contents, id)
        }
        let resources = try resources(of: page)
        let ids = parts.compactMap(\.referenceValue)
        let isShared = ids.count == parts.count
        let known = isShared ? pageOutlines[ids] : nil
        let content = try known == nil ? joined(parts, id) : []
        let outline = known ?? ContentOutline(content)
        if isShared { pageOutlines[ids] = outline }
        try checkPlaces(of: outline, id, in: nil)
        _ = try draw(outline, id, [resources])
        try lookAtParts(of: resources, [resources], of: id)
    }

    /// The parts of a page's content, which are read as one.
    private mutating func joined(
        _ parts: [PDFObject], _ id: ObjectID
    ) throws(PDFError) -> [UInt8] {
        var content: [UInt8] = []
        for part in parts {
            let object = try resolve(part)
            guard let stream = object.streamValue else {
                noteOddPart(object, id)
                continue
            }
            guard let data = try decoded(stream, part.referenceValue ?? id) else { continue }
            if ContentOutline.isSplit(content.dropLast(), data) {
                note(
                    .contentAmbiguous,
                    "a word of the content of object \(id.number), which is shown, ends with one "
                        + "stream, and another one begins with the next: some readers take both for "
                        + "one")
            }
            content += data + [10]
        }
        return content
    }

    private mutating func noteOddPart(_ part: PDFObject, _ id: ObjectID) {
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, has a part that is no stream "
                + "(\(part.kind)): some readers show nothing of it")
    }

    func resources(of page: PDFDictionary) throws(PDFError) -> PDFDictionary {
        do {
            return try PDFPage.resources(of: page, in: document)
        } catch {
            guard error.code != .readFailed else { throw error }
            return PDFDictionary()
        }
    }

    /// From where on some readers move points, in units of the page.
    private static let farPlace = 20_000.0

    /// Points that are far away from what is seen.
    ///
    /// - Parameter form: what has a box of its own, and may be drawn smaller than it is.
    mutating func checkPlaces(
        of outline: ContentOutline, _ id: ObjectID, in form: PDFDictionary?
    ) throws(PDFError) {
        guard let distance = outline.farPlace, distance > Self.farPlace else { return }
        if let form {
            let sides = try document.numbers(form, "BBox") ?? []
            guard sides.allSatisfy({ $0.magnitude * Self.farShare < distance }) else { return }
        }
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, draws to places so far away that some "
                + "readers move them")
    }

    private static let farShare = 4.0
}
