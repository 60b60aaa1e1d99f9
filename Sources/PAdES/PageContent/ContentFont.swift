import PDFCore

/// What the bytes of strings mean in a font: glyphs with their widths, and as far as the font says
/// it, characters (ISO 32000-2 §9.6 to §9.10).
///
/// What an embedded font really draws is not looked at.
struct ContentFont {
    struct Glyph {
        let code: Int
        /// By how much the next glyph is further on, in units of the size.
        let advance: Double
        /// Nil where the font does not say.
        let text: String?
        /// What readers draw, where that is known whatever the font says that it means.
        let drawn: String?
        /// The character that readers draw by a font of their own; nil for those of the document, and
        /// where that is not known.
        let painted: String?

        /// Whether nothing is drawn.
        var isBlank: Bool { drawn.map { $0.allSatisfy(\.isWhitespace) } ?? false }
        /// Whether a row of it is a line to write on.
        var isRule: Bool { drawn.map(ContentFont.rules.contains) ?? false }
    }

    /// The glyphs of a Type 3 font are content of their own.
    struct Drawings {
        let matrix: Transform
        let resources: PDFDictionary?
        fileprivate(set) var streams: [Int: PDFObject] = [:]
    }

    private(set) var drawings: Drawings?
    let isVertical: Bool
    private let isComposite: Bool
    private var widths: [Int: Double] = [:]
    private var defaultWidth = usualWidth
    private var texts: [Int: String] = [:]
    /// By the encoding alone, where the font is the reader's own; else empty.
    private var drawnTexts: [Int: String] = [:]
    /// How many widths and characters may still be read, each time that they are.
    private var remaining = entryLimit
    /// What it took to read it, as if it were content, in bytes.
    private(set) var cost = 0

    private static let rules: Set<String> = [
        "_", ".", "-", "\u{2010}", "\u{2011}", "\u{2012}", "–", "—", "\u{2015}", "…", "·", "─", "━",
    ]
    /// Glyph names of blanks and rules that are longer than their character.
    private static let names: [String: String] = [
        "space": " ", "nbspace": " ", "uni00A0": " ", "underscore": "_", "period": ".",
        "hyphen": "-", "minus": "-", "endash": "–", "emdash": "—", "ellipsis": "…",
        "periodcentered": "·",
    ]
    /// A blank in most encodings, at which lines are not broken.
    private static let hardBlank = 160
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
        (isVertical, isComposite) = (false, false)
        addStandard(.regular)
    }

    init(_ font: PDFDictionary, in document: PDFDocument) throws(PDFError) {
        let subtype = try document.value(font, "Subtype").nameValue
        isComposite = subtype == "Type0"
        let encoding = try document.value(font, "Encoding").nameValue?.description ?? ""
        isVertical = isComposite && encoding.hasSuffix("-V")
        if isComposite {
            let entry = try document.value(font, "DescendantFonts").arrayValue?.first ?? .null
            let descendant = try document.resolve(entry).dictionaryValue ?? PDFDictionary()
            defaultWidth = try (document.value(descendant, "DW").numberValue ?? 1000) / 1000
            // Other encodings say elsewhere which widths are meant.
            if encoding.hasPrefix("Identity") { try readWidths(ofCIDs: descendant, document) }
        } else {
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
        if !isComposite, drawings == nil, try !isEmbedded(font, document) { drawnTexts = texts }
        try readMap(font, document)
        cost += Self.baseCost + (Self.entryLimit - remaining) * Self.entryCost
    }

    private func isEmbedded(
        _ font: PDFDictionary, _ document: PDFDocument
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
    func glyphs(of bytes: [UInt8]) -> [Glyph] {
        let step = isComposite ? 2 : 1
        return stride(from: 0, to: bytes.count, by: step).map { index in
            let code =
                isComposite && index + 1 < bytes.count
                ? Int(bytes[index]) << 8 | Int(bytes[index + 1]) : Int(bytes[index])
            let isKnown = drawnTexts.isEmpty || code == Self.hardBlank
            let drawn = isKnown ? texts[code] : drawnTexts[code]
            return Glyph(
                code: code, advance: widths[code] ?? defaultWidth, text: texts[code],
                drawn: drawn, painted: drawnTexts[code])
        }
    }

    // MARK: Reading

    private mutating func addStandard(_ font: StandardFont) {
        for code in 32..<127 {
            texts[code] = String(UnicodeScalar(UInt8(code)))
            if let width = font.width(of: UnicodeScalar(UInt8(code))) {
                widths[code] = Double(width) / 1000
            }
        }
    }

    private mutating func readWidths(
        _ font: PDFDictionary, _ unit: Double, _ document: PDFDocument
    ) throws(PDFError) {
        guard let entries = try document.value(font, "Widths").arrayValue else {
            let name = try document.value(font, "BaseFont").nameValue?.description ?? ""
            if drawings == nil { addStandard(StandardFont.named(name) ?? .regular) }
            return
        }
        let first = try document.value(font, "FirstChar").integerValue ?? 0
        guard (0...256).contains(first) else { return }
        for (index, entry) in entries.prefix(256).enumerated() {
            widths[first + index] = try document.resolve(entry).numberValue.map { $0 * unit }
        }
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
                drawings?.streams[code] = streams?[name]
                code = min(code + 1, 256)
            }
        }
    }

    /// `c [w w ...]` and `c c w` (ISO 32000-2 §9.7.4.3).
    private mutating func readWidths(
        ofCIDs font: PDFDictionary, _ document: PDFDocument
    ) throws(PDFError) {
        var pending: [Int] = []
        for entry in try document.value(font, "W").arrayValue ?? [] {
            guard take(1) else { return }
            let entry = try document.resolve(entry)
            if let list = entry.arrayValue, let first = pending.first {
                pending = []
                guard take(list.count) else { return }
                for (index, width) in list.enumerated() {
                    widths[first + index] = try document.resolve(width).numberValue.map {
                        $0 / 1000
                    }
                }
            } else if let number = entry.numberValue, number.magnitude < 1e6 {
                guard pending.count == 2 else {
                    pending.append(Int(number))
                    continue
                }
                let (first, last) = (pending[0], min(pending[1], 0xFFFF))
                pending = []
                guard first >= 0, first <= last else { continue }
                guard take(last - first + 1) else { return }
                for code in first...last { widths[code] = number / 1000 }
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
        var units = stride(from: 0, to: text.count - 1, by: 2).map { index in
            UInt16(text[index]) << 8 | UInt16(text[index + 1])
        }
        guard let base = units.last, take(last - first + 1) else { return }
        for code in first...last {
            units[units.count - 1] = base &+ UInt16(truncatingIfNeeded: code - first)
            texts[code] = String(decoding: units, as: UTF16.self)
        }
    }

    private static func code(_ bytes: [UInt8]) -> Int? {
        bytes.count <= 2 ? bytes.reduce(0) { $0 << 8 | Int($1) } : nil
    }
}
