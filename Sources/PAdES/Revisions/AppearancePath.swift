import PDFCore

/// A subpath of an appearance (ISO 32000-2 §8.5.2), as far as grounds, frames and clips need it.
struct AppearancePath {
    enum Side { case left, right, bottom, top }

    var points: [(x: Double, y: Double)]
    /// Whether a part of it goes another way than straight from point to point.
    var isCurved = false

    /// What paints a path, or takes it along.
    static let painters: Set<String> = [
        "s", "S", "f", "F", "f*", "b", "B", "b*", "B*", "Do",
    ]
    /// What makes up a path, and ends it.
    static let operators: Set<String> =
        painters.subtracting(["Do"]).union(["m", "l", "c", "v", "y", "h", "re", "W", "W*", "n"])

    private static let tolerance = 0.01
    /// How far from a side of the box a frame reaches, in points and as a part of the shorter side.
    private static let frameReach = (points: 6.0, share: 0.2)
    /// The part of a side that one line of a frame spans.
    private static let frameSpan = 0.85
    /// Most corners of a part of a frame.
    private static let cornerLimit = 12

    /// Nothing is drawn for a place alone.
    var isEmpty: Bool { points.count < 2 }

    /// The corners without the first repeated at the end.
    private var corners: ArraySlice<(x: Double, y: Double)> {
        guard let first = points.first, let last = points.last, points.count > 1,
            abs(first.x - last.x) + abs(first.y - last.y) <= Self.tolerance
        else { return points[...] }
        return points.dropLast()
    }

    /// The sides of the closed path.
    private var segments: [(from: (x: Double, y: Double), to: (x: Double, y: Double))] {
        let corners = Array(corners)
        return corners.indices.map { (corners[$0], corners[($0 + 1) % corners.count]) }
    }

    /// The rectangle that it is.
    var rectangle: PDFRectangle? {
        let segments = segments
        guard segments.count == 4, !isCurved else { return nil }
        let isLevel = segments.map { abs($0.from.y - $0.to.y) <= Self.tolerance }
        let isUpright = segments.map { abs($0.from.x - $0.to.x) <= Self.tolerance }
        guard
            isLevel[0] && isUpright[1] && isLevel[2] && isUpright[3]
                || isUpright[0] && isLevel[1] && isUpright[2] && isLevel[3]
        else { return nil }
        let (first, opposite) = (segments[0].from, segments[2].from)
        return PDFRectangle(first.x, first.y, opposite.x, opposite.y)
    }

    /// What it encloses, negative when it runs clockwise.
    var signedArea: Double {
        segments.reduce(0) { $0 + ($1.from.x * $1.to.y - $1.to.x * $1.from.y) / 2 }
    }

    /// Where it stands when it is a line from the bottom of the box to its top.
    func uprightLine(in box: PDFRectangle) -> Double? {
        guard points.count == 2, abs(points[0].x - points[1].x) <= Self.tolerance,
            abs(points[0].y - points[1].y) >= Self.frameSpan * box.height
        else { return nil }
        return points[0].x
    }

    /// The sides of the box that it frames; nil when it is something else than a part of a frame.
    func framedSides(of box: PDFRectangle, isFilled: Bool) -> Set<Side>? {
        let reach = min(
            Self.frameReach.points, Self.frameReach.share * min(box.width, box.height))
        guard points.count <= Self.cornerLimit,
            !isFilled || abs(signedArea) <= (box.width + box.height) * reach
        else { return nil }
        let nearSides = { (point: (x: Double, y: Double)) -> Set<Side> in
            var sides: Set<Side> = []
            if point.x <= box.left + reach { sides.insert(.left) }
            if point.x >= box.right - reach { sides.insert(.right) }
            if point.y <= box.bottom + reach { sides.insert(.bottom) }
            if point.y >= box.top - reach { sides.insert(.top) }
            return sides
        }
        var found: Set<Side> = []
        for (from, to) in segments {
            let (near, width, height) = (nearSides(from), abs(from.x - to.x), abs(from.y - to.y))
            let common = near.intersection(nearSides(to))
            guard !near.isEmpty, !common.isEmpty || width + height <= 2 * reach else { return nil }
            if width >= Self.frameSpan * box.width {
                found.formUnion(common.intersection([.bottom, .top]))
            }
            if height >= Self.frameSpan * box.height {
                found.formUnion(common.intersection([.left, .right]))
            }
        }
        return found.isEmpty ? nil : found
    }
}
