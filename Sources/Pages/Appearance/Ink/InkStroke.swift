/// One stroke of a pen: a smooth curve through its points with a width at each.
struct InkStroke {
    /// The pen width as a share of the longer side of the drawing.
    static let penShare = 0.013
    /// Stroke width at the lowest and at the highest pressure, in pen widths.
    private static let widths = 0.4...1.6
    /// Maximum error of the curve after points are removed, in pen widths.
    private static let tolerance = 0.04
    /// Number of curve points per pen width, and their maximum number between two given points.
    private static let samplesPerPen = 2.0
    private static let samplesPerGap = 24
    /// Cosine of the angle beyond which a turn of the pen is a corner.
    private static let cornerCosine = 0.5

    private struct Sample {
        var place: InkPoint
        var radius: Double
    }

    private let samples: [Sample]

    init(_ points: [(InkPoint, Double?)], pen: Double) {
        var distinct: [(place: InkPoint, pressure: Double?)] = []
        for (place, pressure) in points
        where distinct.last.map({ ($0.place - place).length > pen * 0.02 }) ?? true {
            distinct.append((place, pressure))
        }
        let hasPressure = distinct.contains { $0.pressure.map { $0 > 0 } ?? false }
        let pressures =
            hasPressure
            ? distinct.map { min(max($0.pressure ?? 0.5, 0), 1) }
            : Self.pressures(ofSpeed: distinct.map(\.place))
        let knots = zip(distinct, Self.smoothed(pressures)).map { point, pressure in
            let share =
                Self.widths.lowerBound
                + pressure * (Self.widths.upperBound - Self.widths.lowerBound)
            return Sample(place: point.place, radius: pen * share / 2)
        }
        samples = Self.simplified(Self.curve(knots, pen: pen), tolerance: pen * Self.tolerance)
    }

    /// Derives the pressure from the speed if it was not recorded. A fast pen presses lightly;
    /// points are recorded at equal intervals.
    private static func pressures(ofSpeed places: [InkPoint]) -> [Double] {
        guard places.count > 2 else { return places.map { _ in 0.5 } }
        let steps = zip(places, places.dropFirst()).map { ($1 - $0).length }
        let usual = steps.reduce(0, +) / Double(steps.count)
        return places.indices.map { index in
            let speed = steps[min(index, steps.count - 1)] / usual
            let end = Double(min(index, places.count - 1 - index))
            return (0.68 - 0.2 * min(speed, 2)) * min(1, 0.55 + 0.15 * end)
        }
    }

    private static func smoothed(_ values: [Double]) -> [Double] {
        values.indices.map { index in
            let before = values[max(index - 1, 0)]
            let after = values[min(index + 1, values.count - 1)]
            return (before + 2 * values[index] + after) / 4
        }
    }

    /// Points of the centripetal Catmull-Rom curve through the knots.
    private static func curve(_ knots: [Sample], pen: Double) -> [Sample] {
        guard knots.count > 2 else { return knots }
        var result = [knots[0]]
        for index in 0..<(knots.count - 1) {
            let (start, end) = (knots[index], knots[index + 1])
            let before = index > 0 ? knots[index - 1].place : start.place * 2 - end.place
            let after =
                index + 2 < knots.count ? knots[index + 2].place : end.place * 2 - start.place
            let (one, two) = controls(before, start.place, end.place, after)
            let length = (end.place - start.place).length
            let count = min(
                samplesPerGap, max(1, Int(min(length / pen * samplesPerPen, 1000).rounded(.up))))
            for step in 1...count {
                let t = Double(step) / Double(count)
                let a = InkPoint.mix(start.place, one, share: t)
                let b = InkPoint.mix(one, two, share: t)
                let c = InkPoint.mix(two, end.place, share: t)
                result.append(
                    Sample(
                        place: .mix(.mix(a, b, share: t), .mix(b, c, share: t), share: t),
                        radius: start.radius + (end.radius - start.radius) * t))
            }
        }
        return result
    }

    /// The control points between `start` and `end` of the centripetal curve.
    private static func controls(
        _ before: InkPoint, _ start: InkPoint, _ end: InkPoint, _ after: InkPoint
    ) -> (InkPoint, InkPoint) {
        let d1 = max((start - before).length.squareRoot(), 1e-9)
        let d2 = max((end - start).length.squareRoot(), 1e-9)
        let d3 = max((after - end).length.squareRoot(), 1e-9)
        let out =
            (end * (d1 * d1) - before * (d2 * d2) + start * (2 * d1 * d1 + 3 * d1 * d2 + d2 * d2))
            * (1 / (3 * d1 * (d1 + d2)))
        let back =
            (start * (d3 * d3) - after * (d2 * d2) + end * (2 * d3 * d3 + 3 * d3 * d2 + d2 * d2))
            * (1 / (3 * d3 * (d3 + d2)))
        return (out, back)
    }

