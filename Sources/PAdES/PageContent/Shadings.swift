import PDFCore

/// Whether gradients are as ISO 32000-2 §8.7.4.5 has them. What is not, one reader paints in some
/// way, and another one leaves out.
struct Shadings {
    private let document: PDFDocument
    private let memory: FunctionMemory
    /// Bits that coordinates, components and flags may have.
    private static let coordinateDepths: Set<Int> = [1, 2, 4, 8, 12, 16, 24, 32]
    private static let componentDepths: Set<Int> = [1, 2, 4, 8, 12, 16]
    private static let flagDepths: Set<Int> = [2, 4, 8]
    /// Longest mesh that is counted, in bytes.
    private static let meshByteLimit = 1 << 20
    private static let meshes = 4...7
    /// The shortest gradient that all readers draw as one, in units of its own.
    private static let leastLength = 0.1
    /// How near to the edge of the one circle the other's may come.
    private static let insideShare = 0.999

    init(_ document: PDFDocument, _ memory: FunctionMemory) {
        (self.document, self.memory) = (document, memory)
    }

    /// What departs, in words; nil for nothing.
    func doubt(about object: PDFObject) throws(PDFError) -> String? {
        guard let shading = object.dictionaryValue ?? object.streamValue?.dictionary,
            let kind = try document.value(shading, "ShadingType").integerValue,
            (1...7).contains(kind)
        else { return "a gradient of a kind that there is not" }
        let (space, doubt) = try ColorSpaces(document, memory).space(shading["ColorSpace"] ?? .null)
        guard let space else { return doubt }
        let function = try document.value(shading, "Function")
        guard !space.isIndexed else { return "a gradient in a table of colours" }
        if let doubt = try boxDoubt(shading, space.componentCount) { return doubt }
        if try ColorSpaces(document, memory).bends(shading["ColorSpace"] ?? .null) {
            return "a gradient of a tint that another colour does not follow evenly"
        }
        if function != .null || !Self.meshes.contains(kind),
            let doubt = try functionDoubt(
                function, try inputs(of: shading, kind), space.componentCount)
        {
            return doubt
        }
        switch kind {
        case 1: return nil
        case 2, 3: return try lineDoubt(shading, kind)
        default:
            let count = function == .null ? space.componentCount : 1
            return try meshDoubt(object, shading, kind, count)
        }
    }

    /// What its functions are asked for: its domain, or of meshes what they are decoded to.
    private func inputs(of shading: PDFDictionary, _ kind: Int) throws(PDFError) -> [Double] {
        let usual: [Double] = kind == 1 ? [0, 1, 0, 1] : [0, 1]
        let isMesh = Self.meshes.contains(kind)
        let found = try document.numbers(shading, isMesh ? "Decode" : "Domain") ?? usual
        let inputs = Array(found.suffix(usual.count))
        return stride(from: 0, to: inputs.count - 1, by: 2).flatMap { index in
            [min(inputs[index], inputs[index + 1]), max(inputs[index], inputs[index + 1])]
        }
    }

    /// Which part of the page is painted, and by what first.
    private func boxDoubt(
        _ shading: PDFDictionary, _ componentCount: Int
    ) throws(PDFError) -> String? {
        if try document.value(shading, "BBox") != .null {
            let box = try document.numbers(shading, "BBox") ?? []
            guard box.count == 4, box[0] < box[2], box[1] < box[3] else {
                return "a gradient without a box in order"
            }
        }
        guard try document.value(shading, "Background") != .null else { return nil }
        return try document.numbers(shading, "Background")?.count == componentCount
            ? nil : "a gradient with a ground of another number of components"
    }

    private var values: FunctionValues { FunctionValues(document, memory) }

    private func functionDoubt(
        _ function: PDFObject, _ inputs: [Double], _ outputCount: Int
    ) throws(PDFError) -> String? {
        let parts = function.arrayValue
        guard parts.map({ $0.count == outputCount }) ?? true else {
            return "a gradient with another number of functions than of colours"
        }
        for part in parts ?? [function] {
            let doubt = try Functions(document, memory).doubt(
                about: part, inputs: inputs, outputs: parts == nil ? outputCount : 1)
            if let doubt { return doubt }
            if try values.jumps(part) {
                return "a gradient by a program that decides or rounds, at whose steps readers "
                    + "differ"
            }
        }
        return nil
    }

