/// How far away the points are that a content stream draws lines to: some readers move those that are
/// too far, and with them where the lines run.
struct FarPlaces {
    /// The largest coordinate of any, in units of what draws the content.
    private(set) var distance = 0.0

    /// The upper two rows of a matrix of the graphics state, and its place.
    private typealias Matrix = (a: Double, b: Double, c: Double, d: Double, e: Double, f: Double)

    private static let savedLimit = 256
    private static let identity: Matrix = (1, 0, 0, 1, 0, 0)

    init(in content: [UInt8]) {
        var reader = ContentReader(content)
        var (matrix, saved) = (Self.identity, [Matrix]())
        while let operation = reader.next() {
            switch operation.name {
            case "q": if saved.count < Self.savedLimit { saved.append(matrix) }
            case "Q": matrix = saved.popLast() ?? matrix
            case "cm": matrix = Self.product(operation.numbers, matrix)
            // Sides of rectangles stay where they are.
            case "m", "l", "c", "v", "y": take(operation.numbers, matrix)
            default: break
            }
        }
    }

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
