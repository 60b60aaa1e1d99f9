/// A point or a distance; y grows downwards, as on a screen.
struct InkPoint: Equatable, Sendable {
    var x: Double
    var y: Double

    static func + (a: Self, b: Self) -> Self { Self(x: a.x + b.x, y: a.y + b.y) }
    static func - (a: Self, b: Self) -> Self { Self(x: a.x - b.x, y: a.y - b.y) }
    static func * (a: Self, factor: Double) -> Self { Self(x: a.x * factor, y: a.y * factor) }

    func dot(_ other: Self) -> Double { x * other.x + y * other.y }
    func cross(_ other: Self) -> Double { x * other.y - y * other.x }
    var length: Double { dot(self).squareRoot() }
    /// Turned by a quarter.
    var normal: Self { Self(x: -y, y: x) }
    var isFinite: Bool { x.isFinite && y.isFinite }

    /// Of length 1; nil when there is no direction.
    var unit: Self? {
        let length = length
        return length > 0 && length.isFinite ? self * (1 / length) : nil
    }

    static func mix(_ a: Self, _ b: Self, _ share: Double) -> Self { a + (b - a) * share }
}

/// A box around points.
struct InkBounds: Equatable, Sendable {
    private(set) var low = InkPoint(x: .infinity, y: .infinity)
    private(set) var high = InkPoint(x: -.infinity, y: -.infinity)

    init() {}

    init(_ low: InkPoint, _ high: InkPoint) {
        self.low = low
        self.high = high
    }

    var isEmpty: Bool { !(low.x <= high.x && low.y <= high.y) }
    var width: Double { high.x - low.x }
    var height: Double { high.y - low.y }

    mutating func include(_ point: InkPoint, margin: Double = 0) {
        low = InkPoint(x: min(low.x, point.x - margin), y: min(low.y, point.y - margin))
        high = InkPoint(x: max(high.x, point.x + margin), y: max(high.y, point.y + margin))
    }

    func intersection(_ other: Self) -> Self {
        Self(
            InkPoint(x: max(low.x, other.low.x), y: max(low.y, other.low.y)),
            InkPoint(x: min(high.x, other.high.x), y: min(high.y, other.high.y)))
    }
}

/// What a path is made of.
enum InkSegment: Equatable, Sendable {
    case move(InkPoint)
    case line(InkPoint)
    /// Two control points and the end of a cubic Bézier curve.
    case curve(InkPoint, InkPoint, InkPoint)
    case close

    func mapped(_ transform: (InkPoint) -> InkPoint) -> Self {
        switch self {
        case .move(let end): .move(transform(end))
        case .line(let end): .line(transform(end))
        case .curve(let one, let two, let end):
            .curve(transform(one), transform(two), transform(end))
        case .close: .close
        }
    }
}

/// A path and how it is drawn.
struct InkPath: Equatable, Sendable {
    var segments: [InkSegment]
    var fill: StampColor?
    var isEvenOdd = false
    var stroke: StampColor?
    var strokeWidth = 1.0

    /// What it covers, to be exact within a hundredth of each curve.
    var bounds: InkBounds {
        var bounds = InkBounds()
        let margin = stroke == nil ? 0 : strokeWidth / 2
        var current = InkPoint(x: 0, y: 0)
        for segment in segments {
            switch segment {
            case .move(let end), .line(let end):
                bounds.include(end, margin: margin)
                current = end
            case .curve(let one, let two, let end):
                let steps = 12
                for step in 1...steps {
                    let t = Double(step) / Double(steps)
                    let a = InkPoint.mix(current, one, t)
                    let b = InkPoint.mix(one, two, t)
                    let c = InkPoint.mix(two, end, t)
                    bounds.include(
                        .mix(.mix(a, b, t), .mix(b, c, t), t), margin: margin)
                }
                current = end
            case .close: break
            }
        }
        return bounds
    }
}
