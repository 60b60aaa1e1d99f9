import PDFCore

/// The text that an appearance stream shows (ISO 32000-2 §12.5.5), and whether a person sees just
/// that: upright, in its order, in a plain font, on a ground that it stands out from, with nothing
/// drawn over it.
struct AppearanceText {
    /// What the strings say, as far as they can be read.
    private(set) var text = ""
    /// Whether every string can be read.
    private(set) var isReadable = true
    /// Whether nothing makes it look otherwise.
    private(set) var isPlain = true

    private let document: PDFDocument
    private var state = GraphicsState()
    private var saved: [GraphicsState] = []
    private var box = PDFRectangle(0, 0, 0, 0)
    /// The subpaths of the path that is being built.
    private var path: [[(x: Double, y: Double)]] = []
    private var paintedCount = 0
    private var isClipping = false
    private var textMatrix = Transform.identity
    private var lineMatrix = Transform.identity
    /// The brightness of what was painted under the text.
    private var ground: Double? = 1
    /// Where the last string began.
    private var lastOrigin: (x: Double, y: Double)?
    private var operationCount = 0
    /// How much content was read.
    private(set) var byteCount = 0

    private static let maximumDepth = 4
    private static let maximumSavedCount = 64
    private static let maximumOperationCount = 100_000
    private static let maximumByteCount = 256 * 1024
    /// Smallest size that is read, in points.
    private static let smallestSize = 2.0
    /// Least difference between the brightness of text and ground.
    private static let leastContrast = 0.3
    /// Strings closer than this stand on one line, or in one place; in points.
    private static let tolerance = 0.5
    /// The part of the box that a drawn ground or frame spans.
    private static let frameShare = 0.6
    /// The part of a side that one side of a frame spans, and how thick it is, in points.
    private static let edgeShare = 0.85
    private static let frameThickness = 3.0
    /// Most subpaths that grounds and frames have, and most corners of one.
    private static let subpathLimit = (count: 10, corners: 12)
    /// How far spaces and shifts may go back, in points and in thousandths of the size.
    private static let backwardLimit = (points: 2.0, thousandths: 400.0)
    private static let operatorsWithoutEffect: Set<String> = [
        "BMC", "EMC", "MP", "DP", "w", "J", "j", "M", "d", "i", "ri", "G", "RG", "K", "CS", "SC",
        "BX", "EX", "Tw",
    ]

    private struct GraphicsState {
        var matrix = Transform.identity
        var font: PDFName?
        var size = 0.0
        var leading = 0.0
        /// From 0, black, to 1, white; nil when it is not known.
        var brightness: Double? = 0
        var clip: PDFRectangle?
    }

    /// - Parameter rect: where it is drawn.
    init(_ form: PDFStream, rect: PDFRectangle?, in document: PDFDocument) throws(PDFError) {
        self.document = document
        guard let box = try document.rectangle(form.dictionary["BBox"]), box.width > 0,
            box.height > 0, let rect
        else {
            isPlain = false
            try show(form, depth: 0)
            return
        }
        self.box = box
        let scale = (x: rect.width / box.width, y: rect.height / box.height)
        state.matrix = try Transform(form.dictionary["Matrix"], in: document) ?? .identity
        // Who turns or moves the whole is not followed.
        isPlain =
            state.matrix.isIdentity && scale.x > 0.3 && scale.x < 3 && scale.y > 0.3
            && scale.y < 3
        try show(form, depth: 0)
    }

    private mutating func show(_ form: PDFStream, depth: Int) throws(PDFError) {
        let limit = ContentOperation.byteLimit
        byteCount += limit
        guard depth < Self.maximumDepth, byteCount < Self.maximumByteCount,
            let content = try? document.decodedData(of: form, upTo: limit),
            let operations = ContentOperation.all(in: content)
        else {
            isReadable = false
            return
        }
        byteCount += content.count - limit
        if form.dictionary["OC"] != nil || form.dictionary["Group"] != nil { isPlain = false }
        let resources = try document.value(form.dictionary, "Resources").dictionaryValue
        var plainFonts: [PDFName: Bool] = [:]
        for operation in operations {
            operationCount += 1
            guard operationCount < Self.maximumOperationCount else {
                isReadable = false
                return
            }
            switch operation.name {
            case "Tj", "TJ", "'", "\"":
                let name = state.font ?? ""
                if plainFonts[name] == nil {
                    plainFonts[name] = try isPlain(font: name, in: resources)
                }
                if plainFonts[name] != true { isReadable = false }
                write(operation)
            case "Do": try draw(operation, resources, depth)
            default: follow(operation)
            }
        }
    }

