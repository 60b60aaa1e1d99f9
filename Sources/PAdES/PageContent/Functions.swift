import PDFCore

/// Whether functions are as ISO 32000-2 §7.10 has them, and every reader gets the same from them.
struct Functions {
    private let document: PDFDocument
    private let memory: FunctionMemory
    /// Functions in functions.
    private static let nesting = 4
    private static let partLimit = 256
    private static let depths: Set<Int> = [1, 2, 4, 8, 12, 16, 24, 32]
    /// Most samples that are counted, in bytes; longest program.
    private static let sampleByteLimit = 8 << 20
    private static let programByteLimit = 1 << 16
    /// How far from one another programs are run, in parts of their domain.
    private static let probeDistance = 0.125

    init(_ document: PDFDocument, _ memory: FunctionMemory) {
        (self.document, self.memory) = (document, memory)
    }

    /// - Parameters:
    ///   - inputs: what it is asked for, two numbers for each input.
    ///   - outputCount: how many numbers are asked for; nil where any will do.
    /// - Returns: What departs, in words; nil for nothing.
    func doubt(
        about entry: PDFObject, inputs: [Double], outputs outputCount: Int?, depth: Int = 0
    ) throws(PDFError) -> String? {
        guard let id = entry.referenceValue else {
            return try freshDoubt(about: entry, inputs, outputCount, depth)
        }
        let key = FunctionMemory.Key(id: id, inputs: inputs, outputCount: outputCount)
        if let known = memory.known[key] { return known }
        let doubt = try freshDoubt(about: entry, inputs, outputCount, depth)
        memory.known[key] = .some(doubt)
        return doubt
    }

    private func freshDoubt(
        about entry: PDFObject, _ inputs: [Double], _ outputCount: Int?, _ depth: Int
    ) throws(PDFError) -> String? {
        guard memory.takeFunction() else { return nil }
        let inputCount = inputs.count / 2
        let object = try document.resolve(entry)
        guard let values = object.dictionaryValue ?? object.streamValue?.dictionary,
            depth < Self.nesting
        else { return "a function that is none" }
        guard let domain = try document.numbers(values, "Domain"), !domain.isEmpty,
            domain.count == 2 * inputCount,
            isRising(domain, allowsEmpty: depth > 0)
        else { return "a function without its domain" }
        guard Self.holds(domain, inputs) else {
            return "a function that is asked for more than its domain, which few readers keep to"
        }
        let range = try document.numbers(values, "Range")
        if let range {
            guard range.count.isMultiple(of: 2), isRising(range, allowsEmpty: true),
                outputCount.map({ range.count == 2 * $0 }) ?? true
            else { return "a function with a range for other numbers" }
        } else if try document.value(values, "Range") != .null {
            return "a function with a range that is none"
        }
        if let range, let extent = try FunctionExtent(document).extent(of: values),
            !Self.holds(range, extent)
        {
            return "a function that goes beyond its range, which few readers keep to"
        }
        switch try document.value(values, "FunctionType").integerValue {
        case 0: return try sampleDoubt(object, values, inputCount, range)
        case 2: return try exponentDoubt(values, domain, outputCount)
        case 3: return try partDoubt(values, domain, outputCount, depth)
        case 4: return try programDoubt(object, domain, range)
        default: return "a function of a kind that there is not"
        }
    }

    /// Whether ranges, two numbers each, hold others.
    private static func holds(_ outer: [Double], _ inner: [Double]) -> Bool {
        guard outer.count == inner.count else { return false }
        return stride(from: 0, to: outer.count - 1, by: 2).allSatisfy { index in
            let rest = slack * max(outer[index + 1] - outer[index], slack)
            return outer[index] - rest <= inner[index]
                && inner[index + 1] <= outer[index + 1] + rest
        }
    }

    /// The part of a range by which numbers that are rounded may be outside.
    private static let slack = 0.002

