import PDFCore
import PDFSigning

/// The strings in an appearance stream (ISO 32000-2 §12.5.5), read with a small grammar: text
/// operators, rectangles, straight lines and nested forms. All other content is an unreadable part.
///
/// A new appearance must also be plain. Background, border and dividers must follow the entries of
/// the field. The text must use one font of the signed revision, one size and one color, in lines
/// inside the box.
struct AppearanceStrings {
    /// The strings in the order of the stream, with a line break between lines.
    private(set) var text = ""
    /// Whether the encoding of a font does not identify the characters of a string.
    private(set) var hasUnknownCharacters = false
    /// Number of codes in the strings, without marks.
    private(set) var codeCount = 0
    /// Number of button marks: a check, cross, circle, diamond, square or star of ZapfDingbats.
    private(set) var markCount = 0
    /// Content that the grammar does not cover, except curves, as text: `an image`.
    private(set) var unknownPart: String? {
        didSet { isBlank = false }
    }
    private(set) var hasCurve = false {
        didSet { isBlank = false }
    }
    /// Content that cannot be read as text; nil if all was read.
    var unreadablePart: String? { unknownPart ?? (hasCurve ? "a curve" : nil) }
    /// Whether the stream only sets the graphics state and ends paths without painting them.
    private(set) var isBlank = true
    /// Why the displayed text may differ. Nil for plain text.
    private(set) var oddity: String?
    /// The same for a text or choice field, in which button marks are also a reason.
    var oddityOfText: String? { oddity ?? (markCount > 0 ? "it shows marks" : nil) }
    var textFont: ObjectID? { style?.fontID }
    /// The font size of the text in the units of the box; 0 without text.
    var textSize: Double { style?.size ?? 0 }
    var textColor: TextColor? { style?.color }
    /// Whether the text has little contrast with the background, or with a white page.
    private(set) var isFaint = false
    /// Size of the content read, in bytes.
    private(set) var byteCount = 0

    private let document: PDFDocument
    /// Whether an object is unchanged from the signed revision.
    private let isSigned: (ObjectID) -> Bool
    private var box = PDFRectangle(0, 0, 0, 0)
    /// The smaller scale factor from the box to the page.
    private var scale = 1.0
    private var state = GraphicsState()
    private var saved: [GraphicsState] = []
    private var textMatrix = Transform.identity
    private var lineMatrix = Transform.identity
    private var lineEnd: (x: Double, y: Double)?
    /// Text style of the first string.
    private var style: TextStyle?
    /// Points of the current path, by subpath.
    private var path: [[(x: Double, y: Double)]] = []
    private var isClip = false
    /// Whether a text object is open (between BT and ET).
    private var isText = false
    /// The colors of the background and of filled shapes over it; empty on the page.
    private var backgrounds: [TextColor] = []
    private let frame: AppearanceFrame
    private var shapeCount = 0
    private var operationCount = 0

    private static let maximumDepth = 4
    private static let maximumSavedCount = 64
    private static let maximumOperationCount = 20_000
    private static let byteLimit = 256 << 10
    /// Maximum number of rectangles and lines around plain text, including dividers of comb fields.
    private static let maximumShapeCount = 100
    /// Maximum number of points of a shape: a beveled border has six corners.
    private static let maximumPointCount = 8
    /// Maximum distance of a background or border from the corners of the box: in points, and
    /// relative to the box.
    private static let (cornerSize, cornerPart) = (4.0, 0.2)
    /// Maximum distance of a comb divider from the boundary of a cell, relative to the cell width.
    private static let dividerPart = 0.15
    /// Minimum height of a comb divider relative to the box. A shorter one could be read as a digit.
    private static let dividerHeightPart = 0.8
    /// Minimum difference in lightness between a visible color and the background.
    private static let contrast = 0.25
    /// Height above the baseline that must be visible, relative to the font size.
    private static let heightPart = 0.45
    /// Permitted overflow of the box: at the bottom, relative to the font size; at the left, in
    /// points.
    private static let (depthPart, leftTolerance) = (0.05, 1.0)
    /// Entries of a form XObject that do not change its display.
    private static let plainKeys: Set<PDFName> = [
        "Type", "Subtype", "FormType", "BBox", "Matrix", "Resources", "Length", "Filter",
        "DecodeParms", "Name", "Group", "StructParent", "StructParents", "LastModified",
        "PieceInfo", "Metadata",
    ]
    /// Permitted scale factors from the /BBox of the stream to the /Rect of the annotation.
    private static let scales = 0.3...3.0
    /// Codes of the marks in ZapfDingbats (ISO 32000-2 Annex D.6).
    private static let marks = Set("345678HlnuN".utf8)
    /// Minimum font size of plain text on the page, in points.
    private static let smallestSize = 3.0
    /// Maximum distance between two strings of a line, relative to the font size.
    private static let widestGap = 2.0
    /// Width of a narrow font relative to Helvetica.
    private static let narrowestPart = 0.6
    /// Maximum adjustment between two glyphs, in thousandths of the font size.
    private static let maximumAdjustment = 200.0
    /// Minimum width and height of a button mark, relative to the smaller side of its box.
    private static let markPart = 0.2
    /// Ratio of the horizontal to the vertical scale of glyphs.
    private static let proportions = 0.8...1.25

