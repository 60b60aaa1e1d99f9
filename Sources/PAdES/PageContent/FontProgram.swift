/// Whether the data of an embedded font are a font (ISO 32000-2 §9.9): where they are not, each reader
/// takes one of its own, as if there were none. And which glyphs it has by which names.
struct FontProgram {
    private let bytes: FontBytes

    /// `%!`, and the two bytes with which a part of a PFB file begins.
    private static let type1Beginnings: [[UInt8]] = [[0x25, 0x21], [0x80, 0x01]]
    private static let outlines: Set<UInt32> = [
        FontTable.glyphs, FontTable.compact, FontTable.compact2,
    ]
    /// Tables that no reader does without, besides what outlines need.
    private static let needed: Set<UInt32> = [
        FontTable.head, FontTable.profile, FontTable.horizontalHeader, FontTable.metrics,
    ]

    /// Whether all of it is there.
    private let isWhole: Bool

    /// Tables that say which glyphs codes have.
    private static let lists = [FontTable.map, FontTable.post]

    init(_ bytes: [UInt8], isWhole: Bool = true) {
        (self.bytes, self.isWhole) = (FontBytes(bytes), isWhole)
    }

    var isFont: Bool {
        if isType1 { return Type1Glyphs(bytes.bytes).hasOutlines }
        switch bytes.number(0, 4) {
        // TrueType, `true`, `OTTO`, `typ1`.
        case 0x0001_0000, 0x7472_7565, 0x4F54_544F, 0x7479_7031: return hasWholeTables
        // A collection, whose directories are elsewhere.
        case 0x7474_6366: return true
        default: return CompactFont(bytes) != nil
        }
    }

    /// Of a font that finds its glyphs by name alone, these names, and those of codes in an encoding of
    /// its own, as far as that can be read. Nil for other fonts, and where they cannot be read.
    var named: (names: Set<[UInt8]>, encoding: [Int: [UInt8]]?)? {
        guard isWhole else { return nil }
        if isType1 {
            let font = Type1Glyphs(bytes.bytes)
            return font.names.map { ($0, font.encoding) }
        }
        guard let font = compactFont, let names = font.names else { return nil }
        // Of two glyphs of a name some readers take the first one, others the last.
        let single = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +).filter { $0.value == 1 }
        return (Set(single.keys), font.encoding(names))
    }

    /// Whether its glyphs have names, and no numbers by which composite fonts find them.
    var isCompactWithNames: Bool { compactFont?.hasNames == true }

    /// Whether its glyphs have numbers that are not their places: where it stands in tables, or is
    /// said to be a TrueType font, some readers go by these, others by those.
    ///
    /// - Parameter isTrueType: whether the document says that it is one.
    func hasOtherNumbers(isTrueType: Bool) -> Bool {
        guard isTrueType || tables != nil, let font = compactFont, !font.hasNames else {
            return false
        }
        return !font.isInOrder
    }

    /// What in its lists leads readers to different glyphs, in words; nil for nothing.
    var doubt: String? {
        guard !isType1 else { return nil }
        guard let directory else { return isWhole ? compactFont?.doubt : nil }
        if hasDoubleTables(directory) { return "it has a table twice, or several in one place" }
        if hasDoubleOutlines { return "it has its glyphs in two forms" }
        if let tables, let programs = GlyphPrograms(bytes, tables), isWhole, !programs.isInOrder {
            return "the places of its glyphs are not in order"
        }
        return isWhole ? compactFont?.doubt : nil
    }

    /// Whether readers find different bytes for a table, or the same for two.
    private func hasDoubleTables(_ directory: [(tag: UInt32, range: Range<Int>)]) -> Bool {
        let judged = Self.needed.union(Self.outlines).union(Self.lists).union([FontTable.location])
        let parts = directory.filter { judged.contains($0.tag) }
            .sorted { ($0.range.lowerBound, $0.tag) < ($1.range.lowerBound, $1.tag) }
        var known: [UInt32: Range<Int>] = [:]
        var end = 0
        for part in parts {
            if let other = known.updateValue(part.range, forKey: part.tag) {
                if other != part.range { return true }
                continue
            }
            if part.range.lowerBound < end, !part.range.isEmpty { return true }
            end = max(end, part.range.upperBound)
        }
        return false
    }

    private var compactFont: CompactFont? {
        guard let table = tables?[FontTable.compact] else { return CompactFont(bytes) }
        return CompactFont(FontBytes(bytes.part(table)))
    }

    /// The outlines and lists of a TrueType font; nil for other fonts.
    var trueType: TrueTypeGlyphs? {
        guard !isType1, let tables, tables[FontTable.glyphs] != nil,
            isWhole
                || Self.lists.allSatisfy({ tables[$0]?.upperBound ?? 0 <= bytes.bytes.count })
        else { return nil }
        return TrueTypeGlyphs(bytes, tables)
    }

    /// How far the outlines of a TrueType font go; nil for other fonts.
    var extents: GlyphExtents? {
        guard !isType1, isWhole, let tables, !hasDoubleOutlines else { return nil }
        return GlyphExtents(bytes, tables)
    }

    /// Whether some readers take the outlines of TrueType, and others those of CFF.
    private var hasDoubleOutlines: Bool {
        directory.map { $0.count { Self.outlines.contains($0.tag) } > 1 } ?? false
    }

    /// Whether instructions, which only some readers follow, put points of glyphs to other places.
    var movesPoints: Bool {
        guard !isType1, let tables else { return false }
        return GlyphPrograms(bytes, tables)?.movesPoints == true
    }

    private var isType1: Bool {
        Self.type1Beginnings.contains { bytes.bytes.starts(with: $0) }
    }

    /// Where the tables are, by their tags; nil for what is no list of tables.
    private var tables: [UInt32: Range<Int>]? {
        directory.map { Dictionary($0.map { ($0.tag, $0.range) }, uniquingKeysWith: { $1 }) }
    }

    private var directory: [(tag: UInt32, range: Range<Int>)]? {
        guard let first = bytes.number(0, 4),
            [0x0001_0000, 0x7472_7565, 0x4F54_544F, 0x7479_7031].contains(first),
            let count = bytes.number(4, 2)
        else { return nil }
        var found: [(tag: UInt32, range: Range<Int>)] = []
        for index in 0..<Int(count) {
            let entry = 12 + index * 16
            guard let tag = bytes.number(entry, 4), let offset = bytes.number(entry + 8, 4),
                let length = bytes.number(entry + 12, 4)
            else { return nil }
            let end = Int(offset) + Int(length)
            // What is not there has no bytes.
            found.append((tag, Int(offset)..<end))
        }
        return found
    }

    private var hasWholeTables: Bool {
        guard let tables else { return false }
        let essential = Self.outlines.union(Self.needed).union([FontTable.location])
        guard
            tables.allSatisfy({
                !essential.contains($0.key)
                    || $0.value.upperBound <= bytes.bytes.count + FontTable.padding
            })
        else { return false }
        let hasLocations = tables[FontTable.glyphs] == nil || tables[FontTable.location] != nil
        // What is in a CFF table alone some programs embed.
        let isWhole =
            Self.needed.allSatisfy { tables[$0]?.isEmpty == false }
            || tables[FontTable.compact] != nil
        return hasLocations && isWhole && !Self.outlines.isDisjoint(with: tables.keys)
    }
}

