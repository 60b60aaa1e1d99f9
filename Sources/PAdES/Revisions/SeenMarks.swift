import PDFCore

/// What one state of a button paints that people may see: signs and shapes inside of its box, within
/// what it is clipped to, in other colours than what lies below, and not painted over.
struct SeenMarks {
    private enum Kind {
        case mark
        /// Goes around the box, or lies under all of it.
        case setting
        /// Such that it may be taken for a mark, if it is not always there: a dark ground, an arc.
        case darkSetting
    }

    /// By what paints them, where and in which colour.
    private var parts: [String: (kind: Kind, area: PDFRectangle)] = [:]
    private let document: PDFDocument
    private let box: PDFRectangle
    private var state = State()
    private var saved: [State] = []
    private var path: [AppearancePath] = []
    private var curves: [(x: Double, y: Double)] = []
    private var curveCount = 0
    private var clips = false
    private var text = (matrix: Transform.identity, line: Transform.identity)
    private var grounds: [(area: PDFRectangle, ink: Ink?)] = []
    private var remaining = operationLimit
    /// Whether all of it was looked at.
    private(set) var isFollowed = true
    /// How much content was read.
    private(set) var byteCount = 0

    private struct State {
        var matrix = Transform.identity
        var (ink, strokeInk): (Ink?, Ink?) = (.black, .black)
        var (lineWidth, size, mode) = (1.0, 0.0, 0.0)
        var (isFaint, hasFaintLines) = (false, false)
        var clip: PDFRectangle?
    }

    /// Most operations, parts and grounds that are looked at, and forms inside forms.
    private static let (operationLimit, partLimit, groundLimit, depthLimit) = (10_000, 500, 32, 4)
    private static let stateLimit = 64
    /// The part of the box in whose middle nothing of a ring is.
    private static let middleShare = 0.4
    /// Parts whose longer side is shorter, in parts of the box, say nothing.
    private static let leastShare = 0.15
    /// What is darker looks like a mark.
    private static let darkest = 0.5

    /// - Returns: nil when it cannot be told where it is drawn.
    init?(_ form: PDFStream, in document: PDFDocument) throws(PDFError) {
        guard let box = try document.rectangle(form.dictionary["BBox"]), box.width > 0,
            box.height > 0
        else { return nil }
        (self.document, self.box) = (document, box)
        try show(form, depth: 0)
    }

    /// Whether a person sees something that is not there in the state of a button that is off.
    func isMarked(besides off: SeenMarks?) -> Bool {
        parts.contains { off?.parts[$0.key] == nil && isLarge($0.value.area) }
    }

    /// Whether a person sees more than a box to be marked, which is there in the other state too.
    func isMarked(beyondBoxOf on: SeenMarks?) -> Bool {
        parts.contains { key, part in
            guard isLarge(part.area) else { return false }
            return switch part.kind {
            case .mark: true
            case .setting: false
            case .darkSetting: on?.parts[key] == nil
            }
        }
    }

    private func isLarge(_ area: PDFRectangle) -> Bool {
        max(area.width / box.width, area.height / box.height) >= Self.leastShare
    }

    private mutating func show(_ form: PDFStream, depth: Int) throws(PDFError) {
        // What cannot be read costs as much.
        byteCount += ContentOperation.byteLimit
        guard isFollowed, depth < Self.depthLimit, byteCount < AppearanceText.maximumByteCount,
            let content = try? document.plainData(of: form, upTo: ContentOperation.byteLimit),
            let operations = ContentOperation.all(in: content)
        else {
            isFollowed = false
            return
        }
        byteCount += content.count - ContentOperation.byteLimit
        let resources =
            try document.value(form.dictionary, "Resources").dictionaryValue ?? PDFDictionary()
        for operation in operations {
            remaining -= 1
            guard remaining > 0, saved.count < Self.stateLimit else {
                isFollowed = false
                return
            }
            switch operation.name {
            case "Do": try draw(operation, resources, depth)
            case "gs":
                let states = try document.value(resources, "ExtGState").dictionaryValue
                let name = operation.names.first ?? ""
                let found = try document.value(states ?? PDFDictionary(), name).dictionaryValue
                let opacities = try (["ca", "CA"] as [PDFName]).map { (key) throws(PDFError) in
                    try document.value(found ?? PDFDictionary(), key).numberValue
                }
                if let fill = opacities[0] { state.isFaint = fill < AppearanceText.leastOpacity }
                if let line = opacities[1] {
                    state.hasFaintLines = line < AppearanceText.leastOpacity
                }
            case "Tj", "TJ", "'", "\"": write(operation)
            case "sh": note("sh", state.clip ?? box, nil, .mark)
            default: follow(operation.name, operation.numbers)
            }
        }
    }

