import Base
import PDFCore

/// Maps the character codes of a simple font to characters (ISO 32000-2 §9.6.5). Supports Latin
/// fonts with an encoding by standard glyph names.
struct AppearanceFont {
    private var scalars = [Unicode.Scalar?](repeating: nil, count: 256)
    /// Advance widths by character code, from /Widths or from the standard font.
    private var widths = [Double?](repeating: nil, count: 256)
    private let isEmbedded: Bool
    /// Whether the font program is a subset (ISO 32000-2 §9.9.2).
    let isSubset: Bool
    /// Whether it is a standard 14 font with its own widths, which an update cannot redefine.
    private(set) var isStandard = false

    private static let kinds: Set<PDFName?> = ["Type1", "MMType1", "TrueType"]
    /// Encodings whose codes 32 to 126 are ASCII.
    private static let encodings: Set<PDFName> = [
        "StandardEncoding", "WinAnsiEncoding", "MacRomanEncoding", "PDFDocEncoding",
    ]
    private static let fileKeys: [PDFName] = ["FontFile", "FontFile2", "FontFile3"]
    /// Substrings in the names of symbol and barcode fonts.
    private static let pictureFonts = ["symbol", "dingbat", "wingding", "webding", "barcode"]
    private static let asciiCodes: ClosedRange<UInt8> = 32...126
    /// WinAnsiEncoding from 128 to 159 (ISO 32000-2 Annex D); NUL marks unused codes.
    private static let winAnsi = Array("€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ".unicodeScalars)
    /// Glyph names of ASCII without letters, from codes 32, 91 and 123 (Adobe Glyph List).
    private static let glyphNames: [(first: UInt8, names: String)] = [
        (
            32,
            """
            space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft \
            parenright asterisk plus comma hyphen period slash zero one two three four five six \
            seven eight nine colon semicolon less equal greater question at
            """
        ), (91, "bracketleft backslash bracketright asciicircum underscore grave"),
        (123, "braceleft bar braceright asciitilde"),
    ]
    private static let asciiNames: [ExactText: Unicode.Scalar] = {
        var found: [ExactText: Unicode.Scalar] = [:]
        for (first, names) in glyphNames {
            for (index, name) in names.split(separator: " ").enumerated() {
                found[ExactText(String(name))] = Unicode.Scalar(first + UInt8(index))
            }
        }
        for letter in asciiCodes.map({ Unicode.Scalar($0) }) where letter.properties.isAlphabetic {
            found[ExactText(String(letter))] = letter
        }
        return found
    }()
    /// The Symbolic flag of a font descriptor (bit 3).
    private static let symbolicFlag = 4
    /// Maximum number of entries of /Differences that are read.
    private static let maximumDifferenceCount = 600

    /// Keys of a font dictionary without glyphs and widths of its own.
    private static let standardKeys: Set<PDFName> = [
        "Type", "Subtype", "BaseFont", "Name", "Encoding",
    ]

    private static let widthKeys: Set<PDFName> = [
        "FirstChar", "LastChar", "Widths", "FontDescriptor",
    ]
    /// Entries of a font descriptor that do not select another font.
    private static let descriptorKeys: Set<PDFName> = [
        "Type", "FontName", "Flags", "FontBBox", "Ascent", "Descent", "CapHeight", "XHeight",
        "Leading", "ItalicAngle", "StemV", "StemH", "MissingWidth", "AvgWidth", "MaxWidth",
    ]

    /// Whether a font dictionary contains only a name, an encoding and given entries, so that
    /// viewers use a font of their own.
    private static func isFontOfViewer(
        _ font: PDFDictionary, besides more: Set<PDFName> = [], in document: PDFDocument
    ) throws(PDFError) -> Bool {
        let kind = try document.value(font, "Subtype").nameValue
        return kind == "Type1" && font.duplicateKeys.isEmpty
            && standardKeys.union(more).isSuperset(of: font.keys)
    }

    /// Whether viewers select the font by the name in /BaseFont. Some prefer /FontName.
    private static func isPlain(
        _ descriptor: PDFDictionary?, of name: PDFName, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        guard let descriptor else { return true }
        let isNamed = try document.value(descriptor, "FontName").nameValue == name
        return isNamed && descriptor.duplicateKeys.isEmpty
            && descriptorKeys.isSuperset(of: descriptor.keys)
    }

    /// Whether a font is the viewer's ZapfDingbats, whose glyphs serve as button marks.
    static func isDingbats(_ font: PDFDictionary, in document: PDFDocument) throws(PDFError) -> Bool
    {
        guard try document.value(font, "BaseFont").nameValue == "ZapfDingbats" else { return false }
        // Some viewers apply a text encoding to it, and show no mark.
        guard font["Encoding"] == nil else { return false }
        return try isFontOfViewer(font, in: document)
    }

