import ByteKit
import PDFCore

/// What a page shows in a box: what somebody covers who draws there.
///
/// Lines, boxes and rows of dots or underscores are places to write on, not content. Clipping,
/// colours and layers are not followed, but for a ground that is judged: what is drawn there may
/// turn out not to be seen.
struct CoveredContent {
    /// What is said of it, for people.
    var descriptions: [String] {
        var found: [String] = []
        if hasText {
            found.append(words.isEmpty ? "text" : "text (\(words.inQuotes))")
        }
        if showsDrawing { found.append("a drawing") }
        if hasPicture { found.append("a picture") }
        return found
    }
    /// Whether a picture that is larger than the box lies under it, say a scanned page.
    var liesOnPicture = false
    /// Whether all that is shown could be read.
    var isReadable = true
    /// Whether nothing is there but an even ground, as far as that was to be judged.
    var isEmptyGround: Bool {
        isReadable && !liesOnPicture && descriptions.isEmpty && ground?.hasDrawing == false
    }

    let document: PDFDocument
    /// Whether what is drawn to write on counts too, and what is covered by a small part.
    var isStrict: Bool { ground.map { $0.words == nil } ?? false }
    var ground: PaintedGround?
    /// Where is looked.
    let box: PDFRectangle
    /// Takes the boxes of all that shows; nil where nobody asks.
    let space: SpaceMap?
    var hasText = false
    var hasPicture = false
    var drawingCount = 0
    /// The beginning of the text.
    var words = ""
    /// Where short lines were drawn: dashes lie on few, letters made of lines on many.
    var lines: Set<Line> = []
    /// Where dashed lines go through the box, those that end in it, and those that go on.
    var dashedLines: Set<Line> = []
    var passingDashes: Set<Line> = []
    /// In which ways the latter begin.
    var dashLooks: Set<[Double]> = []
    /// What of larger paths lies in the box.
    var sides = CoveredSides()
    /// Where short rows of rule characters are, and how many.
    var ruleLines: Set<Line> = []
    var ruleCount = 0
    /// How many slanted lines there are; a large one counts twice.
    var slantCount = 0
    var row = Row()
    /// Whether a blank or another line came since the last glyph.
    var isAfterBlank = true
    /// A single x, until it is known whether a line follows.
    var mark: Row?
    /// How much content may still be looked at, in bytes.
    private(set) var remaining: Int
    /// How much of embedded fonts may still be looked at, where it matters where they really draw.
    var fontBudget = ShownFont.Budget(byteCount: fontByteLimit)
    var seesOutlines = false
    private var depth = 0
    /// For each sequence of marked content around what is drawn, whether it or one around it says
    /// which words stand for it (ISO 32000-2 §14.9.4).
    var marked: [Bool] = []
    /// Those that were read already.
    private var fonts: [ObjectID: PaintedFont] = [:]

    /// Most content that is looked at for one field, in bytes.
    static let byteLimit = 32 << 20
    /// Most of embedded fonts, in bytes.
    static let fontByteLimit = 16 << 20
    /// What a form or glyph costs besides its content, in bytes: it may be empty.
    private static let streamCost = 64
    /// Forms inside forms.
    private static let nesting = 8
    private static let stateLimit = 256
    /// The part of a thing that has to lie in the box to be covered by what is drawn there.
    static let (share, strictShare) = (0.5, 0.1)
    /// The part of the box that a ground or frame spans, or a line.
    static let frameShare = 0.6
    /// How thick lines are, in points.
    static let lineThickness = 2.0
    /// On how many short lines, and of how many corners, something is not yet a drawing.
    static let lineLimit = 4
    static let cornerLimit = 5
    /// Rendering modes of text that is filled and stroked.
    private static let framed: Set<Double> = [2, 6]

    init(
        in box: PDFRectangle, of document: PDFDocument, upTo byteLimit: Int = byteLimit,
        judging ground: PaintedGround? = nil, space: SpaceMap? = nil
    ) {
        self.space = space
        self.document = document
        self.ground = ground
        self.box = box
        remaining = byteLimit
    }

    // MARK: What is shown

