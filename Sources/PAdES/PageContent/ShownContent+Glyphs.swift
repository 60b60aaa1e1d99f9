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
        }
        let encoding = try value(font, "Encoding").dictionaryValue
        let differences = try encoding.flatMap { (encoding) throws(PDFError) in
            try value(encoding, "Differences").arrayValue
        }
        guard let differences, !differences.isEmpty else {
            return tell("no names for the codes of its glyphs")
        }
        var (code, seen) = (0, Set<Int>())
        for entry in differences {
            let element = try resolve(entry)
            if let number = element.integerValue {
                code = number
            } else {
                guard seen.insert(code).inserted else {
                    return tell("two names for one code")
                }
                code &+= 1
            }
        }
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
            words = "a glyph that says twice whether it has colours (d0, d1)"
        } else if outline.glyphKind == .shape {
            for name in outline.drawnObjects.sorted() {
                guard takeLookup(chain) else { return }
                guard let (entry, _) = try find(name, in: "XObject", chain),
                    let image = try resolve(entry).streamValue?.dictionary,
                    try value(image, "Subtype").nameValue == "Image",
                    try value(image, "ImageMask").booleanValue != true
                else { continue }
                words = "a picture in a glyph that says to have no colours (d1)"
            }
            if outline.usedNames["Shading"] != nil {
                words = "a gradient in a glyph that says to have no colours (d1)"
            }
        }
        guard let words else { return }
        note(
            .contentAmbiguous,
            "the font \(font.number), in which text is shown, has \(words): readers draw it in "
                + "different ways")
    }
}
