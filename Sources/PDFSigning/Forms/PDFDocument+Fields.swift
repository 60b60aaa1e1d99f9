package import PDFCore

extension PDFDocument {
    /// Maximum number of ancestors that are searched for an entry.
    private static let maximumFieldDepth = 64

    /// A field's entry, its own or inherited (ISO 32000-2 §12.7.4.1).
    package func inherited(_ key: PDFName, of field: PDFDictionary) throws(PDFError) -> PDFObject? {
        var current: PDFDictionary? = field
        for _ in 0..<Self.maximumFieldDepth {
            guard let dictionary = current else { return nil }
            if let entry = dictionary[key] { return try resolve(entry) }
            current = try value(dictionary, "Parent").dictionaryValue
        }
        return nil
    }

    /// A rectangle of four numbers; nil for any other object.
    package func rectangle(_ entry: PDFObject?) throws(PDFError) -> PDFRectangle? {
        guard let elements = try resolve(entry ?? .null).arrayValue, elements.count == 4 else {
            return nil
        }
        var numbers: [Double] = []
        for element in elements {
            guard let number = try resolve(element).numberValue else { return nil }
            numbers.append(number)
        }
        return PDFRectangle(numbers[0], numbers[1], numbers[2], numbers[3])
    }
}
