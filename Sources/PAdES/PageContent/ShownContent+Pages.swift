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
        if page.keys.contains("Resources"), !resources.isEmpty,
            try value(page, "Resources") == .null
        {
            note(
                .contentAmbiguous,
                "the page of object \(id.number) says null for its resources: some readers take those of "
                    + "its parents, others none")
        }
        let ids = parts.compactMap(\.referenceValue)
        let isShared = ids.count == parts.count
        let known = isShared ? pageOutlines[ids] : nil
        let content = try known == nil ? joined(parts, id) : []
        let outline = known ?? ContentOutline(content)
        if known == nil { checkPictures(outline.pictures, in: content, id) }
        if isShared, pageOutlines.count < Self.outlineLimit { pageOutlines[ids] = outline }
        try checkPlaces(of: outline, id, in: nil)
        if outline.drawnScales.isEmpty, try drawsForms(outline, [resources], onlyScaled: true) {
            places[id] = ContentPlaces(in: known == nil ? content : try joined(parts, id))
        }
        if let masked = try maskedText(in: outline, id, [resources]) {
            check(masked, in: known == nil ? content : try joined(parts, id), id)
        }
        _ = try draw(outline, id, [resources])
        try lookAtParts(of: resources, [resources], of: id)
    }

    /// Contents that are remembered, in case another page has them too.
    private static let outlineLimit = 4096

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

    /// From where on some readers move points, in units of the page; and the least text that all draw
    /// as small as it is.
    static let (farPlace, leastText) = (20_000.0, 0.05)
    /// How many times the box of a form, or of its parts, that is at least.
    private static let (farShare, leastTextShare) = (4.0, 10_000.0)

    /// Points that are far away from what is seen, and text that is next to nothing.
    ///
    /// - Parameter form: what has a box of its own, and may be drawn smaller or larger than it is.
    mutating func checkPlaces(
        of outline: ContentOutline, _ id: ObjectID, in form: PDFDictionary?
    ) throws(PDFError) {
        guard outline.farPlace != nil || outline.leastTextSize != nil else { return }
        let sides = try form.map { (form) throws(PDFError) in
            try document.numbers(form, "BBox") ?? []
        }
        if let distance = outline.farPlace, distance > Self.farPlace,
            sides?.allSatisfy({ $0.magnitude * Self.farShare < distance }) ?? true
        {
            note(
                .contentAmbiguous,
                "the content of object \(id.number), which is shown, draws to places so far away "
                    + "that some readers move them")
        }
        guard let size = outline.leastTextSize else { return }
        let longest = sides?.map(\.magnitude).max()
        let least = longest.map { min(Self.leastText, $0 / Self.leastTextShare) } ?? Self.leastText
        guard size < least || outline.showsFlatText else { return }
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, has text so small, flat or mirrored "
                + "that some readers draw it many times larger")
    }

    /// By how much looks are made smaller at most where they have text.
    private static let leastScale = 0.05
    /// And by how much more in one direction than in the other.
    private static let distortion = 10.0

    /// Whether what an annotation draws is squeezed to next to nothing.
    mutating func checkScale(
        of look: PDFObject, in annotation: PDFDictionary, _ id: ObjectID
    ) throws(PDFError) {
        guard let form = try resolve(look).streamValue,
            let rect = try document.numbers(annotation, "Rect"), rect.count == 4,
            let box = try document.numbers(form.dictionary, "BBox"), box.count == 4,
            let outline = try outline(of: form, look.referenceValue ?? id),
            !outline.shownFonts.isEmpty
        else { return }
        let matrix = try document.numbers(form.dictionary, "Matrix") ?? [1, 0, 0, 1, 0, 0]
        guard matrix.count == 6 else { return }
        let shown = Transform(matrix).applied(to: PDFRectangle(box[0], box[1], box[2], box[3]))
        let (width, height) = ((rect[2] - rect[0]).magnitude, (rect[3] - rect[1]).magnitude)
        let isFlat = (matrix[0] * matrix[3] - matrix[1] * matrix[2]).magnitude < 1e-6
        let (across, upwards) = (width * shown.height, height * shown.width)
        let isDistorted = min(across, upwards) * Self.distortion < max(across, upwards)
        guard
            isFlat || isDistorted || width < Self.leastScale * shown.width
                || height < Self.leastScale * shown.height
        else { return }
        note(
            .contentAmbiguous,
            "an annotation of object \(id.number) squeezes text to next to nothing, which some readers "
                + "draw larger")
    }

    /// A highlight that covers what it marks, or says something: some readers draw a mark of their own
    /// through which the text is seen.
    mutating func checkMarking(
        by look: PDFObject, in annotation: PDFDictionary, _ id: ObjectID
    ) throws(PDFError) {
        guard try value(annotation, "Subtype").nameValue == "Highlight",
            try !AnnotationFlags(of: annotation, in: document).isSurelyHidden,
            let form = try resolve(look).streamValue,
            let outline = try outline(of: form, look.referenceValue ?? id)
        else { return }
        var isSeenThrough = outline.usedNames["ExtGState"] != nil
        if !isSeenThrough, !outline.drawnObjects.isEmpty {
            let resources = try value(form.dictionary, "Resources").dictionaryValue ?? [:]
            for name in outline.drawnObjects.sorted() {
                guard let (entry, _) = try find(name, in: "XObject", [resources]),
                    let part = try resolve(entry).streamValue
                else { continue }
                let inner = try self.outline(of: part, entry.referenceValue ?? id)
                if inner?.usedNames["ExtGState"] != nil { isSeenThrough = true }
            }
        }
        guard !isSeenThrough && outline.isPainted || !outline.shownFonts.isEmpty else { return }
        note(
            .contentAmbiguous,
            "an annotation of object \(id.number) highlights text by a look that covers it or says "
                + "something: some readers draw a mark of their own instead")
    }

    /// JPEGs in the content itself.
    mutating func checkPictures(
        _ pictures: [InlinePicture], in content: [UInt8], _ id: ObjectID
    ) {
        for picture in pictures {
            let data = ImageData(content: .memory(Array(content[picture.data])))
            guard let header = try? JPEGHeader(data, upTo: data.count) else { continue }
            let isFitting = (header.width, header.height) == (picture.width, picture.height)
            let words = header.doubt ?? (isFitting ? nil : "its JPEG data have another size")
            guard let words else { continue }
            note(
                .contentAmbiguous,
                "the content of object \(id.number), which is shown, has an image that readers show in "
                    + "different ways: \(words)")
        }
    }

    /// Images askew, which some readers leave out.
    mutating func checkAngle(of entry: PDFObject, _ id: ObjectID) throws(PDFError) {
        guard let image = try resolve(entry).streamValue,
            try value(image.dictionary, "Subtype").nameValue == "Image"
        else { return }
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, draws an image askew, which some "
                + "readers leave out")
    }
}