    /// - Parameters:
    ///   - rect: the box of the annotation.
    ///   - isSigned: whether an object is unchanged from the signed revision.
    init(
        _ form: PDFStream, rect: PDFRectangle?, frame: AppearanceFrame, in document: PDFDocument,
        isSigned: @escaping (ObjectID) -> Bool
    ) throws(PDFError) {
        (self.document, self.frame, self.isSigned) = (document, frame, isSigned)
        if let box = try document.rectangle(form.dictionary["BBox"]), let rect {
            self.box = box
            let (x, y) = (rect.width / box.width, rect.height / box.height)
            if !Self.scales.contains(x) || !Self.scales.contains(y) { oddity = "it is scaled" }
            scale = min(x, y)
        } else {
            oddity = "it has no bounding box (BBox)"
        }
        let matrix = try Transform(form.dictionary["Matrix"], in: document) ?? .identity
        if !matrix.isIdentity { oddity = "it is rotated or moved" }
        try read(form, depth: 0)
    }

    private mutating func read(_ form: PDFStream, depth: Int) throws(PDFError) {
        guard depth < Self.maximumDepth, byteCount < Self.byteLimit,
            try document.value(form.dictionary, "Subtype").nameValue == "Form",
            let content = try? document.plainData(of: form, upTo: Self.byteLimit - byteCount),
            let operations = ContentOperation.all(in: content, upTo: Self.byteLimit)
        else {
            unknownPart = "content that cannot be read"
            return
        }
        byteCount += content.count
        if form.dictionary.entries.contains(where: { !Self.plainKeys.contains($0.key) }) {
            oddity = "its dictionary has unexpected entries"
        }
        let resources = try document.value(form.dictionary, "Resources").dictionaryValue
        if resources?["ColorSpace"] != nil { oddity = "it may have a default color space" }
        for operation in operations {
            operationCount += 1
            guard operationCount < Self.maximumOperationCount else {
                unknownPart = "too much content to read"
                return
            }
            guard operation.hasUsualOperands else {
                unknownPart = "the operator \(operation.name) with wrong operands"
                return
            }
            switch operation.name {
            case "Tf": try setFont(operation, in: resources)
            case "Do": try draw(operation, resources, depth)
            case "Tj", "TJ", "'": show(operation)
            default: follow(operation)
            }
        }
        if isText { unknownPart = "an unfinished text object" }
    }

    // MARK: Text

    private mutating func setFont(
        _ operation: ContentOperation, in resources: PDFDictionary?
    ) throws(PDFError) {
        guard let name = operation.names.first, let size = operation.numbers.last else { return }
        (state.fontName, state.size) = (name, size)
        let fonts = try resources.map { (resources) throws(PDFError) in
            try document.value(resources, "Font").dictionaryValue
        }
        let entry = fonts??[name] ?? .null
        state.fontID = entry.referenceValue
        let font = try document.resolve(entry).dictionaryValue
        state.font = try font.flatMap { (font) throws(PDFError) in
            try AppearanceFont(font, in: document)
        }
        state.isDingbats =
            try font.map { (font) throws(PDFError) in
                try AppearanceFont.isDingbats(font, in: document)
            } ?? false
        if !state.isDingbats,
            state.font?.isStandard != true || state.font?.hasNumberedGlyphs == true,
            entry.referenceValue.map(isSigned) != true
        {
            oddity = "its font was added by the update"
        }
        if try font.map({ (font) throws(PDFError) in
            try document.value(font, "Subtype").nameValue == "Type0"
        }) == true {
            unknownPart = "text in a composite font"
        }
        if state.font?.isSubset == true { oddity = "its font may lack characters" }
    }