    private func isRising(_ numbers: [Double], allowsEmpty: Bool) -> Bool {
        stride(from: 0, to: numbers.count, by: 2).allSatisfy {
            numbers[$0] < numbers[$0 + 1] || allowsEmpty && numbers[$0] == numbers[$0 + 1]
        }
    }

    private func sampleDoubt(
        _ object: PDFObject, _ values: PDFDictionary, _ inputCount: Int, _ range: [Double]?
    ) throws(PDFError) -> String? {
        let words = "a function of samples without all of them"
        guard let stream = object.streamValue, let range,
            let sizes = try document.numbers(values, "Size"), sizes.count == inputCount,
            sizes.allSatisfy({ (1...65_536).contains($0) && $0 == $0.rounded() }),
            let depth = try document.value(values, "BitsPerSample").integerValue,
            Self.depths.contains(depth)
        else { return words }
        let places: [Double] = sizes.flatMap { [0, $0 - 1] }
        for (key, limits) in [("Encode", places), ("Decode", range)] as [(PDFName, [Double])]
        where try document.value(values, key) != .null {
            guard let numbers = try document.numbers(values, key), numbers.count == limits.count
            else { return words }
            guard Self.holds(limits, Self.rising(numbers)) else {
                return "a function of samples that asks for others than it has, or gives more than "
                    + "its range"
            }
        }
        var bitCount = Double(range.count / 2 * depth)
        for size in sizes { bitCount *= size }
        let due = (bitCount / 8).rounded(.up)
        guard due <= Double(Self.sampleByteLimit) else {
            return "a function of more samples than readers take"
        }
        let data = try memory.data(of: stream, in: document, upTo: Self.sampleByteLimit)
        return data?.count ?? .max < Int(due) ? words : nil
    }

    private func exponentDoubt(
        _ values: PDFDictionary, _ domain: [Double], _ outputCount: Int?
    ) throws(PDFError) -> String? {
        guard let exponent = try document.value(values, "N").numberValue, exponent >= 0,
            exponent == exponent.rounded() || domain[0] >= 0
        else { return "a function without an exponent, or with one below 0" }
        let ends = try ["C0", "C1"].map { (key) throws(PDFError) -> Int? in
            try document.value(values, key as PDFName) == .null
                ? 1 : document.numbers(values, key as PDFName)?.count
        }
        guard let count = ends[0], ends[1] == count, outputCount ?? count == count else {
            return "a function that gives another number of values"
        }
        return nil
    }

    private func partDoubt(
        _ values: PDFDictionary, _ domain: [Double], _ outputCount: Int?, _ depth: Int
    ) throws(PDFError) -> String? {
        let words = "a function of parts without all that they need"
        guard let parts = try document.value(values, "Functions").arrayValue,
            (1...Self.partLimit).contains(parts.count), domain.count == 2,
            let bounds = try document.numbers(values, "Bounds"), bounds.count == parts.count - 1,
            let encode = try document.numbers(values, "Encode"), encode.count == 2 * parts.count
        else { return words }
        let edges = [domain[0]] + bounds + [domain[1]]
        guard zip(edges, edges.dropFirst()).allSatisfy({ $0 <= $1 }) else { return words }
        for (index, part) in parts.enumerated() {
            let asked = Self.rising(Array(encode[(2 * index)...(2 * index + 1)]))
            let doubt = try doubt(
                about: part, inputs: asked, outputs: outputCount, depth: depth + 1)
            if let doubt { return doubt }
        }
        return nil
    }

    /// Each pair with its lower number first.
    private static func rising(_ numbers: [Double]) -> [Double] {
        stride(from: 0, to: numbers.count - 1, by: 2).flatMap { index in
            [min(numbers[index], numbers[index + 1]), max(numbers[index], numbers[index + 1])]
        }
    }

