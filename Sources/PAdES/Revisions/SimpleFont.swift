import ByteKit
import PDFCore

/// What the bytes of a simple font look like (ISO 32000-2 §9.6.2), as far as that is certain in
/// every viewer: a font for Latin text that is not embedded, with an encoding by known names.
struct SimpleFont {
    struct Glyph {
        let scalar: Unicode.Scalar
        /// In thousandths of the size; nil when viewers may differ.
        let width: Double?
    }

    private var scalars = [Unicode.Scalar?](repeating: nil, count: 256)
    private var widths = [Double?](repeating: nil, count: 256)
    /// Codes of characters that not all readers have in a font of their own.
    private var unsure: Set<Int> = []
    /// Whether the font is in the document, which draws what only it knows.
    private let isEmbedded: Bool
    /// Whether all readers draw it alike, and read what it draws.
    let isPlain: Bool

    /// Names of the glyphs that ASCII shows but for letters, by codes from 32, 91 and 123 on (Adobe
    /// Glyph List).
    private static let glyphNames: [(first: UInt8, names: [Substring])] = [
        (
            32,
            """
            space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft \
            parenright asterisk plus comma hyphen period slash zero one two three four five six \
            seven eight nine colon semicolon less equal greater question at
            """.split(separator: " ")
        ),
        (
            91,
            "bracketleft backslash bracketright asciicircum underscore grave".split(separator: " ")
        ),
        (123, "braceleft bar braceright asciitilde".split(separator: " ")),
    ]
    private static let asciiNames: [ExactText: Unicode.Scalar] = {
        var found: [ExactText: Unicode.Scalar] = [:]
        for (first, names) in glyphNames {
            for (index, name) in names.enumerated() {
                found[ExactText(String(name))] = Unicode.Scalar(first + UInt8(index))
            }
        }
        for letter in asciiCodes.map({ Unicode.Scalar($0) }) where letter.properties.isAlphabetic {
            found[ExactText(String(letter))] = letter
        }
        return found
    }()
    /// Typographic forms that stand where ASCII has the plain ones.
    private static let variants: [UInt8: String] = [39: "quoteright", 96: "quoteleft"]
    /// A blank in most encodings, at which lines are not broken.
    private static let hardBlank = 160
    private static let asciiCodes: ClosedRange<UInt8> = 32...126
    /// WinAnsiEncoding from 128 to 159 (ISO 32000-2 Annex D), NUL where it has nothing.
    private static let winAnsi = Array("€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ".unicodeScalars)

    /// Encodings that have ASCII where ASCII has it.
    private static let encodings: Set<PDFName> = [
        "StandardEncoding", "WinAnsiEncoding", "MacRomanEncoding", "PDFDocEncoding",
    ]
    /// How the names of fonts for Latin text begin, which viewers have or replace by such.
    private static let textFonts = [
        "helvetica", "arial", "times", "courier", "aptos", "bookantiqua", "calibri", "cambria",
        "candara", "carlito", "centuryschoolbook", "consolas", "constantia", "corbel", "dejavu",
        "franklingothic", "frutiger", "garamond", "georgia", "gillsans", "liberation", "lucida",
        "minion", "myriad", "newcenturyschlbk", "nimbus", "notosans", "notoserif", "opensans",
        "palatino", "roboto", "segoeui", "tahoma", "trebuchet", "univers", "verdana",
    ]
    /// Further names by which viewers know standard fonts.
    private static let otherNames: Set<String> = [
        "Arial", "ArialMT", "Arial,Bold", "Arial-BoldMT", "TimesNewRoman", "TimesNewRomanPSMT",
        "TimesNewRoman,Bold", "TimesNewRomanPS-BoldMT", "CourierNew", "CourierNewPSMT",
    ]
    /// Parts of the names of fonts that show pictures for letters.
    private static let pictureFonts = ["symbol", "dingbat", "wingding", "webding", "barcode"]
    /// Parts of the names of fonts whose widths are their own.
    private static let ownWidths = ["narrow", "condensed", "neue", "black", "rounded", "light"]
    /// Bit 3 of a font descriptor's flags: not of Latin letters.
    static let symbolicFlag = 4
    /// Bit 6: of Latin letters alone.
    static let latinFlag = 32
    /// Most entries of /Differences that are read.
    private static let maximumDifferenceCount = 600

