import PDFCore

/// Whether a page paints nothing in a box but one even ground, a frame around it and, where one
/// signs, a line to write on: whatever else is there somebody hides who draws over it.
///
/// What is painted is taken for larger than it is where that is easier to tell.
struct PaintedGround {
    /// Where a state of the page lets anything be seen.
    enum Clip {
        case everywhere
        /// Within an upright rectangle.
        case within(PDFRectangle)
        /// In a shape, somewhere in the area.
        case shaped(PDFRectangle)

        /// Whether it lets anything of an area be seen.
        func meets(_ area: PDFRectangle) -> Bool {
            switch self {
            case .everywhere: true
            case .within(let clip), .shaped(let clip): clip.intersection(area) != nil
            }
        }
    }

    /// What is painted with.
    struct Paint {
        /// Nil when it is not known, or not the same everywhere.
        var ink: Ink? = .black
        /// In user space units.
        var lineWidth = 1.0
        var clip = Clip.everywhere
        /// Of lines.
        var strokeInk: Ink? = .black
        /// From 0, nothing is seen of it, to 1; and of lines.
        var opacity = 1.0
        var strokeOpacity = 1.0
        /// Whether what lies below changes it.
        var isBlended = false
        /// Whether a soft mask lets parts of it be seen.
        var isMasked = false
        var hasPattern = false
        /// How far the peak of two lines goes, as a multiple of their width.
        var miterLimit = 10.0

        /// Whether what is under it shows through.
        var isSheer: Bool { opacity != 1 || strokeOpacity != 1 || isBlended }
        /// Whether not all of it shows one colour.
        var isUneven: Bool { isMasked || hasPattern || isSheer }

        /// That of lines.
        var ofLines: Paint {
            var paint = self
            (paint.ink, paint.opacity) = (strokeInk, strokeOpacity)
            return paint
        }
    }

    /// Whether something is there.
    private(set) var hasDrawing = false
    /// What becomes of words; nil where nobody asks.
    var words: WordGround?
    private let box: PDFRectangle
    /// Without the border in which frames lie.
    private let inner: PDFRectangle
    private let permitsLine: Bool
    /// The colour of all the box so far.
    private var ink: Ink?
    /// What is drawn, and what draws that.
    var run = Run()
    var outer: [Run] = []

    /// How far from the sides of the box lines lie that frame it, in points and as a part of it.
    private static let (borderWidth, borderShare) = (2.0, 0.15)
    /// By how much a ground may miss the sides of the box, in points.
    private static let slack = 0.5
    /// How thick the thinnest thing is, twice, in points.
    private static let margin = 0.1
    /// Which part of the box lines to write on span, and in which part of its height they lie.
    private static let (lineSpan, lineHeight) = (0.6, 0.45)

    /// - Parameters:
    ///   - permitsLine: Whether a line to write on is nothing.
    ///   - seeksWords: Whether it is asked for the words in the box.
    init(in box: PDFRectangle, permitsLine: Bool, seeksWords: Bool = false) {
        self.box = box
        words = seeksWords ? WordGround() : nil
        self.permitsLine = permitsLine
        let x = min(max(Self.borderWidth, Self.borderShare * box.width), box.width / 2)
        let y = min(max(Self.borderWidth, Self.borderShare * box.height), box.height / 2)
        inner = PDFRectangle(box.left + x, box.bottom + y, box.right - x, box.top - y)
        ink = .white
    }

    /// Takes a path that is filled.
    ///
    /// - Parameter path: the corners of its parts, control points of curves among them.
    mutating func fill(_ path: [AppearancePath], curved: Bool, _ paint: Paint) {
        guard path.count == 1, !curved, let area = path[0].rectangle else {
            return path.forEach { note(Self.bounds($0.points), paint) }
        }
        note(area, paint, isEven: true)
    }

    /// Takes a path that is drawn as a line.
    mutating func stroke(_ path: [AppearancePath], curved: Bool, _ paint: Paint) {
        let paint = paint.ofLines
        for part in path {
            let reach = paint.lineWidth / 2
            if curved {
                note(Self.bounds(part.points, reach), paint)
                continue
            }
            for (from, to) in zip(part.points, part.points.dropFirst()) {
                note(Self.bounds([from, to], reach), paint)
            }
            notePeaks(of: part.points, reach, paint)
        }
    }

