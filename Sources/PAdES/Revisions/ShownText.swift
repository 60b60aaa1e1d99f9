import PDFCore

/// Plain text as a look shows it: which, where and on what ground.
struct ShownText {
    /// Where a glyph stands, in points from the corner of the field's box, how high it is, and in
    /// which colour.
    struct Glyph {
        let x, y, size: Float
        let ink: Ink
    }

    private(set) var glyphs: [Glyph] = []
    /// What a ground under the text covers, in parts of the box.
    private(set) var cover: PDFRectangle?

    /// The size of the text on the page, in points; nil where there is none.
    var size: Double? { glyphs.last.map { Double($0.size) } }

    /// Whether all is as large, and in one colour.
    var isEven: Bool {
        guard let first = glyphs.first else { return true }
        return glyphs.allSatisfy { $0.size == first.size && $0.ink.isLike(first.ink) }
    }

    mutating func add(_ x: Double, _ y: Double, size: Double, _ ink: Ink) {
        glyphs.append(Glyph(x: Float(x), y: Float(y), size: Float(size), ink: ink))
    }

    mutating func add(ground: PDFRectangle) { cover = cover?.union(ground) ?? ground }

    /// How two looks with the same words compare.
    enum Likeness: Int {
        /// As good as nothing moved.
        case same
        /// As other programs would draw it.
        case moved
        case other
    }

    /// How far glyphs may be apart, in points, that count as at the same place; and how far programs
    /// disagree about where the text of a field stands, which is told.
    private static let (leastMove, move): (Float, Float) = (0.5, 2)
    /// The same for words that follow one another, in parts of the size.
    private static let offset: Float = 0.2
    private static let sizes: ClosedRange<Float> = 0.85...1.18
    /// Glyphs of one line stand on one height, but for so many points, and one behind the other, but
    /// for so many times the size: words that stand further apart mean by their place.
    private static let (lineTolerance, widestGap): (Float, Float) = (0.5, 2)

    /// Compares each glyph with the same one of the other.
    func likeness(to other: ShownText) -> Likeness {
        guard glyphs.count == other.glyphs.count, Self.areAlike(cover, other.cover) else {
            return .other
        }
        var likeness = Likeness.same
        var start = 0
        for index in glyphs.indices {
            let (mine, others) = (glyphs[index], other.glyphs[index])
            // Larger text goes further, word by word.
            if index > 0, !follows(index) || !other.follows(index) { start = index }
            let (x, y) = (abs(mine.x - others.x), abs(mine.y - others.y))
            let isNear =
                x <= Self.move || start < index && offsetDiffers(index, start, other) <= Self.offset
            guard isNear, y <= Self.move, mine.ink.isLike(others.ink),
                Self.sizes.contains(mine.size / others.size)
            else {
                return .other
            }
            if max(x, y) > Self.leastMove { likeness = .moved }
        }
        return likeness
    }

    /// Whether all is in the same colour and, within limits, as large, wherever it stands.
    func isSet(like other: ShownText, sizes: ClosedRange<Float>) -> Bool {
        glyphs.count == other.glyphs.count
            && zip(glyphs, other.glyphs).allSatisfy { mine, others in
                mine.ink.isLike(others.ink) && sizes.contains(mine.size / others.size)
            }
    }

    /// Whether a glyph stands closely behind the one before.
    private func follows(_ index: Int) -> Bool {
        let (last, next) = (glyphs[index - 1], glyphs[index])
        return abs(last.y - next.y) <= Self.lineTolerance && next.x >= last.x
            && next.x - last.x <= Self.widestGap * last.size
    }

    /// By how much, in sizes of the text, a glyph is further from the start of its words.
    private func offsetDiffers(_ index: Int, _ start: Int, _ other: ShownText) -> Float {
        func offset(_ text: ShownText) -> Float {
            (text.glyphs[index].x - text.glyphs[start].x) / text.glyphs[index].size
        }
        return abs(offset(self) - offset(other))
    }

    static func areAlike(_ first: PDFRectangle?, _ second: PDFRectangle?) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        return first.contains(second) && second.contains(first)
    }
}

extension PDFRectangle {
    /// Measured in parts of a box that has an area.
    func inParts(of box: PDFRectangle) -> PDFRectangle {
        PDFRectangle(
            (left - box.left) / box.width, (bottom - box.bottom) / box.height,
            (right - box.left) / box.width, (top - box.bottom) / box.height)
    }

    /// Whether it takes in another one, but for so much at each side.
    func contains(_ other: PDFRectangle, but slack: Double) -> Bool {
        other.left >= left - slack && other.right <= right + slack
            && other.bottom >= bottom - slack && other.top <= top + slack
    }

    /// Whether it takes in another one, both measured in parts of a box.
    func contains(_ other: PDFRectangle) -> Bool {
        let slack = 0.02
        return other.left >= left - slack && other.right <= right + slack
            && other.bottom >= bottom - slack && other.top <= top + slack
    }
}
