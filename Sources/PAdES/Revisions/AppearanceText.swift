import PDFCore

/// The text that an appearance stream shows (ISO 32000-2 §12.5.5), and whether a person sees just
/// that: each glyph upright, behind the one before, inside box and clip, in a plain font, on a
/// ground that it stands out from, with nothing drawn over it. What is not known to be so is not
/// plain.
struct AppearanceText {
    /// What the strings say, as far as they can be read; lines and wide gaps part words.
    var text = ""
    /// Whether every string can be read.
    var isReadable = true
    /// Whether it is more than what is looked at of a look.
    var isTooLong = false {
        didSet { if isTooLong { isReadable = false } }
    }
    /// Whether nothing makes it look otherwise.
    var isPlain = true
    /// Why people surely do not see some of the text, in words; and whether some is below the box.
    var concealment: String?
    var hasTextBelow = false
    /// Whether each letter stands behind the one that is drawn before, or on a line below.
    var isInOrder = true
    /// Whether anything is painted but text, a ground, frames and cells.
    var hasOtherPaint: Bool { hasDrawing || hasBars || isStruckOut }
    /// The same, but for bars across the box, as they mark a line of a list, and lines through text.
    var hasDrawing = false
    var hasBars = false
    /// Whether a thin line goes through the middle of letters: of a list, perhaps of those that its end
    /// cuts off.
    var isStruckOut = false
    /// Whether a line stands at one side, which reads like a letter.
    var hasLoneLine = false
    /// Which lines of the text are seen, from 0 on, and which stand on a bar.
    var (seenLines, markedLines): (Set<Int>, Set<Int>) = ([], [])
    var bars: [PDFRectangle] = []
    /// The colour of each line; nil of those that have several.
    var lineInks: [Int: Ink?] = [:]
    /// How far down the text goes that was written so far.
    var lowest = Double.infinity
    var line = 0
    /// In which quarters the text goes on, counterclockwise from that to the right.
    var directions: Set<Int> = []
    var isMirrored = false
    var outerMatrix = Transform.identity
    /// Where it stands.
    var shown = ShownText()
    /// Where the text stands, in parts of the box.
    var place: PDFRectangle?
    /// In points from the corner of the field's box.
    var glyphAreas: [PDFRectangle] = []
    /// The sizes of the largest and smallest letters.
    var sizes: ClosedRange<Double>?
    var frames: [Frame] = []
    var hasFrame: Bool { !frames.isEmpty }
    /// Where lines stand that part cells, in parts of the box's width.
    var dividers: [Double] = []

    let document: PDFDocument
    /// Those that other looks may have, too.
    private let fonts: LookFonts
    var state = GraphicsState()
    var saved: [GraphicsState] = []
    var box = PDFRectangle(0, 0, 0, 0)
    /// How much wider and higher the box is where it is drawn.
    var scale = (x: 1.0, y: 1.0)
    /// The subpaths of the path that is being built.
    var path: [AppearancePath] = []
    var paintedCount = 0
    /// The operator that made the path a clip: it takes effect with the path's end.
    var clipOperator: String?
    var isInText = false
    var textMatrix = Transform.identity
    var lineMatrix = Transform.identity
    var grounds: [(area: PDFRectangle, ink: Ink?)] = []
    var framedSides: Set<AppearancePath.Side> = []
    var lastGlyph: PlacedGlyph?
    private var fontCount = 0
    private var operationCount = 0
    /// With how many grounds, bars and lines letters were compared.
    var comparisonCount = 0
    /// How much content was read, or what costs as much.
    private(set) var byteCount = 0

    private static let maximumDepth = 4
    static let maximumSavedCount = 64
    private static let maximumFontCount = 32
    /// What reading a font costs, in bytes: looks may share one.
    private static let fontCost = 1024
    private static let maximumOperationCount = 100_000
    /// Most comparisons of letters with what is drawn besides, and how many cost as much as to read a byte.
    static let (comparisonLimit, comparisonsPerByte) = (1 << 20, 16)
    /// Most content that is looked at of one look, in bytes.
    static let maximumByteCount = 256 * 1024
    /// Smallest size that is read, in points.
    static let smallestSize = 2.0
    /// Strings closer than this in height stand on one line, in points.
    static let tolerance = 0.5
    /// What is less opaque, or squeezed to less of its width, is hardly seen.
    static let (leastOpacity, leastStretch) = (0.3, 0.2)
    /// Parts of the size: how high digits are; how much of a glyph may be cut off or lie under the
    /// next; from where on a gap looks like a space; how far apart lines are.
    static let (digitHeight, slack, gap, lineHeight) = (0.7, 0.1, 0.25, 0.8)
    static let operatorsWithoutEffect: Set<String> = [
        "BMC", "EMC", "MP", "DP", "J", "j", "M", "d", "i", "ri", "BX", "EX",
    ]
    /// Entries by which a form is shown in another way, or somewhere else only.
    private static let unfollowedKeys: [PDFName] = [
        "OC", "Group", "Ref", "PS", "OPI",
    ]
    /// Colour spaces that stand for those of the device where resources have them.
    private static let defaultSpaces: [PDFName] = ["DefaultGray", "DefaultRGB", "DefaultCMYK"]

