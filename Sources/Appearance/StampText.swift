/// One paragraph of a stamp: wrapped where it is too long for the box.
package struct StampParagraph: Equatable, Sendable {
    package let text: String
    package let isBold: Bool
    /// Size relative to the plain lines.
    package let relativeSize: Double
    /// Grey level: 0 black to 1 white.
    package let gray: Double

    package init(_ text: String, isBold: Bool = false, relativeSize: Double = 1, gray: Double = 0) {
        self.text = text
        self.isBold = isBold
        self.relativeSize = relativeSize
        self.gray = gray
    }
}

/// A line of text with its place in the stamp, in points from the stamp's lower left corner.
struct PlacedLine: Equatable {
    let scalars: [Unicode.Scalar]
    let isBold: Bool
    let gray: Double
    let size: Double
    let x: Double
    let baseline: Double
}

/// Fits paragraphs into a box: the largest size at which every line fits.
struct StampLayout {
    let lines: [PlacedLine]

    /// - Parameter area: x, y, width and height of the text's part of the stamp, in points.
    init(
        _ paragraphs: [StampParagraph], area: (x: Double, y: Double, width: Double, height: Double)
    ) throws(AppearanceError) {
        for paragraph in paragraphs {
            try Self.requireGlyphs(paragraph)
        }
        var size = Self.largestSize
        while size >= Self.smallestSize {
            if let lines = Self.place(paragraphs, size: size, area: area) {
                self.lines = lines
                return
            }
            size -= Self.sizeStep
        }
        throw AppearanceError(
            .textDoesNotFit,
            "the text does not fit into the stamp even at \(Int(Self.smallestSize)) pt")
    }

    private static let largestSize = 12.0
    private static let smallestSize = 3.0
    private static let sizeStep = 0.25
    /// Distance of baselines in font sizes.
    private static let leading = 1.22
    /// Height above the baseline of Helvetica's capitals, in font sizes.
    private static let ascent = 0.74
    /// Depth below the baseline of its descenders, in font sizes.
    private static let descent = 0.21

    private static func requireGlyphs(_ paragraph: StampParagraph) throws(AppearanceError) {
        let font = StampLayout.font(paragraph.isBold)
        for scalar in paragraph.text.unicodeScalars where font.width(of: scalar) == nil {
            let code = String(scalar.value, radix: 16, uppercase: true)
            throw AppearanceError(
                .characterNotInFont,
                "the stamp's font has no character for U+"
                    + String(repeating: "0", count: max(0, 4 - code.count)) + code)
        }
    }

    static func font(_ isBold: Bool) -> StandardFont { isBold ? .bold : .regular }

    private static func place(
        _ paragraphs: [StampParagraph], size: Double,
        area: (x: Double, y: Double, width: Double, height: Double)
    ) -> [PlacedLine]? {
        var wrapped: [(scalars: [Unicode.Scalar], paragraph: StampParagraph, size: Double)] = []
        for paragraph in paragraphs {
            let fontSize = size * paragraph.relativeSize
            guard let lines = wrap(paragraph, size: fontSize, width: area.width) else { return nil }
            wrapped += lines.map { ($0, paragraph, fontSize) }
        }
        guard let first = wrapped.first, let last = wrapped.last else { return [] }
        let between = wrapped.dropFirst().reduce(0) { $0 + $1.size * leading }
        let height = first.size * ascent + between + last.size * descent
        guard height <= area.height else { return nil }

        var baseline = area.y + (area.height + height) / 2 - first.size * ascent
        var placed: [PlacedLine] = []
        for (index, line) in wrapped.enumerated() {
            if index > 0 { baseline -= line.size * leading }
            placed.append(
                PlacedLine(
                    scalars: line.scalars, isBold: line.paragraph.isBold,
                    gray: line.paragraph.gray, size: line.size, x: area.x, baseline: baseline))
        }
        return placed
    }

    /// Breaks at spaces, and inside a word only when the word alone is wider than the box and the
    /// size is already small.
    private static func wrap(
        _ paragraph: StampParagraph, size: Double, width: Double
    ) -> [[Unicode.Scalar]]? {
        let font = font(paragraph.isBold)
        func measure(_ text: some Sequence<Unicode.Scalar>) -> Double {
            Double(text.reduce(0) { $0 + (font.width(of: $1) ?? 0) }) * size / 1000
        }
        var lines: [[Unicode.Scalar]] = []
        for piece in paragraph.text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line: [Unicode.Scalar] = []
            for word in piece.unicodeScalars.split(separator: " ") {
                let candidate = line.isEmpty ? Array(word) : line + [" "] + word
                if measure(candidate) <= width {
                    line = candidate
                    continue
                }
                guard measure(word) <= width else { return nil }
                lines.append(line)
                line = Array(word)
            }
            lines.append(line)
        }
        return lines
    }
}
