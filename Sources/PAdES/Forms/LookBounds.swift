import PDFCore

/// Whether all readers draw a form XObject within its box (ISO 32000-2 §8.10.2, §12.5.5). One that
/// has no box that can be read is drawn as it comes by some, over all of the page, and not at all by
/// others.
enum LookBounds {
    private static let boxCount = 4
    private static let matrixCount = 6
    /// Kinds of looks, and their states.
    private static let depth = 2

    static func confine(_ form: PDFStream, in document: PDFDocument) throws(PDFError) -> Bool {
        let entry = try document.value(form.dictionary, "Matrix")
        guard let numbers = try numbers(document.value(form.dictionary, "BBox"), document),
            numbers.count == boxCount, let matrix = try self.matrix(entry, document)
        else { return false }
        let box = PDFRectangle(numbers[0], numbers[1], numbers[2], numbers[3])
        let shown = matrix.applied(to: box)
        return [box, shown].map { $0.width * $0.height }.allSatisfy { $0.isFinite && $0 > 0 }
    }

    /// Whether the box is four numbers, and the matrix, where there is one, six.
    static func areReadable(
        of form: PDFStream, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        let box = try numbers(document.value(form.dictionary, "BBox"), document)
        let matrix = try self.matrix(document.value(form.dictionary, "Matrix"), document)
        return box?.count == boxCount && matrix != nil
    }

    /// - Parameter appearance: the entry /AP.
    static func confineAll(
        _ appearance: PDFObject?, in document: PDFDocument, depth: Int = depth
    ) throws(PDFError) -> Bool {
        switch try document.resolve(appearance ?? .null) {
        case .null: return true
        case .stream(let form):
            let kind = try document.value(form.dictionary, "Subtype")
            guard kind == .null || kind.nameValue == "Form" else { return false }
            return try confine(form, in: document)
        case .dictionary(let dictionary):
            guard depth > 0 || dictionary.isEmpty else { return false }
            for entry in dictionary.entries {
                guard try confineAll(entry.value, in: document, depth: depth - 1) else {
                    return false
                }
            }
            return true
        default: return false
        }
    }

    private static func matrix(
        _ entry: PDFObject, _ document: PDFDocument
    ) throws(PDFError) -> Transform? {
        guard entry != .null else { return .identity }
        guard let numbers = try numbers(entry, document), numbers.count == matrixCount else {
            return nil
        }
        return Transform(numbers)
    }

    private static func numbers(
        _ entry: PDFObject, _ document: PDFDocument
    ) throws(PDFError) -> [Double]? {
        guard let elements = entry.arrayValue, elements.count <= matrixCount else { return nil }
        var numbers: [Double] = []
        for element in elements {
            guard let number = try document.resolve(element).numberValue, number.isFinite else {
                return nil
            }
            numbers.append(number)
        }
        return numbers
    }
}
