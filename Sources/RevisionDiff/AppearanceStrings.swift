import PDFCore
import PDFSigning

/// The strings that an appearance stream shows (ISO 32000-2 §12.5.5), read with a small grammar: text
/// operators, rectangles, straight lines and nested forms. Everything else is an unreadable part.
///
/// Where an appearance shows a value that stayed, its text must also be plain: one font of the signed
/// revision, one size and one color, line after line inside the box, with nothing drawn over it.
struct AppearanceStrings {
    /// What the strings say in the order of the stream. Text on another line is on another line.
    private(set) var text = ""
    /// Whether the encoding of a font does not say which characters a string has.
    private(set) var hasUnknownCharacters = false
    /// How many codes the strings have.
    private(set) var codeCount = 0
    /// What the grammar does not cover, except curves: `an image`.
    private(set) var unknownPart: String? {
        didSet { isBlank = false }
    }
    private(set) var curveCount = 0 {
        didSet { isBlank = false }
    }
    /// What cannot be read as text. Nil if all could be read.
    var unreadablePart: String? { unknownPart ?? (curveCount > 0 ? "a curve" : nil) }
    /// Whether it only sets the graphics state and ends paths without painting them.
    private(set) var isBlank = true
    /// Why a person may see the text differently. Nil for plain text.
    private(set) var oddity: String?
    /// How much content was read, in bytes.
    private(set) var byteCount = 0

    private let document: PDFDocument
    /// Whether an object with this identifier was signed as it is.
    private let isSigned: (ObjectID) -> Bool
    private var box = PDFRectangle(0, 0, 0, 0)
    private var state = State()
    private var saved: [State] = []
    private var textMatrix = Transform.identity
    private var lineMatrix = Transform.identity
    private var lineStart: (x: Double, y: Double)?
    /// How the first string was shown.
    private var style: Style?
    /// Points of the path that is being built.
    private var path: [(x: Double, y: Double)] = []
    private var isClip = false
    private var hasGround = false
    private var shapeCount = 0
    private var operationCount = 0

    private static let maximumDepth = 4
    private static let maximumSavedCount = 64
    private static let maximumOperationCount = 20_000
    private static let byteLimit = 256 << 10
    /// Most rectangles and lines around plain text, dividers of comb fields among them.
    private static let maximumShapeCount = 100
    /// Most points of one of them: a beveled border has six corners.
    private static let maximumPointCount = 8
    /// The part of the box that a ground, border or divider spans, and that a clip leaves.
    private static let (spannedPart, clippedPart) = (0.8, 0.5)
    /// How much smaller or larger than its box an annotation may show the stream.
    private static let scales = 0.3...3.0
    /// Smallest size of plain text, in points, and the lightest gray that still counts as white.
    private static let (smallestSize, white) = (2.0, 0.9)
    /// How wide a narrow font is, as a part of Helvetica's width.
    private static let narrowestPart = 0.6
    /// Largest adjustment between the glyphs of a string, in thousandths of the size.
    private static let maximumAdjustment = 500.0

    private struct State {
        var matrix = Transform.identity
        var font: AppearanceFont?
        var fontName: PDFName?
        var size = 0.0
        var leading = 0.0
        var spacing = 0.0
        var mode = 0.0
        var color: [Double] = [0]
    }

    private struct Style: Equatable {
        let font: PDFName?
        let size: Double
        let color: [Double]
    }