    /// Nil for a font whose encoding does not identify the characters.
    init?(_ font: PDFDictionary, in document: PDFDocument) throws(PDFError) {
        let descriptor = try document.value(font, "FontDescriptor").dictionaryValue
        isEmbedded = Self.fileKeys.contains { descriptor?[$0] != nil }
        let flags = try document.resolve(descriptor?["Flags"] ?? .null).integerValue ?? 0
        let encoding = try document.value(font, "Encoding")
        // Without the name of an encoding, that of a symbolic font that is not embedded is unknown.
        guard isEmbedded || flags & Self.symbolicFlag == 0 || encoding.nameValue != nil else {
            return nil
        }
        guard try Self.kinds.contains(document.value(font, "Subtype").nameValue),
            font.duplicateKeys.isEmpty,
            let baseName = try document.value(font, "BaseFont").nameValue,
            !Self.pictureFonts.contains(where: baseName.description.lowercased().contains)
        else { return nil }
        let name = baseName.description
        isSubset = name.dropFirst(6).first == "+"
        guard !isEmbedded || encoding != .null, try readEncoding(encoding, in: document) else {
            return nil
        }
        try readWidths(font, descriptor, in: document)
        guard try Self.isFontOfViewer(font, besides: Self.widthKeys, in: document),
            try Self.isPlain(descriptor, of: baseName, in: document),
            let standard = StandardFont.named(name)
        else { return }
        if Self.standardKeys.isSuperset(of: font.keys) {
            widths = scalars.map { $0.flatMap(standard.width(of:)).map(Double.init) }
        }
        isStandard = zip(scalars, widths).allSatisfy { scalar, width in
            guard let scalar, scalar.isASCII else { return true }
            return width == standard.width(of: scalar).map(Double.init)
        }
    }

    private mutating func readWidths(
        _ font: PDFDictionary, _ descriptor: PDFDictionary?, in document: PDFDocument
    ) throws(PDFError) {
        guard let first = try document.value(font, "FirstChar").integerValue else { return }
        if let missing = try document.resolve(descriptor?["MissingWidth"] ?? .null).numberValue {
            widths = widths.map { _ in missing }
        }
        let listed = try document.value(font, "Widths").arrayValue ?? []
        for (index, width) in listed.prefix(256).enumerated()
        where widths.indices.contains(first + index) {
            widths[first + index] = try document.resolve(width).numberValue
        }
    }

    /// The advance width of a character code in thousandths of the font size; nil if unknown.
    func width(of code: UInt8) -> Double? { widths[Int(code)] }

    func scalar(_ code: UInt8) -> Unicode.Scalar? { scalars[Int(code)] }

    /// Whether the font is not embedded and maps codes 32 to 126 to ASCII.
    var hasPlainASCII: Bool {
        !isEmbedded && Self.asciiCodes.allSatisfy { scalars[Int($0)] == Unicode.Scalar($0) }
    }

    /// Whether /Differences names a glyph by a number (`uni0041`), which viewers' own fonts may lack.
    private(set) var hasNumberedGlyphs = false

    private mutating func readEncoding(
        _ entry: PDFObject, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        var base = entry
        if let dictionary = entry.dictionaryValue {
            guard dictionary.duplicateKeys.isEmpty else { return false }
            base = try document.value(dictionary, "BaseEncoding")
        }
        guard base == .null || base.nameValue.map(Self.encodings.contains) == true else {
            return false
        }
        for code in Self.asciiCodes { scalars[Int(code)] = Unicode.Scalar(code) }
        switch base.nameValue {
        case "WinAnsiEncoding":
            for code in 128...255 {
                let scalar = code < 160 ? Self.winAnsi[code - 128] : Unicode.Scalar(UInt8(code))
                scalars[code] = scalar == "\0" ? nil : scalar
            }
        case "PDFDocEncoding":
            for code in UInt8(128)...255 {
                scalars[Int(code)] = PDFString(bytes: [code]).text.unicodeScalars.first
            }
        default: break
        }
        guard let dictionary = entry.dictionaryValue else { return true }
        return try readDifferences(dictionary, in: document)
    }

    private mutating func readDifferences(
        _ encoding: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        let entries = try document.value(encoding, "Differences").arrayValue ?? []
        guard entries.count <= Self.maximumDifferenceCount else { return false }
        var code = 0
        for entry in entries {
            let entry = try document.resolve(entry)
            if let number = entry.integerValue, scalars.indices.contains(number) {
                code = number
            } else if let name = entry.nameValue, scalars.indices.contains(code) {
                let name = name.description
                let scalar = Self.asciiNames[ExactText(name)] ?? StandardFont.scalar(named: name)
                if scalar == nil { hasNumberedGlyphs = true }
                scalars[code] = scalar ?? Self.scalar(numbered: name)
                code += 1
            } else {
                return false
            }
        }
        return true
    }

    /// The character of a glyph name such as `uni0041` or `u1F600` (Adobe Glyph List §2).
    private static func scalar(numbered name: String) -> Unicode.Scalar? {
        let digits = name.hasPrefix("uni") ? name.dropFirst(3) : name.dropFirst(1)
        guard name.first == "u", (4...6).contains(digits.count) else { return nil }
        return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
    }
}
