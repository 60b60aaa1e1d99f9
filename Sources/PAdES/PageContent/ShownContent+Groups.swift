import PDFCore
import SignatureTerms

// Transparency groups (ISO 32000-2 §11.4.5, §11.6.6).
extension ShownContent {
    /// A group in which something is blended with what is below: for some readers that is what the group
    /// has alone, for others the page too.
    ///
    /// - Parameter isLook: whether an annotation draws it, which readers put on the page in various ways.
    mutating func checkBlending(
        in entry: PDFObject, of owner: ObjectID, isLook: Bool = false
    ) throws(PDFError) {
        guard let form = try resolve(entry).streamValue?.dictionary,
            let group = try value(form, "Group").dictionaryValue
        else { return }
        let isIsolated = try value(group, "I").booleanValue == true
        guard isLook || !isIsolated, try blends(entry, owner) else { return }
        note(
            .contentAmbiguous,
            "what object \(owner.number), which is shown, draws is a group in which something is blended "
                + "with what is below: some readers take the page for that, others the group alone")
    }

    /// Whether something in a form, or in one inside of it that is no group, is blended.
    private mutating func blends(
        _ entry: PDFObject, _ owner: ObjectID, _ depth: Int = 0
    ) throws(PDFError) -> Bool {
        let id = entry.referenceValue ?? owner
        if let known = blending[id] { return known }
        guard depth < Self.groupNesting else {
            noteUnseen()
            return false
        }
        // That ends circles.
        blending[id] = false
        guard let form = try resolve(entry).streamValue,
            try value(form.dictionary, "Subtype").nameValue == "Form",
            let outline = try outline(of: form, id), outline.isPainted
        else { return false }
        let chain = [try value(form.dictionary, "Resources").dictionaryValue ?? PDFDictionary()]
        for name in (outline.usedNames["ExtGState"] ?? []).sorted() {
            guard takeLookup(chain) else { return false }
            guard let (entry, _) = try find(name, in: "ExtGState", chain),
                let state = try resolve(entry).dictionaryValue, try hasBlendMode(state)
            else { continue }
            blending[id] = true
            return true
        }
        for name in outline.drawnObjects.sorted() {
            guard takeLookup(chain) else { return false }
            guard let (entry, _) = try find(name, in: "XObject", chain),
                let inner = try resolve(entry).streamValue?.dictionary,
                try value(inner, "Group") == .null, try blends(entry, id, depth + 1)
            else { continue }
            blending[id] = true
            return true
        }
        return false
    }

    private static let groupNesting = 32

    private func hasBlendMode(_ state: PDFDictionary) throws(PDFError) -> Bool {
        let entry = try value(state, "BM")
        let mode = try entry.arrayValue?.first.map { (mode) throws(PDFError) in try resolve(mode) }
        guard let name = (mode ?? entry).nameValue else { return false }
        return name != "Normal" && name != "Compatible"
    }

    /// Whether a soft mask is made by a transparency group (ISO 32000-2 Table 142).
    func isGroup(_ entry: PDFObject) throws(PDFError) -> Bool {
        guard let form = try resolve(entry).streamValue?.dictionary,
            let group = try value(form, "Group").dictionaryValue
        else { return false }
        return try value(group, "S").nameValue == "Transparency"
    }

    /// What of content may show text under a soft mask.
    struct MaskedText {
        /// For the names of graphics states, whether they set a mask or end it.
        var masks: [PDFName: Bool] = [:]
        /// The names of forms that show text.
        var forms: Set<PDFName> = []
    }

    /// - Returns: nil where it shows no text, or sets no mask.
    mutating func maskedText(
        in outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary]
    ) throws(PDFError) -> MaskedText? {
        var found = MaskedText()
        for name in (outline.usedNames["ExtGState"] ?? []).sorted() {
            guard takeLookup(chain) else { break }
            guard let (entry, _) = try find(name, in: "ExtGState", chain),
                let state = try resolve(entry).dictionaryValue
            else { continue }
            let mask = try value(state, "SMask")
            if mask != .null { found.masks[name] = mask.dictionaryValue != nil }
        }
        guard found.masks.values.contains(true) else { return nil }
        found.forms = try formsOfText(drawnBy: outline, id, chain)
        return outline.shownFonts.isEmpty && found.forms.isEmpty ? nil : found
    }

    /// Text under a soft mask, which some readers show without it.
    mutating func check(_ masked: MaskedText, in content: [UInt8], _ id: ObjectID) {
        guard
            ContentOutline.showsText(in: content, under: masked.masks, forms: masked.forms)
        else { return }
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, has text under a soft mask: some "
                + "readers show what the mask hides")
    }

    /// The forms that show text and are no groups: what masks them masks each letter.
    private mutating func formsOfText(
        drawnBy outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary]
    ) throws(PDFError) -> Set<PDFName> {
        var found: Set<PDFName> = []
        for name in outline.drawnObjects.sorted() {
            guard takeLookup(chain) else { break }
            guard let (entry, _) = try find(name, in: "XObject", chain),
                let inner = try resolve(entry).streamValue,
                try value(inner.dictionary, "Subtype").nameValue == "Form",
                try value(inner.dictionary, "Group") == .null,
                try self.outline(of: inner, entry.referenceValue ?? id)?.shownFonts.isEmpty == false
            else { continue }
            found.insert(name)
        }
        return found
    }

    /// Forms under a matrix that leaves nothing of them: some readers pass over the matrix.
    mutating func checkFlatForm(_ entry: PDFObject, _ id: ObjectID) throws(PDFError) {
        guard let form = try resolve(entry).streamValue,
            try value(form.dictionary, "Subtype").nameValue == "Form",
            try outline(of: form, entry.referenceValue ?? id)?.isPainted == true
        else { return }
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, draws under a matrix that leaves "
                + "nothing of that: some readers pass over the matrix")
    }
}
