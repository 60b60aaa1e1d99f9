import Base

/// Reads cross-reference streams (ISO 32000-2 §7.5.8).
enum CrossReferenceStream {
    static func read(
        _ stream: PDFStream, _ objects: IndirectObjectReader, offsetBase: Int
    ) throws(PDFError) -> CrossReferenceEntries {
        let dictionary = stream.dictionary
        guard let size = dictionary["Size"]?.integerValue, size >= 0 else {
            throw PDFError(.damagedCrossReference, "Size is missing or wrong")
        }
        let widths = try widths(dictionary)
        let subsections = try subsections(dictionary, size: size)
        let rowCount = subsections.last.map { $0.start + $0.count } ?? 0
        let bytes = try objects.decodedData(of: stream)
        guard let needed = rowCount.multipliedChecked(by: widths.total), needed <= bytes.count
        else {
            throw PDFError(
                .damagedCrossReference,
                "\(bytes.count) bytes for \(rowCount) entries of \(widths.total)")
        }
        guard
            let entries = CrossReferenceEntries(
                subsections: subsections, storage: .rows(bytes, widths: widths),
                offsetBase: offsetBase)
        else { throw PDFError(.damagedCrossReference, "parts of Index overlap") }
        return entries
    }

    /// Whether a stream has the field widths and filters that all viewers can read.
    static func hasUsualForm(_ dictionary: PDFDictionary) -> Bool {
        let widths = dictionary["W"]?.arrayValue?.compactMap(\.integerValue) ?? []
        guard widths.count == 3, widths[0] == 1,
            [nil, .name("FlateDecode")].contains(dictionary["Filter"])
        else { return false }
        guard let parameters = dictionary["DecodeParms"], parameters != .null else { return true }
        let columns = parameters.dictionaryValue?["Columns"]?.integerValue
        return columns == widths.reduce(0, +) && parameters.dictionaryValue?["Colors"] == nil
            && parameters.dictionaryValue?["BitsPerComponent"] ?? .integer(8) == .integer(8)
    }

    private static func widths(_ dictionary: PDFDictionary) throws(PDFError) -> RowWidths {
        let numbers = dictionary["W"]?.arrayValue?.map(\.integerValue) ?? []
        guard numbers.count >= 3, let type = numbers[0], let second = numbers[1],
            let third = numbers[2], [type, second, third].allSatisfy({ (0...8).contains($0) }),
            numbers.count == 3, type + second + third > 0
        else { throw PDFError(.damagedCrossReference, "W is missing or wrong") }
        return .init(type: type, second: second, third: third)
    }

    private static func subsections(
        _ dictionary: PDFDictionary, size: Int
    ) throws(PDFError) -> [CrossReferenceEntries.Subsection] {
        let numbers: [Int]
        if let index = dictionary["Index"] {
            guard let values = index.arrayValue, values.count.isMultiple(of: 2),
                values.count / 2 <= PDFLimits.subsectionCount
            else { throw PDFError(.damagedCrossReference, "Index is wrong") }
            numbers = values.compactMap(\.integerValue)
            guard numbers.count == values.count else {
                throw PDFError(.damagedCrossReference, "Index is wrong")
            }
        } else {
            numbers = [0, size]
        }
        var subsections: [CrossReferenceEntries.Subsection] = []
        var start = 0
        for position in stride(from: 0, to: numbers.count, by: 2) {
            let first = numbers[position]
            let count = numbers[position + 1]
            guard first >= 0, first <= PDFLimits.objectNumber, count >= 0,
                let end = first.addingChecked(count),
                end - 1 <= PDFLimits.objectNumber
            else { throw PDFError(.damagedCrossReference, "Index is wrong") }
            if let last = subsections.last, first < last.first {
                throw PDFError(.damagedCrossReference, "Index descends")
            }
            subsections.append(.init(first: first, count: count, start: start))
            start += count
        }
        return subsections
    }
}