    private func lineDoubt(_ shading: PDFDictionary, _ kind: Int) throws(PDFError) -> String? {
        let places = try document.numbers(shading, "Coords") ?? []
        guard places.count == (kind == 2 ? 4 : 6) else { return "a gradient without its places" }
        let isDot = kind == 2 ? false : places[2] == 0 && places[5] == 0
        if isDot || Self.length(places) < Self.leastLength
            || kind == 3 && (places[2] < 0 || places[5] < 0)
        {
            return "a gradient of no length"
        }
        if try document.value(shading, "Domain") != .null {
            guard let domain = try document.numbers(shading, "Domain"), domain.count == 2 else {
                return "a gradient with a domain that is none"
            }
        }
        let extend = try document.value(shading, "Extend")
        guard extend != .null else { return nil }
        var ends: [Bool] = []
        for entry in extend.arrayValue ?? [] {
            if let end = try document.resolve(entry).booleanValue { ends.append(end) }
        }
        if kind == 3, ends.contains(true), !Self.isOneInside(places) {
            return "a gradient that goes on behind circles that lie beside one another"
        }
        return ends.count == 2 && extend.arrayValue?.count == 2
            ? nil : "a gradient that does not say whether it goes on behind its ends"
    }

    /// The greatest distance between the ends, of circles between their edges.
    private static func length(_ places: [Double]) -> Double {
        let half = places.count / 2
        let steps = (0..<half).map { places[half + $0] - places[$0] }
        return (steps[0] * steps[0] + steps[1] * steps[1]).squareRoot()
            + (half == 3 ? steps[2].magnitude : 0)
    }

    /// Whether one of two circles holds the other, and does not touch it.
    private static func isOneInside(_ places: [Double]) -> Bool {
        let (across, up) = (places[0] - places[3], places[1] - places[4])
        let distance = (across * across + up * up).squareRoot()
        return distance < (places[2] - places[5]).magnitude * Self.insideShare
    }

    private func meshDoubt(
        _ object: PDFObject, _ shading: PDFDictionary, _ kind: Int, _ componentCount: Int
    ) throws(PDFError) -> String? {
        let words = "a mesh of colours without all that it needs"
        guard let stream = object.streamValue,
            let place = try document.value(shading, "BitsPerCoordinate").integerValue,
            let color = try document.value(shading, "BitsPerComponent").integerValue,
            Self.coordinateDepths.contains(place), Self.componentDepths.contains(color),
            try document.numbers(shading, "Decode")?.count == 4 + 2 * componentCount
        else { return words }
        var flag = 0
        if kind != 5 {
            flag = try document.value(shading, "BitsPerFlag").integerValue ?? 0
            guard Self.flagDepths.contains(flag) else { return words }
        }
        let limit = Self.meshByteLimit
        guard let bytes = try memory.data(of: stream, in: document, upTo: limit) else { return nil }
        let pointBits = 2 * place + componentCount * color
        var recordBits = [flag + pointBits]
        switch kind {
        case 4:
            let length = (flag + pointBits + 7) / 8
            guard bytes.count / length >= 3 else { return words }
            if Self.hasOddEdge(bytes, length, flag) {
                return "a mesh that goes on from an edge that there is not"
            }
        case 5:
            let row = try document.value(shading, "VerticesPerRow").integerValue ?? 0
            let count = bytes.count / ((pointBits + 7) / 8)
            guard row >= 2, row <= count / 2, count.isMultiple(of: row) else { return words }
        default:
            let pointCount = kind == 6 ? 12 : 16
            // The first, and those that go on from another one.
            recordBits = [0, 4].map { known in
                flag + 2 * (pointCount - known) * place + (4 - known / 2) * componentCount * color
            }
            guard bytes.count >= (recordBits[0] + 7) / 8 else { return words }
        }
        guard recordBits.allSatisfy({ $0.isMultiple(of: 8) }) else {
            return "a mesh whose points do not end with a byte"
        }
        // The first one has no edge to go on from.
        let isFirst = flag == 0 || (bytes.first ?? 0) >> UInt8(8 - flag) & 3 == 0
        return isFirst ? nil : words
    }

    /// Whether a triangle goes on from an edge that triangles have not: some readers take the last bit of
    /// its number alone (ISO 32000-2 Table 83).
    private static func hasOddEdge(_ bytes: [UInt8], _ length: Int, _ flagBits: Int) -> Bool {
        (0..<bytes.count / length).contains {
            bytes[$0 * length] >> UInt8(8 - flagBits) & 3 == 3
        }
    }
}
