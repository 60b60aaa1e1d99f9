import Base

/// Metrics of a font for its font descriptor (ISO 32000-2 §9.8), in thousandths of the font size.
package struct FontMetrics: Equatable, Sendable {
    package let unitsPerEm: Int
    package let ascent: Int
    /// Depth below the baseline, as a negative number.
    package let descent: Int
    package let capHeight: Int
    /// Left, bottom, right and top of a box that contains all glyphs.
    package let boundingBox: [Int]
    /// In degrees, counterclockwise from vertical: negative for a font that slants to the right.
    package let italicAngle: Double
    /// 400 for regular, 700 for bold.
    package let weight: Int
    package let isFixedPitch: Bool

    init(_ tables: FontTables) throws(TextError) {
        let (head, hhea) = (tables["head"], tables["hhea"])
        let (os2, post) = (tables["OS/2"], tables["post"])
        let units = Int(head.bigEndian16(at: 18))
        // ISO/IEC 14496-22 permits 16 to 16384.
        guard head.count >= 54, hhea.count >= 36, (16...16384).contains(units) else {
            throw TextError(.damagedFont, "the font lacks its measures")
        }
        func thousandths(_ value: Int) -> Int {
            Int((Double(value) * 1000 / Double(units)).rounded())
        }
        unitsPerEm = units
        var (top, bottom) = (hhea.signed16(at: 4), hhea.signed16(at: 6))
        if top == 0, bottom == 0 { (top, bottom) = (os2.signed16(at: 68), os2.signed16(at: 70)) }
        ascent = thousandths(top)
        descent = thousandths(bottom)
        let capitals = os2.bigEndian16(at: 0) >= 2 ? os2.signed16(at: 88) : 0
        capHeight = capitals > 0 ? thousandths(capitals) : thousandths(top * 3 / 4)
        boundingBox = [36, 38, 40, 42].map { thousandths(head.signed16(at: $0)) }
        italicAngle = Double(Int32(bitPattern: post.bigEndian32(at: 4))) / 65536
        let stated = Int(os2.bigEndian16(at: 4))
        weight =
            (1...1000).contains(stated) ? stated : head.bigEndian16(at: 44) & 1 == 1 ? 700 : 400
        isFixedPitch = post.bigEndian32(at: 12) != 0
    }
}
