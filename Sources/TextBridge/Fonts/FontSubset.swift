import Base
import CLoaded

/// The part of a font that a PDF embeds (ISO 32000-2 §9.9).
package struct FontSubset: Sendable {
    /// A TrueType font file, or a bare CFF font program.
    package let program: [UInt8]
    package let isCFF: Bool
    /// Character identifiers of the glyphs by their numbers in the whole font.
    package let identifiers: [Int: Int]
    /// All identifiers in the program, ascending.
    package let presentIdentifiers: [Int]
}

extension TextFont {
    /// A font of `glyphs`, those that they are composed of, and `.notdef`, renumbered.
    package func subset(_ glyphs: Set<Int>) throws(TextError) -> FontSubset {
        let damage = TextError(.damagedFont, "the font \(label) cannot be made smaller")
        let wanted = glyphs.sorted().map { UInt32($0) }
        var numbers = [UInt32](repeating: 0, count: wanted.count)
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = unsafe CText_subset(handle, wanted, wanted.count, &numbers, &bytes)
        defer { unsafe CText_free(bytes) }
        guard count > 0, let start = unsafe bytes else { throw damage }
        let file = unsafe Array(UnsafeBufferPointer(start: start, count: count))
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
}