    /// Nil when its bytes may look like other characters.
    ///
    /// - Parameter isForSight: whether it is asked for what is drawn as far as fonts are what they say,
    ///   and not only for what is certain.
    init?(
        _ font: PDFDictionary, in document: PDFDocument, isForSight: Bool = false
    ) throws(PDFError) {
        let subtype = try document.value(font, "Subtype").nameValue
        guard subtype == "Type1" || subtype == "TrueType", font.duplicateKeys.isEmpty,
            let name = try document.value(font, "BaseFont").nameValue?.description,
            !Self.isOfPictures(name)
        else { return nil }
        let descriptor = try document.value(font, "FontDescriptor")
        let isSymbolic: Bool
        // Some readers take a stream for a dictionary.
        guard descriptor == .null || descriptor.dictionaryValue != nil else { return nil }
        if let descriptor = descriptor.dictionaryValue {
            let flags = try document.value(descriptor, "Flags").integerValue ?? 0
            let files: [PDFName] = ["FontFile", "FontFile2", "FontFile3"]
            isEmbedded = files.contains { descriptor[$0] != nil }
            isSymbolic = flags & Self.symbolicFlag != 0
        } else {
            (isEmbedded, isSymbolic) = (false, false)
        }
        // Some programs say so of fonts for text, which readers replace by such, or go by the encoding.
        let encoding = try document.value(font, "Encoding")
        guard
            !isSymbolic || (isEmbedded ? isForSight && encoding != .null : Self.isForText(name))
        else { return nil }
        // Readers of the text go by its own map.
        isPlain = !isEmbedded && !isSymbolic && font["ToUnicode"] == nil
        guard isPlain || isForSight,
            try readEncoding(encoding, isForSight, in: document)
        else { return nil }
        try readWidths(font, name, in: document)
    }

    /// Whether a font of the document's own means by its codes what their names say.
    func agrees(with content: ContentFont) -> Bool {
        guard isEmbedded else { return true }
        return scalars.indices.allSatisfy { code in
            guard let scalar = scalars[code], !scalar.properties.isWhitespace,
                let text = content.glyphs(of: [UInt8(code)], nil).first?.text
            else { return true }
            return text == String(scalar)
        }
    }

    /// Whether its letters are pictures in readers that have it.
    private static func isOfPictures(_ name: String) -> Bool {
        pictureFonts.contains(where: name.lowercased().contains)
    }

    private static let kinds: Set<PDFName?> = ["Type1", "MMType1", "TrueType"]

    /// Whether readers draw it by a font of their own, which its encoding leads to.
    static func isOfReader(
        _ font: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        guard try kinds.contains(document.value(font, "Subtype").nameValue) else { return false }
        return try !ContentFont.isEmbedded(font, in: document)
    }

    /// Whether a font of the readers' own has ASCII where ASCII is.
    static func hasUsualCodes(
        _ font: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        let name = try document.value(font, "BaseFont").nameValue?.description ?? ""
        let descriptor = try document.value(font, "FontDescriptor").dictionaryValue
        let flags = try descriptor.map { (descriptor) throws(PDFError) in
            try document.value(descriptor, "Flags").integerValue ?? 0
        }
        return !isOfPictures(name) && ((flags ?? 0) & symbolicFlag == 0 || isForText(name))
    }

    private static func isForText(_ name: String) -> Bool {
        textFonts.contains(where: name.lowercased().hasPrefix)
    }

    func glyph(_ code: UInt8) -> Glyph? {
        scalars[Int(code)].map { Glyph(scalar: $0, width: widths[Int(code)]) }
    }

    /// Whether ASCII shows what it says, as wide as it is.
    var showsASCII: Bool {
        Self.asciiCodes.allSatisfy {
            scalars[Int($0)] == Unicode.Scalar($0) && widths[Int($0)] != nil
        }
    }

    // MARK: Encoding

    private mutating func readEncoding(
        _ entry: PDFObject, _ isForSight: Bool, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        var base = entry
        let dictionary = entry.dictionaryValue
        if let dictionary {
            guard dictionary.duplicateKeys.isEmpty else { return false }
            base = try document.value(dictionary, "BaseEncoding")
        }
        guard base == .null || base.nameValue.map(Self.encodings.contains) == true else {
            return false
        }
        // A font of the document's own has an encoding of its own, too.
        if !isEmbedded || base != .null {
            for code in Self.asciiCodes { scalars[Int(code)] = Unicode.Scalar(code) }
        }
        // What the others have beyond ASCII no program that fills forms uses.
        if base.nameValue == "WinAnsiEncoding" {
            for code in 128...255 {
                let scalar = code < 160 ? Self.winAnsi[code - 128] : Unicode.Scalar(UInt8(code))
                scalars[code] = scalar == "\0" ? nil : scalar
            }
        }
        if isForSight, let latin = LatinEncoding(base.nameValue?.description) {
            for (code, value) in latin.scalars.enumerated()
            where scalars[code] == nil && value != 0 {
                scalars[code] = Unicode.Scalar(UInt32(value))
                unsure.insert(code)
            }
        }
        // Where an encoding has nothing there, programs and readers take it for a blank all the same.
        if isForSight, !isEmbedded, scalars[Self.hardBlank] == nil {
            scalars[Self.hardBlank] = "\u{A0}"
            unsure.insert(Self.hardBlank)
        }
        guard let dictionary else { return true }
        return try readDifferences(dictionary, isForSight, in: document)
    }

