package import Base
import CLoaded

/// A glyph with its place in a line that is drawn from left to right. Lengths in thousandths of
/// the font size.
package struct ShapedGlyph: Equatable, Sendable {
    package let glyph: Int
    /// Index of the first character that it stands for.
    package let cluster: Int
    package let advance: Double
    package let xOffset: Double
    package let yOffset: Double
}

/// A TrueType or OpenType font. Only the tables that are needed are read.
///
/// Not safe to use from two threads at once.
@safe package final class TextFont {
    /// Where it comes from, for messages.
    package let label: String
    package let metrics: FontMetrics
    let tables: FontTables
    let glyphCount: Int
    /// Owned, freed in `deinit`; refers to `tables`, which therefore live longer.
    let handle: OpaquePointer
    private let horizontalMetricCount: Int

    /// - Parameters:
    ///   - label: a file name or the like, for messages.
    ///   - faceIndex: which font of a collection.
    /// - Throws: what is wrong with the font. Damage may show later, as missing glyphs.
    package init(
        _ source: any ByteSource, label: String, faceIndex: Int = 0, engine: TextEngine
    ) throws(TextError) {
        let tables = try FontTables(source, faceIndex: faceIndex)
        guard !tables.has("CFF2") else {
            throw TextError(.unsupportedFont, "CFF2 outlines cannot go into a PDF")
        }
        guard tables.has("glyf") || tables.has("CFF ") else {
            throw TextError(.unsupportedFont, "the font has no outlines")
        }
        self.label = label
        self.tables = tables
        metrics = try FontMetrics(tables)
        glyphCount = Int(tables["maxp"].bigEndian16(at: 4))
        horizontalMetricCount = Int(tables["hhea"].bigEndian16(at: 34))
        guard
            let handle = unsafe CText_font_create(
                { context, tag, into, capacity in
                    guard let context = unsafe context else { return 0 }
                    let tables = unsafe Unmanaged<FontTables>.fromOpaque(context)
                        .takeUnretainedValue()
                    guard let into = unsafe into else { return tables.byteCount(tag) }
                    let bytes = tables.bytes(tag)
                    guard bytes.count <= capacity else { return 0 }
                    return unsafe UnsafeMutableBufferPointer(start: into, count: capacity).update(
                        fromContentsOf: bytes)
                }, Unmanaged.passUnretained(tables).toOpaque())
        else { throw TextError(.damagedFont, "the font cannot be opened") }
        unsafe self.handle = handle
    }

    deinit { unsafe CText_font_destroy(handle) }

    package var isCFF: Bool { tables.has("CFF ") }

    /// The glyph of a character by itself; nil when the font has none.
    package func glyph(of scalar: Unicode.Scalar) -> Int? {
        let glyph = unsafe CText_font_glyph(handle, scalar.value)
        return glyph == 0 ? nil : Int(glyph)
    }

    /// A glyph that draws nothing and takes no room; nil when the font has none, or when its
    /// outlines are CFF, where one glyph cannot have several identifiers in a PDF.
    package private(set) lazy var emptyGlyph: Int? =
        isCFF
        ? nil
        : [
            "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{2060}", "\u{FEFF}",
            "\u{34F}",
        ].lazy.compactMap { self.glyph(of: $0) }
            .first { self.width(ofGlyph: $0) == 0 && self.isEmpty($0) }

    /// Whether a glyph of a TrueType font has no outline: its place in `loca` has no length.
    private func isEmpty(_ glyph: Int) -> Bool {
        let loca = tables["loca"]
        return tables["head"].bigEndian16(at: 50) == 0
            ? loca.bigEndian16(at: 2 * glyph) == loca.bigEndian16(at: 2 * glyph + 2)
            : loca.bigEndian32(at: 4 * glyph) == loca.bigEndian32(at: 4 * glyph + 4)
    }

    /// The advance width of a glyph by itself, in thousandths of the font size.
    package func width(ofGlyph glyph: Int) -> Double {
        guard horizontalMetricCount > 0 else { return 0 }
        let index = min(glyph, horizontalMetricCount - 1)
        return thousandths(Int32(tables["hmtx"].bigEndian16(at: 4 * index)))
    }

    /// The glyphs of a run of one script and direction, in the order of drawing.
    package func shape(
        _ text: [Unicode.Scalar], script: Script, isRightToLeft: Bool
    ) throws(TextError) -> [ShapedGlyph] {
        guard text.count <= TextLimits.runLength else {
            throw TextError(
                .limitExceeded,
                "\(text.count) characters in a row, at most \(TextLimits.runLength) are accepted")
        }
        let characters = text.map(\.value)
        var shaped: UnsafeMutablePointer<CText_glyph>?
        let count = unsafe CText_shape(
            handle, characters, characters.count, script.tag, isRightToLeft ? 1 : 0, &shaped)
        defer { unsafe CText_free(shaped) }
        guard count >= 0, let glyphs = unsafe shaped else {
            throw TextError(.damagedFont, "the text cannot be set in the font \(label)")
        }
        return unsafe UnsafeBufferPointer(start: glyphs, count: count).map {
            ShapedGlyph(
                glyph: Int($0.glyph), cluster: min(Int($0.cluster), text.count - 1),
                advance: thousandths($0.advance), xOffset: thousandths($0.x_offset),
                yOffset: thousandths($0.y_offset))
        }
    }

    /// Whether the font's maker permits embedding a part of it (OS/2 fsType).
    package var permitsEmbedding: Bool {
        let type = tables["OS/2"].bigEndian16(at: 8)
        // Restricted with nothing more permissive beside it; no subsetting; bitmaps only.
        return type & 0x000F != 0x0002 && type & 0x0300 == 0
    }

    /// The PostScript name: letters, digits and hyphens.
    package var postScriptName: String {
        let name = tables["name"]
        let storage = Int(name.bigEndian16(at: 4))
        for index in 0..<min(Int(name.bigEndian16(at: 2)), 1024) {
            let record = 6 + 12 * index
            guard name.bigEndian16(at: record + 6) == 6 else { continue }
            let start = storage + Int(name.bigEndian16(at: record + 10))
            let end = start + Int(name.bigEndian16(at: record + 8))
            guard end <= name.count, end - start <= 126 else { continue }
            // Single bytes, or UTF-16 of which the high bytes are zero.
            let allowed = name[start..<end].filter {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                    || (0x61...0x7A).contains($0) || $0 == 0x2D
            }
            if !allowed.isEmpty { return String(decoding: allowed, as: UTF8.self) }
        }
        return "Font"
    }

    private func thousandths(_ units: Int32) -> Double {
        Double(units) * 1000 / Double(metrics.unitsPerEm)
    }
}
