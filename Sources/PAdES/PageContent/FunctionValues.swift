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
            let share = Self.power(min(max(input, 0), 1), exponent)
            return zip(low, high).map { $0 + share * ($1 - $0) }
        case 3: return try part(function, inputs, depth)
        case 4:
            guard let stream = object.streamValue,
                let content = try data(of: stream)
            else { return nil }
            return PostScriptFunction(content)?.values(inputs)
        default: return nil
        }
    }

    /// - Parameters:
    ///   - base: from 0 to 1.
    ///   - exponent: not below 0; beyond some hundred all powers are those of 0 or 1.
    private static func power(_ base: Double, _ exponent: Double) -> Double {
        guard exponent < 256 else { return base < 1 ? 0 : 1 }
        guard exponent > 0 else { return 1 }
        var power = 1.0
        for _ in 0..<Int(exponent) { power *= base }
        // The fraction's binary digits stand for square roots of square roots.
        var (root, rest) = (base, exponent - exponent.rounded(.down))
        for _ in 0..<powerDigits where rest > 0 {
            root = root.squareRoot()
            rest *= 2
            guard rest >= 1 else { continue }
            power *= root
            rest -= 1
        }
        return power
    }

    private static let powerDigits = 16

    /// Whether a function, or a part of one, is a program that decides or rounds.
    func jumps(_ entry: PDFObject, depth: Int = 0) throws(PDFError) -> Bool {
        guard let id = entry.referenceValue else { return try hasJumps(entry, depth) }
        if let known = memory.jumps[id] { return known }
        // That ends circles.
        memory.jumps[id] = false
        let found = try hasJumps(entry, depth)
        memory.jumps[id] = found
        return found
    }

    private func hasJumps(_ entry: PDFObject, _ depth: Int) throws(PDFError) -> Bool {
        guard memory.takeFunction() else { return false }
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
                let content = try data(of: stream)
            else { return false }
            return PostScriptFunction(content)?.jumps ?? false
        default: return false
        }
    }

    /// Between samples along one input what is between them, along several the nearest one.
    private func sample(
        _ object: PDFObject, _ function: PDFDictionary, _ inputs: [Double]
    ) throws(PDFError) -> [Double]? {
        guard let stream = object.streamValue,
            let range = try document.numbers(function, "Range"),
            let sizes = try document.numbers(function, "Size"), sizes.count == inputs.count,
            sizes.allSatisfy({ (1...65_536).contains($0) }),
            let depth = try document.value(function, "BitsPerSample").integerValue,
            depth == 8 || depth == 16
        else { return nil }
        let usual: [Double] = sizes.flatMap { [0, $0 - 1] }
        let encode = try document.numbers(function, "Encode") ?? usual
        let decode = try document.numbers(function, "Decode") ?? range
        guard encode.count == 2 * sizes.count, encode.allSatisfy(\.isFinite),
            decode.count == range.count
        else { return nil }
        var places: [Double] = []
        for (index, size) in sizes.enumerated() {
            let (first, last) = (encode[2 * index], encode[2 * index + 1])
            let place: Double = first + inputs[index] * (last - first)
            places.append(min(max(place, 0), size - 1))
        }
        let between = places.indices.filter { places[$0] != places[$0].rounded() }
        let samples = Samples(sizes: sizes, byteCount: depth / 8, decode: decode)
        guard let axis = between.first, between.count == 1 else {
            return try samples.values(at: places.map { $0.rounded() }, of: data(of: stream))
        }
        let (low, high) = (places[axis].rounded(.down), places[axis].rounded(.up))
        let share = places[axis] - low
        let bytes = try data(of: stream)
        var ends: [[Double]] = []
        for end in [low, high] {
            places[axis] = end
            guard let values = samples.values(at: places, of: bytes) else { return nil }
            ends.append(values)
        }
        return zip(ends[0], ends[1]).map { $0 + share * ($1 - $0) }
    }

    private func data(of stream: PDFStream) throws(PDFError) -> [UInt8]? {
        try memory.data(of: stream, in: document, upTo: Self.byteLimit)
    }

    private struct Samples {
        let sizes: [Double]
        /// Of a number.
        let byteCount: Int
        let decode: [Double]

        /// - Parameter places: whole numbers.
        func values(at places: [Double], of bytes: [UInt8]?) -> [Double]? {
            var (place, step) = (0.0, 1.0)
            for (index, size) in sizes.enumerated() {
                place += step * places[index]
                step *= size
            }
            let count = decode.count / 2
            let start = place * Double(count * byteCount)
            guard let bytes, start < Double(byteLimit),
                Int(start) + count * byteCount <= bytes.count
            else { return nil }
            return (0..<count).map { index in
                let from = Int(start) + index * byteCount
                let number = bytes[from..<(from + byteCount)].reduce(0) { $0 << 8 | Int($1) }
                let share = Double(number) / Double(1 << (8 * byteCount) - 1)
                return decode[2 * index] + share * (decode[2 * index + 1] - decode[2 * index])
            }
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
