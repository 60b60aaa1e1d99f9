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
    var size = 0.0
    var leading = 0.0
    var spacing = 0.0
    var mode = 0.0
    var color: [Double] = [0]
    var lineWidth = 1.0
    var clip: PDFRectangle?
}

/// The font, size and color of a string.
struct TextStyle {
    let font: PDFName?
    /// In the units of the box.
    let size: Double
    let color: [Double]

    func isAlike(_ other: TextStyle) -> Bool {
        font == other.font && color == other.color && (size - other.size).magnitude < 0.01
    }
}
