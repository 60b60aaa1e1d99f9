import ByteKit
import PDFCore
import SignatureTerms

// What content takes over from what draws it, where readers do not agree about that.
extension ShownContent {
    /// What a form, a tile or a glyph takes over, with the forms that it draws.
    private mutating func needs(
        of entry: PDFObject, _ depth: Int = 0
    ) throws(PDFError) -> GraphicsParameters {
        guard let id = entry.referenceValue else { return [] }
        if let known = needs[id] { return known }
        // That ends circles.
        needs[id] = []
        guard depth < Self.needNesting, let stream = try resolve(entry).streamValue else {
            return []
        }
        if try value(stream.dictionary, "Subtype").nameValue == "Image" {
            let isMask = try value(stream.dictionary, "ImageMask").booleanValue == true
            needs[id] = isMask ? [.fillColor] : []
            return needs[id] ?? []
        }
        guard let outline = try outline(of: stream, id) else { return [] }
        var found = outline.inherited
        let resources = try value(stream.dictionary, "Resources").dictionaryValue
        let objects = try resources.flatMap { (resources) throws(PDFError) in
            try value(resources, "XObject").dictionaryValue
        }
        for (name, open) in outline.openParameters.sorted(by: { $0.key < $1.key }) {
            guard let inner = objects?[name], takeLookup([resources ?? [:]]) else { continue }
            found.formUnion(try needs(of: inner, depth + 1).intersection(open))
        }
        if outline.glyphKind == .shape { found.subtract(.colors) }
        needs[id] = found
        return found
    }

    private static let needNesting = 32

    /// Text that goes on by lines of a height that is set outside.
    mutating func checkLeading(
        of entry: PDFObject, _ changes: GraphicsParameters, _ owner: ObjectID
    ) throws(PDFError) {
        guard changes.contains(.leading), try needs(of: entry).contains(.leading) else { return }
        note(
            .contentAmbiguous,
            "what object \(owner.number), which is shown, draws has lines of a height that is set "
                + "outside (TL), which some readers pass over")
    }

    /// Glyphs that are content.
    mutating func checkGlyphs(
        of font: PDFDictionary, _ entry: PDFObject, _ changes: GraphicsParameters, _ name: PDFName,
        shownBy owner: ObjectID
    ) throws(PDFError) {
        guard !changes.isEmpty, let glyphs = try value(font, "CharProcs").dictionaryValue else {
            return
        }
        let known = entry.referenceValue.flatMap { needs[$0] }
        var found = known ?? []
        if known == nil {
            for glyph in glyphs.entries {
                guard takeLookup([font]) else { return }
                found.formUnion(try needs(of: glyph.value))
            }
            // Some readers draw their lines as letters are painted.
            if found.contains(.strokeColor) { found.insert(.fillColor) }
            if let id = entry.referenceValue { needs[id] = found }
        }
        var isOdd = !changes.isDisjoint(with: [.clipsToText, .outlinesText, .patternsText])
        // Some readers paint colours of a glyph's own though text is hidden, or next to nothing.
        if !changes.isDisjoint(with: [.hidesText, .fadesText]), !isOdd {
            isOdd = try hasColoredGlyphs(font, glyphs)
        }
        guard isOdd || !found.isDisjoint(with: changes) else { return }
        note(
            .contentAmbiguous,
            "the content of object \(owner.number), which is shown, has text in the font "
                + "\(name.description.inQuotes), whose glyphs take colours, lines or text from it: "
                + "readers do so in different ways")
    }

    /// Whether glyphs have colours of their own.
    private mutating func hasColoredGlyphs(
        _ font: PDFDictionary, _ glyphs: PDFDictionary
    ) throws(PDFError) -> Bool {
        for glyph in glyphs.entries {
            guard takeLookup([font]), let id = glyph.value.referenceValue,
                let stream = try resolve(glyph.value).streamValue,
                let outline = try outline(of: stream, id)
            else { continue }
            if outline.isPainted, outline.glyphKind == .colored { return true }
        }
        return false
    }

