/// A point or a vector; y increases downward, as on a screen.
struct InkPoint: Equatable, Sendable {
    var x: Double
    var y: Double

    static func + (a: Self, b: Self) -> Self { Self(x: a.x + b.x, y: a.y + b.y) }
    static func - (a: Self, b: Self) -> Self { Self(x: a.x - b.x, y: a.y - b.y) }
    static func * (a: Self, factor: Double) -> Self { Self(x: a.x * factor, y: a.y * factor) }

    func dot(_ other: Self) -> Double { x * other.x + y * other.y }
    func cross(_ other: Self) -> Double { x * other.y - y * other.x }
    var length: Double { dot(self).squareRoot() }
    /// The vector rotated by 90 degrees.
    var normal: Self { Self(x: -y, y: x) }
    var isFinite: Bool { x.isFinite && y.isFinite }

    /// The vector with length 1; `nil` if its length is zero or not finite.
    var unit: Self? {
        let length = length
        return length > 0 && length.isFinite ? self * (1 / length) : nil
    }

    static func mix(_ a: Self, _ b: Self, share: Double) -> Self { a + (b - a) * share }
}

/// A bounding box of points.
struct InkBounds: Equatable, Sendable {
    private(set) var low = InkPoint(x: .infinity, y: .infinity)
    private(set) var high = InkPoint(x: -.infinity, y: -.infinity)

    /// The bounds of a path, accurate to about a hundredth of each curve.
    init(_ path: [InkSegment] = []) {
        var current = InkPoint(x: 0, y: 0)
        for segment in path {
            switch segment {
            case .move(let end), .line(let end):
                include(end)
                current = end
            case .curve(let one, let two, let end):
                let steps = 12
                for step in 1...steps {
                    let t = Double(step) / Double(steps)
                    let a = InkPoint.mix(current, one, share: t)
                    let b = InkPoint.mix(one, two, share: t)
                    let c = InkPoint.mix(two, end, share: t)
                    include(.mix(.mix(a, b, share: t), .mix(b, c, share: t), share: t))
                }
                current = end
            case .close: break
            }
        }
    }

    var isEmpty: Bool { !(low.x <= high.x && low.y <= high.y) }
    var width: Double { high.x - low.x }
    var height: Double { high.y - low.y }

    mutating func include(_ point: InkPoint, margin: Double = 0) {
        low = InkPoint(x: min(low.x, point.x - margin), y: min(low.y, point.y - margin))
        high = InkPoint(x: max(high.x, point.x + margin), y: max(high.y, point.y + margin))
    }
}

/// An element of a path.
enum InkSegment: Equatable, Sendable {
    case move(InkPoint)
    case line(InkPoint)
    /// Two control points and the end of a cubic Bézier curve.
    case curve(InkPoint, InkPoint, InkPoint)
    case close
}
