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
    private let start: (x: Double, y: Double)
    private var last: (x: Double, y: Double)

    /// From where on a side is slanted, in points.
    private static let slant = 1.0

    init(_ point: (x: Double, y: Double)) {
        area = PDFRectangle(point.x, point.y, point.x, point.y)
        (start, last) = (point, point)
    }

    mutating func add(_ point: (x: Double, y: Double)) {
        area = PDFRectangle(
            min(area.left, point.x), min(area.bottom, point.y), max(area.right, point.x),
            max(area.top, point.y))
        if min((point.x - last.x).magnitude, (point.y - last.y).magnitude) > Self.slant {
            slants += 1
        }
        last = point
    }

    mutating func close() { add(start) }
}