    private mutating func show(_ operation: ContentOperation) {
        isBlank = false
        if !isText { oddity = "it shows text outside of a text object" }
        if operation.name == "'" { moveLine(0, -state.leading) }
        let placed = textMatrix.followed(by: state.matrix)
        let style = TextStyle(
            font: state.fontName, fontID: state.fontID, size: state.size * placed.d,
            color: state.color)
        if let first = self.style, !first.isAlike(style) {
            oddity = "its text has several fonts, sizes or colors"
        }
        self.style = style
        if state.font == nil, state.fontName == nil { oddity = "it has no font" }
        var width = 0.0
        var (scalars, adjustment): ([Unicode.Scalar], Double) = ([], 0)
        func adjust() {
            width -= adjustment / 1000 * state.size
            if adjustment > Self.maximumAdjustment
                || frame.cellCount == 1 && -adjustment > Self.maximumAdjustment
            {
                oddity = "its characters are moved"
            }
            adjustment = 0
        }
        for operand in operation.operands {
            switch operand {
            case .number(let number): adjustment += number
            case .string(let codes) where !codes.isEmpty:
                adjust()
                let marks = state.isDingbats ? codes.count { Self.marks.contains($0) } : 0
                (markCount, codeCount) = (markCount + marks, codeCount + codes.count - marks)
                if state.isDingbats, marks < codes.count {
                    oddity = "it shows other symbols than marks"
                }
                if marks > 0 {
                    let (x, y) = placed.applied(to: (0, 0))
                    // A mark is about half as wide as the font size.
                    checkMark(PDFRectangle(x, y, x + style.size / 2, y + style.size / 2))
                }
                for code in codes {
                    let scalar = state.font?.scalar(code)
                    if scalar == nil { hasUnknownCharacters = true }
                    scalars += scalar.map { [$0] } ?? []
                    width += advance(of: code, scalar)
                }
            default: break
            }
        }
        adjust()
        checkPlace(style, at: placed, width: width)
        text.unicodeScalars.append(contentsOf: scalars)
        textMatrix = Transform(e: width, f: 0).followed(by: textMatrix)
    }

    /// The advance width of a character in text space; estimated by Helvetica without /Widths.
    private mutating func advance(of code: UInt8, _ scalar: Unicode.Scalar?) -> Double {
        if let width = state.font?.width(of: code) {
            if width <= 0, scalar != nil { oddity = "its font may lack characters" }
            return width / 1000 * state.size + state.spacing
        }
        let width = scalar.flatMap { StandardFont.regular.width(of: $0) } ?? 0
        return Self.narrowestPart * Double(width) / 1000 * state.size + state.spacing
    }

    /// Checks that enough of a button's mark is inside the box.
    private mutating func checkMark(_ mark: PDFRectangle) {
        let least = Self.markPart * min(box.width, box.height)
        guard let seen = box.intersection(mark), seen.width >= least, seen.height >= least else {
            oddity = "its mark may not be visible"
            return
        }
    }

    /// Checks that text is inside the box, after or below the previous text, and visible.
    private mutating func checkPlace(_ style: TextStyle, at placed: Transform, width: Double) {
        let (x, y) = placed.applied(to: (0, 0))
        let size = style.size
        let end = x + width * placed.a
        if !Self.proportions.contains(placed.a / placed.d) {
            oddity = "its characters are scaled"
        }
        if let last = lineEnd {
            let isSameLine = (y - last.y).magnitude < size / 2
            if !isSameLine { text += "\n" }
            if !frame.isMultiline, y != last.y { oddity = "its text has several lines" }
            if isSameLine ? x < last.x : y > last.y { oddity = "its text is not in reading order" }
            if isSameLine, frame.cellCount == 1, state.font?.isStandard == true,
                x - last.x > Self.widestGap * size
            {
                oddity = "its characters are moved"
            }
        }
        lineEnd = (end, y)
        let visible = state.clip ?? box
        if !isVisible(style.color) { isFaint = true }
        if !placed.isUpright || state.mode != 0 || size * scale < Self.smallestSize
            || state.spacing < 0
            || style.color == nil || isFaint && (!backgrounds.isEmpty || state.isDingbats)
            || x < visible.left - Self.leftTolerance || y < visible.bottom - Self.depthPart * size
            || end > visible.right || y + Self.heightPart * size > visible.top
        {
            oddity = "part of its text may not be visible"
        }
    }

