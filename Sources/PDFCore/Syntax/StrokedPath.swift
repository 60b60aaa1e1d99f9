/// Which parts of a path have no length (ISO 32000-2 §8.5.3.2): stroked with some ends some readers draw
/// them as dots, others leave them out.
struct StrokedPath {
    /// How lines end (`J`).
    enum Ends: Int { case flat, round, square }

    private var start: SIMD2<Int>?
    private var place = SIMD2<Int>()
    /// Of the part that is drawn, whether it has any length, and curves or lines.
    private var hasLength = false
    private var hasCurves = false
    private var hasLines = false
    /// What there was.
    private var hasDots = false
    private var hasCurvedDots = false
    private var hasEmptyParts = false

    mutating func move(to point: SIMD2<Int>) {
        end(isClosed: false)
        (start, place) = (point, point)
    }

    mutating func addLine(to point: SIMD2<Int>) {
        hasLines = true
        go(to: point)
    }

    mutating func addCurve(_ values: OperandValues) {
        hasCurves = true
        for index in 0..<values.pointCount { go(to: values.point(index)) }
    }

    mutating func addBox(isPoint: Bool) {
        end(isClosed: false)
        if isPoint { hasEmptyBoxes = true }
    }

    mutating func close() { end(isClosed: true) }

    private mutating func go(to point: SIMD2<Int>) {
        if point != place { hasLength = true }
        place = point
    }

    private mutating func end(isClosed: Bool) {
        defer { (start, hasLength, hasCurves, hasLines) = (nil, false, false, false) }
        guard start != nil, !hasLength else { return }
        if hasCurves {
            hasCurvedDots = true
        } else if hasLines {
            hasDots = true
        } else if isClosed {
            hasEmptyParts = true
        }
    }

    /// Whether it has rectangles without any side.
    private(set) var hasEmptyBoxes = false

    /// Whether readers stroke the same of it.
    mutating func isAgreed(_ ends: Ends) -> Bool {
        end(isClosed: false)
        return !hasCurvedDots && (!hasDots || ends == .round)
            && (!hasEmptyParts && !hasEmptyBoxes || ends == .flat)
    }
}
