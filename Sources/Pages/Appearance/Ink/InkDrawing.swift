import Base
import CodecBridge
import PDFCore

/// Handwriting as vector curves of one color, cropped to its bounds.
package struct InkDrawing: Equatable, Sendable {
    let segments: [InkSegment]
    let color: StampColor
    let bounds: InkBounds

    /// - Parameter segments: The outlines of the filled areas.
    /// - Throws: `noInk` if nothing is drawn.
    init(_ segments: [InkSegment], _ color: StampColor) throws(AppearanceError) {
        var bounds = InkBounds(segments)
        guard !bounds.isEmpty, bounds.low.isFinite, bounds.high.isFinite,
            bounds.width > 0 || bounds.height > 0
        else { throw AppearanceError(.noInk, "the file contains no strokes") }
        // A straight stroke may have no width or height, but a drawing needs some.
        let least = max(bounds.width, bounds.height) / 100
        if bounds.width < least { bounds.include(bounds.low, margin: least / 2) }
        if bounds.height < least { bounds.include(bounds.low, margin: least / 2) }
        self.segments = segments
        self.color = color
        self.bounds = bounds
    }

    /// Coordinates are integers up to this value. If the longer side has 60 mm, one unit is about
    /// 0.02 points.
    private static let grid = 8000.0

    /// The drawing as a form XObject whose bounding box begins at 0,0, and the size of that box.
    func form(_ surroundings: StampSurroundings) -> (form: PDFStream, width: Double, height: Double)
    {
        let scale = Self.grid / max(bounds.width, bounds.height)
        let (low, high) = (bounds.low, bounds.high)
        let setter = ColorSetter(surroundings: surroundings)
        var content: [UInt8] = Array("\(setter.fill(color))\n".utf8)
        func add(_ point: InkPoint) {
            for value in [(point.x - low.x) * scale, (high.y - point.y) * scale] {
                let clamped = value.isFinite ? min(max(value, -Self.grid * 10), Self.grid * 10) : 0
                content += String(Int(clamped.rounded())).utf8
                content.append(0x20)
            }
        }
        for segment in segments {
            switch segment {
            case .move(let end):
                add(end)
                content += "m\n".utf8
            case .line(let end):
                add(end)
                content += "l\n".utf8
            case .curve(let one, let two, let end):
                add(one)
                add(two)
                add(end)
                content += "c\n".utf8
            case .close: content += "h\n".utf8
            }
        }
        content += "f\n".utf8
        let (width, height) = (bounds.width * scale, bounds.height * scale)
        var dictionary = StampAppearance.formDictionary(
            width: width.rounded(.up), height: height.rounded(.up))
        var resources = PDFDictionary()
        resources["ColorSpace"] = setter.resources.map { .dictionary($0) }
        dictionary["Resources"] = .dictionary(resources)
        dictionary["Filter"] = .name("FlateDecode")
        return (
            PDFStream(dictionary: dictionary, data: Flate.deflate(content)), width.rounded(.up),
            height.rounded(.up)
        )
    }
}

/// Limits of untrusted ink data.
package enum InkLimits {
    /// Maximum size of a file, in bytes.
    package static let fileByteCount = 8 << 20
    /// Maximum number of points of all strokes. Each point becomes several curves.
    package static let pointCount = 50_000
    /// Maximum absolute value of a coordinate; larger values indicate damage.
    package static let coordinate = 1e9
}
