import PDFCore

/// What the bytes of strings mean in a font: glyphs with their widths, and as far as the font says
/// it, characters (ISO 32000-2 §9.6 to §9.10).
///
/// Of embedded fonts it is known at most where they draw something.
struct ContentFont {
    struct Glyph {
        let code: Int
        /// By how much the next glyph is further on, in units of the size, and how much less and more
        /// that may be.
        let advance: Double
        var before = 0.0
        var after = 0.0
        /// For vertical writing.
        var drop = CompositeCodes.Drop()
        /// Whether it is a code of one byte for a blank (ISO 32000-2 §9.3.3).
        let isWordBreak: Bool
        /// Nil where the font does not say.
        let text: String?
        /// What readers draw, where that is known whatever the font says that it means.
        let drawn: String?
        /// The character that readers draw by a font of their own; nil for those of the document, and
        /// where that is not known.
        let painted: String?

        /// Where it paints, in units of the size, where that is known.
        var extent = GlyphExtents.Extent.unknown

        /// Whether nothing is drawn.
        var isBlank: Bool {
            switch extent {
            case .nothing: true
            case .box: false
            case .unknown: drawn.map { $0.allSatisfy(\.isWhitespace) } ?? false
            }
        }
        /// Whether it paints elsewhere than between its place and the next one's.
        var isElsewhere: Bool {
            guard case .box(let box) = extent else { return false }
            let slack = ContentFont.slack
            return box.left < -slack || box.right > max(advance, 0) + slack
                || box.bottom < -slack || box.top > 1 + slack
        }
        /// Whether a row of it is a line to write on.
        var isRule: Bool {
            if case .box(let box) = extent, box.height > ContentFont.ruleHeight { return false }
            return drawn.map(ContentFont.rules.contains) ?? false
        }
    }

    /// The glyphs of a Type 3 font are content of their own.
    struct Drawings {
        let matrix: Transform
        let resources: PDFDictionary?
        fileprivate(set) var streams: [Int: PDFObject] = [:]
    }

    private(set) var drawings: Drawings?
    /// Nil for codes of one byte.
    private let composite: CompositeCodes?
    var isVertical: Bool { composite?.isVertical ?? false }
    /// Whether all readers put its glyphs in the same places.
    var isReadable: Bool { composite?.isReadable ?? true }
    private var widths: [Int: Double] = [:]
    private var defaultWidth = usualWidth
    /// Whether its widths are those that readers have, and the font where that is known.
    private var isStandard = false
    private var standard: StandardFont?
    /// By the encoding.
    private var texts: [Int: String] = [:]
    /// What counts before that.
    private var characters = CharacterMap()
    /// By the encoding alone, where the font is the reader's own; else empty.
    private var drawnTexts: [Int: String] = [:]
    /// Whether readers draw by a font of their own.
    var isOfReader: Bool { !drawnTexts.isEmpty }
    /// How many widths and characters may still be read, each time that they are.
    private var remaining = entryLimit
    /// What it took to read it, as if it were content, in bytes.
    private(set) var cost = 0

    private static let rules: Set<String> = [
        "_", ".", "-", "\u{2010}", "\u{2011}", "\u{2012}", "–", "—", "\u{2015}", "…", "·", "─", "━",
    ]
    /// How far usual glyphs go beyond their size.
    private static let slack = 0.5
    /// How high their ink is at most, in units of the size.
    private static let ruleHeight = 0.25
    /// Glyph names of blanks and rules that are longer than their character.
    private static let names: [String: String] = [
        "space": " ", "nbspace": " ", "uni00A0": " ", "underscore": "_", "period": ".",
        "hyphen": "-", "minus": "-", "endash": "–", "emdash": "—", "ellipsis": "…",
        "periodcentered": "·",
    ]
    /// A blank in most encodings, at which lines are not broken.
    private static let hardBlank = 160
    private static let blank = 32
    /// How wide glyphs are of which only readers know it.
    private static let guesses = 0.2...1.1
    /// Of Helvetica: how wide letters are.
    private static let usualWidth = 0.556
    /// Most widths and characters that are read of one font. There are 65,536 codes, and ranges
    /// may say some of them twice.
    private static let entryLimit = 1 << 18
    private static let entryCost = 16
    /// What finding a font costs at least, in bytes.
    private static let baseCost = 256
    /// Longest map to characters, in bytes.
    private static let mapByteLimit = 1 << 20