    private mutating func draw(
        _ operation: ContentOperation, _ resources: PDFDictionary, _ depth: Int
    ) throws(PDFError) {
        let name = operation.names.first ?? ""
        let objects = try document.value(resources, "XObject").dictionaryValue ?? PDFDictionary()
        guard let object = try document.value(objects, name).streamValue else { return }
        guard try document.value(object.dictionary, "Subtype").nameValue != "Image" else {
            let area = state.matrix.applied(to: PDFRectangle(0, 0, 1, 1))
            let id = objects[name]?.referenceValue?.number ?? 0
            return note("image \(id)", area, nil, .mark)
        }
        let outer = (state, saved, text)
        saved = []
        if let matrix = try Transform(object.dictionary["Matrix"], in: document) {
            state.matrix = matrix.followed(by: state.matrix)
        }
        if let inner = try document.rectangle(object.dictionary["BBox"]) {
            clip(to: state.matrix.applied(to: inner))
        }
        try show(object, depth: depth + 1)
        (state, saved, text) = outer
        (path, curves, curveCount, clips) = ([], [], 0, false)
    }

    private mutating func follow(_ name: String, _ numbers: [Double]) {
        switch (name, numbers.count) {
        case ("q", _): saved.append(state)
        case ("Q", _): state = saved.popLast() ?? state
        case ("cm", 6): state.matrix = Transform(numbers).followed(by: state.matrix)
        case ("g", 1), ("rg", 3), ("k", 4): state.ink = Ink(numbers)
        case ("G", 1), ("RG", 3), ("K", 4): state.strokeInk = Ink(numbers)
        case ("sc", _), ("scn", _), ("cs", _): state.ink = nil
        case ("SC", _), ("SCN", _), ("CS", _): state.strokeInk = nil
        case ("w", 1): state.lineWidth = numbers[0]
        case ("BT", _): text = (.identity, .identity)
        case ("Tf", 1): state.size = numbers[0]
        case ("Tr", 1): state.mode = numbers[0]
        case ("Td", 2), ("TD", 2):
            let line = Transform(e: numbers[0], f: numbers[1]).followed(by: text.line)
            text = (line, line)
        case ("Tm", 6): text = (Transform(numbers), Transform(numbers))
        default: followPath(name, numbers)
        }
    }

    // MARK: What is painted

    private mutating func write(_ operation: ContentOperation) {
        let codes = operation.strings.flatMap { $0 }
        guard !codes.allSatisfy({ $0 == 32 }), state.mode != 3, state.mode != 7 else { return }
        let placed = text.matrix.followed(by: state.matrix)
        let area = placed.applied(
            to: PDFRectangle(0, 0, state.size * Double(codes.count), state.size))
        let ink = state.mode == 1 ? state.strokeInk : state.ink
        note("text \(codes)", area, ink, .mark)
    }

    private mutating func followPath(_ name: String, _ numbers: [Double]) {
        let points = stride(from: 0, to: numbers.count - 1, by: 2).map {
            state.matrix.applied(to: (numbers[$0], numbers[$0 + 1]))
        }
        switch (name, numbers.count) {
        case ("m", 2): path.append(AppearancePath(points: points))
        case ("l", 2), ("c", 6), ("v", 4), ("y", 4):
            guard let last = path.indices.last else { return }
            if name != "l" { bend(path[last].points.last ?? points[0], points, name) }
            path[last].points += points.suffix(1)
        case ("re", 4):
            let corners = state.matrix.corners(
                of: PDFRectangle(
                    numbers[0], numbers[1], numbers[0] + numbers[2], numbers[1] + numbers[3]))
            path.append(AppearancePath(points: corners))
        case ("W", 0), ("W*", 0): clips = true
        case ("f", _), ("F", _), ("f*", _): paint(isFilled: true, isStroked: false)
        case ("S", _), ("s", _): paint(isFilled: false, isStroked: true)
        case ("B", _), ("B*", _), ("b", _), ("b*", _): paint(isFilled: true, isStroked: true)
        case ("n", _): endPath()
        default: break
        }
    }

    /// Takes the control points of a curve, and its middle.
    private mutating func bend(
        _ start: (x: Double, y: Double), _ points: [(x: Double, y: Double)], _ name: String
    ) {
        let end = points[points.count - 1]
        let (first, second) = (
            name == "v" ? start : points[0], name == "y" ? end : points[points.count - 2]
        )
        curves += points.dropLast()
        curves.append(
            (
                (start.x + 3 * first.x + 3 * second.x + end.x) / 8,
                (start.y + 3 * first.y + 3 * second.y + end.y) / 8
            ))
        curveCount += 1
    }

    private mutating func endPath() {
        if clips, let area = bounds { clip(to: area) }
        (path, curves, curveCount, clips) = ([], [], 0, false)
    }

    private mutating func clip(to area: PDFRectangle) {
        state.clip = (state.clip ?? area).intersection(area) ?? PDFRectangle(0, 0, 0, 0)
    }

    private var bounds: PDFRectangle? {
        let points = path.flatMap(\.points) + curves
        guard let first = points.first else { return nil }
        return points.reduce(PDFRectangle(first.x, first.y, first.x, first.y)) {
            $0.union(PDFRectangle($1.x, $1.y, $1.x, $1.y))
        }
    }

