import PDFCore

/// A part of a path: the box around it, and what it is made of.
struct ContentSubpath {
    var area: PDFRectangle
    var corners = 1
    /// How many of them lie where it is asked what is there.
    var cornersInside = 0
    /// How many of its sides go neither upright nor across.
    private(set) var slants = 0
    var isCurved = false
    /// What of it lies where it is asked what is there, whatever the rest does.
    var sides = CoveredSides()
    /// The boxes around its sides, where somebody asks what they leave free.
    private(set) var segments: [PDFRectangle] = []
    private let start: Point
    private(set) var last: Point

    typealias Point = (x: Double, y: Double)

    /// From where on a side is slanted, in points.
    static let slant = 1.0

    init(_ point: Point) {
        area = PDFRectangle(point.x, point.y, point.x, point.y)
        (start, last) = (point, point)
    }

    /// - Parameter points: where the side that comes next leads.
    mutating func noteSegment(_ points: [Point]) {
        let (x, y) = (points.map(\.x) + [last.x], points.map(\.y) + [last.y])
        segments.append(
            PDFRectangle(x.min() ?? 0, y.min() ?? 0, x.max() ?? 0, y.max() ?? 0))
    }

    mutating func add(_ point: Point) {
        area = PDFRectangle(
            min(area.left, point.x), min(area.bottom, point.y), max(area.right, point.x),
            max(area.top, point.y))
        if min((point.x - last.x).magnitude, (point.y - last.y).magnitude) > Self.slant {
            slants += 1
        }
        last = point
    }

    /// - Returns: the side that it adds; none where it was closed.
    mutating func close() -> [Point] {
        guard last != start else { return [] }
        defer { add(start) }
        return [last, start]
    }

    /// Whether it goes from one place to another one, and nowhere else.
    var isStraight: Bool {
        !isCurved && corners <= CoveredContent.cornerLimit
            && min(area.width, area.height) <= CoveredContent.lineThickness
    }
}

/// The sides of paths most of which lie in a box, each side by itself: where a path goes on
/// elsewhere, its sides in the box may be letters.
struct CoveredSides {
    /// Where short lines are, upright and level.
    private(set) var lines: Set<CoveredContent.Line> = []
    /// Slanted lines; a large one counts twice.
    private(set) var slantCount = 0
    /// Curves; one in the middle of the box counts twice.
    private(set) var curveCount = 0

    var count: Int { lines.count + slantCount + curveCount }
    /// Whether they are more than frames and lines to write on.
    var isDrawing: Bool {
        lines.count > CoveredContent.lineLimit || slantCount >= CoveredContent.slantLimit
            || curveCount > CoveredContent.lineLimit
    }

    /// Most lines that are kept: more are a drawing in any case.
    private static let lineLimit = 64
    /// The part of the box around its middle where corners of a frame are not.
    private static let middleShare = 0.5

    mutating func formUnion(_ other: CoveredSides) {
        if lines.count < Self.lineLimit { lines.formUnion(other.lines) }
        slantCount += other.slantCount
        curveCount += other.curveCount
    }

    /// - Parameters:
    ///   - points: the ends of a line, or of a curve with its control points.
    ///   - clip: what is seen at all; nil for everything.
    mutating func take(
        _ points: [ContentSubpath.Point], in box: PDFRectangle, _ clip: PDFRectangle?
    ) {
        guard let first = points.first, let last = points.last,
            points.contains(where: { $0.x > box.left }),
            points.contains(where: { $0.x < box.right }),
            points.contains(where: { $0.y > box.bottom }),
            points.contains(where: { $0.y < box.top })
        else { return }
        guard points.count == 2 else { return takeCurve(points, in: box, clip) }
        let seen = clip.map { Self.part(of: first, last, in: $0) } ?? 0...1
        guard let seen, seen.length > 0,
            let inside = Self.part(of: first, last, in: box)?.clamped(to: seen),
            inside.length >= CoveredContent.share * seen.length
        else { return }
        let (x, y) = ((last.x - first.x) * inside.length, (last.y - first.y) * inside.length)
        let isWide = x.magnitude >= CoveredContent.frameShare * box.width
        let isHigh = y.magnitude >= CoveredContent.frameShare * box.height
        if min(x.magnitude, y.magnitude) > ContentSubpath.slant {
            slantCount += isWide || isHigh ? 2 : 1
        } else if x.magnitude >= y.magnitude ? !isWide : !isHigh, lines.count < Self.lineLimit {
            lines.insert(
                CoveredContent.Line(
                    through: PDFRectangle(
                        first.x + (last.x - first.x) * inside.lowerBound,
                        first.y + (last.y - first.y) * inside.lowerBound,
                        first.x + (last.x - first.x) * inside.upperBound,
                        first.y + (last.y - first.y) * inside.upperBound)))
        }
    }