    /// Whether a color contrasts with the background, or with a white page.
    private func isVisible(_ color: TextColor?) -> Bool {
        guard let color else { return false }
        return (backgrounds.isEmpty ? [.white] : backgrounds).allSatisfy {
            (color.lightness - $0.lightness).magnitude >= Self.contrast
        }
    }

    private mutating func moveLine(_ x: Double, _ y: Double) {
        lineMatrix = Transform(e: x, f: y).followed(by: lineMatrix)
        textMatrix = lineMatrix
    }

    // MARK: Other operators

    private mutating func follow(_ operation: ContentOperation) {
        let numbers = operation.numbers
        if isText, !Self.textOperators.contains(operation.name) {
            oddity = "it uses the operator \(operation.name) inside a text object"
        }
        switch (operation.name, numbers.count) {
        case ("q", 0) where saved.count < Self.maximumSavedCount: saved.append(state)
        case ("Q", 0) where !saved.isEmpty: state = saved.removeLast()
        case ("cm", 6): state.matrix = Transform(numbers).followed(by: state.matrix)
        case ("BT", 0): (textMatrix, lineMatrix, isText) = (.identity, .identity, true)
        case ("ET", 0): isText = false
        case ("TL", 1): state.leading = numbers[0]
        case ("Td", 2): moveLine(numbers[0], numbers[1])
        case ("TD", 2):
            state.leading = -numbers[1]
            moveLine(numbers[0], numbers[1])
        case ("T*", 0): moveLine(0, -state.leading)
        case ("Tm", 6):
            lineMatrix = Transform(numbers)
            textMatrix = lineMatrix
        case ("Tc", 1): state.spacing = numbers[0]
        case ("Tr", 1): state.mode = numbers[0]
        case ("g", 1), ("rg", 3), ("k", 4): state.color = TextColor(numbers)
        case ("w", 1): state.lineWidth = numbers[0]
        case ("Tw", 1) where numbers[0] == 0, ("Tz", 1) where numbers[0] == 100,
            ("Ts", 1) where numbers[0] == 0:
            break
        // Optional content, or a replacement text (/ActualText) that search and speech use.
        case ("BDC", _): oddity = "it has marked content with properties"
        case let (name, _) where Self.withoutEffect.contains(name): break
        default: followPath(operation.name, numbers: numbers)
        }
    }

    /// Operators that affect neither text nor painting.
    private static let withoutEffect: Set<String> = [
        "G", "RG", "K", "J", "j", "M", "d", "ri", "i", "BMC", "BDC", "EMC", "MP", "DP",
    ]
    /// Operators of ``withoutEffect`` and ``follow(_:)`` that a text object permits (ISO 32000-2
    /// Figure 9).
    private static let textOperators = withoutEffect.union([
        "ET", "TL", "Td", "TD", "T*", "Tm", "Tc", "Tw", "Tz", "Ts", "Tr", "g", "rg", "k", "w",
    ])

    private mutating func followPath(_ name: String, numbers: [Double]) {
        switch (name, numbers.count) {
        case ("m", 2): path.append([state.matrix.applied(to: (numbers[0], numbers[1]))])
        case ("l", 2) where !path.isEmpty:
            path[path.count - 1].append(state.matrix.applied(to: (numbers[0], numbers[1])))
        case ("re", 4):
            path.append(
                state.matrix.corners(
                    of: PDFRectangle(
                        numbers[0], numbers[1], numbers[0] + numbers[2], numbers[1] + numbers[3])))
        case ("h", 0): break
        case ("W", 0), ("W*", 0): isClip = true
        case ("S", 0), ("s", 0): endPath(isFilled: false, isDrawn: true)
        case ("f", 0), ("F", 0), ("f*", 0), ("B", 0), ("B*", 0), ("b", 0), ("b*", 0):
            endPath(isFilled: true, isDrawn: true)
        case ("n", 0): endPath(isFilled: false, isDrawn: false)
        case ("c", 6), ("v", 4), ("y", 4): hasCurve = true
        case ("sh", _): unknownPart = "a shading"
        case ("gs", _): oddity = "it uses the operator gs"
        default:
            oddity = "it uses the operator \(name)"
            isBlank = false
        }
    }