/// Names of tables as numbers.
enum FontTable {
    /// `glyf`, `CFF `, `CFF2`.
    static let (glyphs, compact, compact2) = (
        UInt32(0x676C_7966), UInt32(0x4346_4620), UInt32(0x4346_4632)
    )
    /// `head`, `maxp`, `hhea`, `hmtx`.
    static let (head, profile) = (UInt32(0x6865_6164), UInt32(0x6D61_7870))
    static let (horizontalHeader, metrics) = (UInt32(0x6868_6561), UInt32(0x686D_7478))
    /// `loca`, `cmap`, `post`.
    static let location: UInt32 = 0x6C6F_6361
    static let (map, post) = (UInt32(0x636D_6170), UInt32(0x706F_7374))
    /// Tables end at multiples of four bytes; the last one need not.
    static let padding = 3
}

/// Bytes with big-endian numbers.
struct FontBytes {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func number(_ position: Int, _ count: Int) -> UInt32? {
        guard position >= 0, position <= bytes.count - count else { return nil }
        return bytes[position..<(position + count)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// What there is of a part.
    func part(_ range: Range<Int>) -> [UInt8] { Array(bytes[range.clamped(to: bytes.indices)]) }
}

/// For the fuzzer: what is embedded in documents is read from bytes that are anything.
package enum EmbeddedDataFuzzing {
    package static func run(_ bytes: [UInt8]) {
        let program = FontProgram(bytes)
        _ = program.isFont
        _ = program.named
        _ = program.trueType
        _ = program.movesPoints
        if let extents = program.extents {
            for glyph in 0..<256 { _ = extents.extent(of: glyph) }
        }
        _ = program.doubt
        _ = program.hasOtherNumbers(isTrueType: true)
    }
}