    /// Where two lines meet at a sharp angle they go on beyond their width (ISO 32000-2 §8.4.3.5).
    private mutating func notePeaks(
        of points: [(x: Double, y: Double)], _ reach: Double, _ paint: Paint
    ) {
        var corners = Array(zip(points, zip(points.dropFirst(), points.dropFirst(2))))
        if let first = points.first, let last = points.last, points.count > 3,
            first.x == last.x, first.y == last.y
        {
            corners.append((points[points.count - 2], (first, points[1])))
        }
        for (before, (corner, after)) in corners {
            let (a, b) = (
                (x: before.x - corner.x, y: before.y - corner.y),
                (x: after.x - corner.x, y: after.y - corner.y)
            )
            let squares = (a.x * a.x + a.y * a.y) * (b.x * b.x + b.y * b.y)
            let lengths = squares.squareRoot()
            guard lengths > 0 else { continue }
            // Of half the angle between them.
            let sine = (max(0, 1 - (a.x * b.x + a.y * b.y) / lengths) / 2).squareRoot()
            guard sine < Self.sharpSine, sine > 0, 1 / sine <= paint.miterLimit else { continue }
            note(Self.bounds([corner], reach / sine), paint)
        }
    }

    /// Of half an angle: what is blunter adds next to nothing.
    private static let sharpSine = 0.6

    /// Takes what fills all that the clip leaves, in whatever way.
    mutating func fillClip(_ paint: Paint) {
        // In colours of its own.
        var paint = paint
        paint.ink = nil
        note(box, paint)
    }

    private mutating func note(_ area: PDFRectangle, _ paint: Paint, isEven: Bool = false) {
        guard !hasDrawing || words != nil else { return }
        // Lines have an area too.
        var area = PDFRectangle(
            area.left - Self.margin, area.bottom - Self.margin, area.right + Self.margin,
            area.top + Self.margin)
        var isEven = isEven && !paint.isUneven
        switch paint.clip {
        case .everywhere: break
        case .within(let clip):
            guard let common = area.intersection(clip) else { return }
            area = common
        case .shaped(let clip):
            guard let common = area.intersection(clip) else { return }
            (area, isEven) = (common, false)
        }
        guard words == nil else {
            if let common = area.intersection(box) {
                let isWhole = isEven && contains(area)
                let share = common.width * common.height / (box.width * box.height)
                words?.take(area, paint, isWhole: isWhole, share: share)
            }
            return
        }
        if isEven, contains(area) {
            ink = paint.ink
            return
        }
        guard let common = area.intersection(inner) else { return }
        if let ink, let own = paint.ink, own.isLike(ink), !paint.isUneven { return }
        if permitsLine, area.height <= CoveredContent.lineThickness, common.width > 0,
            (area.intersection(box)?.width ?? 0) >= Self.lineSpan * box.width,
            area.top <= box.bottom + Self.lineHeight * box.height
        {
            return
        }
        hasDrawing = true
    }

    private func contains(_ area: PDFRectangle) -> Bool {
        area.left <= box.left + Self.slack && area.right >= box.right - Self.slack
            && area.bottom <= box.bottom + Self.slack && area.top >= box.top - Self.slack
    }

    private static func bounds(_ points: [(x: Double, y: Double)], _ reach: Double = 0)
        -> PDFRectangle
    {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        return PDFRectangle(
            (xs.min() ?? 0) - reach, (ys.min() ?? 0) - reach, (xs.max() ?? 0) + reach,
            (ys.max() ?? 0) + reach)
    }
}

extension PaintedGround.Clip {
    /// What is left when a path clips too.
    func clipped(to path: [AppearancePath], curved: Bool) -> PaintedGround.Clip {
        let points = path.flatMap(\.points)
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        let bounds = PDFRectangle(
            xs.min() ?? 0, ys.min() ?? 0, xs.max() ?? 0, ys.max() ?? 0)
        let rectangle = path.count == 1 && !curved ? path[0].rectangle : nil
        let nothing = PDFRectangle(0, 0, 0, 0)
        return switch self {
        case .everywhere: rectangle.map { .within($0) } ?? .shaped(bounds)
        case .within(let area):
            rectangle.map { .within(area.intersection($0) ?? nothing) }
                ?? .shaped(area.intersection(bounds) ?? nothing)
        case .shaped(let area): .shaped(area.intersection(bounds) ?? nothing)
        }
    }
}
