import PDFCore

/// The text that an appearance stream shows (ISO 32000-2 §12.5.5), and whether a person sees just
/// that: each glyph upright, behind the one before, inside box and clip, in a plain font, on a
/// ground that it stands out from, with nothing drawn over it. What is not known to be so is not
/// plain.
struct AppearanceText {
    /// What the strings say, as far as they can be read; lines and wide gaps part words.
    private(set) var text = ""
    /// Whether every string can be read.
    private(set) var isReadable = true
    /// Whether nothing makes it look otherwise.
    var isPlain = true
    /// Why people surely do not see some of the text, in words; and whether some is below the box.
    private(set) var concealment: String?
    private(set) var hasTextBelow = false
    /// Whether anything is painted but text, a ground, frames and cells.
    var hasOtherPaint: Bool { hasDrawing || hasBars }
    /// The same, but for bars across the box, as they mark a line of a list.
    var hasDrawing = false
    var hasBars = false
    /// Which lines of the text are seen, from 0 on, and which stand on a bar.
    private(set) var (seenLines, markedLines): (Set<Int>, Set<Int>) = ([], [])
    var bars: [PDFRectangle] = []
    private var line = 0
    /// In which quarters the text goes on, counterclockwise from that to the right.
    private(set) var directions: Set<Int> = []
    private(set) var isMirrored = false
    private var outerMatrix = Transform.identity
    /// Where it stands.
    var shown = ShownText()
    /// Where the text stands, in parts of the box.
    private(set) var place: PDFRectangle?
    var frames: [Frame] = []
    var hasFrame: Bool { !frames.isEmpty }
    /// Where lines stand that part cells, in parts of the box's width.
    var dividers: [Double] = []

    private let document: PDFDocument
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
    /// How much content was read.
    private(set) var byteCount = 0

    private static let maximumDepth = 4
    static let maximumSavedCount = 64
    private static let maximumFontCount = 32
    /// What reading a font costs, in bytes: looks may share one.
    private static let fontCost = 1024
    private static let maximumOperationCount = 100_000
    /// Most content that is looked at of one look, in bytes.
    static let maximumByteCount = 256 * 1024
    /// Smallest size that is read, in points.
    static let smallestSize = 2.0
    /// Strings closer than this in height stand on one line, in points.
    private static let tolerance = 0.5
    /// What is less opaque, or squeezed to less of its width, is hardly seen.
    static let (leastOpacity, leastStretch) = (0.3, 0.2)
    /// Parts of the size: how high digits are; how much of a glyph may be cut off or lie under the
    /// next; from where on a gap looks like a space; how far apart lines are.
    private static let (digitHeight, slack, gap, lineHeight) = (0.7, 0.1, 0.25, 0.8)
    static let operatorsWithoutEffect: Set<String> = [
        "BMC", "EMC", "MP", "DP", "J", "j", "M", "d", "i", "ri", "BX", "EX",
    ]
    /// Entries by which a form is shown in another way, or somewhere else only.
    private static let unfollowedKeys: [PDFName] = [
        "OC", "Group", "Ref", "PS", "OPI",
    ]
    /// Colour spaces that stand for those of the device where resources have them.
    private static let defaultSpaces: [PDFName] = ["DefaultGray", "DefaultRGB", "DefaultCMYK"]

    struct GraphicsState {
        var matrix = Transform.identity
        var font: SimpleFont?
        var size = 0.0
        var leading = 0.0
        var characterSpacing = 0.0
        var wordSpacing = 0.0
        var lineWidth = 1.0
        var rise = 0.0
        var stretch = 1.0
        /// How text is painted, with fill or lines (ISO 32000-2 Table 104).
        var mode = 0.0
        var isFaint = false
        var (hasPattern, strokesPattern) = (false, false)
        /// How many numbers a colour has; nil when the colour space is not known.
        var componentCount: Int? = 1
        /// What fills, and what strokes; nil when it is not known.
        var (ink, strokeInk): (Ink?, Ink?) = (.black, .black)
        var clip: PDFRectangle?
    }

    /// Whether anything but a path stands between the parts of the present one.
    private var isPathCrossed = false

    /// - Parameter rect: where it is drawn.
    init(_ form: PDFStream, rect: PDFRectangle?, in document: PDFDocument) throws(PDFError) {
        self.document = document
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
        // Who turns or moves the whole is not followed: within its box all stays as it is.
        isPlain =
            outerMatrix.isIdentity && scale.x > 0.3 && scale.x < 3 && scale.y > 0.3
            && scale.y < 3
            && [box, rect].allSatisfy {
                AppearanceMeasure.areCertain([$0.left, $0.bottom, $0.right, $0.top])
            }
        try show(form, depth: 0)
        // One line upright at the text's side reads like a letter.
        let isUpright = !framedSides.isDisjoint(with: [.left, .right])
        if isUpright && framedSides.count < 4 { isPlain = false }
    }