    /// Blend modes that leave colours as they are (ISO 32000-2 Table 134).
    private static let plainModes: Set<PDFName> = ["Normal", "Compatible"]

    struct GraphicsState {
        var matrix = Transform.identity
        var font: LookFont?
        var size = 0.0
        var leading = 0.0
        var characterSpacing = 0.0
        var wordSpacing = 0.0
        var lineWidth = 1.0
        var rise = 0.0
        var stretch = 1.0
        /// How text is painted, with fill or lines (ISO 32000-2 Table 104).
        var mode = 0.0
        var (isFaint, hasFaintLines, isBlended) = (false, false, false)
        var (hasPattern, strokesPattern) = (false, false)
        /// How many numbers a colour has; nil when the colour space is not known.
        var (componentCount, strokeCount): (Int?, Int?) = (1, 1)
        /// What fills, and what strokes; nil when it is not known.
        var (ink, strokeInk): (Ink?, Ink?) = (.black, .black)
        var clip: PDFRectangle?
    }

    /// Whether anything but a path stands between the parts of the present one.
    private var isPathCrossed = false

    /// - Parameters:
    ///   - rect: where it is drawn.
    ///   - fonts: of the document, as far as they are known.
    init(
        _ form: PDFStream, rect: PDFRectangle?, in document: PDFDocument,
        fonts: LookFonts = LookFonts()
    ) throws(PDFError) {
        (self.document, self.fonts) = (document, fonts)
        outerMatrix = try Transform(form.dictionary["Matrix"], in: document) ?? .identity
        guard let box = try document.rectangle(form.dictionary["BBox"]), box.width > 0,
            box.height > 0, let rect
        else {
            isPlain = false
            try show(form, depth: 0)
            return
        }
        self.box = box
        scale = (x: rect.width / box.width, y: rect.height / box.height)
        let sides = [box, rect].flatMap { [$0.left, $0.bottom, $0.right, $0.top] }
        guard AppearanceMeasure.areBounded(sides + [scale.x, scale.y] + outerMatrix.entries) else {
            (isPlain, isReadable) = (false, false)
            return
        }
        // Who turns or moves the whole is not followed: within its box all stays as it is.
        isPlain =
            outerMatrix.isIdentity && scale.x > 0.3 && scale.x < 3 && scale.y > 0.3
            && scale.y < 3 && AppearanceMeasure.areCertain(sides)
        try show(form, depth: 0)
        byteCount += comparisonCount / Self.comparisonsPerByte
        // A line upright at the text's side reads like a letter.
        let isUpright = !framedSides.isDisjoint(with: [.left, .right])
        if isUpright && framedSides.count < 4 { isPlain = false }
        hasLoneLine = isUpright && framedSides.isDisjoint(with: [.bottom, .top])
    }

    private mutating func show(_ form: PDFStream, depth: Int) throws(PDFError) {
        guard let operations = readOperations(of: form, depth) else {
            isReadable = false
            return
        }
        let resources = try document.value(form.dictionary, "Resources").dictionaryValue
        let spaces = try document.value(resources ?? PDFDictionary(), "ColorSpace").dictionaryValue
        let kind = try document.value(form.dictionary, "Subtype")
        if kind != .null && kind.nameValue != "Form"
            || Self.unfollowedKeys.contains(where: { form.dictionary[$0] != nil })
            || !form.dictionary.duplicateKeys.isEmpty || resources?.duplicateKeys.isEmpty == false
            || Self.defaultSpaces.contains(where: { spaces?[$0] != nil })
        {
            isPlain = false
        }
        var fonts: [PDFName: LookFont?] = [:]
        for operation in operations {
            operationCount += 1
            guard operationCount < Self.maximumOperationCount, !isTooLong else {
                isTooLong = true
                return
            }
            guard AppearanceMeasure.areBounded(operation.numbers + entriesOfMatrices) else {
                isReadable = false
                return
            }
            if !AppearanceMeasure.areCertain(operation.numbers) { isPlain = false }
            // Readers keep the path or not (ISO 32000-2 Figure 9).
            let isPathPart = AppearancePath.operators.contains(operation.name)
            isPathCrossed = isPathOpen && (isPathCrossed || !isPathPart)
            if isPathCrossed, AppearancePath.painters.contains(operation.name) { isPlain = false }
            switch operation.name {
            case "Tf": try setFont(operation, resources, &fonts)
            case "Do": try draw(operation, resources, depth)
            case "gs": try takeState(operation, resources)
            case "cs", "CS": try setSpace(operation, spaces)
            case "Tj", "TJ", "'", "\"": writeStrings(of: operation)
            default: follow(operation)
            }
        }
        if isPathOpen, depth > 0 { isPlain = false }
    }