    /// What the graphics states that content takes set: parameters, and soft masks.
    struct States {
        var changes = GraphicsParameters()
        var masks: [PDFDictionary] = []
    }

    mutating func states(
        of outline: ContentOutline, _ chain: [PDFDictionary]
    ) throws(PDFError) -> States {
        var states = States()
        for name in (outline.usedNames["ExtGState"] ?? []).sorted() {
            guard takeLookup(chain) else { break }
            guard let (entry, _) = try find(name, in: "ExtGState", chain),
                let state = try resolve(entry).dictionaryValue
            else { continue }
            if let mask = try value(state, "SMask").dictionaryValue { states.masks.append(mask) }
            states.changes.formUnion(try changes(by: state))
        }
        return states
    }

    /// Masks and tiles that are painted by what is set outside, and paths that are painted and clipped
    /// to at once, under a soft mask.
    mutating func check(
        _ states: States, of outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary]
    ) throws(PDFError) {
        let changes = outline.changed.union(states.changes)
        if outline.paintsClip, !states.masks.isEmpty {
            note(
                .contentAmbiguous,
                "the content of object \(id.number), which is shown, paints what it clips to under a "
                    + "soft mask: some readers forget to clip there")
        }
        try checkFirstColors(of: outline, id, chain)
        try checkOverprint(of: outline, id, chain)
        try checkGradients(of: outline, id, chain)
        let patterns = outline.usedNames["Pattern"] ?? []
        for mask in states.masks {
            guard let group = mask["G"] else { continue }
            var found = try needs(of: group)
            let isAlpha = try value(mask, "S").nameValue == "Alpha"
            if isAlpha, patterns.isEmpty { found.subtract(.colors) }
            if !isAlpha { try checkColors(ofMask: group, id) }
            if try !isGroup(group) {
                note(
                    .contentAmbiguous,
                    "the content of object \(id.number), which is shown, has a soft mask that is no "
                        + "transparency group: some readers mask nothing")
            }
            try noteNeeds(found.intersection(changes), "a soft mask", id)
        }
        for name in patterns.sorted() {
            guard takeLookup(chain) else { return }
            guard let (entry, _) = try find(name, in: "Pattern", chain),
                let tile = try resolve(entry).streamValue
            else { continue }
            guard try value(tile.dictionary, "PaintType").integerValue == 1 else {
                try checkShape(of: tile, entry.referenceValue ?? id, outline, chain)
                continue
            }
            let found = try needs(of: entry).intersection([.strokeColor, .strokeOpacity])
            try noteNeeds(found.intersection(changes), "a pattern", id)
        }
    }

    /// A form whose text is where it is by what was set before it.
    mutating func checkTextState(of entry: PDFObject, _ owner: ObjectID) throws(PDFError) {
        let id = entry.referenceValue ?? owner
        guard let form = try resolve(entry).streamValue,
            try value(form.dictionary, "Subtype").nameValue == "Form",
            try outline(of: form, id)?.inheritsTextState == true
        else { return }
        note(
            .contentAmbiguous,
            "the text of object \(id.number), a form that is shown, is raised or stretched by what "
                + "draws it (Ts, Tz), which some readers pass over")
    }

    private mutating func noteNeeds(
        _ needs: GraphicsParameters, _ part: String, _ id: ObjectID
    ) throws(PDFError) {
        guard !needs.isEmpty else { return }
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, has \(part) that is painted in what "
                + "is set outside of it: readers take that, or what everything begins with")
    }

    /// Up to which opacity nothing is to be seen.
    private static let leastOpacity = 0.05

    private func changes(by state: PDFDictionary) throws(PDFError) -> GraphicsParameters {
        var changes = GraphicsParameters()
        if let width = try value(state, "LW").numberValue, width != 1 { changes.insert(.lineWidth) }
        if try value(state, "D") != .null { changes.insert(.dash) }
        for key in ["CA", "ca"] as [PDFName] {
            guard let opacity = try value(state, key).numberValue else { continue }
            if opacity < Self.leastOpacity { changes.insert(.strokeOpacity) }
            if opacity < AppearanceText.leastOpacity { changes.insert(.fadesText) }
        }
        return changes
    }
}
