/// An affine transformation (ISO 32000-2 §8.3.3).
package struct Transform {
    package var (a, b, c, d) = (1.0, 0.0, 0.0, 1.0)
    package var (e, f) = (0.0, 0.0)

    package static let identity = Transform(e: 0, f: 0)

    package init(e: Double, f: Double) { (self.e, self.f) = (e, f) }

    /// - Parameter numbers: The six elements of the matrix.
    package init(_ numbers: [Double]) {
        guard numbers.count == 6 else { return }
        (a, b, c, d) = (numbers[0], numbers[1], numbers[2], numbers[3])
        (e, f) = (numbers[4], numbers[5])
    }

    /// `nil` if there is no array. A malformed array yields a transformation that is not upright.
    package init?(_ entry: PDFObject?, in document: PDFDocument) throws(PDFError) {
        guard let entry, let elements = try document.resolve(entry).arrayValue else { return nil }
        var numbers: [Double] = []
        for element in elements.prefix(6) {
            numbers.append(try document.resolve(element).numberValue ?? 0)
        }
        self.init(numbers.count == 6 ? numbers : [0, 1, 1, 0, 0, 0])
    }

    package var isIdentity: Bool { a == 1 && b == 0 && c == 0 && d == 1 && e == 0 && f == 0 }
    package var isUpright: Bool { a > 0 && d > 0 && b == 0 && c == 0 && a < 3 * d && d < 3 * a }

    package func followed(by next: Transform) -> Transform {
        var result = Transform(
            e: e * next.a + f * next.c + next.e, f: e * next.b + f * next.d + next.f)
        result.a = a * next.a + b * next.c
        result.b = a * next.b + b * next.d
        result.c = c * next.a + d * next.c
        result.d = c * next.b + d * next.d
        return result
    }

    package func applied(to point: (Double, Double)) -> (x: Double, y: Double) {
        (a * point.0 + c * point.1 + e, b * point.0 + d * point.1 + f)
    }

    package func corners(of area: PDFRectangle) -> [(x: Double, y: Double)] {
        [
            (area.left, area.bottom), (area.right, area.bottom), (area.right, area.top),
            (area.left, area.top),
        ].map { applied(to: $0) }
    }
}
