import Base
import CLoaded

/// The part of a font that a PDF embeds (ISO 32000-2 §9.9).
package struct FontSubset: Sendable {
    /// A TrueType font file, or a bare CFF font program.
    package let program: [UInt8]
    package let isCFF: Bool
    /// CIDs by the glyph numbers of the full font.
    package let identifiers: [Int: Int]
    /// All CIDs in the program, ascending.
    package let presentIdentifiers: [Int]
}

extension TextFont {
    /// A font with `glyphs`, their components and `.notdef`, with new glyph numbers.
    package func subset(_ glyphs: Set<Int>) throws(TextError) -> FontSubset {
        let damage = TextError(.damagedFont, "the font \(label) cannot be made smaller")
        let wanted = glyphs.sorted().map { UInt32($0) }
        let (file, numbers) = try subsetFile(wanted, damage)
        let tables = try FontTables(MemorySource(file), faceIndex: 0)
        let newCount = Int(tables["maxp"].bigEndian16(at: 4))
        guard numbers.allSatisfy({ $0 < newCount }) else { throw damage }

        let identifierOfGlyph: [Int]
        let program: [UInt8]
        if isCFF {
            program = tables["CFF "]
            guard let charset = CFFCharset(program) else { throw damage }
            identifierOfGlyph = charset.identifiers ?? Array(0..<newCount)
            guard identifierOfGlyph.count >= newCount else { throw damage }
        } else {
            program = file
            identifierOfGlyph = Array(0..<newCount)
        }
        var identifiers: [Int: Int] = [:]
        for (old, new) in zip(wanted, numbers) {
            identifiers[Int(old)] = identifierOfGlyph[Int(new)]
        }
        return FontSubset(
            program: program, isCFF: isCFF, identifiers: identifiers,
            presentIdentifiers: identifierOfGlyph.sorted())
    }

    /// Tables that a font in a PDF does not need (ISO 32000-2 Table 125). Without the layout
    /// tables, the subset contains only the used glyphs, not their substitutes.
    private static let droppedTables: [StaticString] = [
        "BASE", "GDEF", "GPOS", "GSUB", "HVAR", "MVAR", "OS/2", "STAT", "VORG", "VVAR", "VDMX",
        "MATH", "COLR", "CPAL", "CBDT", "CBLC", "SVG ", "sbix", "avar", "cmap", "cvar", "fvar",
        "gasp", "gvar", "hdmx", "kern", "meta", "mort", "morx", "name", "post", "vhea", "vmtx",
        "DSIG", "LTSH", "PCLT",
    ]

    /// A font file of these glyphs, without hinting, and their new numbers.
    private func subsetFile(
        _ glyphs: [UInt32], _ damage: TextError
    ) throws(TextError) -> (file: [UInt8], numbers: [UInt32]) {
        guard let input = hb.subset_input_create_or_fail() else { throw damage }
        defer { unsafe hb.subset_input_destroy(input) }
        unsafe hb.subset_input_set_flags(input, UInt32(CTEXT_SUBSET_FLAGS_NO_HINTING))
        let wanted = unsafe hb.subset_input_glyph_set(input)
        for glyph in glyphs { unsafe hb.set_add(wanted, glyph) }
        let dropped = unsafe hb.subset_input_set(input, CInt(CTEXT_SUBSET_SETS_DROP_TABLE_TAG))
        for name in Self.droppedTables { unsafe hb.set_add(dropped, Script(name).tag) }
        guard let plan = unsafe hb.subset_plan_create_or_fail(face, input) else { throw damage }
        defer { unsafe hb.subset_plan_destroy(plan) }
        guard let made = unsafe hb.subset_plan_execute_or_fail(plan) else { throw damage }
        defer { unsafe hb.face_destroy(made) }
        let map = unsafe hb.subset_plan_old_to_new_glyph_mapping(plan)
        let numbers = glyphs.map { unsafe hb.map_get(map, $0) }
        let blob = unsafe hb.face_reference_blob(made)
        defer { unsafe hb.blob_destroy(blob) }
        var count: UInt32 = 0
        guard let data = unsafe hb.blob_get_data(blob, &count), count > 0 else { throw damage }
        return unsafe (Array(UnsafeRawBufferPointer(start: data, count: Int(count))), numbers)
    }
}