    /// The font that readers take where a document has none.
    static let fallback = ContentFont()

    private init() {
        composite = nil
        addStandard(.regular, LatinEncoding.standard.scalars)
    }

    init(_ font: PDFDictionary, in document: PDFDocument) throws(PDFError) {
        let subtype = try document.value(font, "Subtype").nameValue
        if subtype == "Type0" {
            composite = try CompositeCodes(font, in: document, upTo: &remaining)
            cost += composite?.mapByteCount ?? 0
        } else {
            composite = nil
            let unit = try subtype == "Type3" ? readDrawings(font, document) : 1.0 / 1000
            if let descriptor = try document.value(font, "FontDescriptor").dictionaryValue,
                let width = try document.value(descriptor, "MissingWidth").numberValue
            {
                defaultWidth = width * unit
            }
            try readWidths(font, unit, document)
            for code in 32..<127 { texts[code] = String(UnicodeScalar(UInt8(code))) }
            try readDifferences(font, document)
        }
        if composite == nil, drawings == nil, try !Self.isEmbedded(font, in: document) {
            drawnTexts = texts
        }
        try readMap(font, document)
        cost += Self.baseCost + (Self.entryLimit - remaining) * Self.entryCost
        cost += characters.byteCount
    }

    /// Whether the document has its glyphs.
    static func isEmbedded(
        _ font: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        guard let descriptor = try document.value(font, "FontDescriptor").dictionaryValue else {
            return false
        }
        let keys: [PDFName] = ["FontFile", "FontFile2", "FontFile3"]
        return keys.contains { descriptor[$0] != nil }
    }

    /// Whether so many more entries may be read.
    private mutating func take(_ count: Int) -> Bool {
        guard count <= remaining else {
            remaining = 0
            return false
        }
        remaining -= count
        return true
    }

    /// The glyphs that a string shows.
    ///
    /// - Parameter outlines: where they paint, as far as that is known.
    func glyphs(of bytes: [UInt8], _ outlines: GlyphOutlines?) -> [Glyph] {
        let codes =
            composite?.codes(of: bytes)
            ?? bytes.map { CompositeCodes.Code(value: Int($0), byteCount: 1, number: nil) }
        return codes.map { code in
            var glyph = composite.map { self.glyph(of: code, in: $0) } ?? glyph(of: code.value)
            if let outlines { glyph.extent = outlines.extent(of: code) }
            return glyph
        }
    }

    private func glyph(of code: CompositeCodes.Code, in composite: CompositeCodes) -> Glyph {
        let width = composite.width(of: code)
        let text = text(of: code.value)
        return Glyph(
            code: code.value, advance: width.usual, before: width.before, after: width.after,
            drop: composite.drop(of: code),
            isWordBreak: code.byteCount == 1 && code.value == Self.blank,
            text: text, drawn: text, painted: nil)
    }

    private func text(of code: Int) -> String? { characters[code] ?? texts[code] }

    private func glyph(of code: Int) -> Glyph {
        let isKnown = drawnTexts.isEmpty || code == Self.hardBlank
        let text = text(of: code)
        let drawn = isKnown ? text : drawnTexts[code]
        let width = widths[code] ?? defaultWidth
        let isGuess = isStandard && widths[code] == nil
        return Glyph(
            code: code, advance: width, before: isGuess ? width - Self.guesses.lowerBound : 0,
            after: isGuess ? Self.guesses.upperBound - width : 0,
            isWordBreak: code == Self.blank, text: text, drawn: drawn,
            painted: drawnTexts[code])
    }

    // MARK: Reading

    /// - Parameter scalars: the characters of codes.
    private mutating func addStandard(_ font: StandardFont, _ scalars: [Int]) {
        for code in 32..<127 { texts[code] = String(UnicodeScalar(UInt8(code))) }
        for (code, value) in scalars.enumerated() {
            widths[code] = UnicodeScalar(value).flatMap { Self.width(of: $0, in: font) }
        }
    }

    private static func width(of scalar: Unicode.Scalar, in font: StandardFont) -> Double? {
        // Beyond ASCII those of Helvetica are known.
        let isKnown = scalar.isASCII || font == .regular || font == .bold
        return isKnown ? font.width(of: scalar).map { Double($0) / 1000 } : nil
    }