    /// - Parameters:
    ///   - rect: the box of the annotation.
    ///   - isSigned: whether an object was signed as it is.
    init(
        _ form: PDFStream, rect: PDFRectangle?, in document: PDFDocument,
        isSigned: @escaping (ObjectID) -> Bool
    ) throws(PDFError) {
        (self.document, self.isSigned) = (document, isSigned)
        if let box = try document.rectangle(form.dictionary["BBox"]), let rect {
            self.box = box
            let (x, y) = (rect.width / box.width, rect.height / box.height)
            if !Self.scales.contains(x) || !Self.scales.contains(y) {
                oddity = "it is scaled"
            }
        } else {
            oddity = "it has no box"
        }
        let matrix = try Transform(form.dictionary["Matrix"], in: document) ?? .identity
        if !matrix.isIdentity { oddity = "it is turned or moved" }
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
        let resources = try document.value(form.dictionary, "Resources").dictionaryValue
        for operation in operations {
            operationCount += 1
            guard operationCount < Self.maximumOperationCount else {
                unknownPart = "more content than is read"
                return
            }
            switch operation.name {
            case "Tf": try setFont(operation, resources)
            case "Do": try draw(operation, resources, depth)
            case "Tj", "TJ", "'", "\"": show(operation)
            default: follow(operation)
            }
        }
    }

    // MARK: Text

    private mutating func setFont(
        _ operation: ContentOperation, _ resources: PDFDictionary?
    ) throws(PDFError) {
        guard let name = operation.names.first, let size = operation.numbers.last else { return }
        (state.fontName, state.size) = (name, size)
        let fonts = try resources.map { (resources) throws(PDFError) in
            try document.value(resources, "Font").dictionaryValue
        }
        let entry = fonts??[name] ?? .null
        let font = try document.resolve(entry).dictionaryValue
        state.font = try font.flatMap { (font) throws(PDFError) in
            try AppearanceFont(font, in: document)
        }
        if state.font?.isStandard != true, entry.referenceValue.map(isSigned) != true {
            oddity = "its font came with the update"
        }
    }

    private mutating func show(_ operation: ContentOperation) {
        isBlank = false
        if operation.name == "'" || operation.name == "\"" { moveLine(0, -state.leading) }
        let style = Style(font: state.fontName, size: state.size, color: state.color)
        if let first = self.style, first != style {
            oddity = "its text has several fonts, sizes or colors"
        }
        self.style = style
        let adjustments = operation.name == "TJ" ? operation.numbers : []
        if adjustments.contains(where: { $0.magnitude > Self.maximumAdjustment }) {
            oddity = "its letters are moved"
        }
        let shown = operation.strings.joined().map { state.font?.scalar($0) }
        codeCount += shown.count
        if shown.contains(nil) { hasUnknownCharacters = true }
        let scalars = shown.compactMap { $0 }
        let width = scalars.reduce(0.0) { $0 + advance(of: $1) }
        checkPlace(style, width: width)
        text.unicodeScalars.append(contentsOf: scalars)
        textMatrix = Transform(e: width, f: 0).followed(by: textMatrix)
    }

    /// About how far a character moves on, in text space: as in Helvetica.
    private func advance(of scalar: Unicode.Scalar) -> Double {
        Double(StandardFont.regular.width(of: scalar) ?? 0) / 1000 * state.size + state.spacing
    }

    /// Whether text begins inside the box, behind or below what was shown before, and can be seen.
    private mutating func checkPlace(_ style: Style, width: Double) {
        let placed = textMatrix.followed(by: state.matrix)
        let (x, y) = placed.applied(to: (0, 0))
        let size = style.size * placed.d
        if let last = lineStart {
            let isSameLine = (y - last.y).magnitude < size / 2
            if !isSameLine { text += "\n" }
            if isSameLine ? x <= last.x : y > last.y { oddity = "its text is not in order" }
        }
        lineStart = (x, y)
        let isWhite = style.color.count < 4 && style.color.allSatisfy { $0 >= Self.white }
        if !placed.isUpright || state.mode != 0 || size < Self.smallestSize || state.spacing < 0
            || isWhite && !hasGround || x < box.left || y < box.bottom || y > box.top
            || x + Self.narrowestPart * width * placed.a > box.right
        {
            oddity = "part of its text may not be visible"
        }
    }