    private mutating func show(_ form: PDFStream, depth: Int) throws(PDFError) {
        let limit = ContentOperation.byteLimit
        byteCount += limit
        guard depth < Self.maximumDepth, byteCount < Self.maximumByteCount,
            let content = try? document.plainData(of: form, upTo: limit),
            let operations = ContentOperation.all(in: content)
        else {
            isReadable = false
            return
        }
        byteCount += content.count - limit
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
        var fonts: [PDFName: SimpleFont?] = [:]
        for operation in operations {
            operationCount += 1
            guard operationCount < Self.maximumOperationCount else {
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
            case "Tj", "TJ", "'", "\"": write(operation)
            default: follow(operation)
            }
        }
        if isPathOpen, depth > 0 { isPlain = false }
    }

    private var isPathOpen: Bool { !path.isEmpty || clipOperator != nil }

    private mutating func setFont(
        _ operation: ContentOperation, _ resources: PDFDictionary?,
        _ fonts: inout [PDFName: SimpleFont?]
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
        if state.font?.isPlain == false { isPlain = false }
    }

    private func font(
        _ name: PDFName, in resources: PDFDictionary?
    ) throws(PDFError) -> SimpleFont? {
        guard fontCount <= Self.maximumFontCount, let resources,
            let fonts = try document.value(resources, "Font").dictionaryValue,
            fonts.duplicateKeys.isEmpty,
            let font = try document.value(fonts, name).dictionaryValue
        else { return nil }
        return try SimpleFont(font, in: document, isForSight: true)
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
            let entries = [matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f]
            if !AppearanceMeasure.areCertain(entries) { isPlain = false }
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
        if try document.value(found, "SMask").dictionaryValue != nil { state.isFaint = true }
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

    // MARK: Text

    private mutating func write(_ operation: ContentOperation) {
        var elements = operation.operands[...]
        if operation.name == "\"" {
            let numbers = operation.numbers
            guard numbers.count == 2, elements.count == 3 else {
                isReadable = false
                return
            }
            (state.wordSpacing, state.characterSpacing) = (numbers[0], numbers[1])
            elements = elements.dropFirst(2)
        }
        if operation.name == "'" || operation.name == "\"" { nextLine(0, -state.leading) }
        if operation.name == "TJ" {
            guard case .arrayStart? = elements.popFirst(), case .arrayEnd? = elements.popLast()
            else {
                isReadable = false
                return
            }
        } else if elements.count != 1 {
            isReadable = false
            return
        }
        for element in elements {
            switch element {
            case .string(let codes):
                for code in codes { write(code) }
            case .number(let shift) where operation.name == "TJ":
                advance(by: -shift / 1000 * state.size)
            default: isReadable = false
            }
        }
    }

    private mutating func write(_ code: UInt8) {
        guard isInText, let glyph = state.font?.glyph(code) else {
            if code != 32 { noteIfConcealed(Self.leastWidth * state.size) }
            isReadable = false
            return
        }
        if glyph.width == nil { isPlain = false }
        let length = (glyph.width ?? 1000 * Self.leastWidth) / 1000 * state.size
        if !glyph.scalar.properties.isWhitespace {
            noteIfConcealed(length)
            noteDirection()
        }
        if glyph.scalar.properties.isWhitespace {
            text.unicodeScalars.append(" ")
        } else {
            let placed = textMatrix.followed(by: state.matrix)
            let size = state.size * placed.d
            let area = PDFRectangle(
                placed.e, placed.f, placed.e + length * placed.a,
                placed.f + Self.digitHeight * size)
            let canBeSeen = placed.isUpright && size * scale.y >= Self.smallestSize
            let ink = state.ink ?? .black
            let isLikeLast = lastGlyph?.isLike(size: size, ink: ink.brightness) ?? true
            isPlain =
                isPlain && canBeSeen && isLikeLast && isSeen(area, size) && standsOut(area, size)
            compareWithLast(area, size)
            noteLine(area)
            let (corner, end) = (point(area.left, area.bottom), point(area.right, area.top))
            shown.add(corner.x, corner.y, size: size * scale.y, ink)
            // What runs through it may strike it out.
            let seen = PDFRectangle(corner.x, corner.y, end.x, end.y)
            if frames.contains(where: { $0.meets(seen) }) { isPlain = false }
            if let part = part(area) { place = place?.union(part) ?? part }
            lastGlyph = PlacedGlyph(
                end: area.right, y: placed.f, size: size, ink: ink.brightness)
            text.unicodeScalars.append(glyph.scalar)
        }
        advance(by: length + state.characterSpacing + (code == 32 ? state.wordSpacing : 0))
    }

    private mutating func advance(by length: Double) {
        textMatrix = Transform(e: length, f: 0).followed(by: textMatrix)
    }

    /// How wide the narrowest letters are, in parts of the size.
    private static let leastWidth = 0.2

    private mutating func noteDirection() {
        if state.hasPattern || state.mode != 0 && state.strokesPattern { hasDrawing = true }
        var glyph = Transform.identity
        (glyph.a, glyph.d) = (state.size * state.stretch, state.size)
        let placed = glyph.followed(by: textMatrix).followed(by: state.matrix)
            .followed(by: outerMatrix)
        if placed.a * placed.d < placed.b * placed.c { isMirrored = true }
        let isLevel = placed.a.magnitude >= placed.b.magnitude
        directions.insert(isLevel ? (placed.a >= 0 ? 0 : 2) : (placed.b >= 0 ? 1 : 3))
    }

    private mutating func noteLine(_ area: PDFRectangle) {
        let (x, y) = ((area.left + area.right) / 2, (area.bottom + area.top) / 2)
        let seen = (state.clip ?? box).intersection(box)
        if let seen, y > seen.bottom, y < seen.top { seenLines.insert(line) }
        let isOnBar = bars.contains {
            x > $0.left && x < $0.right && y > $0.bottom && y < $0.top
        }
        if isOnBar { markedLines.insert(line) }
    }

    /// Asks whether anything is seen of a glyph: nothing of what lies beyond the box or a clip, is in
    /// the colour of its ground, or is not painted at all.
    private mutating func noteIfConcealed(_ width: Double) {
        guard concealment == nil, box.width > 0, box.height > 0 else { return }
        let area = textMatrix.followed(by: state.matrix).applied(
            to: PDFRectangle(
                0, state.rise, max(width, Self.leastWidth * state.size),
                state.rise + Self.digitHeight * state.size))
        if state.isFaint || state.stretch < Self.leastStretch || state.mode == 3 || state.mode == 7
        {
            concealment = "it is not painted, or as good as not"
        } else if let seen = (state.clip ?? box).intersection(box), area.top <= seen.bottom,
            area.left < seen.right, area.right > seen.left
        {
            hasTextBelow = true
        } else if (state.clip ?? box).intersection(box)?.intersection(area) == nil {
            concealment = Self.cutOff
        } else if area.height * (scale.x * scale.y).squareRoot() < Self.leastHeight {
            concealment = "it is too small to be read"
        } else {
            let under = grounds.last { $0.area.intersection(area) != nil }
            let ink = state.mode == 1 || state.mode == 5 ? state.strokeInk : state.ink
            guard let ink, let ground = under.map(\.ink) ?? .white, state.mode != 2,
                state.mode != 6, under?.area.contains(area, but: Self.slack * area.height) ?? true
            else { return }
            if ink.isHardlySeen(on: ground) { concealment = "it has the colour of its ground" }
        }
    }

    static let cutOff = "it is cut off, or outside of its box"
    /// Lowest letters that can be read, in points.
    private static let leastHeight = 1.0

    /// Whether it lies inside box and clip.
    private func isSeen(_ area: PDFRectangle, _ size: Double) -> Bool {
        [box, state.clip ?? box].allSatisfy { $0.contains(area, but: Self.slack * size) }
    }

    /// Whether text can be read on what was painted there before.
    private func standsOut(_ area: PDFRectangle, _ size: Double) -> Bool {
        var ground: Double? = 1
        if let under = grounds.last(where: { $0.area.intersection(area) != nil }) {
            guard under.area.contains(area, but: Self.slack * size) else { return false }
            ground = under.ink?.brightness
        }
        guard let ground, let ink = state.ink?.brightness else { return false }
        return abs(ink - ground) >= AppearanceMeasure.leastContrast
    }

    /// A place of the look's own space in points from the corner of the field's box.
    func point(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        ((x - box.left) * scale.x, (y - box.bottom) * scale.y)
    }

    /// Asks whether a glyph stands behind or below the last one, and where words end.
    private mutating func compareWithLast(_ area: PDFRectangle, _ size: Double) {
        guard let last = lastGlyph else { return }
        let (height, smaller) = (max(size, last.size), min(size, last.size))
        let isAfterSpace = text.unicodeScalars.last?.properties.isWhitespace == true
        if abs(area.bottom - last.y) < Self.tolerance {
            let gap = area.left - last.end
            // A space is one that is seen.
            isPlain = isPlain && gap >= (isAfterSpace ? Self.slack : -Self.slack) * smaller
            if !isAfterSpace, gap > Self.gap * height { text.append(" ") }
        } else {
            isPlain = isPlain && area.bottom <= last.y - Self.lineHeight * height
            text.append("\n")
            line += 1
        }
    }

    mutating func nextLine(_ x: Double, _ y: Double) {
        lineMatrix = Transform(e: x, f: y).followed(by: lineMatrix)
        textMatrix = lineMatrix
    }
}
