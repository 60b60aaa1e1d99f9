/// Path data (SVG 1.1 §8.3) as lines and cubic curves.
struct SVGPathData {
    private(set) var segments: [InkSegment] = []
    private var scanner: SVGScanner
    private var current = InkPoint(x: 0, y: 0)
    private var start = InkPoint(x: 0, y: 0)
    /// The last control point, when a smooth curve of the same kind may continue it.
    private var control: (point: InkPoint, isCubic: Bool)?

    /// What stands before an error is drawn, as §F.2 of SVG 1.1 wants it.
    init(_ text: String) {
        scanner = SVGScanner(text)
        read()
    }

    private mutating func read() {
        scanner.skipSpace()
        var command: UInt8 = 0
        while !scanner.isAtEnd, segments.count < InkLimits.segmentCount {
            if let letter = scanner.letter() {
                command = letter
            } else if command == 0x4D || command == 0x6D {
                // Further pairs after a move are lines.
                command = command == 0x4D ? 0x4C : 0x6C
            } else if command == 0x5A || command == 0x7A || command == 0 {
                return
            }
            guard segments.isEmpty ? command | 0x20 == 0x6D : true, apply(command) else { return }
            scanner.skipSeparator()
        }
    }

    /// - Returns: false when its numbers are missing.
    private mutating func apply(_ command: UInt8) -> Bool {
        let isRelative = command & 0x20 != 0
        let base = isRelative ? current : InkPoint(x: 0, y: 0)
        switch command | 0x20 {
        case UInt8(ascii: "m"):
            guard let end = point(base) else { return false }
            segments.append(.move(end))
            start = end
            finish(end)
        case UInt8(ascii: "l"):
            guard let end = point(base) else { return false }
            line(end)
        case UInt8(ascii: "h"):
            guard let x = scanner.number() else { return false }
            line(InkPoint(x: base.x + x, y: current.y))
        case UInt8(ascii: "v"):
            guard let y = scanner.number() else { return false }
            line(InkPoint(x: current.x, y: base.y + y))
        case UInt8(ascii: "c"):
            guard let one = point(base), let two = point(base), let end = point(base) else {
                return false
            }
            cubic(one, two, end)
        case UInt8(ascii: "s"):
            guard let two = point(base), let end = point(base) else { return false }
            cubic(reflected(isCubic: true), two, end)
        case UInt8(ascii: "q"):
            guard let one = point(base), let end = point(base) else { return false }
            quadratic(one, end)
        case UInt8(ascii: "t"):
            guard let end = point(base) else { return false }
            quadratic(reflected(isCubic: false), end)
        case UInt8(ascii: "a"):
            guard let rx = scanner.number(), let ry = scanner.number(),
                let turn = scanner.number(), let isLarge = scanner.flag(),
                let isSweep = scanner.flag(), let end = point(base)
            else { return false }
            segments += SVGArc.curves(
                from: current, to: end, rx: abs(rx), ry: abs(ry), degrees: turn,
                isLarge: isLarge, isSweep: isSweep)
            finish(end)
        case UInt8(ascii: "z"):
            segments.append(.close)
            finish(start)
        default: return false
        }
        return true
    }

    private mutating func point(_ base: InkPoint) -> InkPoint? {
        guard let x = scanner.number(), let y = scanner.number() else { return nil }
        let sum = base + InkPoint(x: x, y: y)
        return max(abs(sum.x), abs(sum.y)) <= InkLimits.coordinate ? sum : nil
    }

    private mutating func line(_ end: InkPoint) {
        segments.append(.line(end))
        finish(end)
    }

    private mutating func cubic(_ one: InkPoint, _ two: InkPoint, _ end: InkPoint) {
        segments.append(.curve(one, two, end))
        finish(end, control: (two, true))
    }

    private mutating func quadratic(_ one: InkPoint, _ end: InkPoint) {
        segments.append(
            .curve(.mix(current, one, 2.0 / 3), .mix(end, one, 2.0 / 3), end))
        finish(end, control: (one, false))
    }

    private func reflected(isCubic: Bool) -> InkPoint {
        guard let control, control.isCubic == isCubic else { return current }
        return current * 2 - control.point
    }

    private mutating func finish(_ end: InkPoint, control: (InkPoint, Bool)? = nil) {
        current = end
        self.control = control.map { (point: $0.0, isCubic: $0.1) }
    }
}

/// Elliptical arcs as curves (SVG 1.1 §F.6), by vectors alone.
enum SVGArc {
    static func curves(
        from start: InkPoint, to end: InkPoint, rx: Double, ry: Double, degrees: Double,
        isLarge: Bool, isSweep: Bool
    ) -> [InkSegment] {
        guard start != end else { return [] }
        guard rx > 0, ry > 0 else { return [.line(end)] }
        let axis = Self.direction(degrees: degrees)
        // In a frame where the ellipse is the unit circle.
        func flat(_ point: InkPoint) -> InkPoint {
            InkPoint(x: point.dot(axis) / rx, y: point.dot(axis.normal) / ry)
        }
        func round(_ point: InkPoint) -> InkPoint {
            axis * (point.x * rx) + axis.normal * (point.y * ry)
        }
        let (a, b) = (flat(start), flat(end))
        let half = (b - a) * 0.5
        let middle = a + half
        let chord = half.dot(half)
        // Radii that are too small grow until the ellipse reaches (§F.6.6).
        let radius = max(1, chord.squareRoot())
        let height = max(0, radius * radius - chord).squareRoot()
        guard let across = half.normal.unit else { return [.line(end)] }
        let centre = middle + across * (isLarge == isSweep ? -height : height)
        guard let from = (a - centre).unit, let to = (b - centre).unit else {
            return [.line(end)]
        }
        // Quarter turns until the rest is less than one.
        var directions = [from]
        let quarter = isSweep ? 1.0 : -1.0
        for _ in 0..<4 {
            let last = directions[directions.count - 1]
            let sine = last.cross(to) * quarter
            if last.dot(to) > 0, sine >= -1e-12, directions.count > 1 || !isLarge { break }
            directions.append(last.normal * quarter)
        }
        directions.append(to)
        var result: [InkSegment] = []
        for (one, two) in zip(directions, directions.dropFirst()) {
            // 4/3 tan(angle/4), by halving twice.
            let cosine = min(max(one.dot(two), -1), 1)
            let halfTangent = ((1 - cosine) / (1 + cosine)).squareRoot()
            guard halfTangent.isFinite, halfTangent > 1e-9 else { continue }
            let k = 4 / 3 * halfTangent / (1 + (1 + halfTangent * halfTangent).squareRoot())
            let turn = quarter * k
            result.append(
                .curve(
                    round(centre + (one + one.normal * turn) * radius),
                    round(centre + (two - two.normal * turn) * radius),
                    round(centre + two * radius)))
        }
        return result.isEmpty ? [.line(end)] : result
    }

    /// The unit vector at an angle, by Taylor's series within an eighth of a turn.
    static func direction(degrees: Double) -> InkPoint {
        let turns = (degrees / 90).rounded()
        let angle = (degrees - turns * 90) * .pi / 180
        let square = angle * angle
        var (sine, cosine) = (0.0, 0.0)
        for factor in stride(from: 13.0, through: 1, by: -2) {
            sine = 1 - square / ((factor + 1) * (factor + 2)) * sine
            cosine = 1 - square / (factor * (factor + 1)) * cosine
        }
        var direction = InkPoint(x: cosine, y: angle * sine)
        let quarters = Int(turns.truncatingRemainder(dividingBy: 4))
        for _ in 0..<((quarters + 4) % 4) { direction = direction.normal }
        return direction
    }
}
