import Base
import TextBridge

/// One paragraph of a stamp, wrapped if it is too long for the box.
package struct StampParagraph: Equatable, Sendable {
    /// A part of a paragraph with one style.
    package struct Piece: Equatable, Sendable {
        package let text: String
        package let isBold: Bool

        package init(_ text: String, isBold: Bool = false) {
            self.text = text
            self.isBold = isBold
        }
    }

    package let pieces: [Piece]
    /// Size relative to normal lines.
    package let relativeSize: Double
    package let color: StampColor

    package init(
        _ pieces: [Piece], relativeSize: Double = 1, color: StampColor = StampColor(gray: 0)
    ) {
        self.pieces = pieces
        self.relativeSize = relativeSize
        self.color = color
    }

    package init(
        _ text: String, isBold: Bool = false, relativeSize: Double = 1,
        color: StampColor = StampColor(gray: 0)
    ) { self.init([Piece(text, isBold: isBold)], relativeSize: relativeSize, color: color) }

    /// The text without styles and bidirectional controls.
    package var text: String {
        var scalars = pieces.map(\.text).joined().unicodeScalars
        scalars.removeAll { $0.properties.isBidiControl }
        return String(scalars)
    }

    fileprivate var lines: [[Piece]] {
        pieces.reduce(into: [[]]) { lines, piece in
            let parts = piece.text.split(separator: "\n", omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                if index > 0 { lines.append([]) }
                lines[lines.count - 1].append(Piece(String(part), isBold: piece.isBold))
            }
        }
    }
}

/// A line of text and its position, in points from the stamp's lower left corner.
struct PlacedLine {
    /// The atoms in drawing order, from left to right.
    let atoms: [TextAtom]
    let color: StampColor
    let size: Double
    let x: Double
    let baseline: Double

    var width: Double { atoms.reduce(0) { $0 + $1.width } * size / 1000 }
}

/// A stamp's text, shaped once for all sizes.
struct StampText {
    let isRightToLeft: Bool
    fileprivate var lineCount: Int { paragraphs.reduce(0) { $0 + $1.lines.count } }
    fileprivate let paragraphs: [(style: StampParagraph, lines: [[TextAtom]])]

    /// - Parameter isRightToLeft: The direction; `nil` derives it from the text.
    /// - Throws: The error of `fonts` for a character that no font has.
    init(_ paragraphs: [StampParagraph], isRightToLeft: Bool? = nil, fonts: any StampFonts) throws {
        let atomizer = TextAtomizer(fonts: fonts, isRightToLeft: isRightToLeft)
        var directions: Set<Bool> = []
        self.paragraphs = try paragraphs.map { paragraph in
            (
                paragraph,
                try paragraph.lines.map { line in
                    let (atoms, isRightToLeft) = try atomizer.atoms(of: line)
                    if let isRightToLeft { directions.insert(isRightToLeft) }
                    return atoms
                }
            )
        }
        self.isRightToLeft = isRightToLeft ?? (directions == [true])
    }
}

/// Fits text into a box, at the largest size at which every line fits. A slightly smaller size is
/// used if it avoids wrapped lines.
struct StampLayout {
    let lines: [PlacedLine]

    /// - Parameter isCentered: Whether lines are centered instead of aligned with the reading side.
    init(_ text: StampText, area: StampArea, isCentered: Bool = false) throws(AppearanceError) {
        // Large stamps are meant to be read from a distance.
        var size =
            (max(Self.largestSize, area.height * Self.largestShare) / Self.sizeStep)
            .rounded() * Self.sizeStep
        var wrapped: (lines: [PlacedLine], size: Double)?
        while size >= max(Self.smallestSize, (wrapped?.size ?? 0) * Self.unwrappedShare) {
            if let lines = Self.place(text, size: size, area: area, isCentered: isCentered) {
                guard lines.count > text.lineCount else {
                    self.lines = lines
                    return
                }
                if wrapped == nil { wrapped = (lines, size) }
            }
            size -= Self.sizeStep
        }
        if let wrapped {
            lines = wrapped.lines
            return
        }
        throw AppearanceError(
            .textDoesNotFit,
            "the text does not fit into the visible signature, even at \(Int(Self.smallestSize)) pt"
        )
    }

