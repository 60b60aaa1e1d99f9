import PDFCore

extension CoveredContent {
    /// From where on a ground is light.
    private static let lightest = 0.7

    struct Line: Hashable {
        let isHorizontal: Bool
        let place: Int
    }

    /// Glyphs of one kind, one after the other.
    struct Row {
        var code = -1
        var isRule = false
        var isAfterBlank = false
        var count = 0
        /// The texts of those in the box.
        var covered: [String?] = []
    }

    struct State {
        var matrix = Transform.identity
        var font = ContentFont.fallback
        var size = 0.0
        var leading = 0.0
        var characterSpacing = 0.0
        var wordSpacing = 0.0
        var scale = 1.0
        var rise = 0.0
        var lineWidth = 1.0
        /// Lengths of dashes and of gaps.
        var dashes: [Double] = []
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

        /// Takes the colour of what is filled; nil for one in another space than the device's.
        mutating func fill(_ numbers: [Double]?) {
            hasPattern = false
            let brightness = numbers.flatMap(AppearanceMeasure.brightness)
            isLight = brightness.map { $0 >= CoveredContent.lightest } ?? false
        }
    }

    /// How high letters are where their body counts, in units of the size.
    private static let letterHeight = 0.6

    /// Where a glyph paints. Where every part of it counts, tails, dots and accents do, and lines
    /// around it.
    func area(
        of glyph: ContentFont.Glyph, _ placed: Transform, _ state: State
    ) -> PDFRectangle {
        guard !state.font.isVertical else {
            return placed.applied(to: PDFRectangle(-0.5, -1, 0.5, 0))
        }
        let width = max(glyph.advance, 0.1)
        guard isStrict else {
            return placed.applied(to: PDFRectangle(0, 0, width, Self.letterHeight))
        }
        let extent = LetterExtent(of: glyph.text)
        let area = placed.applied(to: PDFRectangle(0, extent.bottom, width, extent.top))
        guard state.isStroked, let paint = ground?.run.state.paint else { return area }
        let reach = paint.lineWidth * state.matrix.magnification / 2
        return PDFRectangle(
            area.left - reach, area.bottom - reach, area.right + reach, area.top + reach)
    }

    /// As far as it matters: the box around it, and whether it is more than a box.
    struct Clip {
        var area: PDFRectangle
        var isShape: Bool
    }

    /// One stream with what it has set so far.
    struct Run {
        let resources: PDFDictionary
        var state = State()
        var saved: [State] = []
        var textMatrix = Transform.identity
        var lineMatrix = Transform.identity
        /// Direct dictionaries have no number to know them by.
        var fonts: [PDFName: ContentFont] = [:]
        var path: [ContentSubpath] = []
        var isOnNewLine = false
        /// Whether the path is to be clipped to.
        var clips = false
        /// How many sequences of marked content it is drawn in.
        var outerMarks = 0

        init(resources: PDFDictionary) { self.resources = resources }

        mutating func nextLine(_ x: Double, _ y: Double) {
            if y != 0 { isOnNewLine = true }
            lineMatrix = Transform(e: x, f: y).followed(by: lineMatrix)
            textMatrix = lineMatrix
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
        let isShape =
            run.path.count > 1 || first.isCurved || first.corners > Self.cornerLimit
        let outer = run.state.clip
        run.state.clip = Clip(
            area: outer.flatMap { $0.area.intersection(area) } ?? area,
            isShape: isShape || outer?.isShape == true)
    }
}
