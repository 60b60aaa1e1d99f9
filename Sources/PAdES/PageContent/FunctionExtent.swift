import PDFCore

/// Between which numbers functions may come out that not all readers cut to their range: those of
/// exponents and of parts (ISO 32000-2 §7.10.3 and §7.10.4).
struct FunctionExtent {
    private let document: PDFDocument
    private static let partLimit = 256
    private static let unknown = [-Double.infinity, .infinity]

    init(_ document: PDFDocument) { self.document = document }

    /// - Returns: Two numbers for each output; nil for functions that all readers cut, and for what is
    ///   judged elsewhere.
    ///
    /// - Parameter isPart: whether it is a part of another one; parts of parts are not gone through.
    func extent(of values: PDFDictionary, isPart: Bool = false) throws(PDFError) -> [Double]? {
        switch try document.value(values, "FunctionType").integerValue {
        case 2: return try exponentExtent(of: values)
        case 3: return isPart ? Self.unknown : try partExtent(of: values)
        default: return isPart ? try document.numbers(values, "Range") : nil
        }
    }

    private func exponentExtent(of values: PDFDictionary) throws(PDFError) -> [Double]? {
        let first = try document.numbers(values, "C0") ?? [0]
        let last = try document.numbers(values, "C1") ?? [1]
        let domain = try document.numbers(values, "Domain") ?? []
        // No power of what is between 0 and 1 is outside of that.
        guard domain.allSatisfy((0...1).contains) else {
            return first.flatMap { _ in Self.unknown }
        }
        return zip(first, last).flatMap { [min($0, $1), max($0, $1)] }
    }

    private func partExtent(of values: PDFDictionary) throws(PDFError) -> [Double]? {
        var all: [Double]?
        for part in try document.value(values, "Functions").arrayValue?.prefix(Self.partLimit) ?? []
        {
            let object = try document.resolve(part)
            guard let inner = object.dictionaryValue ?? object.streamValue?.dictionary,
                let found = try extent(of: inner, isPart: true),
                all.map({ $0.count == found.count }) ?? true
            else { return nil }
            let known = all ?? found
            all = found.indices.map { index in
                index.isMultiple(of: 2)
                    ? min(found[index], known[index]) : max(found[index], known[index])
            }
        }
        return all
    }
}