    /// Looks at the page's own content.
    mutating func look(at page: PDFPage) {
        ground?.restart()
        do {
            let contents = try document.value(page.dictionary, "Contents")
            let resources = try page.resources(in: document)
            var content: [UInt8] = []
            for part in contents.arrayValue ?? [contents] {
                guard let stream = try document.resolve(part).streamValue else { continue }
                content += try decoded(stream) + [10]
            }
            try show(content, resources, State())
        } catch {
            isReadable = false
        }
        // The second time ends a mark that nothing follows.
        endRow()
        endRow()
    }

    /// Looks at how an annotation looks.
    mutating func look(at annotation: PDFDictionary, in rect: PDFRectangle) {
        ground?.restart()
        do {
            let looks = try document.value(annotation, "AP").dictionaryValue ?? PDFDictionary()
            var look = try document.value(looks, "N")
            if let states = look.dictionaryValue {
                let state = try document.value(annotation, "AS").nameValue ?? "Off"
                look = try document.value(states, state)
            }
            guard let form = look.streamValue else { return lookAtUndrawn(rect) }
            // The transformed box is moved into the annotation's (ISO 32000-2 §12.5.5).
            let matrix = try Transform(form.dictionary["Matrix"], in: document) ?? .identity
            guard let bounds = try document.rectangle(form.dictionary["BBox"]) else {
                // Some readers draw it as it comes.
                isReadable = isReadable && form.dataRange?.isEmpty == true
                return
            }
            let shown = matrix.applied(to: bounds)
            guard shown.width > 0, shown.height > 0 else { return }
            let (x, y) = (rect.width / shown.width, rect.height / shown.height)
            let placing = Transform([
                x, 0, 0, y, rect.left - x * shown.left, rect.bottom - y * shown.bottom,
            ])
            var state = State()
            state.matrix = placing
            try draw(form, PDFDictionary(), state)
        } catch {
            isReadable = false
        }
        // The second time ends a mark that nothing follows.
        endRow()
        endRow()
    }

    /// Readers draw some annotations themselves.
    private mutating func lookAtUndrawn(_ rect: PDFRectangle) {
        if isCovered(rect) { drawingCount += 1 }
        takePicture(in: rect)
    }

    private mutating func decoded(_ stream: PDFStream) throws -> [UInt8] {
        do {
            let content = try document.decodedData(of: stream, upTo: remaining)
            remaining -= content.count + Self.streamCost
            return content
        } catch {
            // What is too long, or wrong at its end, was gone through all the same.
            remaining = 0
            throw error
        }
    }

    /// - Parameter outer: where it is drawn, which it goes on with (ISO 32000-2 §8.10.1).
    private mutating func draw(
        _ form: PDFStream, _ resources: PDFDictionary, _ outer: State
    ) throws {
        var state = outer
        let inner = try Transform(form.dictionary["Matrix"], in: document) ?? .identity
        state.matrix = inner.followed(by: outer.matrix)
        let bounds = try document.rectangle(form.dictionary["BBox"])
        if let bounds {
            // Nothing of a form is seen beyond its box.
            let area = state.matrix.applied(to: bounds)
            guard area.intersection(box) != nil else { return }
            clip(&state, to: area)
        }
        ground?.begin(state.matrix, in: bounds)
        defer { ground?.end() }
        let own = try document.value(form.dictionary, "Resources").dictionaryValue
        try show(decoded(form), own ?? resources, state)
    }

    private mutating func show(
        _ content: [UInt8], _ resources: PDFDictionary, _ state: State
    ) throws {
        guard depth < Self.nesting, remaining > 0 else {
            isReadable = false
            return
        }
        depth += 1
        defer { depth -= 1 }
        var reader = ContentReader(content)
        var run = Run(resources: resources, state: state)
        run.outerMarks = marked.count
        defer { marked.removeLast(marked.count - run.outerMarks) }
        while let operation = reader.next() {
            try follow(operation, &run)
        }
        if !reader.isReadable { isReadable = false }
    }

    // MARK: Operations

