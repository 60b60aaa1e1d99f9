/// A transformation of the plane (SVG 1.1 §7.6).
struct SVGTransform: Equatable {
    private var x = InkPoint(x: 1, y: 0)
    private var y = InkPoint(x: 0, y: 1)
    private var origin = InkPoint(x: 0, y: 0)

    init() {}

    private init(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double) {
        x = InkPoint(x: a, y: b)
        y = InkPoint(x: c, y: d)
        origin = InkPoint(x: e, y: f)
    }

    /// A `transform` attribute; nil when it cannot be read.
    init?(_ text: String) {
        var scanner = SVGScanner(text)
        var result = Self()
        scanner.skipSpace()
        while !scanner.isAtEnd {
            let name = scanner.word()
            scanner.skipSpace()
            guard scanner.skip(UInt8(ascii: "(")) else { return nil }
            var numbers: [Double] = []
            while numbers.count < 6, let number = scanner.number() { numbers.append(number) }
            scanner.skipSpace()
            guard scanner.skip(UInt8(ascii: ")")), let next = Self(name, numbers) else {
                return nil
            }
            result = result.followed(within: next)
            scanner.skipSeparator()
        }
        self = result
    }

    private init?(_ name: String, _ n: [Double]) {
        switch (name, n.count) {
        case ("matrix", 6): self.init(n[0], n[1], n[2], n[3], n[4], n[5])
        case ("translate", 1): self.init(1, 0, 0, 1, n[0], 0)
        case ("translate", 2): self.init(1, 0, 0, 1, n[0], n[1])
        case ("scale", 1): self.init(n[0], 0, 0, n[0], 0, 0)
        case ("scale", 2): self.init(n[0], 0, 0, n[1], 0, 0)
        case ("rotate", 1), ("rotate", 3):
            let axis = SVGArc.direction(degrees: n[0])
            self.init(axis.x, axis.y, -axis.y, axis.x, 0, 0)
            guard n.count == 3 else { return }
            let centre = InkPoint(x: n[1], y: n[2])
            origin = centre - apply(centre)
        case ("skewX", 1), ("skewY", 1):
            let axis = SVGArc.direction(degrees: n[0])
            guard abs(axis.x) > 1e-6 else { return nil }
            let slope = axis.y / axis.x
            self.init(1, name == "skewY" ? slope : 0, name == "skewX" ? slope : 0, 1, 0, 0)
        default: return nil
        }
    }

    /// `inner` happens first, then this.
    func followed(within inner: Self) -> Self {
        var result = Self()
        result.x = x * inner.x.x + y * inner.x.y
        result.y = x * inner.y.x + y * inner.y.y
        result.origin = apply(inner.origin)
        return result
    }

    func apply(_ point: InkPoint) -> InkPoint { x * point.x + y * point.y + origin }

    /// What lengths are multiplied by, on average.
    var scale: Double { abs(x.cross(y)).squareRoot() }
}
