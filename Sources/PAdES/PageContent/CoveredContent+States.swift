import PDFCore

extension CoveredContent {
    /// From where on a ground is light.
    private static let lightest = 0.7

    struct Line: Hashable {
        let isHorizontal: Bool
        /// In half points.
        let place: Int

        init(isHorizontal: Bool, at place: Double) {
            self.isHorizontal = isHorizontal
            self.place = Int(max(-1e9, min(1e9, place)))
        }

        init(through area: PDFRectangle) {
            let isHorizontal = area.width >= area.height
            self.init(
                isHorizontal: isHorizontal,
                at: isHorizontal ? area.bottom + area.top : area.left + area.right)
        }
    }

    struct State {
        var matrix = Transform.identity
        var font = PaintedFont.fallback
        var size = 0.0
        var leading = 0.0
        var characterSpacing = 0.0
        var wordSpacing = 0.0
        var scale = 1.0
        var rise = 0.0
        var lineWidth = 1.0
        /// Lengths of dashes and of gaps.
        var dashes: [Double] = []
        var dashPhase = 0.0
        var isDashed: Bool { dashes.contains { $0 > 0 } }
        /// Whether fills leave a ground that one writes on.
        var isLight = false
        var hasPattern = false
        /// Of lines.
        var strokesPattern = false
        /// Whether a soft mask lets parts of what is painted be seen.
        var isMasked = false
        /// How text is painted.
        var mode = 0.0
        /// Whether it is drawn with a line around each glyph (ISO 32000-2 Table 104).
        var isStroked: Bool { [1, 2, 5, 6].contains(mode) }
        /// What is painted is seen inside of this; nil for all of the page.
        var clip: Clip?

        /// What is seen of an area. Where nothing is, readers may see it another way.
        func seen(_ area: PDFRectangle) -> PDFRectangle {
            clip.flatMap { $0.area.intersection(area) } ?? area
        }

        /// Takes the colour of what is filled; nil for one in another space than the device's.
        mutating func fill(_ numbers: [Double]?) {
            hasPattern = false
            let brightness = numbers.flatMap(AppearanceMeasure.brightness)
            isLight = brightness.map { $0 >= CoveredContent.lightest } ?? false
        }
    }

    /// How high letters are where their body counts, in units of the size.
    private static let letterHeight = 0.6
    /// How far characters of vertical writing go below their line, in units of the size.
    private static let depth = 0.12

    /// Where a glyph paints. Where every part of it counts, tails, dots and accents do, and lines
    /// around it.
    func area(
        of glyph: ContentFont.Glyph, _ placed: Transform, _ state: State
    ) -> PDFRectangle {
        if case .box(let box) = glyph.extent, !isStrict, glyph.isElsewhere || glyph.isRule {
            let drop = glyph.drop
            let (x, y) =
                state.font.isVertical ? (-(drop.x ?? glyph.advance / 2), -drop.y) : (0, 0)
            return placed.applied(
                to: PDFRectangle(box.left + x, box.bottom + y, box.right + x, box.top + y))
        }
        guard !state.font.isVertical else {
            let drop = glyph.drop
            let (left, bottom) = (-(drop.x ?? glyph.advance / 2), -drop.y - Self.depth)
            return placed.applied(
                to: PDFRectangle(left, bottom, left + max(glyph.advance, 0.1), bottom + 1))
        }
        // However far the next one is.
        let width = min(max(glyph.advance, 0.1), 1)
        guard isStrict else {
            // Of dots and lines to write on the ink is where they are, not where letters would be.
            let extent = glyph.isRule ? LetterExtent(ofRule: glyph.drawn) : nil
            let area = placed.applied(
                to: PDFRectangle(0, extent?.bottom ?? 0, width, extent?.top ?? Self.letterHeight))
            let reach = state.lineWidth * state.matrix.magnification / 2
            guard state.isStroked, 2 * reach > Self.lineThickness else { return area }
            return PDFRectangle(
                area.left - reach, area.bottom - reach, area.right + reach, area.top + reach)
        }
        let extent = LetterExtent(of: glyph.text)
        let area = placed.applied(to: PDFRectangle(0, extent.bottom, width, extent.top))
        guard state.isStroked, let paint = ground?.run.state.paint else { return area }
        let reach = paint.lineWidth * state.matrix.magnification / 2
        return PDFRectangle(
            area.left - reach, area.bottom - reach, area.right + reach, area.top + reach)
    }

