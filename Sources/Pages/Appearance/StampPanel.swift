import PDFCore

/// A part of a stamp, in points from its lower left corner.
struct StampArea: Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    func inset(by margin: Double) -> StampArea {
        StampArea(
            x: x + margin, y: y + margin, width: max(0, width - 2 * margin),
            height: max(0, height - 2 * margin))
    }
}

/// The design of a stamp: a light card, a colored bar where reading begins, the picture, then the
/// text, and a QR code. The card is distinct on dark pages and almost invisible on white ones.
struct StampPanel {
    private(set) var text: StampArea
    private(set) var picture: StampArea
    /// The square of a QR code with its quiet zone, at the end of the lines.
    private(set) var code: StampArea
    /// Whether the picture is above the text.
    let isStacked: Bool
    let bounds: StampArea
    /// Distance of the code to the edge of the card, inside its line and its rounded corners.
    let codeMargin: Double
    private let bar: Double
    private let isRightToLeft: Bool
    private let radius: Double

    private static let paper = StampColor(gray: 1)
    private static let edge = StampColor(red: 0.78, green: 0.81, blue: 0.86)
    private static let accent = StampColor(red: 0.13, green: 0.33, blue: 0.62)
    private static let edgeWidth = 0.5
    /// Opacity of the card: content under it is only faintly visible.
    private static let opacity = 0.92
    static let stateName = PDFName("Panel")

    /// The graphics state of the card (ISO 32000-2 §8.4.5).
    static var state: PDFDictionary { ["Type": .name("ExtGState"), "ca": .number(opacity)] }

    /// Maximum shares of the area for a picture next to the text and above it.
    private static let besideShare = 0.46
    private static let aboveShare = 0.5
    /// Stamps wider than this have the picture next to the text.
    private static let besideRatio = 1.35

    /// - Parameters:
    ///   - bounds: Area of the stamp, in points, from 0.
    ///   - isPlain: Whether no card is drawn and no space is reserved for it.
    ///   - content: What is drawn.
    init(_ bounds: StampArea, isPlain: Bool, isRightToLeft: Bool, content: StampContent) {
        let hasText = !content.paragraphs.isEmpty
        let pictureRatio = content.picture.map { $0.size.width / $0.size.height }
        let (width, height) = (bounds.width, bounds.height)
        let small = min(width, height)
        self.bounds = bounds
        bar = isPlain ? 0 : min(2.5, width * 0.02)
        radius = min(3, small * 0.06)
        self.isRightToLeft = isRightToLeft
        let padding = isPlain ? 0 : min(5, small * 0.08)
        var room = StampArea(
            x: bar + padding * 1.3, y: padding * 0.9, width: width - bar - padding * 2.1,
            height: height - padding * 1.8)
        if isPlain { room = bounds }
        codeMargin = isPlain ? 0 : Self.edgeWidth + radius * (1 - 0.5.squareRoot())
        let isAlone = !hasText && pictureRatio == nil
        let side = max(0, (isAlone ? small : height) - 2 * codeMargin)
        code = StampArea(
            x: isAlone ? (width - side) / 2 : width - codeMargin - side, y: (height - side) / 2,
            width: side, height: side)
        if content.code != nil { room.width = max(0, code.x - room.x) }
        isStacked = room.width < room.height * Self.besideRatio
        picture = room
        text = room
        if let pictureRatio, hasText {
            let gap = max(padding * 1.4, small * 0.08)
            if isStacked {
                let share = min(room.height * Self.aboveShare, room.width / pictureRatio)
                picture.y = room.y + room.height - share
                picture.height = share
                text.height = max(0, room.height - share - gap)
            } else {
                let share = min(room.width * Self.besideShare, room.height * pictureRatio)
                picture.width = share
                text.x += share + gap
                text.width = max(0, room.width - share - gap)
            }
        }
        if isRightToLeft {
            picture.x = width - picture.x - picture.width
            text.x = width - text.x - text.width
            code.x = width - code.x - code.width
        }
    }

    /// Draws the card with its bar.
    func draw(on canvas: inout ContentWriter, _ colors: ColorSetter, isOpaque: Bool) {
        canvas.line("q")
        if !isOpaque { canvas.line("/\(Self.stateName) gs") }
        canvas.line(colors.fill(Self.paper))
        Self.roundedBox(bounds, radius: radius, on: &canvas)
        canvas.line("f")
        canvas.line("Q")
        let half = Self.edgeWidth / 2
        canvas.line(colors.stroke(Self.edge))
        canvas.line([Self.edgeWidth], "w")
        Self.roundedBox(bounds.inset(by: half), radius: max(0, radius - half), on: &canvas)
        canvas.line("S")
        // The bar is clipped to the rounded corners of the card.
        canvas.line("q")
        Self.roundedBox(bounds, radius: radius, on: &canvas)
        canvas.line("W n")
        canvas.line(colors.fill(Self.accent))
        canvas.line([isRightToLeft ? bounds.width - bar : 0, 0, bar, bounds.height], "re f")
        canvas.line("Q")
    }

    private static func roundedBox(
        _ box: StampArea, radius r: Double, on canvas: inout ContentWriter
    ) {
        let k = r * (1 - 0.552284749831)
        let (right, top) = (box.x + box.width, box.y + box.height)
        canvas.line([box.x + r, box.y], "m")
        canvas.line([right - r, box.y], "l")
        canvas.line([right - k, box.y, right, box.y + k, right, box.y + r], "c")
        canvas.line([right, top - r], "l")
        canvas.line([right, top - k, right - k, top, right - r, top], "c")
        canvas.line([box.x + r, top], "l")
        canvas.line([box.x + k, top, box.x, top - k, box.x, top - r], "c")
        canvas.line([box.x, box.y + r], "l")
        canvas.line([box.x, box.y + k, box.x + k, box.y, box.x + r, box.y], "c")
        canvas.line("h")
    }
}