    private func isPlain(
        font name: PDFName, in resources: PDFDictionary?
    ) throws(PDFError) -> Bool {
        guard let resources, let fonts = try document.value(resources, "Font").dictionaryValue,
            let font = try document.value(fonts, name).dictionaryValue
        else { return false }
        return try FontEncoding.isPlain(font, in: document)
    }

    private mutating func draw(
        _ operation: ContentOperation, _ resources: PDFDictionary?, _ depth: Int
    ) throws(PDFError) {
        guard let name = operation.names.last, let resources,
            let forms = try document.value(resources, "XObject").dictionaryValue,
            let form = try document.value(forms, name).streamValue,
            try document.value(form.dictionary, "Subtype").nameValue == "Form"
        else {
            isReadable = false
            return
        }
        let (outside, depthOutside) = (state, saved.count)
        if let matrix = try Transform(form.dictionary["Matrix"], in: document) {
            state.matrix = matrix.followed(by: state.matrix)
        }
        if let inner = try document.rectangle(form.dictionary["BBox"]) {
            clip(to: state.matrix.applied(to: inner))
        }
        try show(form, depth: depth + 1)
        state = outside
        if saved.count > depthOutside { saved.removeLast(saved.count - depthOutside) }
    }

    private mutating func clip(to area: PDFRectangle) {
        guard let known = state.clip else {
            state.clip = area
            return
        }
        state.clip = known.intersection(area) ?? PDFRectangle(0, 0, 0, 0)
    }

    // MARK: Text

    private mutating func write(_ operation: ContentOperation) {
        if operation.name == "'" || operation.name == "\"" { nextLine(0, -state.leading) }
        let shift = operation.name == "TJ" ? operation.numbers.max() ?? 0 : 0
        let placed = textMatrix.followed(by: state.matrix)
        let (x, y) = (placed.e, placed.f)
        let area = state.clip.map { box.intersection($0) ?? PDFRectangle(0, 0, 0, 0) } ?? box
        let isInside =
            x >= area.left - Self.tolerance && x < area.right && y < area.top
            && y + placed.d * state.size > area.bottom
        let contrast = state.brightness.flatMap { text in ground.map { abs(text - $0) } }
        let isInOrder =
            lastOrigin.map { last in
                abs(y - last.y) < Self.tolerance ? x > last.x + Self.tolerance : y < last.y
            } ?? true
        if operation.strings.contains(where: { !$0.isEmpty }) {
            isPlain =
                isPlain && placed.isUpright && state.size * placed.d >= Self.smallestSize
                && isInside && (contrast ?? 0) >= Self.leastContrast && isInOrder
                && shift <= Self.backwardLimit.thousandths
            lastOrigin = (x, y)
        }
        for bytes in operation.strings { text += PDFString(bytes: bytes).text }
    }

    private mutating func nextLine(_ x: Double, _ y: Double) {
        lineMatrix = Transform(e: x, f: y).followed(by: lineMatrix)
        textMatrix = lineMatrix
    }

    // MARK: What leads to it

    private mutating func follow(_ operation: ContentOperation) {
        let numbers = operation.numbers
        switch (operation.name, numbers.count) {
        case ("q", 0) where saved.count < Self.maximumSavedCount: saved.append(state)
        case ("Q", 0): state = saved.popLast() ?? state
        case ("cm", 6): state.matrix = Transform(numbers).followed(by: state.matrix)
        case ("BT", 0): (textMatrix, lineMatrix) = (.identity, .identity)
        case ("ET", 0): break
        case ("Tf", 1): (state.font, state.size) = (operation.names.last, numbers[0])
        case ("TL", 1): state.leading = numbers[0]
        case ("Td", 2): nextLine(numbers[0], numbers[1])
        case ("TD", 2):
            state.leading = -numbers[1]
            nextLine(numbers[0], numbers[1])
        case ("T*", 0): nextLine(0, -state.leading)
        case ("Tm", 6): (textMatrix, lineMatrix) = (Transform(numbers), Transform(numbers))
        case ("Tc", 1) where numbers[0] >= -Self.backwardLimit.points: break
        case ("Tz", 1) where (50...200).contains(numbers[0]): break
        case ("Tr", 1) where numbers[0] == 0: break
        case ("Ts", 1) where numbers[0] == 0: break
        case ("g", 1), ("rg", 3), ("k", 4), ("sc", 1), ("sc", 3), ("sc", 4):
            state.brightness = Self.brightness(numbers)
        case ("cs", 0):
            state.brightness =
                ["DeviceGray", "DeviceRGB"].contains(operation.names.last) ? 0 : nil
        default: followPath(operation)
        }
    }

