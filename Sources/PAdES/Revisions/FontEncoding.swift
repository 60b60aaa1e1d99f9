import PDFCore

/// Whether a font's bytes are the characters that people see.
enum FontEncoding {
    /// Names of the glyphs that ASCII's punctuation and digits show, from the space on; letters
    /// are their own names (Adobe Glyph List).
    private static let glyphNames = """
        space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright \
        asterisk plus comma hyphen period slash zero one two three four five six seven eight nine \
        colon semicolon less equal greater question at
        """.split(separator: " ").map { PDFName(String($0)) }
    /// Glyphs that other codes show as well: no-break space, soft hyphen.
    private static let repeatable: Set<PDFName> = ["space", "hyphen"]
    private static let asciiCodes = 32..<127

    /// Encodings that have ASCII where ASCII has it (ISO 32000-2 Annex D).
    private static let encodings: Set<PDFName> = [
        "StandardEncoding", "WinAnsiEncoding", "MacRomanEncoding", "PDFDocEncoding",
    ]
    /// Parts of the names of fonts that show pictures for letters.
    private static let pictureFonts = ["symbol", "dingbat", "wingding", "webding"]
    /// Narrowest glyph that can be told from the next, in thousandths of the size.
    private static let narrowestWidth = 50.0

    /// Whether it is a simple font, not embedded, that shows ASCII as ASCII.
    static func isPlain(
        _ font: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        let subtype = try document.value(font, "Subtype").nameValue
        guard subtype != "Type0", subtype != "Type3", font.duplicateKeys.isEmpty else {
            return false
        }
        let name = try document.value(font, "BaseFont").nameValue?.description.lowercased() ?? ""
        guard !pictureFonts.contains(where: name.contains) else { return false }
        let descriptor = try document.value(font, "FontDescriptor").dictionaryValue
        for key in ["FontFile", "FontFile2", "FontFile3"] as [PDFName] where descriptor?[key] != nil
        {
            return false
        }
        guard try hasPlainWidths(font, document) else { return false }
        let entry = try document.value(font, "Encoding")
        if let name = entry.nameValue { return encodings.contains(name) }
        guard let encoding = entry.dictionaryValue else { return entry == .null }
        let base = try document.value(encoding, "BaseEncoding")
        guard base == .null || base.nameValue.map(encodings.contains) == true else { return false }
        return try hasPlainDifferences(encoding, document)
    }

    private static func hasPlainDifferences(
        _ encoding: PDFDictionary, _ document: PDFDocument
    ) throws(PDFError) -> Bool {
        var code = 0
        for entry in try document.value(encoding, "Differences").arrayValue ?? [] {
            let entry = try document.resolve(entry)
            if let number = entry.integerValue {
                code = max(0, min(number, 256))
            } else if let name = entry.nameValue {
                guard isUsual(name, for: code) else { return false }
                code = min(code + 1, 256)
            } else {
                return false
            }
        }
        return true
    }

    /// A glyph without width stands under the next.
    private static func hasPlainWidths(
        _ font: PDFDictionary, _ document: PDFDocument
    ) throws(PDFError) -> Bool {
        let first = try document.value(font, "FirstChar").integerValue ?? 0
        let widths = try document.value(font, "Widths").arrayValue ?? []
        guard (0...256).contains(first), widths.count <= 256 else { return widths.isEmpty }
        for (index, entry) in widths.enumerated() where asciiCodes.contains(first + index) {
            guard let width = try document.resolve(entry).numberValue, width >= narrowestWidth
            else {
                return false
            }
        }
        return true
    }

    private static func isUsual(_ name: PDFName, for code: Int) -> Bool {
        guard asciiCodes.contains(code) else {
            // No other code may show what ASCII has.
            return repeatable.contains(name)
                || !glyphNames.contains(name) && !(name.bytes.count == 1 && isLetter(name.bytes[0]))
        }
        if code - 32 < glyphNames.count { return name == glyphNames[code - 32] }
        // What remains in ASCII are letters, and signs that no amount needs.
        return !isLetter(UInt8(code)) || name.bytes == [UInt8(code)]
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte)
    }
}
