package import PDFCore

/// Where an annotation may be drawn. An appearance stream is fitted into /Rect (ISO 32000-2
/// §12.5.5); without one, viewers draw the annotation's geometry, wherever it is.
package struct AnnotationExtent {
    /// The whole area that it may cover, in user space.
    package let box: PDFRectangle
    package let rect: PDFRectangle
    let hasAppearance: Bool

    /// Points of the shapes, some in lists of lists (ISO 32000-2 Tables 178 to 186).
    private static let pointKeys: [PDFName] = [
        "L", "InkList", "Vertices", "QuadPoints", "CL", "Path",
    ]
    /// Keys of the leader line lengths and offset of a line annotation (ISO 32000-2 Table 178).
    private static let lengthKeys: [PDFName] = ["LL", "LLE", "LLO"]
    /// Size of a line ending in viewers, in line widths.
    private static let endingSize = 6.0
    /// Maximum number of elements of the geometry that are read: numbers and lists.
    private static let elementLimit = 20_000
    /// Maximum nesting depth of lists.
    private static let listDepth = 3

    /// Nil for an annotation without /Rect: viewers do not draw it.
    package init?(of annotation: PDFDictionary, on page: PDFPage, in document: PDFDocument) throws {
        let corners = try (document.value(annotation, "Rect").arrayValue ?? []).prefix(4).map {
            // Viewers treat any other object as zero.
            let number = try document.resolve($0).numberValue ?? 0
            return number.isFinite ? number : 0
        }
        let appearances = try document.value(annotation, "AP").dictionaryValue
        let normal = try appearances.map { try document.value($0, "N") } ?? .null
        hasAppearance = normal.streamValue != nil || normal.dictionaryValue != nil
        guard corners.count == 4 else { return nil }
        rect = PDFRectangle(corners[0], corners[1], corners[2], corners[3])
        var box = rect
        let flags = try AnnotationFlags(of: annotation, in: document)
        if flags.mayHave(AnnotationFlags.noRotate), page.rotate != 0 {
            // A NoRotate annotation is rotated about its upper left corner.
            let side = max(box.width, box.height)
            let (x, y) = (box.left, box.top)
            box = box.union(PDFRectangle(x - side, y - side, x + side, y + side))
        }
        if normal.streamValue == nil, let shape = try Self.shape(of: annotation, in: document) {
            box = box.union(shape)
        }
        self.box = box
    }

    /// Page area that an annotation may cover, in square points; infinite if viewers draw its
    /// geometry instead of an appearance stream.
    package static func area(of annotation: PDFDictionary, in document: PDFDocument) throws
        -> Double
    {
        let appearances = try document.value(annotation, "AP").dictionaryValue
        let hasAppearance =
            try appearances.map { try document.value($0, "N").streamValue != nil } ?? false
        let hasShape = pointKeys.contains { annotation[$0] != nil }
        guard hasAppearance || !hasShape, let rect = try document.rectangle(annotation["Rect"])
        else {
            return .infinity
        }
        let area = rect.width * rect.height
        return area.isNaN ? .infinity : area
    }

    private static func shape(
        of annotation: PDFDictionary, in document: PDFDocument
    ) throws -> PDFRectangle? {
        var numbers: [Double] = []
        var remaining = elementLimit
        for key in pointKeys {
            try collect(
                document.value(annotation, key), depth: 0, into: &numbers, &remaining, document)
            // An odd number of values would swap x and y of the next list.
            if numbers.count % 2 == 1 { numbers.removeLast() }
        }
        let xs = stride(from: 0, to: numbers.count, by: 2).map { numbers[$0] }
        let ys = stride(from: 1, to: numbers.count, by: 2).map { numbers[$0] }
        guard let left = xs.min(), let right = xs.max(), let bottom = ys.min(), let top = ys.max()
        else { return nil }
        let margin = try margin(of: annotation, in: document)
        return PDFRectangle(left - margin, bottom - margin, right + margin, top + margin)
    }

    private static func collect(
        _ object: PDFObject, depth: Int, into numbers: inout [Double], _ remaining: inout Int,
        _ document: PDFDocument
    ) throws {
        guard depth < listDepth, let elements = object.arrayValue else { return }
        for element in elements {
            guard remaining > 0 else { return }
            remaining -= 1
            let value = try document.resolve(element)
            if let number = value.numberValue, number.isFinite { numbers.append(number) }
            try collect(value, depth: depth + 1, into: &numbers, &remaining, document)
        }
    }

    /// Line width of the border or shape, in user space units.
    static func lineWidth(of annotation: PDFDictionary, in document: PDFDocument) throws -> Double {
        let style = try document.value(annotation, "BS").dictionaryValue
        let border = try document.value(annotation, "Border").arrayValue ?? []
        let widths = [
            try style.map { try document.value($0, "W").numberValue } ?? nil,
            border.count > 2 ? try document.resolve(border[2]).numberValue : nil,
        ].compactMap { $0 }.filter(\.isFinite)
        return max(widths.max() ?? 1, 0)
    }

    /// How far a shape may extend beyond its points.
    private static func margin(
        of annotation: PDFDictionary, in document: PDFDocument
    ) throws -> Double {
        let width = try lineWidth(of: annotation, in: document)
        let hasEndings = try document.value(annotation, "LE") != .null
        let lengths = try lengthKeys.map { try document.value(annotation, $0).numberValue ?? 0 }
        return lengths.filter(\.isFinite).reduce(width * (hasEndings ? endingSize : 0.5)) {
            $0 + $1.magnitude
        }
    }
}

extension PDFRectangle {
    package func union(_ other: PDFRectangle) -> PDFRectangle {
        PDFRectangle(
            min(left, other.left), min(bottom, other.bottom), max(right, other.right),
            max(top, other.top))
    }
}