    private mutating func readDifferences(
        _ encoding: PDFDictionary, _ isForSight: Bool, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        let entries = try document.value(encoding, "Differences").arrayValue ?? []
        guard entries.count <= Self.maximumDifferenceCount else { return false }
        var code = 0
        for entry in entries {
            let entry = try document.resolve(entry)
            if let number = entry.integerValue, scalars.indices.contains(number) {
                code = number
            } else if let name = entry.nameValue, scalars.indices.contains(code) {
                scalars[code] = Self.scalar(name.description, for: UInt8(code))
                if isForSight, scalars[code] == nil,
                    let value = LatinEncoding.scalar(of: name.bytes)
                {
                    scalars[code] = Unicode.Scalar(UInt32(value))
                    unsure.insert(code)
                }
                code += 1
            } else {
                return false
            }
        }
        return true
    }

    private static func scalar(_ name: String, for code: UInt8) -> Unicode.Scalar? {
        if variants[code] == name { return Unicode.Scalar(code) }
        return asciiNames[ExactText(name)] ?? StandardFont.scalar(named: name)
    }

    // MARK: Widths

    private mutating func readWidths(
        _ font: PDFDictionary, _ name: String, in document: PDFDocument
    ) throws(PDFError) {
        let metrics = Self.metrics(of: name.lowercased())
        let entry = try document.value(font, "Widths")
        defer { for code in unsure { widths[code] = nil } }
        guard entry != .null else {
            guard let metrics, StandardFont.named(name) != nil || Self.otherNames.contains(name)
            else { return }
            for code in scalars.indices {
                widths[code] = scalars[code].map { Self.width(of: $0, in: metrics) }
            }
            return
        }
        let first = try document.value(font, "FirstChar").integerValue ?? -1
        let last = try document.value(font, "LastChar").integerValue ?? -1
        guard isEmbedded || Self.isForText(name),
            let elements = entry.arrayValue, 0 <= first, first <= last, last <= 255,
            elements.count == last - first + 1
        else { return }
        for (index, element) in elements.enumerated() {
            let code = first + index
            guard let scalar = scalars[code], let width = try document.resolve(element).numberValue,
                isEmbedded || Self.isUsual(width, for: scalar, in: metrics)
            else { continue }
            widths[code] = width
        }
    }

    /// Widths of the standard font that the name means; nil when it has its own.
    private static func metrics(of name: String) -> StandardFont? {
        guard !ownWidths.contains(where: name.contains) else { return nil }
        if name.hasPrefix("courier") { return .named("Courier") }
        let isBold = name.contains("bold")
        if name.hasPrefix("helvetica") || name.hasPrefix("arial") {
            return isBold ? .bold : .regular
        }
        guard name.hasPrefix("times") else { return nil }
        let style = (isBold ? "Bold" : "") + (name.contains("italic") ? "Italic" : "")
        return .named("Times-" + (style.isEmpty ? "Roman" : style))
    }

    private static func width(of scalar: Unicode.Scalar, in font: StandardFont) -> Double {
        Double(font.width(of: scalar) ?? font.width(of: "0") ?? 0)
    }

    /// Whether a glyph of this width looks the same where a viewer takes another font, or another
    /// font's width.
    private static func isUsual(
        _ width: Double, for scalar: Unicode.Scalar, in metrics: StandardFont?
    ) -> Bool {
        if let metrics {
            let usual = Self.width(of: scalar, in: metrics)
            return abs(width - usual) <= 0.2 * usual + 20
        }
        // From narrow to wide fonts, and those whose glyphs are all of one width.
        let usual = Self.width(of: scalar, in: .regular)
        return width >= min(0.7 * usual, 500) && width <= max(1.5 * usual, 650)
    }
}
