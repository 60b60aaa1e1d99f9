import PDFCore

/// Where the glyphs of an embedded TrueType font paint, by the codes of a font of a document.
final class GlyphOutlines {
    private let extents: GlyphExtents
    private let glyphs: (CompositeCodes.Code) -> Set<Int>
    private var known: [Int: GlyphExtents.Extent] = [:]

    /// Longest map of numbers to glyphs, in bytes: of all codes of two bytes.
    private static let mapByteLimit = 1 << 17

    /// Nil for fonts of other kinds, and such as cannot be read.
    init?(
        _ font: PDFDictionary, in document: PDFDocument, within budget: inout ShownFont.Budget
    ) throws(PDFError) {
        let part = try document.value(font, "DescendantFonts").arrayValue?.first
        let owner = try part.map { (entry) throws(PDFError) in
            try document.resolve(entry).dictionaryValue ?? PDFDictionary()
        }
        let descriptor = try document.value(owner ?? font, "FontDescriptor").dictionaryValue
        guard let file = try FontFile(of: descriptor, in: document), file.key == "FontFile2",
            let program = try file.program(in: document, within: &budget),
            let extents = program.extents
        else { return nil }
        self.extents = extents
        if let owner {
            glyphs = try Self.numbered(owner, in: document)
        } else {
            glyphs = try Self.coded(font, program, in: document)
        }
    }

    /// By the numbers of a composite font (ISO 32000-2 §9.7.4.2).
    private static func numbered(
        _ part: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> (CompositeCodes.Code) -> Set<Int> {
        guard let stream = try document.value(part, "CIDToGIDMap").streamValue else {
            return { $0.number.map { [$0] } ?? [] }
        }
        guard let bytes = try? document.decodedData(of: stream, upTo: mapByteLimit) else {
            return { _ in [] }
        }
        let map = FontBytes(bytes)
        return { code in
            code.number.flatMap { map.number(2 * $0, 2) }.map { [Int($0)] } ?? []
        }
    }

    /// By any of the ways in which readers find glyphs of a simple font (§9.6.5.4).
    private static func coded(
        _ font: PDFDictionary, _ program: FontProgram, in document: PDFDocument
    ) throws(PDFError) -> (CompositeCodes.Code) -> Set<Int> {
        guard let lists = program.trueType, !lists.hasOddMaps else { return { _ in [] } }
        let encoding = try document.value(font, "Encoding")
        var (names, base): ([Int: PDFName], PDFName?) = ([:], encoding.nameValue)
        if let values = encoding.dictionaryValue {
            base = try document.value(values, "BaseEncoding").nameValue
            var code = 0
            for entry in try document.value(values, "Differences").arrayValue?.prefix(1024) ?? [] {
                let entry = try document.resolve(entry)
                if let number = entry.integerValue { code = max(0, min(number, 256)) }
                guard let name = entry.nameValue else { continue }
                names[code] = name
                code = min(code + 1, 256)
            }
        }
        let scalars = (LatinEncoding(base?.description) ?? .standard).scalars
        return { code in
            var character = scalars[code.value]
            if let name = names[code.value] {
                guard let named = LatinEncoding.scalar(of: name.bytes) else { return [] }
                character = named
            }
            let byName =
                character == 0
                ? [] : lists.glyphs(ofCharacter: character, isRoman: true, isNamed: true)
            // What has a meaning and no glyph some readers find in another way.
            guard character == 0 || !byName.isEmpty || encoding == .null else { return [] }
            let byCode = lists.glyphs(ofCode: code.value, isRoman: true)
            let byPlace =
                encoding == .null
                ? lists.glyphs(ofCharacter: code.value, isRoman: true, isNamed: true) : []
            return byName.union(byCode).union(byPlace)
        }
    }

    func extent(of code: CompositeCodes.Code) -> GlyphExtents.Extent {
        let key = code.value << 3 | code.byteCount
        if let extent = known[key] { return extent }
        var found: GlyphExtents.Extent?
        for glyph in glyphs(code) {
            let other = extents.extent(of: glyph)
            switch (found, other) {
            case (nil, _): found = other
            case (.box(let box), .box(let more)):
                found = .box(box.union(more))
            case (.nothing, .box), (.box, .unknown), (.nothing, .unknown): found = other
            default: break
            }
        }
        known[key] = found ?? .unknown
        return found ?? .unknown
    }
}

/// A font of a page, and where its glyphs really paint where that was asked.
struct PaintedFont {
    private let font: ContentFont
    private var outlines: GlyphOutlines?
    /// Whether it was not looked at where they do, though that was asked.
    private var isTooLarge = false

    /// The font that readers take where a document has none.
    static var fallback: PaintedFont { PaintedFont(.fallback) }

    var drawings: ContentFont.Drawings? { font.drawings }
    var isVertical: Bool { font.isVertical }
    /// Whether all readers put its glyphs in the same places, as far as that was looked at.
    var isReadable: Bool { font.isReadable && !isTooLarge }

    init(_ font: ContentFont) { self.font = font }

    func glyphs(of bytes: [UInt8]) -> [ContentFont.Glyph] { font.glyphs(of: bytes, outlines) }

    mutating func readOutlines(
        of dictionary: PDFDictionary, in document: PDFDocument,
        within budget: inout ShownFont.Budget
    ) throws(PDFError) {
        guard font.drawings == nil else { return }
        outlines = try GlyphOutlines(dictionary, in: document, within: &budget)
        isTooLarge = outlines == nil && !budget.isEnough
    }
}