    private mutating func follow(_ operation: ContentOperation, _ run: inout Run) throws {
        let numbers = operation.numbers
        switch (operation.name, numbers.count) {
        case ("Tj", _), ("TJ", _): try write(operation, &run)
        case ("'", _), ("\"", _):
            if operation.name == "\"", numbers.count == 2 {
                (run.state.wordSpacing, run.state.characterSpacing) = (numbers[0], numbers[1])
            }
            run.nextLine(0, -run.state.leading)
            try write(operation, &run)
        case ("q", _):
            if run.saved.count < Self.stateLimit {
                run.saved.append(run.state)
            } else {
                // Which states are gone back to is not known any more.
                isReadable = false
            }
        case ("Q", _): run.state = run.saved.popLast() ?? run.state
        case ("cm", 6):
            run.state.matrix = Transform(numbers).followed(by: run.state.matrix)
        case ("BT", _): run.setLine(.identity)
        case ("Tf", 1):
            run.state.size = numbers[0]
            run.state.font = try font(operation.names.last ?? "", &run)
        case ("gs", 0): try takeState(operation.names.last ?? "", &run)
        case ("TL", 1): run.state.leading = numbers[0]
        case ("Tc", 1): run.state.characterSpacing = numbers[0]
        case ("Tw", 1): run.state.wordSpacing = numbers[0]
        case ("Tz", 1): run.state.scale = numbers[0] / 100
        case ("Ts", 1): run.state.rise = numbers[0]
        case ("Td", 2): run.nextLine(numbers[0], numbers[1])
        case ("TD", 2):
            run.state.leading = -numbers[1]
            run.nextLine(numbers[0], numbers[1])
        case ("T*", _): run.nextLine(0, -run.state.leading)
        case ("Tm", 6): run.setLine(Transform(numbers))
        case ("BMC", _), ("BDC", _): try mark(operation, run)
        case ("EMC", _): if marked.count > run.outerMarks { marked.removeLast() }
        case ("Do", _): try drawObject(operation.names.last ?? "", run)
        case ("BI", _): notePicture(run.state)
        case ("sh", _): noteShading(run.state.clip)
        case ("W", _), ("W*", _): run.clips = true
        case ("Tr", 1): run.state.mode = numbers[0]
        case ("scn", _):
            run.state.fill(nil)
            run.state.hasPattern = try isTiling(operation.names.last, run)
        case ("SCN", _): run.state.strokesPattern = try isTiling(operation.names.last, run)
        case ("g", 1), ("rg", 3), ("k", 4): run.state.fill(numbers)
        case ("cs", _), ("sc", _), ("g", _), ("rg", _), ("k", _): run.state.fill(nil)
        case ("CS", _), ("SC", _), ("G", _), ("RG", _), ("K", _): run.state.strokesPattern = false
        default: followPath(operation.name, numbers, &run)
        }
        try ground?.follow(operation, run.resources, document)
    }

    private mutating func font(_ name: PDFName, _ run: inout Run) throws -> PaintedFont {
        if let known = run.fonts[name] { return known }
        let fonts = try document.value(run.resources, "Font").dictionaryValue
        let found = try fonts?[name].flatMap { try font($0) } ?? .fallback
        run.fonts[name] = found
        return found
    }

    /// A dictionary of the graphics state can name a font.
    private mutating func takeState(_ name: PDFName, _ run: inout Run) throws {
        let states = try document.value(run.resources, "ExtGState").dictionaryValue
        let state = try document.value(states ?? PDFDictionary(), name).dictionaryValue
        let mask = try state.map { try document.value($0, "SMask") } ?? .null
        if mask != .null { run.state.isMasked = mask.dictionaryValue != nil }
        if let width = try state.map({ try document.value($0, "LW").numberValue }) ?? nil {
            run.state.lineWidth = width.magnitude
        }
        if let dashes = try state.map({ try document.value($0, "D").arrayValue }) ?? nil {
            let lengths = try document.resolve(dashes.first ?? .null).arrayValue ?? []
            run.state.dashes = lengths.compactMap(\.numberValue)
            run.state.dashPhase = try document.resolve(dashes.last ?? .null).numberValue ?? 0
        }
        guard let state, let entry = try document.value(state, "Font").arrayValue, entry.count == 2,
            let font = try font(entry[0])
        else { return }
        run.state.font = font
        run.state.size = try document.resolve(entry[1]).numberValue ?? 0
    }