    private static func brightness(_ parts: [Double]) -> Double {
        switch parts.count {
        case 1: parts[0]
        case 3: 0.3 * parts[0] + 0.6 * parts[1] + 0.1 * parts[2]
        default: (1 - parts[3]) * (1 - 0.3 * parts[0] - 0.6 * parts[1] - 0.1 * parts[2])
        }
    }

    private mutating func followPath(_ operation: ContentOperation) {
        let numbers = operation.numbers
        switch (operation.name, numbers.count) {
        case ("m", 2): path.append([state.matrix.applied(to: (numbers[0], numbers[1]))])
        case ("l", 2) where !path.isEmpty:
            path[path.count - 1].append(state.matrix.applied(to: (numbers[0], numbers[1])))
        case ("re", 4):
            let (x, y) = (numbers[0] + numbers[2], numbers[1] + numbers[3])
            path.append([
                state.matrix.applied(to: (numbers[0], numbers[1])),
                state.matrix.applied(to: (x, y)),
            ])
        case ("h", 0): break
        case ("W", 0), ("W*", 0): isClipping = true
        case ("n", 0), ("s", 0), ("S", 0), ("f", 0), ("F", 0), ("f*", 0), ("b", 0), ("B", 0),
            ("b*", 0), ("B*", 0):
            paint(
                isFilled: !["n", "s", "S"].contains(operation.name), isSeen: operation.name != "n")
        default:
            if !Self.operatorsWithoutEffect.contains(operation.name) { isPlain = false }
        }
    }

    /// Grounds and frames span the box and lie under the text; whatever else is drawn may look
    /// like text.
    private mutating func paint(isFilled: Bool, isSeen: Bool) {
        defer { (path, isClipping) = ([], false) }
        for points in path {
            guard let first = points.first else { continue }
            let area = points.reduce(PDFRectangle(first.x, first.y, first.x, first.y)) {
                PDFRectangle(
                    min($0.left, $1.x), min($0.bottom, $1.y), max($0.right, $1.x),
                    max($0.top, $1.y))
            }
            if isClipping { clip(to: area) }
            guard isSeen else { continue }
            paintedCount += 1
            let isGround =
                area.width >= Self.frameShare * box.width
                && area.height >= Self.frameShare * box.height
            isPlain =
                isPlain && lastOrigin == nil && (isGround || isEdge(area))
                && points.count <= Self.subpathLimit.corners
                && paintedCount <= Self.subpathLimit.count
            if isFilled, isGround { ground = state.brightness }
        }
    }

    /// Whether the area is one side of a frame: thin, as long as the side, and at it.
    private func isEdge(_ area: PDFRectangle) -> Bool {
        let (thickness, share) = (Self.frameThickness, Self.edgeShare)
        let isHorizontal =
            area.width >= share * box.width
            && (area.top <= box.bottom + thickness || area.bottom >= box.top - thickness)
        let isVertical =
            area.height >= share * box.height
            && (area.right <= box.left + thickness || area.left >= box.right - thickness)
        return isHorizontal || isVertical
    }
}

extension PDFDocument {
    /// Four numbers; nil when they are not.
    func rectangle(_ entry: PDFObject?) throws(PDFError) -> PDFRectangle? {
        guard let elements = try resolve(entry ?? .null).arrayValue, elements.count == 4 else {
            return nil
        }
        var numbers: [Double] = []
        for element in elements {
            guard let number = try resolve(element).numberValue else { return nil }
            numbers.append(number)
        }
        return PDFRectangle(numbers[0], numbers[1], numbers[2], numbers[3])
    }
}