    /// Whether a glyph may be in the box of which only readers know how far on it stands.
    func mayCover(_ placed: Transform, _ run: Run) -> Bool {
        let (before, after) = run.slack
        let size = (run.state.size * run.state.scale).magnitude
        guard before > 0 || after > 0, size > 0 else { return false }
        let height = Self.letterHeight
        let area = placed.applied(
            to: PDFRectangle(-before / size, 0, 0.1 + after / size, height))
        let glyph = placed.applied(to: PDFRectangle(0, 0, 0.1, height))
        return area.intersection(box).map {
            $0.width * $0.height >= Self.share * glyph.width * glyph.height
        } ?? false
    }

    /// As far as it matters: the box around it, and whether what is painted through it shows a shape.
    struct Clip {
        let area: PDFRectangle
        let showsShape: Bool
    }

    /// One stream with what it has set so far.
    struct Run {
        let resources: PDFDictionary
        var state: State
        var saved: [State] = []
        var textMatrix = Transform.identity
        var lineMatrix = Transform.identity
        /// Direct dictionaries have no number to know them by.
        var fonts: [PDFName: PaintedFont] = [:]
        var path: [ContentSubpath] = []
        var isOnNewLine = false
        /// Whether the path is to be clipped to.
        var clips = false
        /// How many sequences of marked content it is drawn in.
        var outerMarks = 0

        /// How much nearer to where the line began, and farther from there, what comes next may be.
        var slack = (before: 0.0, after: 0.0)

        init(resources: PDFDictionary, state: State) {
            (self.resources, self.state) = (resources, state)
        }

        mutating func nextLine(_ x: Double, _ y: Double) {
            if y != 0 { isOnNewLine = true }
            setLine(Transform(e: x, f: y).followed(by: lineMatrix))
        }

        mutating func setLine(_ matrix: Transform) {
            (textMatrix, lineMatrix, slack) = (matrix, matrix, (0, 0))
        }
    }

    /// Most sequences of marked content inside each other.
    private static let markLimit = 1000

    /// Begins a sequence of marked content (ISO 32000-2 §14.6).
    mutating func mark(_ operation: ContentOperation, _ run: Run) throws {
        var isReplaced = operation.names.contains("ActualText")
        if operation.names.count == 2, let name = operation.names.last {
            let lists = try document.value(run.resources, "Properties").dictionaryValue
            let list = try document.value(lists ?? PDFDictionary(), name).dictionaryValue
            isReplaced = isReplaced || list?["ActualText"] != nil
        }
        guard marked.count < Self.markLimit else {
            // Which of them end is not known any more.
            marked[marked.count - 1] = true
            return
        }
        marked.append(isReplaced || marked.last == true)
    }

    /// Whether a pattern is a drawing of its own.
    func isTiling(_ name: PDFName?, _ run: Run) throws -> Bool {
        guard let name else { return false }
        let patterns = try document.value(run.resources, "Pattern").dictionaryValue
        return try document.value(patterns ?? PDFDictionary(), name).streamValue != nil
    }

    func endPath(_ run: inout Run) {
        defer { (run.path, run.clips) = ([], false) }
        guard run.clips, let first = run.path.first else { return }
        var area = first.area
        for subpath in run.path.dropFirst() {
            area = PDFRectangle(
                min(area.left, subpath.area.left), min(area.bottom, subpath.area.bottom),
                max(area.right, subpath.area.right), max(area.top, subpath.area.top))
        }
        clip(&run.state, to: area, run.path)
    }

    /// - Parameter path: what is clipped to; none for a box.
    func clip(_ state: inout State, to area: PDFRectangle, _ path: [ContentSubpath] = []) {
        let isShape =
            path.count > 1
            || path.contains { $0.isCurved || $0.corners > Self.cornerLimit }
        let outer = state.clip
        let area = state.seen(area)
        // A shape that goes on elsewhere shows those of its sides that are here.
        var sides = CoveredSides()
        for part in path { sides.formUnion(part.sides) }
        let count = sides.count + path.count { covers($0.area) }
        let showsShape =
            isShape && (covers(area) || sides.isDrawing || count > Self.lineLimit)
        state.clip = Clip(area: area, showsShape: outer?.showsShape == true || showsShape)
    }
}
