import Base
import FoundationEssentials

/// Pen strokes in JSON: `{"strokes":[[[x,y,pressure?],...],...],"color":"#1a2b5e"?}`. x increases
/// to the right and y downward, in any unit; pressure is 0 to 1.
struct InkStrokes: Decodable {
    struct Point: Decodable {
        let place: InkPoint
        let pressure: Double?

        init(from decoder: any Decoder) throws {
            var numbers = try decoder.unkeyedContainer()
            place = InkPoint(x: try numbers.decode(Double.self), y: try numbers.decode(Double.self))
            pressure = numbers.isAtEnd ? nil : try numbers.decodeIfPresent(Double.self)
        }
    }

    let strokes: [[Point]]
    let color: String?
}

extension InkDrawing {
    static let penColor = StampColor(red: 0.06, green: 0.11, blue: 0.36)

    /// Draws strokes as outlines whose width follows the pressure.
    ///
    /// - Throws: `badInk` if the file is not such JSON, `noInk` if it has no points.
    package init(strokes file: [UInt8]) throws(AppearanceError) {
        let input: InkStrokes
        do {
            input = try JSONDecoder().decode(InkStrokes.self, from: Data(file))
        } catch {
            throw AppearanceError(
                .badInk, "the file is not JSON of the form {\"strokes\":[[[x,y,pressure],...],...]}"
            )
        }
        let count = input.strokes.reduce(0) { $0 + $1.count }
        guard count <= InkLimits.pointCount else {
            throw AppearanceError(
                .badInk, "the file has \(count) points; the limit is \(InkLimits.pointCount)")
        }
        var bounds = InkBounds()
        for point in input.strokes.joined() {
            guard point.place.isFinite, abs(point.place.x) <= InkLimits.coordinate,
                abs(point.place.y) <= InkLimits.coordinate
            else { throw AppearanceError(.badInk, "a point is out of range") }
            bounds.include(point.place)
        }
        let color = try input.color.map(Self.color) ?? Self.penColor
        let pen = max(bounds.width, bounds.height) * InkStroke.penShare
        var segments: [InkSegment] = []
        for stroke in input.strokes {
            segments +=
                InkStroke(stroke.map { ($0.place, $0.pressure) }, pen: pen > 0 ? pen : 1).outline
        }
        try self.init(segments, color)
    }

    private static func color(_ text: String) throws(AppearanceError) -> StampColor {
        guard text.first == "#", let bytes = Hex.decode(text.utf8.dropFirst()), bytes.count == 3
        else { throw AppearanceError(.badInk, "'\(text)' is not a color such as #1a2b5e") }
        let parts = bytes.map { Double($0) / 255 }
        return StampColor(red: parts[0], green: parts[1], blue: parts[2])
    }
}