    private static let largestSize = 12.0
    /// Maximum text size as a share of the stamp's height, for large stamps.
    private static let largestShare = 0.12
    private static let smallestSize = 3.0
    private static let sizeStep = 0.25
    /// Minimum factor by which text may shrink to avoid wrapped lines.
    private static let unwrappedShare = 0.75
    /// Distance between baselines, in font sizes.
    private static let leading = 1.22
    /// The same for scripts with taller letters, or with marks above and below.
    private static let tallLeading = 1.4
    /// Share of the lower line in the distance between lines of two sizes. Its capitals fill most
    /// of the distance, the upper line's descenders the rest.
    private static let ownShare = 0.65
    /// Height above the baseline of Latin capitals, in font sizes.
    private static let ascent = 0.74
    private static let tallAscent = 0.92
    /// Depth below the baseline of Latin letters, in font sizes.
    private static let descent = 0.21
    private static let tallDescent = 0.3

    private struct Line {
        let atoms: [TextAtom]
        let style: StampParagraph
        let size: Double
        let isTall: Bool

        var ascent: Double { size * (isTall ? StampLayout.tallAscent : StampLayout.ascent) }
        var descent: Double { size * (isTall ? StampLayout.tallDescent : StampLayout.descent) }
        var leading: Double { size * (isTall ? StampLayout.tallLeading : StampLayout.leading) }
    }

    private static func place(
        _ text: StampText, size: Double, area: StampArea, isCentered: Bool
    ) -> [PlacedLine]? {
        var wrapped: [Line] = []
        for (style, lines) in text.paragraphs {
            let fontSize = size * style.relativeSize
            for line in lines {
                guard let parts = wrap(line, width: area.width * 1000 / fontSize) else {
                    return nil
                }
                wrapped += parts.map { atoms in
                    Line(
                        atoms: atoms, style: style, size: fontSize,
                        isTall: atoms.contains(where: \.isTall))
                }
            }
        }
        guard let first = wrapped.first, let last = wrapped.last else { return [] }
        let distances = zip(wrapped, wrapped.dropFirst()).map { upper, lower in
            lower.leading * ownShare + upper.leading * (1 - ownShare)
        }
        let between = distances.reduce(0, +)
        let height = first.ascent + between + last.descent
        guard height <= area.height else { return nil }

        var baseline = area.y + (area.height + height) / 2 - first.ascent
        var placed: [PlacedLine] = []
        for (index, line) in wrapped.enumerated() {
            if index > 0 { baseline -= distances[index - 1] }
            let order = BidiText.visualOrder(line.atoms.map(\.level))
            let free = area.width - line.atoms.reduce(0) { $0 + $1.width } * line.size / 1000
            placed.append(
                PlacedLine(
                    atoms: order.map { line.atoms[$0] }, color: line.style.color, size: line.size,
                    x: area.x + (isCentered ? free / 2 : text.isRightToLeft ? free : 0),
                    baseline: baseline))
        }
        return placed
    }

    /// Breaks lines at spaces, and in scripts without spaces between characters. `nil` if a single
    /// word is too wide.
    ///
    /// - Parameter width: In thousandths of the font size.
    private static func wrap(_ atoms: [TextAtom], width: Double) -> [[TextAtom]]? {
        var lines: [[TextAtom]] = []
        var line: [TextAtom] = []
        var filled = 0.0
        var spaces: [TextAtom] = []
        var index = 0
        while index < atoms.count {
            if atoms[index].isSpace {
                spaces = [atoms[index]]
                index += 1
                continue
            }
            var end = index + 1
            while end < atoms.count, !atoms[end].isSpace, !atoms[end].canBegin { end += 1 }
            let word = atoms[index..<end]
            let wordWidth = word.reduce(0) { $0 + $1.width }
            guard wordWidth <= width else { return nil }
            let gap = spaces.reduce(0) { $0 + $1.width }
            if line.isEmpty {
                line = Array(word)
                filled = wordWidth
            } else if filled + gap + wordWidth <= width {
                line += spaces + word
                filled += gap + wordWidth
            } else {
                lines.append(line)
                line = Array(word)
                filled = wordWidth
            }
            spaces = []
            index = end
        }
        lines.append(line)
        return lines
    }
}