    /// - Parameter points: the ends, and the control points between them that there are.
    private mutating func takeCurve(
        _ points: [ContentSubpath.Point], in box: PDFRectangle, _ clip: PDFRectangle?
    ) {
        let margin = (1 - Self.middleShare) / 2
        let middle = PDFRectangle(
            box.left + margin * box.width, box.bottom + margin * box.height,
            box.right - margin * box.width, box.top - margin * box.height)
        let places = Self.places(onCurve: points)
        var (whole, inside, isInMiddle) = (0.0, 0.0, false)
        var bounds: PDFRectangle?
        for (first, last) in zip(places, places.dropFirst()) {
            guard let seen = clip.map({ Self.part(of: first, last, in: $0) }) ?? 0...1 else {
                continue
            }
            let (x, y) = (last.x - first.x, last.y - first.y)
            let length = (x * x + y * y).squareRoot()
            whole += length * seen.length
            guard let part = Self.part(of: first, last, in: box)?.clamped(to: seen) else {
                continue
            }
            inside += length * part.length
            isInMiddle = isInMiddle || Self.part(of: first, last, in: middle) != nil
            let chord = PDFRectangle(first.x, first.y, last.x, last.y)
            bounds = bounds?.union(chord) ?? chord
        }
        guard inside > 0, inside >= CoveredContent.share * whole, let bounds else { return }
        let isLarge =
            bounds.width >= CoveredContent.frameShare * box.width
            || bounds.height >= CoveredContent.frameShare * box.height
        curveCount += isInMiddle ? (isLarge ? Self.largeCurve : 2) : 1
    }

    /// What a large curve through the middle counts: it alone is a drawing.
    private static let largeCurve = 5
    /// How many lines stand for a curve.
    private static let chordCount = 8

    private static func places(onCurve points: [ContentSubpath.Point]) -> [ContentSubpath.Point] {
        (0...chordCount).map { index in
            // As de Casteljau has it.
            let share = Double(index) / Double(chordCount)
            var points = points
            while points.count > 1 {
                points = zip(points, points.dropFirst()).map {
                    ($0.x + ($1.x - $0.x) * share, $0.y + ($1.y - $0.y) * share)
                }
            }
            return points[0]
        }
    }

    /// Which part of a line lies in a box, from 0 to 1; nil for none.
    private static func part(
        of first: ContentSubpath.Point, _ last: ContentSubpath.Point, in box: PDFRectangle
    ) -> ClosedRange<Double>? {
        var (low, high) = (0.0, 1.0)
        for (start, way, least, most) in [
            (first.x, last.x - first.x, box.left, box.right),
            (first.y, last.y - first.y, box.bottom, box.top),
        ] {
            guard way != 0 else {
                guard start >= least, start <= most else { return nil }
                continue
            }
            let ends = ((least - start) / way, (most - start) / way)
            low = max(low, min(ends.0, ends.1))
            high = min(high, max(ends.0, ends.1))
        }
        return low <= high ? low...high : nil
    }
}

extension ClosedRange<Double> {
    fileprivate var length: Double { upperBound - lowerBound }
}
