/// The character identifiers (CIDs) of a CFF font program's glyphs (Adobe Technical Note 5176 §13,
/// §18).
///
/// A PDF viewer finds a glyph of a CID-keyed program by its CID in the charset. In any other
/// program, it finds the glyph by its number (ISO 32000-2 §9.7.4.2).
struct CFFCharset {
    /// CIDs by glyph; `nil` if the program is not CID-keyed.
    let identifiers: [Int]?

    /// Returns `nil` for a damaged program.
    init?(_ program: [UInt8]) {
        guard program.count > 4, let names = Self.index(program, at: Int(program[2])),
            let tops = Self.index(program, at: names.end), let top = tops.first
        else { return nil }
        let operators = Self.operators(program[top])
        // The operator ROS (12 30) marks CID-keyed fonts.
        guard operators[0x0C1E] != nil else {
            identifiers = nil
            return
        }
        guard let glyphOffset = operators[17], let charset = operators[15],
            let glyphs = Self.index(program, at: glyphOffset), charset > 2, charset < program.count
        else { return nil }
        var found = [0]
        var offset = charset + 1
        let format = program[charset]
        while found.count < glyphs.count {
            let step = format == 0 ? 2 : format == 1 ? 3 : 4
            guard format <= 2, offset + step <= program.count else { return nil }
            let first = Int(program.bigEndian16(at: offset))
            let more =
                switch format {
                case 0: 0
                case 1: Int(program[offset + 2])
                default: Int(program.bigEndian16(at: offset + 2))
                }
            found += first...(first + min(more, glyphs.count - found.count - 1))
            offset += step
        }
        identifiers = found
    }

    /// An INDEX: its number of objects, the range of the first one, and the end of the structure.
    private static func index(
        _ program: [UInt8], at start: Int
    ) -> (count: Int, first: Range<Int>?, end: Int)? {
        guard start >= 0, start + 2 <= program.count else { return nil }
        let count = Int(program.bigEndian16(at: start))
        guard count > 0 else { return (0, nil, start + 2) }
        guard start + 3 <= program.count else { return nil }
        let size = Int(program[start + 2])
        let offsets = start + 3
        let base = offsets + size * (count + 1) - 1
        guard (1...4).contains(size), base < program.count else { return nil }
        func offset(_ index: Int) -> Int {
            program[(offsets + size * index)..<(offsets + size * (index + 1))]
                .reduce(0) { $0 << 8 | Int($1) }
        }
        let (first, second, end) = (base + offset(0), base + offset(1), base + offset(count))
        guard first <= second, second <= end, end <= program.count else { return nil }
        return (count, first..<second, end)
    }

    /// The last operand of each operator of a DICT. The key of a two-byte operator is 0x0C00 plus
    /// its second byte.
    private static func operators(_ dictionary: ArraySlice<UInt8>) -> [Int: Int] {
        var result: [Int: Int] = [:]
        var operand = 0
        var rest = dictionary
        func next() -> Int { rest.popFirst().map(Int.init) ?? 0 }
        while let byte = rest.popFirst().map(Int.init) {
            switch byte {
            case 12: result[0x0C00 | next()] = operand
            case 0...21: result[byte] = operand
            case 28: operand = Int(Int16(truncatingIfNeeded: next() << 8 | next()))
            case 29:
                operand = Int(
                    Int32(truncatingIfNeeded: next() << 24 | next() << 16 | next() << 8 | next()))
            case 30: while let part = rest.popFirst(), part & 0x0F != 0x0F, part >> 4 != 0x0F {}
            case 32...246: operand = byte - 139
            case 247...250: operand = (byte - 247) * 256 + next() + 108
            case 251...254: operand = -(byte - 251) * 256 - next() - 108
            default: break
            }
        }
        return result
    }
}
