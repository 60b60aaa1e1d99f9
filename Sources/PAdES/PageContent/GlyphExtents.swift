import PDFCore

/// How far the outlines of a TrueType font's glyphs go (Apple TrueType Reference Manual, chapter 6,
/// `glyf`): by their points, since readers draw these, whatever the box in front of them says.
final class GlyphExtents {
    /// Where a glyph paints, in units of the size.
    enum Extent: Equatable {
        case nothing
        case box(PDFRectangle)
        /// It cannot be told.
        case unknown
    }

    private let bytes: FontBytes
    private let tables: [UInt32: Range<Int>]
    private let places: GlyphPrograms
    private let unit: Double
    private let metricCount: Int
    private var known: [Int: Extent] = [:]
    /// How many points and parts may still be gone through: each takes a byte or more of honest fonts,
    /// and parts are shared.
    private var remaining: Int
    /// Whether something of the glyph was not gone through.
    private var isCut = false

    private static let nesting = 5
    private static let visitsPerByte = 4
    /// Flags of a point: it is on the curve, its numbers are of one byte, others follow like it, it is
    /// where the one before is, or goes up.
    private static let (shortX, shortY, repeats, sameX, sameY) = (2, 4, 8, 16, 32)
    /// Flags of a part: numbers of two bytes, which are distances; a scale, two, or four.
    private static let (words, distances, scale, scales, matrix, more) = (1, 2, 8, 64, 128, 32)

    init?(_ bytes: FontBytes, _ tables: [UInt32: Range<Int>]) {
        guard let places = GlyphPrograms(bytes, tables), let head = tables[FontTable.head],
            let unit = bytes.number(head.lowerBound + 18, 2), unit > 0
        else { return nil }
        (self.bytes, self.tables, self.places) = (bytes, tables, places)
        self.unit = Double(unit)
        remaining = Self.visitsPerByte * bytes.bytes.count
        metricCount =
            tables[FontTable.horizontalHeader].flatMap { bytes.number($0.lowerBound + 34, 2) }
            .map { Int($0) } ?? 0
    }

    func extent(of glyph: Int) -> Extent {
        if let extent = known[glyph] { return extent }
        let extent = measured(glyph)
        known[glyph] = extent
        return extent
    }

    private func measured(_ glyph: Int) -> Extent {
        guard let range = places.range(of: glyph) else { return .unknown }
        guard !range.isEmpty else { return .nothing }
        isCut = false
        let found = box(of: glyph, depth: 0)
        guard !isCut else { return .unknown }
        guard let box = found else { return .nothing }
        // Most readers move it to where the metrics say that it begins.
        let shift = shift(of: glyph, range)
        return .box(
            PDFRectangle(
                (box.left + min(0, shift)) / unit, box.bottom / unit,
                (box.right + max(0, shift)) / unit, box.top / unit))
    }

    private func shift(of glyph: Int, _ range: Range<Int>) -> Double {
        guard let table = tables[FontTable.metrics], let start = signed(range.lowerBound + 2) else {
            return 0
        }
        let place =
            glyph < metricCount ? 4 * glyph + 2 : 4 * metricCount + 2 * (glyph - metricCount)
        guard place + 2 <= table.count, let bearing = signed(table.lowerBound + place) else {
            return 0
        }
        return bearing - start
    }

    private func signed(_ place: Int) -> Double? {
        bytes.number(place, 2).map { Double(Int16(truncatingIfNeeded: $0)) }
    }

    /// Nil where nothing is drawn, or more than is gone through.
    private func box(of glyph: Int, depth: Int) -> PDFRectangle? {
        remaining -= 1
        guard remaining > 0, depth <= Self.nesting, let range = places.range(of: glyph) else {
            isCut = true
            return nil
        }
        guard !range.isEmpty else { return nil }
        guard let contours = signed(range.lowerBound) else {
            isCut = true
            return nil
        }
        return contours < 0
            ? boxOfParts(from: range.lowerBound + 10, depth: depth)
            : boxOfPoints(from: range.lowerBound + 10, contourCount: Int(contours))
    }

    private func boxOfPoints(from start: Int, contourCount: Int) -> PDFRectangle? {
        guard contourCount > 0 else { return nil }
        guard let last = bytes.number(start + 2 * contourCount - 2, 2),
            let length = bytes.number(start + 2 * contourCount, 2)
        else {
            isCut = true
            return nil
        }
        let count = Int(last) + 1
        remaining -= count
        guard remaining > 0 else {
            isCut = true
            return nil
        }
        var place = start + 2 * contourCount + 2 + Int(length)
        var flags: [Int] = []
        flags.reserveCapacity(count)
        while flags.count < count, let flag = bytes.number(place, 1).map({ Int($0) }) {
            place += 1
            flags.append(flag)
            guard flag & Self.repeats != 0, let more = bytes.number(place, 1) else { continue }
            place += 1
            flags += [Int](repeating: flag, count: min(Int(more), count - flags.count))
        }
        if flags.count < count { isCut = true }
        let x = range(flags, Self.shortX, Self.sameX, &place)
        let y = range(flags, Self.shortY, Self.sameY, &place)
        if place > bytes.bytes.count { isCut = true }
        guard let x, let y else { return nil }
        return PDFRectangle(x.lowerBound, y.lowerBound, x.upperBound, y.upperBound)
    }

    /// From the least to the greatest coordinate.
    private func range(
        _ flags: [Int], _ short: Int, _ same: Int, _ place: inout Int
    ) -> ClosedRange<Double>? {
        var value = 0
        var (least, most) = (Int.max, Int.min)
        for flag in flags {
            if flag & short != 0 {
                let step = Int(bytes.number(place, 1) ?? 0)
                value += flag & same != 0 ? step : -step
                place += 1
            } else if flag & same == 0 {
                value += Int(Int16(truncatingIfNeeded: bytes.number(place, 2) ?? 0))
                place += 2
            }
            (least, most) = (min(least, value), max(most, value))
        }
        return least <= most ? Double(least)...Double(most) : nil
    }

    private func boxOfParts(from start: Int, depth: Int) -> PDFRectangle? {
        var place = start
        var found: PDFRectangle?
        while let flags = bytes.number(place, 2).map({ Int($0) }),
            let glyph = bytes.number(place + 2, 2), remaining > 0
        {
            place += 4
            func offset() -> Double {
                defer { place += flags & Self.words != 0 ? 2 : 1 }
                guard flags & Self.words == 0 else { return signed(place) ?? 0 }
                return Double(Int8(truncatingIfNeeded: bytes.number(place, 1) ?? 0))
            }
            func factor() -> Double {
                defer { place += 2 }
                return (signed(place) ?? 0) / 16384
            }
            let (x, y) = (offset(), offset())
            var transform = Transform.identity
            if flags & Self.scale != 0 {
                transform.a = factor()
                transform.d = transform.a
            } else if flags & Self.scales != 0 {
                (transform.a, transform.d) = (factor(), factor())
            } else if flags & Self.matrix != 0 {
                (transform.a, transform.b) = (factor(), factor())
                (transform.c, transform.d) = (factor(), factor())
            }
            // Where points are put upon one another is not worked out.
            if flags & Self.distances != 0 {
                (transform.e, transform.f) = (x, y)
            } else {
                isCut = true
            }
            if let part = box(of: Int(glyph), depth: depth + 1) {
                let part = transform.applied(to: part)
                found = found?.union(part) ?? part
            }
            guard flags & Self.more != 0 else { return found }
        }
        isCut = true
        return found
    }
}