    private mutating func endPath(isFilled: Bool, isDrawn: Bool) {
        defer { (path, isClip) = ([], false) }
        if isClip { clip() }
        guard isDrawn, !path.isEmpty else { return }
        isBlank = false
        if style != nil { oddity = "something is drawn over its text" }
        guard let fill = isFilled ? state.color : .black else {
            oddity = "it has a color with wrong components"
            return
        }
        let margin = min(Self.cornerSize, Self.cornerPart * min(box.width, box.height))
        for part in path {
            shapeCount += 1
            let isFrame = joinsCorners(part, within: margin)
            if isFrame, isFilled, path.count == 1, state.clip == nil, frame.hasBackground,
                PDFRectangle.axisParallel(part) != nil
            {
                backgrounds = [fill]
            } else if !(isFrame && frame.hasBorder || !isFilled && isDivider(part))
                || state.lineWidth * state.matrix.d.magnitude > margin
            {
                oddity = "it shows lines or rectangles that are not its border"
            } else if isFilled, Self.isBroad(part, margin) {
                backgrounds = (backgrounds.isEmpty ? [.white] : backgrounds) + [fill]
            }
        }
        if shapeCount > Self.maximumShapeCount { oddity = "it shows too many lines" }
    }

    /// Whether a shape may be behind text: a side of the border is not.
    private static func isBroad(_ part: [(x: Double, y: Double)], _ margin: Double) -> Bool {
        let extent = PDFRectangle.extent(of: part)
        return min(extent.width, extent.height) > margin
    }

    /// Whether a shape connects corners along the edges of the box. Others could be read as
    /// characters.
    private func joinsCorners(_ part: [(x: Double, y: Double)], within margin: Double) -> Bool {
        guard (2...Self.maximumPointCount).contains(part.count) else { return false }
        let corners = part.map { point -> (right: Bool, top: Bool)? in
            let (isLeft, isRight) = (point.x - box.left <= margin, box.right - point.x <= margin)
            let (isLow, isHigh) = (point.y - box.bottom <= margin, box.top - point.y <= margin)
            return isLeft == isRight || isLow == isHigh ? nil : (isRight, isHigh)
        }
        return zip(corners, corners.dropFirst() + corners.prefix(1)).allSatisfy { from, to in
            // A single line along the bottom edge is an underline.
            guard let from, let to, part.count > 2 || !from.top else { return false }
            return from.right == to.right || from.top == to.top
        }
    }

    /// Whether a line divides two cells of a comb.
    private func isDivider(_ part: [(x: Double, y: Double)]) -> Bool {
        guard part.count == 2, (part[0].x - part[1].x).magnitude < 1, frame.cellCount > 1,
            (part[0].y - part[1].y).magnitude > Self.dividerHeightPart * box.height
        else {
            return false
        }
        let place = (part[0].x - box.left) / box.width * Double(frame.cellCount)
        return (place - place.rounded()).magnitude <= Self.dividerPart
    }

    /// Clips to a rectangle. Text outside it is invisible.
    private mutating func clip() {
        guard path.count == 1, !hasCurve, let part = PDFRectangle.axisParallel(path[0]),
            let visible = (state.clip ?? box).intersection(part)
        else {
            oddity = "it is clipped"
            return
        }
        state.clip = visible
    }

    private mutating func draw(
        _ operation: ContentOperation, _ resources: PDFDictionary?, _ depth: Int
    ) throws(PDFError) {
        guard !isText, path.isEmpty else {
            unknownPart = "a form inside a text or path"
            return
        }
        let forms = try resources.map { (resources) throws(PDFError) in
            try document.value(resources, "XObject").dictionaryValue
        }
        guard let name = operation.names.first,
            let form = try document.resolve(forms??[name] ?? .null).streamValue
        else {
            unknownPart = "an object that cannot be read"
            return
        }
        guard try document.value(form.dictionary, "Subtype").nameValue == "Form" else {
            unknownPart = "an image"
            return
        }
        let outside = (state, saved)
        saved = []
        if let matrix = try Transform(form.dictionary["Matrix"], in: document) {
            state.matrix = matrix.followed(by: state.matrix)
        }
        if let inner = try document.rectangle(form.dictionary["BBox"]) {
            path = [state.matrix.corners(of: inner)]
            clip()
            path = []
        }
        try read(form, depth: depth + 1)
        (state, saved) = outside
    }
}
