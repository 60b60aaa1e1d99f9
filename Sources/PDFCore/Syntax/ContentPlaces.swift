/// Where a content stream draws lines to and how large it shows text, for contents whose numbers are
/// such that readers may move points that are too far, or draw text that is too small.
package struct ContentPlaces {
    /// The largest coordinate of the point of a line, in units of what draws the content.
    private(set) var distance = 0.0
    /// The size of the smallest text, in the lesser direction; nil without any.
    package private(set) var leastTextSize: Double?
    /// By how much what is drawn is made smaller, in the direction in which it is more, at least.
    package private(set) var drawnScales: [PDFName: Double] = [:]
    /// Whether text is far wider than high or the other way round, or mirrored at an angle.
    private(set) var showsFlatText = false
    /// What is drawn neither upright nor turned, but askew.
    private(set) var skewedObjects: Set<PDFName> = []
    /// Whether areas or gradients are painted under a matrix that makes lines or dots of them, or lines
    /// under one that makes their ends far wider than high.
    private(set) var paintsFlat = false
    /// What is drawn under a matrix that makes lines or dots of it.
    private(set) var flatObjects: Set<PDFName> = []
    /// Whether a glyph draws beyond the box that it says (`d1`).
    var leavesBox: Bool {
        guard let box, let extent else { return false }
        let sides = [box.right - box.left, box.top - box.bottom]
        // Without any, all readers take what it draws.
        guard sides.allSatisfy({ $0 > 0 }) else { return false }
        let slack = Self.boxSlack * (sides.max() ?? 0) + Self.unitSlack
        return extent.left < box.left - slack || extent.bottom < box.bottom - slack
            || extent.right > box.right + slack || extent.top > box.top + slack
    }

    private typealias Box = (left: Double, bottom: Double, right: Double, top: Double)
    /// What the glyph says, and the points between which it draws.
    private var box: Box?
    private var extent: Box?
    private static let (boxSlack, unitSlack) = (0.1, 1.0)
    /// The part of their size that letters have at least.
    private static let letterShare = 0.3

    /// The numbers of a matrix of the graphics state.
    private typealias Matrix = (a: Double, b: Double, c: Double, d: Double, e: Double, f: Double)

    private struct State {
        var matrix = identity
        var size = 0.0
        var scale = 1.0
        var mode = 0.0
    }

    private static let savedLimit = 256
    private static let identity: Matrix = (1, 0, 0, 1, 0, 0)
    /// Of text that is not painted.
    private static let unpainted: Set<Double> = [3, 7]
    /// How much wider than high letters may be, or the other way round.
    private static let flatness = 10.0
    private static let (leastSkew, leastSide) = (0.01, 0.001)
    private static let leastFontSize = 0.001
    /// How much of an area is nothing of it; how small pens may be, and how much wider than high then.
    private static let (flatArea, smallPen, flatPen) = (1e-12, 0.01, 100.0)

    package init(in content: [UInt8]) {
        var reader = ContentReader(content)
        var (state, saved) = (State(), [State]())
        var text = Self.identity
        while let operation = reader.next() {
            let numbers = operation.numbers
            switch operation.name {
            case "q": if saved.count < Self.savedLimit { saved.append(state) }
            case "Q": state = saved.popLast() ?? state
            case "cm": state.matrix = Self.product(numbers, state.matrix)
            // Sides of rectangles stay where they are.
            case "m", "l", "c", "v", "y":
                take(numbers, state.matrix)
                extend(to: numbers.suffix(2), state.matrix)
            case "re" where numbers.count == 4:
                extend(to: numbers.prefix(2), state.matrix)
                extend(
                    to: [numbers[0] + numbers[2], numbers[1] + numbers[3]], state.matrix)
            case "f", "F", "f*", "sh": if Self.isFlat(state.matrix) { paintsFlat = true }
            case "S", "s", "B", "b", "B*", "b*":
                if Self.isFlat(state.matrix, pen: true) { paintsFlat = true }
            case "BI": extendToUnit(state.matrix)
            case "Do":
                if let name = operation.names.last { place(name, state.matrix) }
            case "d1" where numbers.count == 6:
                box = (
                    min(numbers[2], numbers[4]), min(numbers[3], numbers[5]),
                    max(numbers[2], numbers[4]), max(numbers[3], numbers[5])
                )
            case "BT": text = Self.identity
            case "Tm": text = Self.product(numbers, Self.identity)
            case "Td", "TD":
                if numbers.count == 2 { text = Self.product([1, 0, 0, 1] + numbers, text) }
            case "Tf": state.size = numbers.last ?? 0
            case "Tz": state.scale = (numbers.last ?? 100) / 100
            case "Tr": state.mode = numbers.last ?? 0
            case "Tj", "TJ", "'", "\"":
                if operation.strings.contains(where: { !$0.allSatisfy { $0 == 32 } }) {
                    show(state, text)
                }
            default: break
            }
        }
    }

    private mutating func extend(
        to point: some Collection<Double>, _ matrix: Matrix
    ) {
        guard let x = point.first, let y = point.dropFirst().first else { return }
        let place = (
            matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f
        )
        let old = extent ?? (place.0, place.1, place.0, place.1)
        extent = (
            min(old.left, place.0), min(old.bottom, place.1), max(old.right, place.0),
            max(old.top, place.1)
        )
    }

    private mutating func extendToUnit(_ matrix: Matrix) {
        for point in [[0.0, 0], [1, 0], [0, 1], [1, 1]] { extend(to: point, matrix) }
    }

    private mutating func show(_ state: State, _ text: Matrix) {
        let letter = Self.letterShare * state.size
        for point in [[0, 0], [letter * state.scale, letter]] {
            extend(
                to: point,
                Self.product(
                    [text.a, text.b, text.c, text.d, text.e, text.f], state.matrix))
        }
        guard !Self.unpainted.contains(state.mode), state.size != 0, state.scale != 0 else {
            return
        }
        let numbers = [text.a, text.b, text.c, text.d, 0, 0]
        let whole = Self.product(numbers, state.matrix)
        let across = Self.length(whole.a, whole.b) * (state.size * state.scale).magnitude
        let upwards = Self.length(whole.c, whole.d) * state.size.magnitude
        let determinant = (whole.a * whole.d - whole.b * whole.c).magnitude
        let area = determinant * (state.size * state.size * state.scale).magnitude
        let lesser = min(across, upwards)
        // Some readers take so small a font for none, however large it is drawn.
        let least = state.size.magnitude < Self.leastFontSize ? 0 : lesser
        leastTextSize = min(leastTextSize ?? least, least)
        if lesser * Self.flatness < max(across, upwards) || area * Self.flatness < across * upwards
        {
            showsFlatText = true
        }
        // Mirrored, and neither upright nor turned by a right angle.
        let sides = [whole.a, whole.b, whole.c, whole.d].map(\.magnitude)
        let isMirrored = whole.a * whole.d < whole.b * whole.c
        if isMirrored, sides.allSatisfy({ $0 > Self.leastSkew * (sides.max() ?? 0) }) {
            showsFlatText = true
        }
    }

    /// How small it is, and whether it is an image at an angle that is not a right one.
    private mutating func place(_ name: PDFName, _ matrix: Matrix) {
        let scale = min(Self.length(matrix.a, matrix.b), Self.length(matrix.c, matrix.d))
        drawnScales[name] = min(drawnScales[name] ?? scale, scale)
        if Self.isFlat(matrix) { flatObjects.insert(name) }
        let sides = [matrix.a, matrix.b, matrix.c, matrix.d]
        let skew = (matrix.a * matrix.c + matrix.b * matrix.d).magnitude
        let size = Self.length(matrix.a, matrix.b) * Self.length(matrix.c, matrix.d)
        let least = (sides.map(\.magnitude).max() ?? 0) * Self.leastSide
        guard sides.allSatisfy({ $0.magnitude > least }), skew > Self.leastSkew * size else {
            return
        }
        skewedObjects.insert(name)
    }

    /// - Parameter pen: asks for what makes lines far thinner in one direction than in the other.
    private static func isFlat(_ matrix: Matrix, pen: Bool = false) -> Bool {
        let area = (matrix.a * matrix.d - matrix.b * matrix.c).magnitude
        let squares =
            matrix.a * matrix.a + matrix.b * matrix.b + matrix.c * matrix.c + matrix.d * matrix.d
        guard area > squares * flatArea else { return true }
        let sides = [length(matrix.a, matrix.b), length(matrix.c, matrix.d)]
        let (least, most) = (sides.min() ?? 0, sides.max() ?? 0)
        // The area of such as are squeezed askew is little, too.
        return pen
            && (least < smallPen && least * flatPen < most || area * flatPen < squares * smallPen)
    }

    private static func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }

    private mutating func take(_ numbers: [Double], _ matrix: Matrix) {
        for index in stride(from: 0, to: numbers.count - 1, by: 2) {
            let (x, y) = (numbers[index], numbers[index + 1])
            let place = [
                matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f,
            ]
            distance = place.reduce(distance) { max($0, $1.magnitude) }
        }
    }

    private static func product(_ numbers: [Double], _ outer: Matrix) -> Matrix {
        guard numbers.count == 6 else { return outer }
        let (a, b, c, d) = (numbers[0], numbers[1], numbers[2], numbers[3])
        let (e, f) = (numbers[4], numbers[5])
        return (
            a * outer.a + b * outer.c, a * outer.b + b * outer.d, c * outer.a + d * outer.c,
            c * outer.b + d * outer.d, e * outer.a + f * outer.c + outer.e,
            e * outer.b + f * outer.d + outer.f
        )
    }
}