    /// Removes points within the tolerance (Douglas-Peucker algorithm, without recursion).
    private static func simplified(_ samples: [Sample], tolerance: Double) -> [Sample] {
        guard samples.count > 2 else { return samples }
        var keeps = [Bool](repeating: false, count: samples.count)
        keeps[0] = true
        keeps[samples.count - 1] = true
        var open = [(0, samples.count - 1)]
        while let (first, last) = open.popLast() {
            // Long ranges are split in the middle, which limits the time for malicious strokes.
            guard last - first > 1 else { continue }
            var (farthest, distance) = ((first + last) / 2, 0.0)
            if last - first <= 64 {
                let way = samples[last].place - samples[first].place
                for index in (first + 1)..<last {
                    let offset = samples[index].place - samples[first].place
                    let off = way.unit.map { abs($0.cross(offset)) } ?? offset.length
                    let share = way.dot(way) > 0 ? way.dot(offset) / way.dot(way) : 0
                    let radius =
                        samples[first].radius
                        + (samples[last].radius - samples[first].radius) * share
                    // A point on the line but beyond its ends is an error too.
                    let beyond = max(0, -share, share - 1) * way.length
                    let error = max(off, abs(samples[index].radius - radius), beyond)
                    if error > distance { (farthest, distance) = (index, error) }
                }
                guard distance > tolerance else { continue }
            }
            keeps[farthest] = true
            open.append((first, farthest))
            open.append((farthest, last))
        }
        return samples.indices.filter { keeps[$0] }.map { samples[$0] }
    }

    /// The outline, to be filled with the nonzero winding rule: overlapping strips and discs, all
    /// in the same direction.
    var outline: [InkSegment] {
        guard let first = samples.first, let last = samples.last else { return [] }
        var segments = Self.disc(first)
        guard samples.count > 1 else { return segments }
        segments += Self.disc(last)
        var strip = [first]
        for index in 1..<samples.count {
            let sample = samples[index]
            strip.append(sample)
            guard index + 1 < samples.count else { break }
            let way = sample.place - samples[index - 1].place
            let next = samples[index + 1].place - sample.place
            let turn = (way.unit ?? next).dot(next.unit ?? way)
            // If the curve bends more sharply than its width, one side of the strip folds over.
            let bend = abs((way.unit ?? next).cross(next.unit ?? way))
            let isTight = bend * sample.radius * 2 > min(way.length, next.length)
            if turn < Self.cornerCosine || isTight { segments += Self.disc(sample) }
            if turn < Self.cornerCosine {
                segments += Self.strip(strip)
                strip = [sample]
            }
        }
        return segments + Self.strip(strip)
    }

    private static func disc(_ sample: Sample) -> [InkSegment] {
        // Four quarter circles, with the usual constant for Bézier curves.
        let r = sample.radius
        let k = r * 0.552284749831
        func at(_ x: Double, _ y: Double) -> InkPoint { sample.place + InkPoint(x: x, y: y) }
        return [
            .move(at(r, 0)), .curve(at(r, -k), at(k, -r), at(0, -r)),
            .curve(at(-k, -r), at(-r, -k), at(-r, 0)), .curve(at(-r, k), at(-k, r), at(0, r)),
            .curve(at(k, r), at(r, k), at(r, 0)), .close,
        ]
    }

    private static func strip(_ samples: [Sample]) -> [InkSegment] {
        guard samples.count > 1 else { return [] }
        var left: [InkPoint] = []
        var right: [InkPoint] = []
        for (index, sample) in samples.enumerated() {
            let before = samples[max(index - 1, 0)].place
            let after = samples[min(index + 1, samples.count - 1)].place
            guard let way = (after - before).unit else { continue }
            left.append(sample.place + way.normal * sample.radius)
            right.append(sample.place - way.normal * sample.radius)
        }
        guard left.count > 1, let turn = right.last else { return [] }
        return [.move(left[0])] + smooth(left) + [.line(turn)]
            + smooth(right.reversed()) + [.close]
    }

    /// Curves through all points except the first one, which is the current point of the path.
    private static func smooth(_ points: [InkPoint]) -> [InkSegment] {
        (0..<(points.count - 1)).map { index in
            let (start, end) = (points[index], points[index + 1])
            let before = index > 0 ? points[index - 1] : start * 2 - end
            let after = index + 2 < points.count ? points[index + 2] : end * 2 - start
            let (one, two) = controls(before, start, end, after)
            return .curve(one, two, end)
        }
    }
}