    private var entriesOfMatrices: [Double] { state.matrix.entries + textMatrix.entries }

    /// What is not decoded in one way only is read as readers do who take what they get.
    private mutating func readOperations(of form: PDFStream, _ depth: Int) -> [ContentOperation]? {
        guard depth < Self.maximumDepth else { return nil }
        let limit = Self.maximumByteCount - byteCount
        guard limit > 0 else {
            isTooLong = true
            return nil
        }
        // As much may be decoded before that fails.
        byteCount += limit
        do throws(PDFError) {
            let content: [UInt8]
            if let plain = try? document.plainData(of: form, upTo: limit) {
                content = plain
            } else {
                isPlain = false
                content = try document.decodedData(of: form, upTo: limit)
            }
            byteCount -= limit - content.count
            return ContentOperation.all(in: content, upTo: limit)
        } catch {
            if error.code == .limitExceeded {
                isTooLong = true
            } else {
                byteCount -= max(0, limit - ContentOperation.byteLimit)
            }
            return nil
        }
    }

    private var isPathOpen: Bool { !path.isEmpty || clipOperator != nil }

    private mutating func setFont(
        _ operation: ContentOperation, _ resources: PDFDictionary?,
        _ fonts: inout [PDFName: LookFont?]
    ) throws(PDFError) {
        guard operation.operands.count == 2, case .name(let name) = operation.operands[0],
            case .number(let size) = operation.operands[1]
        else {
            isPlain = false
            return
        }
        if fonts[name] == nil {
            fontCount += 1
            byteCount += Self.fontCost
            fonts[name] = .some(try font(name, in: resources))
        }
        (state.font, state.size) = (fonts[name] ?? nil, size)
        if state.font?.isPlain != true { isPlain = false }
    }

    private mutating func font(
        _ name: PDFName, in resources: PDFDictionary?
    ) throws(PDFError) -> LookFont? {
        guard fontCount <= Self.maximumFontCount, let resources,
            let fonts = try document.value(resources, "Font").dictionaryValue,
            fonts.duplicateKeys.isEmpty,
            let font = try document.value(fonts, name).dictionaryValue
        else { return nil }
        let id = fonts[name]?.referenceValue
        if let known = id.flatMap({ self.fonts.known[$0] }) { return known }
        let read = try LookFont(font, in: document)
        byteCount += read.cost
        if let id { self.fonts.known[id] = read }
        return read
    }

    private mutating func draw(
        _ operation: ContentOperation, _ resources: PDFDictionary?, _ depth: Int
    ) throws(PDFError) {
        guard operation.operands.count == 1, case .name(let name) = operation.operands[0],
            let resources, !isInText,
            let forms = try document.value(resources, "XObject").dictionaryValue,
            forms.duplicateKeys.isEmpty, let form = try document.value(forms, name).streamValue,
            try document.value(form.dictionary, "Subtype").nameValue == "Form"
        else {
            (isReadable, hasDrawing) = (false, true)
            return
        }
        let (outside, savedOutside) = (state, saved)
        saved = []
        if let matrix = try Transform(form.dictionary["Matrix"], in: document) {
            if !AppearanceMeasure.areCertain(matrix.entries) { isPlain = false }
            state.matrix = matrix.followed(by: state.matrix)
        }
        let inner = try document.rectangle(form.dictionary["BBox"])
        clip(to: inner.flatMap { AppearancePath(points: state.matrix.corners(of: $0)).rectangle })
        try show(form, depth: depth + 1)
        (state, saved, path, clipOperator, isInText) = (outside, savedOutside, [], nil, false)
    }

    /// A dictionary of the graphics state may make what follows as good as invisible.
    private mutating func takeState(
        _ operation: ContentOperation, _ resources: PDFDictionary?
    ) throws(PDFError) {
        isPlain = false
        guard let name = operation.names.first, let resources,
            let states = try document.value(resources, "ExtGState").dictionaryValue,
            let found = try document.value(states, name).dictionaryValue
        else { return }
        if let opacity = try document.value(found, "ca").numberValue {
            state.isFaint = opacity < Self.leastOpacity
        }
        if let opacity = try document.value(found, "CA").numberValue {
            state.hasFaintLines = opacity < Self.leastOpacity
        }
        if try document.value(found, "SMask").dictionaryValue != nil {
            (state.isFaint, state.hasFaintLines) = (true, true)
        }
        let mode = try document.value(found, "BM")
        if mode != .null {
            state.isBlended = mode.nameValue.map(Self.plainModes.contains) != true
        }
        if found["Font"] != nil { state.font = nil }
    }

    /// - Parameter area: nil when it is not an upright rectangle.
    mutating func clip(to area: PDFRectangle?) {
        guard let area else {
            isPlain = false
            return
        }
        let known = state.clip ?? area
        state.clip = known.intersection(area) ?? PDFRectangle(0, 0, 0, 0)
    }
}
