import PDFCore

/// A part of a path: the box around it, and what it is made of.
struct ContentSubpath {
    var area: PDFRectangle
    var corners = 1
    var isCurved = false

    init(_ point: (x: Double, y: Double)) {
        area = PDFRectangle(point.x, point.y, point.x, point.y)
    }

    mutating func add(_ point: (x: Double, y: Double)) {
        area = PDFRectangle(
            min(area.left, point.x), min(area.bottom, point.y), max(area.right, point.x),
            max(area.top, point.y))
    }
}