    private mutating func moveLine(_ x: Double, _ y: Double) {
        lineMatrix = Transform(e: x, f: y).followed(by: lineMatrix)
        textMatrix = lineMatrix
    }

    // MARK: Other operators

    private mutating func follow(_ operation: ContentOperation) {
        let numbers = operation.numbers
        switch (operation.name, numbers.count) {
        case ("q", 0) where saved.count < Self.maximumSavedCount: saved.append(state)
        case ("Q", 0) where !saved.isEmpty: state = saved.removeLast()
        case ("cm", 6): state.matrix = Transform(numbers).followed(by: state.matrix)
        case ("BT", 0): (textMatrix, lineMatrix) = (.identity, .identity)
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
        case ("g", 1), ("rg", 3), ("k", 4), ("sc", 1...4), ("scn", 1...4): state.color = numbers
        case ("Tz", 1) where numbers[0] == 100, ("Ts", 1) where numbers[0] == 0: break
        case ("BDC", _) where operation.names.first == "OC": oddity = "it is in a layer"
        case let (name, _) where Self.withoutEffect.contains(name): break
        default: followPath(operation.name, numbers)
        }
    }

    /// Operators that change neither the text nor what is drawn over it.
    private static let withoutEffect: Set<String> = [
        "ET", "Tw", "G", "RG", "K", "CS", "cs", "SC", "SCN", "w", "J", "j", "M", "d", "ri", "i",
        "BMC", "BDC", "EMC", "MP", "DP", "BX", "EX",
    ]

    private mutating func followPath(_ name: String, _ numbers: [Double]) {
        switch (name, numbers.count) {
        case ("m", 2), ("l", 2): path.append(state.matrix.applied(to: (numbers[0], numbers[1])))
        case ("re", 4):
            path += state.matrix.corners(
                of: PDFRectangle(
                    numbers[0], numbers[1], numbers[0] + numbers[2], numbers[1] + numbers[3]))
        case ("h", 0): break
        case ("W", 0), ("W*", 0): isClip = true
        case ("S", 0), ("s", 0): endPath(isFilled: false, isDrawn: true)
        case ("f", 0), ("F", 0), ("f*", 0), ("B", 0), ("B*", 0), ("b", 0), ("b*", 0):
            endPath(isFilled: true, isDrawn: true)
        case ("n", 0): endPath(isFilled: false, isDrawn: false)
        case ("c", 6), ("v", 4), ("y", 4): curveCount += 1
        case ("sh", _): unknownPart = "a shading"
        case ("gs", _): oddity = "it uses the operator gs"
        default:
            oddity = "it uses the operator \(name)"
            isBlank = false
        }
    }

    /// Grounds, borders and dividers span the box in one direction at least. Other shapes may be read
    /// as characters.
    private mutating func endPath(isFilled: Bool, isDrawn: Bool) {
        defer { (path, isClip) = ([], false) }
        let (xs, ys) = (path.map(\.x), path.map(\.y))
        guard let left = xs.min(), let right = xs.max(), let bottom = ys.min(), let top = ys.max()
        else { return }
        let (width, height) = ((right - left) / box.width, (top - bottom) / box.height)
        if isClip, min(width, height) < Self.clippedPart { oddity = "it is clipped" }
        guard isDrawn else { return }
        isBlank = false
        shapeCount += 1
        if isFilled {
            if style != nil { oddity = "something is drawn over its text" }
            hasGround = true
        }
        if max(width, height) < Self.spannedPart || path.count > Self.maximumPointCount
            || shapeCount > Self.maximumShapeCount
        {
            oddity = "it shows lines or rectangles that are not its border"
        }
    }

    private mutating func draw(
        _ operation: ContentOperation, _ resources: PDFDictionary?, _ depth: Int
    ) throws(PDFError) {
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
            path = state.matrix.corners(of: inner)
            isClip = true
            endPath(isFilled: false, isDrawn: false)
        }
        try read(form, depth: depth + 1)
        (state, saved) = outside
    }
}