    /// - Returns: nil where there is no dictionary.
    private mutating func font(_ entry: PDFObject) throws -> PaintedFont? {
        if let id = entry.referenceValue, let known = fonts[id] { return known }
        guard let dictionary = try document.resolve(entry).dictionaryValue else { return nil }
        guard remaining > 0 else {
            isReadable = false
            return .fallback
        }
        let content = try ContentFont(dictionary, in: document)
        remaining -= content.cost
        var font = PaintedFont(content)
        if seesOutlines {
            try font.readOutlines(of: dictionary, in: document, within: &fontBudget)
        }
        if let id = entry.referenceValue { fonts[id] = font }
        return font
    }

    private mutating func drawObject(_ name: PDFName, _ run: Run) throws {
        let objects = try document.value(run.resources, "XObject").dictionaryValue
        guard let object = try document.value(objects ?? PDFDictionary(), name).streamValue
        else { return }
        if try document.value(object.dictionary, "Subtype").nameValue == "Image" {
            notePicture(run.state)
        } else {
            try draw(object, run.resources, run.state)
        }
    }

    // MARK: Text

    private mutating func write(_ operation: ContentOperation, _ run: inout Run) throws {
        let state = run.state
        if !state.font.isReadable { isReadable = false }
        for operand in operation.operands {
            switch operand {
            case .string(let bytes):
                for glyph in state.font.glyphs(of: bytes) { try write(glyph, &run) }
            case .number(let shift) where operation.name == "TJ":
                advance(-shift / 1000 * state.size, &run)
            default: break
            }
        }
    }

    private func advance(_ distance: Double, _ run: inout Run) {
        let (x, y) =
            run.state.font.isVertical ? (0, distance) : (distance * run.state.scale, 0)
        run.textMatrix = Transform(e: x, f: y).followed(by: run.textMatrix)
    }

    private mutating func write(_ glyph: ContentFont.Glyph, _ run: inout Run) throws {
        let state = run.state
        if run.isOnNewLine { (run.isOnNewLine, isAfterBlank) = (false, true) }
        let placed = Transform([
            state.size * state.scale, 0, 0, state.size, 0, state.rise,
        ]).followed(by: run.textMatrix).followed(by: state.matrix)
        if let drawings = state.font.drawings {
            if let stream = try document.resolve(drawings.streams[glyph.code] ?? .null).streamValue
            {
                var inner = state
                inner.matrix = drawings.matrix.followed(by: placed)
                ground?.begin(inner.matrix)
                defer { ground?.end() }
                try show(decoded(stream), drawings.resources ?? run.resources, inner)
            }
        } else if glyph.isBlank {
            isAfterBlank = true
        } else {
            let area = area(of: glyph, placed, run.state)
            let isGlyphCovered = isCovered(state.seen(area))
            if isGlyphCovered, let paint = ground.map({ $0.paint(ofText: state.mode) }) {
                ground?.words?.takeText(
                    area, paint,
                    (glyph.painted, marked.last == true),
                    isFramed: Self.framed.contains(state.mode))
            }
            if !isGlyphCovered, state.hasPattern || state.isMasked { noteOdd(in: area) }
            // Of what paints far and wide nobody knows which part is here.
            let isFar = glyph.isElsewhere && area.intersection(box) != nil
            if !isGlyphCovered, isFar || mayCover(placed, run) { isReadable = false }
            note(glyph, placed, area, state, isCovered: isGlyphCovered)
        }
        let spacing = state.characterSpacing + (glyph.isWordBreak ? state.wordSpacing : 0)
        let width = state.font.isVertical ? glyph.drop.advance : glyph.advance
        advance(width * state.size + spacing, &run)
        let unit = (state.size * state.scale).magnitude
        run.slack.before += glyph.before * unit
        run.slack.after += glyph.after * unit
    }
}
