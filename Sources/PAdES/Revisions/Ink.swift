import PDFCore

/// A colour of the device, however it was set.
struct Ink: Equatable {
    /// From 0, black, to 1, white.
    let brightness: Double
    /// Red, green and blue, from 0 to 255.
    private let parts: SIMD3<UInt8>

    static let black = Ink(brightness: 0, parts: .zero)
    static let white = Ink(brightness: 1, parts: SIMD3(repeating: 255))

    /// How far colours may be apart that people take for one.
    private static let tolerance = 8

    private init(brightness: Double, parts: SIMD3<UInt8>) {
        self.brightness = brightness
        self.parts = parts
    }

    /// Nil when a part is out of range, and for no colour of a device.
    init?(_ numbers: [Double]) {
        guard let brightness = AppearanceMeasure.brightness(numbers) else { return nil }
        let parts: [Double] =
            switch numbers.count {
            case 1: [numbers[0], numbers[0], numbers[0]]
            case 3: numbers
            default: numbers[..<3].map { (1 - $0) * (1 - numbers[3]) }
            }
        self.init(
            brightness: brightness,
            parts: SIMD3(UInt8(parts[0] * 255), UInt8(parts[1] * 255), UInt8(parts[2] * 255)))
    }

    /// Whether it is about the same colour: on whatever ground, both are seen, or neither.
    func isLike(_ other: Ink) -> Bool {
        (0..<3).allSatisfy { abs(Int(parts[$0]) - Int(other.parts[$0])) <= Self.tolerance }
    }

    /// Whether people see next to nothing of it on a ground of the other colour.
    func isHardlySeen(on ground: Ink) -> Bool {
        (0..<3).allSatisfy {
            abs(Int(parts[$0]) - Int(ground.parts[$0])) <= Self.leastDifference
        }
    }

    private static let leastDifference = 40
}

/// What a look draws at the sides of its box, or between its cells: it may hide what the page says.
struct Frame {
    /// Its corners, in points from the corner of the field's box, x and y by turns.
    let corners: [Double]
    /// How thick its lines are, in points; 0 where it is filled only.
    let lineWidth: Double
    /// nil when it is not known.
    let ink: Ink?
    /// What each of its lines covers.
    private let lines: [PDFRectangle]

    /// In points.
    private static let tolerance = 1.0
    /// How thick the lines of a usual frame are, in points.
    static let usualWidth = 3.0

    init(corners: [Double], lineWidth: Double, ink: Ink?) {
        (self.corners, self.lineWidth, self.ink) = (corners, lineWidth, ink)
        let reach = max(lineWidth / 2, Self.leastReach)
        let points = stride(from: 0, to: corners.count - 1, by: 2).map {
            (corners[$0], corners[$0 + 1])
        }
        let ends = points.dropFirst() + (points.count > 2 ? points.prefix(1) : [])
        lines = zip(points, ends).map { from, to in
            PDFRectangle(
                min(from.0, to.0) - reach, min(from.1, to.1) - reach, max(from.0, to.0) + reach,
                max(from.1, to.1) + reach)
        }
    }

    var lineCount: Int { lines.count }
    private var isThin: Bool { lineWidth <= Self.usualWidth }
    private var isSeen: Bool { ink.map { !$0.isHardlySeen(on: .white) } ?? false }

    private func isLike(_ other: Frame) -> Bool {
        guard let ink, let otherInk = other.ink, ink.isLike(otherInk),
            corners.count == other.corners.count
        else { return false }
        return abs(lineWidth - other.lineWidth) <= Self.tolerance
            && zip(corners, other.corners).allSatisfy { abs($0 - $1) <= Self.tolerance }
    }

    /// What a line does to letters that it runs through.
    enum Harm: Comparable {
        case none
        /// It touches them.
        case touches
        /// It goes through their middle.
        case strikes
        /// It takes parts of them away.
        case hides
    }

    /// - Parameters:
    ///   - letter: what people read, in points as the corners.
    ///   - isOver: whether the line is drawn over it.
    func harm(to letter: PDFRectangle, isOver: Bool) -> Harm {
        guard meets(letter, but: Self.edge) else { return .none }
        guard isThin, isSeen || !isOver else { return .hides }
        return isSeen && meets(letter, but: Self.middle) ? .strikes : .touches
    }

    private func meets(_ letter: PDFRectangle, but share: Double) -> Bool {
        let (x, y) = (letter.width * share, letter.height * share)
        let inner = PDFRectangle(
            letter.left + x, letter.bottom + y, letter.right - x, letter.top - y)
        return lines.contains { $0.intersection(inner) != nil }
    }

    /// The part of each side of a glyph that a line may touch, and from where on a thin one goes through
    /// its middle.
    private static let (edge, middle) = (0.15, 0.25)
    private static let leastReach = 0.1

    static func areAlike(_ first: [Frame], _ second: [Frame]) -> Bool {
        first.count == second.count && zip(first, second).allSatisfy { $0.isLike($1) }
    }
}
