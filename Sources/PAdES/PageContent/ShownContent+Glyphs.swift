import PDFCore
import SignatureTerms

// Type 3 fonts (ISO 32000-2 §9.6.4), whose glyphs are content.
extension ShownContent {
    /// What such a font says of all its glyphs.
    mutating func checkFont(ofGlyphs font: PDFDictionary, _ id: ObjectID) throws(PDFError) {
        func tell(_ words: String) {
            note(
                .contentAmbiguous,
                "the font \(id.number), in which text is shown, has \(words): readers draw it in "
                    + "different ways")
        }
        let matrix = try document.numbers(font, "FontMatrix") ?? []
        if matrix.count != 6 || matrix[0] * matrix[3] == matrix[1] * matrix[2] {
            tell("a matrix that leaves nothing of its glyphs")
        } else if matrix[4] != 0 || matrix[5] != 0 {
            tell("a matrix that moves its glyphs")
        } else if matrix[1] != 0 {
            tell("a matrix that turns its glyphs")
        }
        let names = try names(ofGlyphs: font)
        guard !names.isEmpty else { return tell("no names for the codes of its glyphs") }
        guard Set(names.map(\.code)).count == names.count else {
            return tell("two names for one code")
        }
    }

    /// The codes that the font's encoding names, as they come.
    private func names(
        ofGlyphs font: PDFDictionary
    ) throws(PDFError) -> [(code: Int, name: PDFName?)] {
        guard let encoding = try value(font, "Encoding").dictionaryValue else { return [] }
        var (code, names) = (0, [(code: Int, name: PDFName?)]())
        for entry in try value(encoding, "Differences").arrayValue ?? [] {
            let element = try resolve(entry)
            if let number = element.integerValue {
                code = number
            } else {
                names.append((code, element.nameValue))
                code &+= 1
            }
        }
        return names
    }

    /// Letters that are as wide as nothing, for readers that do not ask the glyph: one covers the other
    /// (ISO 32000-2 Table 110).
    mutating func checkWidths(
        of font: PDFDictionary, _ entry: PDFObject, _ codes: ShownCodes, shownBy owner: ObjectID
    ) throws(PDFError) {
        guard let glyphs = try value(font, "CharProcs").dictionaryValue else { return }
        let known = entry.referenceValue.flatMap { widthlessCodes[$0] }
        var found = known ?? ShownCodes()
        if known == nil {
            found = try widthlessCodes(of: font, glyphs, entry.referenceValue ?? owner)
            if let id = entry.referenceValue { widthlessCodes[id] = found }
        }
        guard !found.isDisjoint(with: codes) else { return }
        note(
            .contentAmbiguous,
            "the content of object \(owner.number), which is shown, has letters without a width "
                + "(/Widths) whose glyphs have one: readers draw them on one another, or beside")
    }

    private mutating func widthlessCodes(
        of font: PDFDictionary, _ glyphs: PDFDictionary, _ id: ObjectID
    ) throws(PDFError) -> ShownCodes {
        var found = ShownCodes()
        let first = try value(font, "FirstChar").integerValue ?? 0
        let widths = try value(font, "Widths").arrayValue ?? []
        for (code, name) in try names(ofGlyphs: font) {
            guard let code = UInt8(exactly: code), let glyph = name.flatMap({ glyphs[$0] }),
                takeLookup([font])
            else { continue }
            let index = Int(code).subtractingReportingOverflow(first)
            if !index.overflow, widths.indices.contains(index.partialValue) {
                guard try resolve(widths[index.partialValue]).numberValue == 0 else { continue }
            }
            guard let stream = try resolve(glyph).streamValue,
                let outline = try outline(of: stream, glyph.referenceValue ?? id),
                outline.hasGlyphWidth, outline.isPainted
            else { continue }
            found.insert(code)
        }
        return found
    }

    /// Readers look for what a font without resources names in those of the page, or nowhere.
    mutating func checkResources(
        ofGlyph entry: PDFObject, _ font: ObjectID
    ) throws(PDFError) {
        guard let stream = try resolve(entry).streamValue,
            try outline(of: stream, entry.referenceValue ?? font)?.usesResources == true
        else { return }
        note(
            .contentAmbiguous,
            "the font \(font.number), in which text is shown, has no resources, and glyphs that name "
                + "some: some readers do not find them")
    }

    /// What brings its colours with it, in words.
    mutating func coloredPart(
        of outline: ContentOutline, _ chain: [PDFDictionary]
    ) throws(PDFError) -> String? {
        if outline.usedNames["Shading"] != nil { return "a gradient" }
        for name in outline.drawnObjects.sorted() {
            guard takeLookup(chain) else { return nil }
            guard let (entry, _) = try find(name, in: "XObject", chain),
                let image = try resolve(entry).streamValue?.dictionary,
                try value(image, "Subtype").nameValue == "Image",
                try value(image, "ImageMask").booleanValue != true
            else { continue }
            return "a picture"
        }
        return nil
    }

    /// A glyph says first whether it has colours (d0, d1), and once.
    mutating func checkKind(
        ofGlyph entry: PDFObject, _ font: ObjectID, _ chain: [PDFDictionary]
    ) throws(PDFError) {
        guard let stream = try resolve(entry).streamValue,
            let outline = try outline(of: stream, entry.referenceValue ?? font), outline.isPainted
        else { return }
        var words: String?
        if outline.glyphKind == nil {
            words = "a glyph that does not say whether it has colours (d0, d1)"
        } else if outline.repeatsGlyphKind {
            words = "a glyph that says twice, or not first, whether it has colours (d0, d1)"
        } else if outline.glyphKind == .shape {
            words = try coloredPart(of: outline, chain).map {
                "\($0) in a glyph that says to have no colours (d1)"
            }
        }
        guard let words else { return }
        note(
            .contentAmbiguous,
            "the font \(font.number), in which text is shown, has \(words): readers draw it in "
                + "different ways")
    }
}
