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
    private(set) var isPlain = true
    /// Where it stands.
    private(set) var shown = ShownText()
    /// Where the text stands, in parts of the box.
    private(set) var place: PDFRectangle?
    private(set) var frames: [Frame] = []
    var hasFrame: Bool { !frames.isEmpty }
    /// Where lines stand that part cells, in parts of the box's width.
    private(set) var dividers: [Double] = []

    private let document: PDFDocument
    private var state = GraphicsState()
    private var saved: [GraphicsState] = []
    private var box = PDFRectangle(0, 0, 0, 0)
    /// How much wider and higher the box is where it is drawn.
    private var scale = (x: 1.0, y: 1.0)
    /// The subpaths of the path that is being built.
    private var path: [AppearancePath] = []
    private var paintedCount = 0
    /// The operator that made the path a clip: it takes effect with the path's end.
    private var clipOperator: String?
    private var isInText = false
    private var textMatrix = Transform.identity
    private var lineMatrix = Transform.identity
    private var grounds: [(area: PDFRectangle, ink: Ink?)] = []
    private var framedSides: Set<AppearancePath.Side> = []
    private var lastGlyph: PlacedGlyph?
    private var fontCount = 0
    private var operationCount = 0
    /// How much content was read.
    private(set) var byteCount = 0

    private static let maximumDepth = 4
    private static let maximumSavedCount = 64
    private static let maximumFontCount = 32
    /// What reading a font costs, in bytes: looks may share one.
    private static let fontCost = 1024
    private static let maximumOperationCount = 100_000
    private static let maximumByteCount = 256 * 1024
    /// Smallest size that is read, in points.
    static let smallestSize = 2.0
    /// Strings closer than this in height stand on one line, in points.
    private static let tolerance = 0.5
    /// Parts of the size: how high digits are; how much of a glyph may be cut off or lie under the
    /// next; from where on a gap looks like a space; how far apart lines are.
    private static let (digitHeight, slack, gap, lineHeight) = (0.7, 0.1, 0.25, 0.8)
    /// The part of the box that a drawn ground spans.
    private static let groundShare = 0.6
    /// How thick the lines of a frame are, in points.
    private static let lineWidthLimit = 3.0
    /// Most subpaths that grounds, frames and cells have.
    private static let subpathLimit = 100
    private static let operatorsWithoutEffect: Set<String> = [
        "BMC", "EMC", "MP", "DP", "J", "j", "M", "d", "i", "ri", "BX", "EX",
    ]
    private static let componentCounts: [PDFName: Int] = [
        "DeviceGray": 1, "DeviceRGB": 3, "DeviceCMYK": 4,
    ]
    /// Entries by which a form is shown in another way, or somewhere else only.
    private static let unfollowedKeys: [PDFName] = [
        "OC", "Group", "Ref", "PS", "OPI",
    ]
    /// Colour spaces that stand for those of the device where resources have them.
    private static let defaultSpaces: [PDFName] = ["DefaultGray", "DefaultRGB", "DefaultCMYK"]

    private struct GraphicsState {
        var matrix = Transform.identity
        var font: SimpleFont?
        var size = 0.0
        var leading = 0.0
        var characterSpacing = 0.0
        var wordSpacing = 0.0
        var lineWidth = 1.0
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
        guard let box = try document.rectangle(form.dictionary["BBox"]), box.width > 0,
            box.height > 0, let rect
        else {
            isPlain = false
            try show(form, depth: 0)
            return
        }
        self.box = box
        scale = (x: rect.width / box.width, y: rect.height / box.height)
        state.matrix = try Transform(form.dictionary["Matrix"], in: document) ?? .identity
        // Who turns or moves the whole is not followed.
        isPlain =
            state.matrix.isIdentity && scale.x > 0.3 && scale.x < 3 && scale.y > 0.3
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
            case "Tj", "TJ", "'": write(operation)
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
    }

    private func font(
        _ name: PDFName, in resources: PDFDictionary?
    ) throws(PDFError) -> SimpleFont? {
        guard fontCount <= Self.maximumFontCount, let resources,
            let fonts = try document.value(resources, "Font").dictionaryValue,
            fonts.duplicateKeys.isEmpty,
            let font = try document.value(fonts, name).dictionaryValue
        else { return nil }
        return try SimpleFont(font, in: document)
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
            isReadable = false
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

    /// - Parameter area: nil when it is not an upright rectangle.
    private mutating func clip(to area: PDFRectangle?) {
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
        if operation.name == "'" { nextLine(0, -state.leading) }
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
            isReadable = false
            return
        }
        guard let width = glyph.width else {
            isPlain = false
            text.unicodeScalars.append(glyph.scalar)
            return
        }
        let length = width / 1000 * state.size
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
    private func point(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
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
        }
    }

    private mutating func nextLine(_ x: Double, _ y: Double) {
        lineMatrix = Transform(e: x, f: y).followed(by: lineMatrix)
        textMatrix = lineMatrix
    }

    // MARK: What leads to it

    private mutating func follow(_ operation: ContentOperation) {
        let numbers = operation.numbers
        guard numbers.count == operation.operands.count else {
            followNames(operation)
            return
        }
        switch (operation.name, numbers.count) {
        case ("q", 0) where !isInText && saved.count < Self.maximumSavedCount: saved.append(state)
        case ("Q", 0) where !isInText && !saved.isEmpty: state = saved.removeLast()
        case ("cm", 6) where !isInText:
            state.matrix = Transform(numbers).followed(by: state.matrix)
        case ("BT", 0) where !isInText:
            (textMatrix, lineMatrix, isInText) = (.identity, .identity, true)
        case ("ET", 0) where isInText: isInText = false
        case ("TL", 1): state.leading = numbers[0]
        case ("Td", 2) where isInText: nextLine(numbers[0], numbers[1])
        case ("TD", 2) where isInText:
            state.leading = -numbers[1]
            nextLine(numbers[0], numbers[1])
        case ("T*", 0) where isInText: nextLine(0, -state.leading)
        case ("Tm", 6) where isInText:
            (textMatrix, lineMatrix) = (Transform(numbers), Transform(numbers))
        case ("Tc", 1): state.characterSpacing = numbers[0]
        case ("Tw", 1): state.wordSpacing = numbers[0]
        case ("Tz", 1) where numbers[0] == 100: break
        case ("Tr", 1) where numbers[0] == 0: break
        case ("Ts", 1) where numbers[0] == 0: break
        case ("w", 1): state.lineWidth = numbers[0]
        case ("g", 1), ("rg", 3), ("k", 4):
            state.componentCount = numbers.count
            state.ink = Ink(numbers)
        case ("sc", _), ("scn", _):
            state.ink = state.componentCount == numbers.count ? Ink(numbers) : nil
        case ("G", 1), ("RG", 3), ("K", 4): state.strokeInk = Ink(numbers)
        case ("SC", _): state.strokeInk = nil
        default: followPath(operation.name, numbers)
        }
    }

    private mutating func followNames(_ operation: ContentOperation) {
        if operation.name == "cs", operation.operands.count == 1,
            case .name(let name) = operation.operands[0]
        {
            // Some readers keep the colour that was there.
            (state.componentCount, state.ink) = (Self.componentCounts[name], nil)
        } else if operation.name == "CS" {
            state.strokeInk = nil
        } else if !Self.operatorsWithoutEffect.contains(operation.name) {
            isPlain = false
        }
    }

    private mutating func followPath(_ name: String, _ numbers: [Double]) {
        switch (name, numbers.count) {
        case ("m", 2) where clipOperator == nil:
            path.append(
                AppearancePath(points: [state.matrix.applied(to: (numbers[0], numbers[1]))]))
        case ("l", 2) where clipOperator == nil && !path.isEmpty:
            path[path.count - 1].points.append(
                state.matrix.applied(to: (numbers[0], numbers[1])))
        case ("re", 4) where clipOperator == nil:
            let corner = (x: numbers[0] + numbers[2], y: numbers[1] + numbers[3])
            path.append(
                AppearancePath(
                    points: [
                        (numbers[0], numbers[1]), (corner.x, numbers[1]), (corner.x, corner.y),
                        (numbers[0], corner.y),
                    ].map { state.matrix.applied(to: $0) }))
        case ("h", 0):
            // Closed, a place alone is a dot.
            if let last = path.last, last.isEmpty { path[path.count - 1].points += last.points }
        case ("W", 0), ("W*", 0): clipOperator = name
        case ("n", 0), ("s", 0), ("S", 0), ("f", 0), ("F", 0), ("f*", 0), ("b", 0), ("B", 0),
            ("b*", 0), ("B*", 0):
            if name != "n" {
                paint(
                    isFilled: !["s", "S"].contains(name),
                    isStroked: !["f", "F", "f*"].contains(name), isEvenOdd: name == "f*")
            }
            if let clipOperator { clipToPath(isEvenOdd: clipOperator == "W*") }
            (path, clipOperator) = ([], nil)
        default:
            if !Self.operatorsWithoutEffect.contains(name) { isPlain = false }
        }
    }

    /// Several rectangles together leave at least what all have in common, when none takes out of
    /// another.
    private mutating func clipToPath(isEvenOdd: Bool) {
        let parts = path.filter { !$0.isEmpty }
        let areas = parts.map(\.signedArea)
        guard parts.count == 1 || !isEvenOdd,
            areas.allSatisfy({ $0 > 0 }) || areas.allSatisfy({ $0 < 0 })
        else {
            isPlain = false
            return
        }
        for part in parts { clip(to: part.rectangle) }
        if parts.isEmpty { isPlain = false }
    }

    /// Grounds and frames lie under the text; whatever else is drawn may look like text.
    private mutating func paint(isFilled: Bool, isStroked: Bool, isEvenOdd: Bool) {
        let parts = path.filter { !$0.isEmpty }
        // A frame may be what is between two rectangles.
        let isRing =
            isEvenOdd && parts.count == 2
            && parts.allSatisfy {
                $0.rectangle != nil && $0.framedSides(of: box, isFilled: false)?.count == 4
            }
        if isStroked, abs(state.lineWidth) * state.matrix.magnification > Self.lineWidthLimit {
            isPlain = false
        }
        for part in parts {
            paintedCount += 1
            guard lastGlyph == nil, paintedCount <= Self.subpathLimit else {
                isPlain = false
                return
            }
            if isFilled, parts.count == 1, let area = part.rectangle.flatMap(groundArea) {
                grounds.append((area, state.ink))
                if let part = self.part(area) { shown.add(ground: part) }
                if isStroked { frame(part, isStroked: true) }
            } else if let sides = part.framedSides(of: box, isFilled: isFilled && !isRing) {
                framedSides.formUnion(sides)
                frame(part, isStroked: isStroked)
            } else if !isFilled, let place = part.uprightLine(in: box) {
                dividers.append((place - box.left) / box.width)
                frame(part, isStroked: isStroked)
            } else {
                isPlain = false
            }
        }
    }

    private mutating func frame(_ path: AppearancePath, isStroked: Bool) {
        let corners = path.points.map { point($0.x, $0.y) }.flatMap { [$0.x, $0.y] }
        let width = isStroked ? abs(state.lineWidth) * state.matrix.magnification : 0
        frames.append(
            Frame(
                corners: corners, lineWidth: width * max(scale.x, scale.y),
                ink: isStroked ? state.strokeInk : state.ink))
    }

    /// The part of a rectangle that is seen; nil when it is too small for a ground.
    private func groundArea(_ rectangle: PDFRectangle) -> PDFRectangle? {
        guard let area = rectangle.intersection(state.clip ?? box)?.intersection(box),
            area.width >= Self.groundShare * box.width,
            area.height >= Self.groundShare * box.height
        else { return nil }
        return area
    }

    private func part(_ area: PDFRectangle) -> PDFRectangle? {
        box.width > 0 && box.height > 0 ? area.inParts(of: box) : nil
    }
}