    private mutating func readWidths(
        _ font: PDFDictionary, _ unit: Double, _ document: PDFDocument
    ) throws(PDFError) {
        guard let entries = try document.value(font, "Widths").arrayValue else {
            if drawings == nil { try readStandardWidths(font, document) }
            return
        }
        let first = try document.value(font, "FirstChar").integerValue ?? 0
        guard (0...256).contains(first) else { return }
        for (index, entry) in entries.prefix(256).enumerated() {
            widths[first + index] = try document.resolve(entry).numberValue.map { $0 * unit }
        }
    }

    /// Of a font that readers have, by the characters that its encoding leads to.
    private mutating func readStandardWidths(
        _ font: PDFDictionary, _ document: PDFDocument
    ) throws(PDFError) {
        isStandard = true
        let name = try document.value(font, "BaseFont").nameValue?.description ?? ""
        // Of those that readers have none for, they take a usual one.
        guard !ShownFont.ownGlyphs.contains(name) else { return }
        let known = StandardFont.named(name) ?? .regular
        let encoding = try document.value(font, "Encoding")
        let base = try encoding.dictionaryValue.map { (values) throws(PDFError) in
            try document.value(values, "BaseEncoding")
        }
        let latin = LatinEncoding((base ?? encoding).nameValue?.description) ?? .standard
        addStandard(known, latin.scalars)
        standard = known
    }

    /// - Returns: what widths are to be multiplied with.
    private mutating func readDrawings(
        _ font: PDFDictionary, _ document: PDFDocument
    ) throws(PDFError) -> Double {
        let matrix =
            try Transform(font["FontMatrix"], in: document)
            ?? Transform([0.001, 0, 0, 0.001, 0, 0])
        drawings = Drawings(
            matrix: matrix, resources: try document.value(font, "Resources").dictionaryValue)
        return matrix.a
    }

    private mutating func readDifferences(
        _ font: PDFDictionary, _ document: PDFDocument
    ) throws(PDFError) {
        guard let encoding = try document.value(font, "Encoding").dictionaryValue else { return }
        let streams =
            drawings == nil ? nil : try document.value(font, "CharProcs").dictionaryValue
        var code = 0
        for entry in try document.value(encoding, "Differences").arrayValue?.prefix(1024) ?? [] {
            let entry = try document.resolve(entry)
            if let number = entry.integerValue {
                code = max(0, min(number, 256))
            } else if let name = entry.nameValue {
                let spelling = name.description
                texts[code] = Self.names[spelling] ?? (spelling.count == 1 ? spelling : nil)
                if let standard {
                    let scalar = LatinEncoding.scalar(of: name.bytes).flatMap(UnicodeScalar.init)
                    widths[code] = scalar.flatMap { Self.width(of: $0, in: standard) }
                }
                drawings?.streams[code] = streams?[name]
                code = min(code + 1, 256)
            }
        }
    }

    /// Which characters the glyphs are (ISO 32000-2 §9.10.3).
    private mutating func readMap(
        _ font: PDFDictionary, _ document: PDFDocument
    ) throws(PDFError) {
        guard let stream = try document.value(font, "ToUnicode").streamValue,
            let content = try? document.decodedData(of: stream, upTo: Self.mapByteLimit)
        else { return }
        cost += content.count
        var reader = ContentReader(content)
        while remaining > 0, let operation = reader.next() {
            let strings = operation.strings
            switch operation.name {
            case "endbfchar":
                for index in stride(from: 0, to: strings.count - 1, by: 2) {
                    add(strings[index], strings[index], strings[index + 1])
                }
            case "endbfrange" where strings.count.isMultiple(of: 3):
                for index in stride(from: 0, to: strings.count - 2, by: 3) {
                    add(strings[index], strings[index + 1], strings[index + 2])
                }
            default: break
            }
        }
    }

    private mutating func add(_ first: [UInt8], _ last: [UInt8], _ text: [UInt8]) {
        let (first, last) = (Self.code(first), Self.code(last))
        guard let first, let last, first <= last, text.count <= 16 else { return }
        let units = stride(from: 0, to: text.count - 1, by: 2).map { index in
            UInt16(text[index]) << 8 | UInt16(text[index + 1])
        }
        guard !units.isEmpty, take(last - first + 1) else { return }
        characters.add(first...last, units)
    }

    private static func code(_ bytes: [UInt8]) -> Int? {
        bytes.count <= 2 ? bytes.reduce(0) { $0 << 8 | Int($1) } : nil
    }
}
