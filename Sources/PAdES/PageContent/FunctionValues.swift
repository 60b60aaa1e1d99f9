import PDFCore

/// What functions give (ISO 32000-2 §7.10) at the ends of their inputs and between them, as far as
/// that is worked out here: to tell whether a colour is what its name says.
struct FunctionValues {
    private let document: PDFDocument
    private let memory: FunctionMemory
    /// Functions in functions.
    private static let nesting = 4
    private static let byteLimit = 1 << 16

    init(_ document: PDFDocument, _ memory: FunctionMemory) {
        (self.document, self.memory) = (document, memory)
    }

    /// - Parameter inputs: from 0 to 1.
    /// - Returns: nil where it is not worked out.
    func values(
        of entry: PDFObject, at inputs: [Double], depth: Int = 0
    ) throws(PDFError) -> [Double]? {
        let object = try document.resolve(entry)
        guard depth < Self.nesting,
            let function = object.dictionaryValue ?? object.streamValue?.dictionary
        else { return nil }
        switch try document.value(function, "FunctionType").integerValue {
        case 0: return try sample(object, function, inputs)
        case 2:
            guard let input = inputs.first, inputs.count == 1,
                let exponent = try document.value(function, "N").numberValue
            else { return nil }
            let low = try document.numbers(function, "C0") ?? [0]
            let high = try document.numbers(function, "C1") ?? [1]
            guard low.count == high.count else { return nil }
            let share = input == 0 || input == 1 || exponent == 1 ? input : nil
            // Powers of a half: enough for an exponent that is about one.
            let between = share ?? (exponent < 1 ? 1 : exponent > 2 ? 0 : input)
            return zip(low, high).map { $0 + between * ($1 - $0) }
        case 3: return try part(function, inputs, depth)
        case 4:
            guard let stream = object.streamValue,
                let content = try memory.data(of: stream, in: document, upTo: Self.byteLimit)
            else { return nil }
            return PostScriptFunction(content)?.values(inputs)
        default: return nil
        }
    }

    /// Whether a function, or a part of one, is a program that decides or rounds.
    func jumps(_ entry: PDFObject, depth: Int = 0) throws(PDFError) -> Bool {
        let object = try document.resolve(entry)
        guard depth < Self.nesting,
            let function = object.dictionaryValue ?? object.streamValue?.dictionary
        else { return false }
        switch try document.value(function, "FunctionType").integerValue {
        case 3:
            for part in try document.value(function, "Functions").arrayValue ?? []
            where try jumps(part, depth: depth + 1) { return true }
            return false
        case 4:
            guard let stream = object.streamValue,
                let content = try memory.data(of: stream, in: document, upTo: Self.byteLimit)
            else { return false }
            return PostScriptFunction(content)?.jumps ?? false
        default: return false
        }
    }

    /// The sample at the nearest place.
    private func sample(
        _ object: PDFObject, _ function: PDFDictionary, _ inputs: [Double]
    ) throws(PDFError) -> [Double]? {
        guard let stream = object.streamValue,
            let range = try document.numbers(function, "Range"),
            let sizes = try document.numbers(function, "Size"), sizes.count == inputs.count,
            sizes.allSatisfy({ (1...65_536).contains($0) }),
            try document.value(function, "BitsPerSample").integerValue == 8
        else { return nil }
        let encode = try document.numbers(function, "Encode")
        guard encode.map({ $0 == sizes.flatMap { [0, $0 - 1] } }) ?? true else { return nil }
        let decode = try document.numbers(function, "Decode") ?? range
        guard decode.count == range.count else { return nil }
        var (place, step) = (0.0, 1.0)
        for (input, size) in zip(inputs, sizes) {
            place += step * (input * (size - 1)).rounded()
            step *= size
        }
        let count = range.count / 2
        let start = place * Double(count)
        guard start < Double(Self.byteLimit),
            let bytes = try memory.data(of: stream, in: document, upTo: Self.byteLimit),
            Int(start) + count <= bytes.count
        else { return nil }
        return (0..<count).map { index in
            let share = Double(bytes[Int(start) + index]) / 255
            return decode[2 * index] + share * (decode[2 * index + 1] - decode[2 * index])
        }
    }

    private func part(
        _ function: PDFDictionary, _ inputs: [Double], _ depth: Int
    ) throws(PDFError) -> [Double]? {
        guard let input = inputs.first, inputs.count == 1,
            let parts = try document.value(function, "Functions").arrayValue,
            let bounds = try document.numbers(function, "Bounds"), bounds.count == parts.count - 1,
            let encode = try document.numbers(function, "Encode"), encode.count == 2 * parts.count
        else { return nil }
        let index = bounds.prefix { $0 <= input }.count
        let (low, high) = (
            index == 0 ? 0 : bounds[index - 1], index == bounds.count ? 1 : bounds[index]
        )
        let share = high > low ? (input - low) / (high - low) : 0
        let inner = encode[2 * index] + share * (encode[2 * index + 1] - encode[2 * index])
        return try values(of: parts[index], at: [min(max(inner, 0), 1)], depth: depth + 1)
    }
}
