package import Base
import CLoaded

/// A glyph with its position in a line, which is drawn from left to right. Lengths are in
/// thousandths of the font size.
package struct ShapedGlyph: Equatable, Sendable {
    package let glyph: Int
    /// Index of the first character that it represents.
    package let cluster: Int
    package let advance: Double
    package let xOffset: Double
    package let yOffset: Double
}

/// A TrueType or OpenType font. Only the required tables are read.
///
/// Not safe for use by several threads at once.
@safe package final class TextFont {
    /// The origin of the font, for messages.
    package let label: String
    package let metrics: FontMetrics
    let tables: FontTables
    let hb: CText_functions
    /// Owned, and freed in `deinit`. Both use the blobs, which must live longer.
    let face: OpaquePointer
    private let font: OpaquePointer
    private let blobs: TableBlobs
    private let horizontalMetricCount: Int

    /// - Parameters:
    ///   - label: A file name or similar, for messages.
    ///   - faceIndex: Index of the font in a collection.
    /// - Throws: ``TextError`` for a damaged font. Some damage is found later, as missing glyphs.
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
        horizontalMetricCount = Int(tables["hhea"].bigEndian16(at: 34))
        hb = engine.hb
        blobs = TableBlobs(tables, engine.hb)
        let face = unsafe hb.face_create_for_tables(
            { _, tag, context in
                guard let context = unsafe context else { return nil }
                return unsafe Unmanaged<TableBlobs>.fromOpaque(context).takeUnretainedValue()
                    .reference(tag)
            }, Unmanaged.passUnretained(blobs).toOpaque(), nil)
        // Without memory, HarfBuzz returns inert objects, which have no glyphs.
        guard let face = unsafe face, let font = unsafe hb.font_create(face) else {
            throw TextError(.damagedFont, "the font cannot be opened")
        }
        unsafe (self.face, self.font) = (face, font)
    }

    deinit {
        unsafe hb.font_destroy(font)
        unsafe hb.face_destroy(face)
    }

    package var isCFF: Bool { tables.has("CFF ") }

    /// The nominal glyph of a character; `nil` if the font has none.
    package func glyph(of scalar: Unicode.Scalar) -> Int? {
        var glyph: UInt32 = 0
        let isThere = unsafe hb.font_get_nominal_glyph(font, scalar.value, &glyph) != 0
        return isThere && glyph != 0 ? Int(glyph) : nil
    }

    /// A glyph without an outline and without a width. `nil` if the font has none, or has CFF
    /// outlines, whose glyphs cannot have several CIDs in a PDF.
    package private(set) lazy var emptyGlyph: Int? =
        isCFF
        ? nil
        : [
            "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{2060}", "\u{FEFF}",
            "\u{34F}",
        ].lazy.compactMap { self.glyph(of: $0) }
            .first { self.width(ofGlyph: $0) == 0 && self.isEmpty($0) }

    /// Whether a glyph of a TrueType font has no outline: its range in `loca` is empty.
    private func isEmpty(_ glyph: Int) -> Bool {
        let loca = tables["loca"]
        return tables["head"].bigEndian16(at: 50) == 0
            ? loca.bigEndian16(at: 2 * glyph) == loca.bigEndian16(at: 2 * glyph + 2)
            : loca.bigEndian32(at: 4 * glyph) == loca.bigEndian32(at: 4 * glyph + 4)
    }

    /// The advance width of a single glyph, in thousandths of the font size.
    package func width(ofGlyph glyph: Int) -> Double {
        guard horizontalMetricCount > 0 else { return 0 }
        let index = min(glyph, horizontalMetricCount - 1)
        return thousandths(Int32(tables["hmtx"].bigEndian16(at: 4 * index)))
    }

    /// The glyphs of a run of one script and direction, in drawing order.
    package func shape(
        _ text: [Unicode.Scalar], script: Script, isRightToLeft: Bool
    ) throws(TextError) -> [ShapedGlyph] {
        guard text.count <= TextLimits.runLength else {
            throw TextError(
                .limitExceeded,
                "\(text.count) characters in a row, at most \(TextLimits.runLength) are accepted")
        }
        let buffer = hb.buffer_create()
        defer { unsafe hb.buffer_destroy(buffer) }
        unsafe hb.buffer_set_cluster_level(buffer, CInt(CTEXT_CLUSTER_LEVEL_MONOTONE_CHARACTERS))
        unsafe hb.buffer_add_codepoints(
            buffer, text.map(\.value), CInt(text.count), 0, CInt(text.count))
        unsafe hb.buffer_set_direction(
            buffer, CInt(isRightToLeft ? CTEXT_DIRECTION_RTL : CTEXT_DIRECTION_LTR))
        unsafe hb.buffer_set_script(buffer, hb.script_from_iso15924_tag(script.tag))
        // Sets the language explicitly.
        unsafe hb.buffer_guess_segment_properties(buffer)
        unsafe hb.shape(font, buffer, nil, 0)
        var count: UInt32 = 0
        let infos = unsafe hb.buffer_get_glyph_infos(buffer, &count)
        let positions = unsafe hb.buffer_get_glyph_positions(buffer, &count)
        guard unsafe hb.buffer_allocation_successful(buffer) != 0,
            unsafe count == 0 || (infos != nil && positions != nil)
        else { throw TextError(.damagedFont, "the text cannot be set in the font \(label)") }
        return unsafe zip(
            UnsafeBufferPointer(start: infos, count: Int(count)),
            UnsafeBufferPointer(start: positions, count: Int(count))
        ).map { info, position in
            ShapedGlyph(
                glyph: Int(info.codepoint), cluster: min(Int(info.cluster), text.count - 1),
                advance: thousandths(position.x_advance), xOffset: thousandths(position.x_offset),
                yOffset: thousandths(position.y_offset))
        }
    }

    /// Whether the font permits embedding a subset (OS/2 fsType).
    package var permitsEmbedding: Bool {
        let type = tables["OS/2"].bigEndian16(at: 8)
        // Restricted without a more permissive bit, no subsetting, or bitmaps only.
        return type & 0x000F != 0x0002 && type & 0x0300 == 0
    }

    /// The PostScript name, reduced to letters, digits and hyphens.
    package var postScriptName: String {
        let name = tables["name"]
        let storage = Int(name.bigEndian16(at: 4))
        for index in 0..<min(Int(name.bigEndian16(at: 2)), 1024) {
            let record = 6 + 12 * index
            guard name.bigEndian16(at: record + 6) == 6 else { continue }
            let start = storage + Int(name.bigEndian16(at: record + 10))
            let end = start + Int(name.bigEndian16(at: record + 8))
            guard end <= name.count, end - start <= 126 else { continue }
            // Single-byte text, or UTF-16 text whose high bytes are zero.
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

/// The tables of a font that were read, for HarfBuzz.
@safe private final class TableBlobs {
    private let tables: FontTables
    private let hb: CText_functions
    /// Kept as long as the font. The subsetter of HarfBuzz 6.0 releases tables before it copies
    /// glyphs from them, which is harmless only for tables of one file in memory.
    private var known: [UInt32: OpaquePointer] = unsafe [:]

    init(_ tables: FontTables, _ hb: CText_functions) { (self.tables, self.hb) = (tables, hb) }

    deinit { unsafe known.values.forEach { unsafe hb.blob_destroy($0) } }

    func reference(_ tag: UInt32) -> OpaquePointer? {
        if let blob = unsafe known[tag] { return unsafe hb.blob_reference(blob) }
        let bytes = tables.bytes(tag)
        guard !bytes.isEmpty else { return nil }
        // HarfBuzz repairs small faults in its copy of a table and rejects other faults.
        let blob = unsafe bytes.withUnsafeBytes {
            unsafe hb.blob_create(
                $0.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32($0.count),
                CInt(CTEXT_MEMORY_MODE_DUPLICATE), nil, nil)
        }
        unsafe known[tag] = unsafe blob
        return unsafe hb.blob_reference(blob)
    }
}