    /// The program is run at both ends of each input, and in places between them.
    private func programDoubt(
        _ object: PDFObject, _ domain: [Double], _ range: [Double]?
    ) throws(PDFError) -> String? {
        guard let stream = object.streamValue, let range else {
            return "a function of PostScript without its range"
        }
        let limit = Self.programByteLimit
        guard let content = try memory.data(of: stream, in: document, upTo: limit) else {
            return nil
        }
        guard let program = PostScriptFunction(content) else {
            return "a function of PostScript that cannot be read"
        }
        let inputs = stride(from: 0, to: domain.count, by: 2)
        for share in stride(from: 0, through: 1, by: Self.probeDistance) {
            let values = inputs.map { domain[$0] + (domain[$0 + 1] - domain[$0]) * share }
            guard program.run(values) == range.count / 2 else {
                return "a function of PostScript that readers work out in different ways"
            }
        }
        return nil
    }
}

/// What is remembered of the functions of one document, and how much may still be decoded for them.
final class FunctionMemory {
    fileprivate struct Key: Hashable {
        let id: ObjectID
        let inputs: [Double]
        let outputCount: Int?
    }

    fileprivate var known: [Key: String?] = [:]
    /// Of functions, whether they are programs that decide or round.
    var jumps: [ObjectID: Bool] = [:]
    fileprivate var remaining: Int
    /// Whether that was enough.
    fileprivate(set) var isEnough = true

    /// - Parameter byteLimit: how much may be decoded, in bytes.
    init(upTo byteLimit: Int) { remaining = byteLimit }

    /// The decoded data of a stream, or as much of it that more is not asked for; nil beyond what may
    /// be decoded, nothing where it cannot be.
    func data(
        of stream: PDFStream, in document: PDFDocument, upTo limit: Int
    ) throws(PDFError) -> [UInt8]? {
        guard remaining > 0 else {
            isEnough = false
            return nil
        }
        remaining -= Self.streamCost
        do throws(PDFError) {
            let data = try document.decodedData(of: stream, upTo: min(limit, remaining))
            remaining -= data.count
            return data
        } catch {
            guard error.code != .readFailed else { throw error }
            guard error.code == .limitExceeded else { return [] }
            remaining -= limit
            return nil
        }
    }

    private static let streamCost = 64

    /// Whether one more function may be looked at: parts of parts may be the same ones again and again.
    func takeFunction() -> Bool {
        guard remaining > 0 else {
            isEnough = false
            return false
        }
        remaining -= Self.streamCost
        return true
    }

    // MARK: Profiles

    /// What about a profile matters here.
    struct Profile {
        let fits: Bool
        let lightness: ColorProfile.Lightness
    }

    private var profiles: [Key: Profile?] = [:]
    private var remainingProfiles = profileByteLimit
    /// Most of profiles that is decoded, in bytes: those for printing have some hundred thousand.
    private static let profileByteLimit = 16 << 20

    /// - Returns: nil for what is none, and beyond the limit.
    func profile(
        _ entry: PDFObject, _ count: Int, in document: PDFDocument
    ) throws(PDFError) -> Profile? {
        let key = entry.referenceValue.map { Key(id: $0, inputs: [], outputCount: count) }
        if let key, let known = profiles[key] { return known }
        let stream = try document.resolve(entry).streamValue
        var found: Profile?
        if let stream {
            do throws(PDFError) {
                let data = try document.decodedData(of: stream, upTo: remainingProfiles)
                remainingProfiles -= data.count
                found = ColorProfile(data).map {
                    Profile(fits: $0.fits(count), lightness: $0.lightness(ofComponents: count))
                }
            } catch {
                guard error.code != .readFailed else { throw error }
                if error.code == .limitExceeded { (remainingProfiles, isEnough) = (0, false) }
            }
        }
        if let key { profiles[key] = .some(found) }
        return found
    }
}

extension PDFDocument {
    /// The numbers of an array in a dictionary; nil where it is none, or has anything else.
    func numbers(_ dictionary: PDFDictionary, _ key: PDFName) throws(PDFError) -> [Double]? {
        guard let elements = try value(dictionary, key).arrayValue else { return nil }
        var found: [Double] = []
        for element in elements {
            guard let number = try resolve(element).numberValue, number.isFinite else { return nil }
            found.append(number)
        }
        return found
    }
}
