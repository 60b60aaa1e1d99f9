/// Whether the instructions of a TrueType font's glyphs put points to places of their own (Apple TrueType
/// Reference Manual, chapter 5): readers that follow instructions show another glyph than the outline,
/// others the outline.
struct GlyphPrograms {
    private let bytes: FontBytes
    private let glyphs: Range<Int>
    private let locations: Range<Int>
    /// 0 for places of two bytes, 1 for such of four.
    private let format: Int
    private var hasLongLocations: Bool { format != 0 }
    /// How many glyphs the font says to have.
    private let glyphCount: Int?

    /// Sets a coordinate, and the distance from another point.
    private static let (setCoordinate, setDistance) = (0x48, 0x3A...0x3B)
    /// How many of both honest glyphs have not, and for which part of their points.
    private static let (leastCount, leastShare) = (4, 2)
    private static let glyphLimit = 1 << 16

    init?(_ bytes: FontBytes, _ tables: [UInt32: Range<Int>]) {
        guard let head = tables[FontTable.head], let locations = tables[FontTable.location],
            let glyphs = tables[FontTable.glyphs],
            let format = bytes.number(head.lowerBound + 50, 2)
        else { return nil }
        (self.bytes, self.glyphs, self.locations) = (bytes, glyphs, locations)
        self.format = Int(format)
        glyphCount = tables[FontTable.profile].flatMap { bytes.number($0.lowerBound + 4, 2) }.map {
            Int($0)
        }
    }

    /// Whether each glyph begins where the one before ends, for as many as the font says to have: where
    /// not, some readers draw nothing, others what is there.
    var isInOrder: Bool {
        guard format <= 1 else { return false }
        let size = hasLongLocations ? 4 : 2
        let last = glyphCount ?? min(locations.count / size, Self.glyphLimit) - 1
        guard last >= 0, last < locations.count / size else { return false }
        var before = 0
        for index in 0...last {
            let next = offset(index)
            guard next >= before else { return false }
            before = next
        }
        return before <= glyphs.count + FontTable.padding
    }

    /// Whether a glyph has no outline.
    func isBlank(_ glyph: Int) -> Bool {
        let size = hasLongLocations ? 4 : 2
        guard glyph >= 0, glyph + 1 < locations.count / size else { return true }
        return offset(glyph) == offset(glyph + 1)
    }

    var movesPoints: Bool {
        let size = hasLongLocations ? 4 : 2
        let count = min(locations.count / size, Self.glyphLimit)
        var start = place(0)
        for index in 1..<max(1, count) {
            let end = place(index)
            if end > start, movesPoints(start..<end) { return true }
            start = end
        }
        return false
    }

    /// Where a glyph is; nil for none.
    func range(of glyph: Int) -> Range<Int>? {
        guard glyph >= 0, glyph + 1 < locations.count / (hasLongLocations ? 4 : 2) else {
            return nil
        }
        let start = place(glyph)
        return start..<max(start, place(glyph + 1))
    }

    private func place(_ index: Int) -> Int {
        glyphs.lowerBound + min(offset(index), glyphs.count)
    }

    private func offset(_ index: Int) -> Int {
        let number =
            hasLongLocations
            ? bytes.number(locations.lowerBound + 4 * index, 4)
            : bytes.number(locations.lowerBound + 2 * index, 2).map { 2 * $0 }
        return Int(number ?? 0)
    }

    private func movesPoints(_ glyph: Range<Int>) -> Bool {
        guard let contours = bytes.number(glyph.lowerBound, 2), contours > 0, contours < 0x8000,
            let last = bytes.number(glyph.lowerBound + 8 + 2 * Int(contours), 2),
            let length = bytes.number(glyph.lowerBound + 10 + 2 * Int(contours), 2)
        else { return false }
        let start = glyph.lowerBound + 12 + 2 * Int(contours)
        let end = min(start + Int(length), glyph.upperBound, bytes.bytes.count)
        guard start < end else { return false }
        return movesPoints(bytes.bytes[start..<end], pointCount: Int(last) + 1)
    }

    private func movesPoints(_ program: ArraySlice<UInt8>, pointCount: Int) -> Bool {
        var position = program.startIndex
        var count = 0
        while position < program.endIndex {
            let code = Int(program[position])
            position += 1
            switch code {
            case Self.setCoordinate: count += 1
            case Self.setDistance: count += 1
            // What is pushed: bytes or words, as many as the next byte says, or as the code says.
            case 0x40 where position < program.endIndex: position += 1 + Int(program[position])
            case 0x41 where position < program.endIndex:
                position += 1 + 2 * Int(program[position])
            case 0xB0...0xB7: position += code - 0xB0 + 1
            case 0xB8...0xBF: position += 2 * (code - 0xB8 + 1)
            default: break
            }
        }
        return count >= Self.leastCount && count * Self.leastShare >= pointCount
    }
}
