import TextBridge

/// Collects the shapes of an SVG file (SVG 1.1).
private struct SVGShapes: XMLHandler {
    private struct Context {
        var style = SVGStyle()
        var transform = SVGTransform()
        /// Inside something that is not drawn itself.
        var isHidden = false
        var isStyleSheet = false
    }

    private var stack = [Context()]
    private var rules = SVGRules()
    private var segmentCount = 0
    /// Of rules that were applied.
    private var styleByteCount = 0
    private(set) var paths: [InkPath] = []
    private(set) var view: InkBounds?

    private static let styleByteLimit = 32 << 20
    private static let namespace = "http://www.w3.org/2000/svg"
    private static let unseen: Set<String> = [
        "defs", "symbol", "clipPath", "mask", "pattern", "marker", "metadata", "title", "desc",
        "linearGradient", "radialGradient", "filter", "script", "foreignObject",
    ]
    private static let beyond: Set<String> = ["text", "image", "use"]

    mutating func start(_ element: XMLElement) throws(XMLError) {
        var context = stack[stack.count - 1]
        let isKnown = [Self.namespace, ""].contains(element.name.namespace)
        let name = isKnown ? element.name.local : "metadata"
        if stack.count == 1 {
            guard name == "svg" else { throw XMLError(.unexpected, "the file is no SVG") }
            view = Self.view(of: element)
        }
        context.isStyleSheet = name == "style"
        context.isHidden = context.isHidden || Self.unseen.contains(name)
        let matching = rules.matching(element)
        styleByteCount += matching.reduce(0) { $0 + $1.utf8.count }
        guard styleByteCount <= Self.styleByteLimit else {
            throw XMLError(.limitExceeded, "its style sheet applies too often")
        }
        context.style.apply(element, rules: matching)
        if let text = element["transform"] {
            guard let transform = SVGTransform(text) else {
                throw XMLError(.unexpected, "the transformation '\(text.prefix(80))' is not known")
            }
            context.transform = context.transform.followed(within: transform)
        }
        stack.append(context)
        guard !context.isHidden, context.style.isVisible else { return }
        if Self.beyond.contains(name) {
            throw XMLError(
                .unexpected, "it holds a <\(name)> element; only paths and simple shapes are drawn")
        }
        try draw(SVGShape.segments(name, element), context)
    }

    mutating func text(_ text: String) {
        if stack[stack.count - 1].isStyleSheet { rules.add(sheet: text) }
    }

    mutating func end() {
        if stack.count > 1 { stack.removeLast() }
    }

    private mutating func draw(
        _ segments: [InkSegment], _ context: Context
    ) throws(XMLError) {
        guard !segments.isEmpty else { return }
        segmentCount += segments.count
        guard segmentCount <= InkLimits.segmentCount else {
            throw XMLError(
                .limitExceeded, "more than \(InkLimits.segmentCount) lines and curves")
        }
        let style = context.style
        let width = style.strokeWidth * context.transform.scale
        let stroke = width > 0 && width.isFinite ? style.stroke : nil
        guard style.fill != nil || stroke != nil else { return }
        paths.append(
            InkPath(
                segments: segments.map { $0.mapped(context.transform.apply) }, fill: style.fill,
                isEvenOdd: style.isEvenOdd, stroke: stroke, strokeWidth: width))
    }

    /// The part of the plane that is shown.
    private static func view(of element: XMLElement) -> InkBounds? {
        var scanner = SVGScanner(element["viewBox"] ?? "")
        guard let x = scanner.number(), let y = scanner.number(), let width = scanner.number(),
            let height = scanner.number(), width > 0, height > 0
        else { return nil }
        return InkBounds(InkPoint(x: x, y: y), InkPoint(x: x + width, y: y + height))
    }
}

/// The basic shapes of SVG (SVG 1.1 §9) as paths.
enum SVGShape {
    static func segments(_ name: String, _ element: XMLElement) -> [InkSegment] {
        func length(_ key: String) -> Double {
            var scanner = SVGScanner(element[key] ?? "")
            return scanner.number() ?? 0
        }
        func point(_ x: String, _ y: String) -> InkPoint {
            InkPoint(x: length(x), y: length(y))
        }
        switch name {
        case "path": return SVGPathData(element["d"] ?? "").segments
        case "line": return [.move(point("x1", "y1")), .line(point("x2", "y2"))]
        case "polyline", "polygon":
            var scanner = SVGScanner(element["points"] ?? "")
            var points: [InkPoint] = []
            while points.count < InkLimits.segmentCount, let x = scanner.number(),
                let y = scanner.number()
            {
                points.append(InkPoint(x: x, y: y))
            }
            guard let first = points.first, points.count > 1 else { return [] }
            let end: [InkSegment] = name == "polygon" ? [.close] : []
            return [.move(first)] + points.dropFirst().map { .line($0) } + end
        case "rect":
            let corner = point("x", "y")
            let (width, height) = (length("width"), length("height"))
            guard width > 0, height > 0 else { return [] }
            return [
                .move(corner), .line(corner + InkPoint(x: width, y: 0)),
                .line(corner + InkPoint(x: width, y: height)),
                .line(corner + InkPoint(x: 0, y: height)), .close,
            ]
        case "circle": return ellipse(point("cx", "cy"), length("r"), length("r"))
        case "ellipse": return ellipse(point("cx", "cy"), length("rx"), length("ry"))
        default: return []
        }
    }

    private static func ellipse(_ centre: InkPoint, _ rx: Double, _ ry: Double) -> [InkSegment] {
        guard rx > 0, ry > 0 else { return [] }
        let (left, right) = (
            centre - InkPoint(x: rx, y: 0), centre + InkPoint(x: rx, y: 0)
        )
        func half(_ from: InkPoint, _ to: InkPoint) -> [InkSegment] {
            SVGArc.curves(
                from: from, to: to, rx: rx, ry: ry, degrees: 0, isLarge: false, isSweep: true)
        }
        return [.move(left)] + half(left, right) + half(right, left) + [.close]
    }
}

extension InkDrawing {
    /// Reads the paths and shapes of an SVG file.
    ///
    /// - Throws: `badInk` with what is wrong with the file, `noInk` when it draws nothing;
    ///   `libraryMissing` without Expat.
    package init(svg file: [UInt8]) throws(AppearanceError) {
        var shapes = SVGShapes()
        do throws(XMLError) {
            try XMLReader.read(
                file, documentType: .named, byteLimit: InkLimits.fileByteCount, into: &shapes)
        } catch {
            let place = error.line.map { "line \($0): " } ?? ""
            throw AppearanceError(
                error.code == .parserMissing ? .libraryMissing : .badInk, place + error.detail)
        }
        try self.init(shapes.paths, view: shapes.view)
    }
}
