import PDFCore

/// Goes through content for what it paints (ISO 32000-2 §8.4, §8.5).
extension PaintedGround {
    struct State {
        var matrix = Transform.identity
        var paint = Paint()
        /// Components of the colour space; nil where they say nothing about the colour.
        var componentCount: Int? = 1
    }

    /// One stream with what it has set so far.
    struct Run {
        var state = State()
        var saved: [State] = []
        var path: [AppearancePath] = []
        var isCurved = false
        var clips = false
    }

    private static let stateLimit = 256
    private static let componentCounts = DeviceColors.inlineComponentCounts.merging(
        ["CalGray": 1, "CalRGB": 3] as [PDFName: Int]
    ) { $1 }

    /// What is drawn now draws something of its own: a form, in its box, or a glyph.
    mutating func begin(_ matrix: Transform, in box: PDFRectangle? = nil) {
        outer.append(run)
        var inner = Run()
        inner.state = run.state
        inner.state.matrix = matrix
        if let box {
            inner.state.paint.clip = run.state.paint.clip.clipped(
                to: [AppearancePath(points: matrix.corners(of: box))], curved: false)
        }
        run = inner
    }

    /// What comes next takes nothing from what came before.
    mutating func restart() { (run, outer) = (Run(), []) }

    mutating func end() { run = outer.popLast() ?? run }

    mutating func follow(
        _ operation: ContentOperation, _ resources: PDFDictionary, _ document: PDFDocument
    ) throws {
        let numbers = operation.numbers
        switch (operation.name, numbers.count) {
        case ("q", _): if run.saved.count < Self.stateLimit { run.saved.append(run.state) }
        case ("Q", _): run.state = run.saved.popLast() ?? run.state
        case ("cm", 6): run.state.matrix = Transform(numbers).followed(by: run.state.matrix)
        case ("w", 1): run.state.paint.lineWidth = numbers[0].magnitude
        case ("M", 1): run.state.paint.miterLimit = numbers[0]
        case ("gs", 0): try takeState(operation.names.last ?? "", resources, document)
        case ("sh", 0): fillClip(run.state.paint)
        case ("W", _), ("W*", _): run.clips = true
        case ("g", 1), ("rg", 3), ("k", 4): setInk(Ink(numbers), numbers.count)
        case ("G", 1), ("RG", 3), ("K", 4): run.state.paint.strokeInk = Ink(numbers)
        case ("cs", _):
            let name = operation.names.last ?? ""
            let count = try componentCount(of: name, resources, document)
            setInk(count == nil ? nil : .black, count)
        case ("sc", _), ("scn", _):
            let isKnown = run.state.componentCount == numbers.count && operation.names.isEmpty
            run.state.paint.ink = isKnown ? Ink(numbers) : nil
            run.state.paint.hasPattern = !operation.names.isEmpty
        case ("CS", _), ("SC", _), ("SCN", _): run.state.paint.strokeInk = nil
        default: followPath(operation.name, numbers)
        }
    }

    /// Text that is only stroked, and such that is not painted (ISO 32000-2 Table 104): say, what a
    /// scanned page was read to be.
    private static let (strokedModes, unpaintedModes): (Set<Double>, Set<Double>) = (
        [1, 5], [3, 7]
    )

    /// Nil where it is not painted.
    func paint(ofText mode: Double) -> Paint? {
        guard !Self.unpaintedModes.contains(mode) else { return nil }
        guard Self.strokedModes.contains(mode) else { return run.state.paint }
        var paint = run.state.paint.ofLines
        if paint.lineWidth == 0 { paint.ink = nil }
        return paint
    }

    private mutating func setInk(_ ink: Ink?, _ count: Int?) {
        run.state.componentCount = count
        run.state.paint.ink = ink
        run.state.paint.hasPattern = false
    }

