import CodecBridge
import PDFCore

/// Handwriting as vector curves, cropped to what it covers.
package struct InkDrawing: Equatable, Sendable {
    let paths: [InkPath]
    let bounds: InkBounds

    /// - Parameter view: what of it may be seen; nil for all.
    /// - Throws: `noInk` when nothing is drawn.
    init(_ paths: [InkPath], view: InkBounds? = nil) throws(AppearanceError) {
        var bounds = InkBounds()
        for path in paths {
            let box = path.bounds
            guard !box.isEmpty else { continue }
            bounds.include(box.low)
            bounds.include(box.high)
        }
        if let view { bounds = bounds.intersection(view) }
        guard !bounds.isEmpty, bounds.low.isFinite, bounds.high.isFinite,
            bounds.width > 0 || bounds.height > 0
        else {
            throw AppearanceError(.noInk, "the file draws nothing: no path, no stroke")
        }
        // A straight stroke has no height; what is drawn must have some.
        let least = max(bounds.width, bounds.height) / 100
        if bounds.width < least { bounds.include(bounds.low, margin: least / 2) }
        if bounds.height < least { bounds.include(bounds.low, margin: least / 2) }
        self.paths = paths
        self.bounds = bounds
    }

    /// Whole numbers up to here say where a point is: at 60 mm the grid is finer than a hundredth
    /// of a point.
    private static let grid = 8000.0

    /// The drawing as a form XObject whose box begins at 0,0, and that box's size.
    func form(_ surroundings: StampSurroundings) -> (form: PDFStream, width: Double, height: Double)
    {
        let scale = Self.grid / max(bounds.width, bounds.height)
        let (low, high) = (bounds.low, bounds.high)
        let setter = ColorSetter(surroundings: surroundings)
        var content: [UInt8] = Array("1 J 1 j\n".utf8)
        func add(_ point: InkPoint) {
            for value in [(point.x - low.x) * scale, (high.y - point.y) * scale] {
                let clamped = value.isFinite ? min(max(value, -Self.grid * 10), Self.grid * 10) : 0
                content += String(Int(clamped.rounded())).utf8
                content.append(0x20)
            }
        }
        for path in paths {
            var operation: String
            switch (path.fill, path.stroke) {
            case (nil, nil): continue
            case (_?, nil): operation = path.isEvenOdd ? "f*\n" : "f\n"
            case (nil, _?): operation = "S\n"
            case (_?, _?): operation = path.isEvenOdd ? "B*\n" : "B\n"
            }
            if let fill = path.fill { content += (setter.fill(fill) + "\n").utf8 }
            if let stroke = path.stroke {
                let width = ContentWriter.number((path.strokeWidth * scale).rounded())
                content += "\(setter.stroke(stroke)) \(width) w\n".utf8
            }
            for segment in path.segments {
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
            content += operation.utf8
        }
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

/// What is accepted as ink, which may come from anywhere.
package enum InkLimits {
    /// Of an SVG or JSON file.
    package static let fileByteCount = 8 << 20
    /// Lines and curves of an SVG file.
    package static let segmentCount = 200_000
    /// Points of strokes, each of which becomes several curves.
    package static let pointCount = 50_000
    /// Coordinates beyond this are taken for damage.
    package static let coordinate = 1e9
}
