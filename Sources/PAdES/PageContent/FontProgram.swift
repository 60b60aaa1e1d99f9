/// Whether the data of an embedded font are a font (ISO 32000-2 §9.9): where they are not, each reader
/// takes one of its own, as if there were none.
struct FontProgram {
    private let bytes: [UInt8]

    /// `%!`, and the two bytes with which a part of a PFB file begins.
    private static let type1Beginnings: [[UInt8]] = [[0x25, 0x21], [0x80, 0x01]]
    private static let eexec = Array("eexec".utf8)
    /// `glyf`, `CFF `, `CFF2`.
    private static let outlines: Set<UInt32> = [0x676C_7966, 0x4346_4620, 0x4346_4632]
    private static let directoryEntryByteCount = 16
    /// Tables that no reader does without: `head`, and what outlines need.
    private static let needed: Set<UInt32> = [0x6865_6164, 0x6D61_7870]
    private static let location: UInt32 = 0x6C6F_6361
    private static let glyphs: UInt32 = 0x676C_7966
    /// Tables end at multiples of four bytes; the last one need not.
    private static let padding = 3

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isFont: Bool {
        if Self.type1Beginnings.contains(where: { bytes.starts(with: $0) }) { return isType1 }
        switch number(0, 4) {
        // TrueType, `true`, `OTTO`, `typ1`.
        case 0x0001_0000, 0x7472_7565, 0x4F54_544F, 0x7479_7031: return hasWholeTables
        // A collection, whose directories are elsewhere.
        case 0x7474_6366: return true
        default: return isCompact
        }
    }

    private func number(_ position: Int, _ count: Int) -> UInt32? {
        guard position >= 0, position <= bytes.count - count else { return nil }
        return bytes[position..<(position + count)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The outlines follow `eexec`.
    private var isType1: Bool {
        guard let found = bytes.firstRange(of: Self.eexec) else { return false }
        return bytes.count - found.upperBound > Self.eexec.count
    }

    private var hasWholeTables: Bool {
        guard let count = number(4, 2) else { return false }
        var found: [UInt32: Int] = [:]
        for index in 0..<Int(count) {
            let entry = 12 + index * Self.directoryEntryByteCount
            guard let tag = number(entry, 4), let offset = number(entry + 8, 4),
                let length = number(entry + 12, 4)
            else { return false }
            let isEssential =
                Self.outlines.contains(tag) || Self.needed.contains(tag) || tag == Self.location
            guard !isEssential || Int(offset) + Int(length) <= bytes.count + Self.padding else {
                return false
            }
            found[tag] = Int(length)
        }
        let hasLocations = found[Self.glyphs] == nil || found[Self.location] != nil
        // What is in a CFF table alone some programs embed.
        let isWhole = Self.needed.allSatisfy { found[$0] ?? 0 > 0 } || found[0x4346_4620] != nil
        return hasLocations && isWhole && !Self.outlines.isDisjoint(with: found.keys)
    }

    // MARK: Compact Font Format

    /// A header, and the four lists behind it, each where the one before ends.
    private var isCompact: Bool {
        guard number(0, 1) == 1, let headerCount = number(2, 1), headerCount >= 4,
            let names = list(at: Int(headerCount)), names.count > 0,
            let dictionaries = list(at: names.end), dictionaries.count > 0,
            let strings = list(at: dictionaries.end), list(at: strings.end) != nil,
            let glyphs = glyphsOffset(in: dictionaries.first), let found = list(at: glyphs)
        else { return false }
        return found.count > 0
    }

    private func list(at start: Int) -> (count: Int, first: Range<Int>, end: Int)? {
        guard let count = number(start, 2) else { return nil }
        guard count > 0 else { return (0, start..<start, start + 2) }
        guard let size = number(start + 2, 1), (1...4).contains(size) else { return nil }
        let base = start + 2 + (Int(count) + 1) * Int(size)
        guard number(start + 3, Int(size)) == 1,
            let second = number(start + 3 + Int(size), Int(size)),
            let last = number(start + 3 + Int(count) * Int(size), Int(size)), second >= 1,
            last >= second, base + Int(last) <= bytes.count
        else { return nil }
        return (Int(count), (base + 1)..<(base + Int(second)), base + Int(last))
    }

    /// The operand of the operator 17 in a top dictionary.
    private func glyphsOffset(in range: Range<Int>) -> Int? {
        var position = range.lowerBound
        var operand: Int?
        while position < range.upperBound {
            let byte = Int(bytes[position])
            position += 1
            switch byte {
            case 17: return operand
            case 12: position += 1
            case 0...21: operand = nil
            case 28:
                operand = number(position, 2).map { Int(Int16(truncatingIfNeeded: $0)) }
                position += 2
            case 29:
                operand = number(position, 4).map { Int(Int32(truncatingIfNeeded: $0)) }
                position += 4
            case 30:
                // A real number, to the first nibble that is 15.
                while position < range.upperBound, bytes[position] & 15 != 15,
                    bytes[position] >> 4 != 15
                {
                    position += 1
                }
                position += 1
            case 32...246: operand = byte - 139
            case 247...250:
                operand = number(position, 1).map { (byte - 247) * 256 + Int($0) + 108 }
                position += 1
            case 251...254:
                operand = number(position, 1).map { -(byte - 251) * 256 - Int($0) - 108 }
                position += 1
            default: break
            }
        }
        return nil
    }
}
