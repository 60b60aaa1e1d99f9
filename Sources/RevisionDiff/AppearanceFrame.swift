import PDFCore

/// Parts of an appearance that the field's entries permit (ISO 32000-2 Tables 192 and 228).
struct AppearanceFrame {
    /// Whether it has a background: /BG.
    var hasBackground = false
    /// Whether it has a border: /BC.
    var hasBorder = false
    /// Number of cells of a comb field; 1 for all others.
    var cellCount = 1
    /// Whether its text may have several lines.
    var isMultiline = false
}

/// The graphics state of an appearance stream (ISO 32000-2 §8.4), as far as text depends on it.
struct GraphicsState {
    var matrix = Transform.identity
    var font: AppearanceFont?
    var isDingbats = false
    var fontName: PDFName?
    var fontID: ObjectID?
    var size = 0.0
    var leading = 0.0
    var spacing = 0.0
    var mode = 0.0
    /// Nil for a color with components outside their range.
    var color: TextColor? = .black
    var lineWidth = 1.0
    var clip: PDFRectangle?
}

/// The font, size and color of a string.
struct TextStyle {
    let font: PDFName?
    let fontID: ObjectID?
    /// In the units of the box.
    let size: Double
    let color: TextColor?

    func isAlike(_ other: TextStyle) -> Bool {
        font == other.font && color == other.color && (size - other.size).magnitude < 0.01
    }
}

extension PDFRectangle {
    /// The axis-parallel rectangle with four given corners; nil for any other shape.
    static func axisParallel(_ part: [(x: Double, y: Double)]) -> PDFRectangle? {
        guard part.count == 4 else { return nil }
        let (isWideFirst, precision) = (part[0].y == part[1].y, 1e-6)
        let turned = isWideFirst ? part : Array(part.dropFirst() + part.prefix(1))
        func isSame(_ first: Double, _ second: Double) -> Bool {
            (first - second).magnitude <= precision
        }
        guard isSame(turned[0].y, turned[1].y), isSame(turned[1].x, turned[2].x),
            isSame(turned[2].y, turned[3].y), isSame(turned[3].x, turned[0].x)
        else { return nil }
        return PDFRectangle(turned[0].x, turned[0].y, turned[2].x, turned[2].y)
    }

    static func extent(of points: some Sequence<(x: Double, y: Double)>) -> PDFRectangle {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        return PDFRectangle(xs.min() ?? 0, ys.min() ?? 0, xs.max() ?? 0, ys.max() ?? 0)
    }
}