    private mutating func paint(isFilled: Bool, isStroked: Bool) {
        defer { endPath() }
        let parts = path.filter { !$0.isEmpty }
        guard var area = bounds, !parts.isEmpty else { return }
        let name = "\(parts.map { $0.points.map { [Self.rounded($0.x), Self.rounded($0.y)] } })"
        if isFilled {
            let isWhole = parts.count == 1 && curves.isEmpty && parts[0].rectangle != nil
            if isWhole, !state.isFaint { coverWhat(liesIn: area) }
            let setting = setting(parts, area, isFilled: true)
            let isDark = (state.ink?.brightness ?? 1) < Self.darkest
            let kind = setting == .setting && isDark ? .darkSetting : setting
            note("fill \(name)", area, state.ink, kind)
            if isWhole, !state.isFaint, grounds.count < Self.groundLimit, let seen = seen(area) {
                grounds.append((seen, state.ink))
            }
        }
        guard isStroked else { return }
        let reach = max(state.lineWidth.magnitude * state.matrix.magnification, 0.1) / 2
        area = PDFRectangle(
            area.left - reach, area.bottom - reach, area.right + reach, area.top + reach)
        let kind = setting(parts, area, isFilled: isFilled)
        note("line \(name)", area, state.strokeInk, kind, isFaint: state.hasFaintLines)
    }

    /// Whether a path frames the box, lies under it, or is a ring in it.
    private func setting(
        _ parts: [AppearancePath], _ area: PDFRectangle, isFilled: Bool
    ) -> Kind {
        if curves.isEmpty,
            parts.allSatisfy({ $0.framedSides(of: box, isFilled: isFilled) != nil })
                || parts.count == 1 && parts[0].rectangle != nil && isWide(area)
        {
            return .setting
        }
        let (x, y) = (Self.middleShare * box.width / 2, Self.middleShare * box.height / 2)
        let center = (x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2)
        let isAround = (parts.flatMap(\.points) + curves).allSatisfy {
            abs($0.x - center.x) > x || abs($0.y - center.y) > y
        }
        guard isAround, curveCount > 0 else { return .mark }
        return curveCount >= Self.ringCurves && isWide(area) ? .setting : .darkSetting
    }

    /// Of how many curves a ring is made at least.
    private static let ringCurves = 4

    private func isWide(_ area: PDFRectangle) -> Bool {
        min(area.width / box.width, area.height / box.height) >= AppearanceText.groundShare
    }

    /// The part of an area that is not cut off.
    private func seen(_ area: PDFRectangle) -> PDFRectangle? {
        (state.clip ?? box).intersection(box)?.intersection(area)
    }

    private mutating func coverWhat(liesIn area: PDFRectangle) {
        guard grounds.count < Self.groundLimit, let area = seen(area) else { return }
        parts = parts.filter { !area.contains($0.value.area, but: 0) }
    }

    private mutating func note(
        _ name: String, _ area: PDFRectangle, _ ink: Ink?, _ kind: Kind, isFaint: Bool? = nil
    ) {
        guard !(isFaint ?? state.isFaint), let area = seen(area) else { return }
        guard parts.count < Self.partLimit else {
            isFollowed = false
            return
        }
        if let ink {
            let under = grounds.last { $0.area.intersection(area) != nil }
            let ground = under.map { $0.area.contains(area, but: 0) ? $0.ink : nil } ?? .white
            if let ground, ink.isHardlySeen(on: ground) { return }
        }
        let shade = ink.map { "\(Int($0.brightness * 8))" } ?? "?"
        let place = "\(Self.rounded(area.left)) \(Self.rounded(area.bottom))"
        parts["\(name) \(place) \(shade)"] = (kind, area)
    }

    /// In eighths of a point.
    private static func rounded(_ place: Double) -> Int {
        Int(max(-1e9, min(1e9, place * 8)))
    }
}

extension WidgetLook {
    /// What people see of a button in the state that it is in says that it is in the other one, in
    /// words without the subject; nil where it does not, or nothing of the kind is known.
    func misleadingMark() throws -> String? {
        guard let marks, !marks.isEmpty, marks.count <= Self.stateLimit else { return nil }
        let off = try seenMarks(in: "Off")
        if let state, marks.contains(state) {
            guard let on = try seenMarks(in: state) else { return nil }
            guard on.isFollowed, off?.isFollowed ?? true else { return Self.unknownMark }
            return on.isMarked(besides: off) ? nil : "shows no mark"
        }
        guard let off else { return nil }
        guard off.isFollowed else { return Self.unknownMark }
        for mark in marks where try !off.isMarked(beyondBoxOf: seenMarks(in: mark)) { return nil }
        return "shows a mark"
    }

    private static let unknownMark = "shows what cannot be told"

    private func seenMarks(in state: PDFName) throws -> SeenMarks? {
        guard let form = try normalLook(in: state) else { return nil }
        let found = try SeenMarks(form, in: document)
        byteCount += found?.byteCount ?? 0
        return found
    }
}