    private func componentCount(
        of name: PDFName, _ resources: PDFDictionary, _ document: PDFDocument
    ) throws -> Int? {
        if let count = Self.componentCounts[name] { return count }
        let spaces = try document.value(resources, "ColorSpace").dictionaryValue
        let space = try document.value(spaces ?? PDFDictionary(), name)
        if let other = space.nameValue { return Self.componentCounts[other] }
        guard let parts = space.arrayValue, let first = parts.first,
            let kind = try document.resolve(first).nameValue
        else { return nil }
        if kind == "ICCBased", parts.count > 1 {
            let profile = try document.resolve(parts[1]).streamValue?.dictionary
            return try profile.flatMap { try document.value($0, "N").integerValue }
        }
        return Self.componentCounts[kind]
    }

    /// For an opacity that is no number.
    private static let unknownOpacity = 0.5

    private mutating func takeState(
        _ name: PDFName, _ resources: PDFDictionary, _ document: PDFDocument
    ) throws {
        let states = try document.value(resources, "ExtGState").dictionaryValue
        guard let state = try document.value(states ?? PDFDictionary(), name).dictionaryValue
        else { return }
        if let width = try document.value(state, "LW").numberValue {
            run.state.paint.lineWidth = width.magnitude
        }
        if let limit = try document.value(state, "ML").numberValue {
            run.state.paint.miterLimit = limit
        }
        if state["ca"] != nil {
            run.state.paint.opacity =
                try document.value(state, "ca").numberValue ?? Self.unknownOpacity
        }
        if state["CA"] != nil {
            run.state.paint.strokeOpacity =
                try document.value(state, "CA").numberValue ?? Self.unknownOpacity
        }
        let blending = try document.value(state, "BM")
        if blending != .null {
            run.state.paint.isBlended =
                blending.nameValue != "Normal" && blending.nameValue != "Compatible"
        }
        guard state["SMask"] != nil else { return }
        run.state.paint.isMasked = try document.value(state, "SMask").nameValue != "None"
    }

    private mutating func followPath(_ name: String, _ numbers: [Double]) {
        let points = stride(from: 0, to: numbers.count - 1, by: 2).map {
            run.state.matrix.applied(to: (numbers[$0], numbers[$0 + 1]))
        }
        switch (name, numbers.count) {
        case ("m", 2): run.path.append(AppearancePath(points: points))
        case ("l", 2), ("c", 6), ("v", 4), ("y", 4):
            guard !run.path.isEmpty else { return }
            run.path[run.path.count - 1].points += points
            if name != "l" { run.isCurved = true }
        case ("re", 4):
            let area = PDFRectangle(
                numbers[0], numbers[1], numbers[0] + numbers[2], numbers[1] + numbers[3])
            run.path.append(AppearancePath(points: run.state.matrix.corners(of: area)))
            close()
        case ("h", _): close()
        case ("n", _): endPath()
        case ("f", _), ("F", _), ("f*", _): endPath(isFilled: true)
        case ("B", _), ("B*", _): endPath(isFilled: true, isStroked: true)
        case ("S", _): endPath(isStroked: true)
        case ("s", _):
            close()
            endPath(isStroked: true)
        case ("b", _), ("b*", _):
            close()
            endPath(isFilled: true, isStroked: true)
        default: break
        }
    }

    private mutating func close() {
        guard let last = run.path.last, let first = last.points.first else { return }
        run.path[run.path.count - 1].points.append(first)
    }

    private mutating func endPath(isFilled: Bool = false, isStroked: Bool = false) {
        var paint = run.state.paint
        paint.lineWidth *= run.state.matrix.magnification
        if isFilled { fill(run.path, curved: run.isCurved, paint) }
        if isStroked { stroke(run.path, curved: run.isCurved, paint) }
        if run.clips, !run.path.isEmpty {
            run.state.paint.clip = run.state.paint.clip.clipped(
                to: run.path, curved: run.isCurved)
        }
        (run.path, run.isCurved, run.clips) = ([], false, false)
    }
}
