import PDFCore

/// Whether colour spaces are as ISO 32000-2 §8.6 has them. What is not, one reader passes over, and
/// another one paints in some colour.
struct ColorSpaces {
    struct Space {
        /// How many numbers a colour has.
        let componentCount: Int
        /// Of a table of colours, the number of the last one.
        var highestIndex: Int?
        /// Whether it is L*a*b* with colours in other ranges than most: data of images are taken for
        /// others then.
        var hasOddRange = false
        var isLab = false

        var isIndexed: Bool { highestIndex != nil }
    }

    private let document: PDFDocument
    private let memory: FunctionMemory
    /// Indexed spaces, and alternates.
    private static let nesting = 8
    private static let profileCounts: Set<Int> = [1, 3, 4]
    private static let componentLimit = 32
    /// Colorants that some readers take for the device's own, whatever the space says; and that which
    /// paints nothing.
    private static let blank: PDFName = "None"
    /// How far a* and b* go in most L*a*b* spaces, downwards and upwards.
    private static let (labLowest, labHighest) = (-128.0 ... -100, 100.0...128)
    /// Spaces that stand for those of devices, where readers look for them.
    private static let defaults: [PDFName: PDFName] = [
        "DefaultGray": "DeviceGray", "DefaultRGB": "DeviceRGB", "DefaultCMYK": "DeviceCMYK",
    ]
    /// Longest table of colours that is looked at, in bytes.
    private static let tableByteLimit = 1 << 16

    init(_ document: PDFDocument, _ memory: FunctionMemory) {
        (self.document, self.memory) = (document, memory)
    }

    /// Whether a name in resources stands for the space of a device.
    static func isDefault(_ name: PDFName) -> Bool { defaults[name] != nil }

    /// Whether a name is a colour space by itself.
    static func isNamed(_ name: PDFName) -> Bool {
        DeviceColors.componentCounts[name] != nil || name == "Pattern"
    }

    /// What about a space of resources, which may be one of patterns, departs, in words; nil for
    /// nothing.
    ///
    /// - Parameter name: of the space.
    func doubt(aboutResource entry: PDFObject, _ name: PDFName) throws(PDFError) -> String? {
        if let device = Self.defaults[name] { return try defaultDoubt(entry, device) }
        let object = try document.resolve(entry)
        let parts = object.arrayValue ?? [object]
        guard let first = parts.first, try document.resolve(first).nameValue == "Pattern" else {
            return try space(entry).doubt
        }
        return parts.count > 1 ? try space(parts[1]).doubt : nil
    }

    /// A space that some readers take for that of the device, and others not: colours have to be about
    /// the same by both.
    private func defaultDoubt(_ entry: PDFObject, _ device: PDFName) throws(PDFError) -> String? {
        let (space, doubt) = try space(entry)
        guard let space else { return doubt }
        let words = "a colour space in the place of \(device) that changes colours"
        guard space.componentCount == DeviceColors.componentCounts[device], !space.isIndexed else {
            return words
        }
        let object = try document.resolve(entry)
        guard let parts = object.arrayValue, let first = parts.first else { return nil }
        switch try document.resolve(first).nameValue {
        case "CalGray", "CalRGB", "DeviceGray", "DeviceRGB", "DeviceCMYK": return nil
        case "ICCBased":
            let profile = try memory.profile(parts[1], space.componentCount, in: document)
            return profile?.lightness == .usual ? nil : words
        default: return words
        }
    }

    /// The same of a pattern or shading: tiles without steps, and gradients of no length.
    func doubt(aboutPattern entry: PDFObject) throws(PDFError) -> String? {
        let object = try document.resolve(entry)
        guard let values = object.dictionaryValue ?? object.streamValue?.dictionary else {
            return "a pattern that is none"
        }
        if try document.value(values, "PatternType").integerValue == 1 {
            return try tileDoubt(values)
        }
        let inner = try document.value(values, "Shading")
        return try Shadings(document, memory).doubt(about: inner == .null ? object : inner)
    }

    /// A tile may be larger than its distance from the next one, but hardly by so much.
    private static let tileShare = 100.0

    private func tileDoubt(_ pattern: PDFDictionary) throws(PDFError) -> String? {
        let box = try document.numbers(pattern, "BBox") ?? []
        guard box.count == 4, box[0] < box[2], box[1] < box[3] else {
            return "a pattern without a box in order"
        }
        for (key, size) in [("XStep", box[2] - box[0]), ("YStep", box[3] - box[1])]
            as [(PDFName, Double)]
        {
            let step = try document.value(pattern, key).numberValue ?? 0
            if step == 0 { return "a pattern whose tiles are 0 apart" }
            if step < 0 { return "a pattern whose tiles go backwards" }
            if step * Self.tileShare < size { return "a pattern whose tiles lie on one another" }
        }
        if let doubt = try sizeDoubt(pattern, box) { return doubt }
        let kind = try document.value(pattern, "PaintType").integerValue
        return kind == 1 || kind == 2 ? nil : "a pattern of an unknown kind of paint"
    }

    /// Least side of a tile, in units of what it is painted on, and how flat it may be squeezed:
    /// beyond, some readers paint all of the area, others nothing.
    private static let (leastTile, leastTileAngle) = (0.2, 0.05)

    private func sizeDoubt(_ pattern: PDFDictionary, _ box: [Double]) throws(PDFError) -> String? {
        let matrix = try document.numbers(pattern, "Matrix") ?? [1, 0, 0, 1, 0, 0]
        guard matrix.count == 6 else { return "a pattern with a matrix that is none" }
        let across = (matrix[0] * matrix[0] + matrix[1] * matrix[1]).squareRoot()
        let upwards = (matrix[2] * matrix[2] + matrix[3] * matrix[3]).squareRoot()
        let area = (matrix[0] * matrix[3] - matrix[1] * matrix[2]).magnitude
        guard area > Self.leastTileAngle * across * upwards else {
            return "a pattern that is squeezed to a line"
        }
        let stepAcross = try document.value(pattern, "XStep").numberValue ?? 0
        let stepUpwards = try document.value(pattern, "YStep").numberValue ?? 0
        let width = across * min(box[2] - box[0], stepAcross)
        let height = upwards * min(box[3] - box[1], stepUpwards)
        return min(width, height) >= Self.leastTile
            ? nil : "a pattern of tiles that are next to nothing"
    }

    /// - Returns: The space, or in words what it departs in.
    func space(
        _ entry: PDFObject, depth: Int = 0
    ) throws(PDFError) -> (space: Space?, doubt: String?) {
        let object = try document.resolve(entry)
        if let name = object.nameValue {
            guard let count = DeviceColors.componentCounts[name] else {
                return (nil, "the colour space \(name)")
            }
            return (Space(componentCount: count), nil)
        }
        guard let parts = object.arrayValue, let first = parts.first, depth < Self.nesting,
            let family = try document.resolve(first).nameValue
        else { return (nil, "a colour space that is none") }
        switch family {
        case "DeviceGray", "DeviceRGB", "DeviceCMYK":
            return try space(.name(family), depth: depth + 1)
        case "CalGray", "CalRGB", "Lab": return try measured(family, parts)
        case "ICCBased": return try profiled(parts, depth)
        case "Indexed": return try indexed(parts, depth)
        case "Separation", "DeviceN": return try separated(family, parts, depth)
        default: return (nil, "the colour space \(family)")
        }
    }

    /// What colours in a space are made of, by what it says of itself; of patterns, those that tiles
    /// without colours get.
    struct Extent {
        let componentCount: Int
        /// Whether all readers take numbers beyond 0 to 1 for the same.
        var holdsMore = false
    }

    /// - Returns: nil where the space does not say it.
    func extent(of entry: PDFObject, depth: Int = 0) throws(PDFError) -> Extent? {
        let object = try document.resolve(entry)
        let parts = object.arrayValue ?? [object]
        guard let first = parts.first, let family = try document.resolve(first).nameValue,
            depth < Self.nesting
        else { return nil }
        switch family {
        case "CalGray", "Separation": return Extent(componentCount: 1)
        case "Indexed": return Extent(componentCount: 1, holdsMore: true)
        case "CalRGB": return Extent(componentCount: 3)
        case "Lab": return Extent(componentCount: 3, holdsMore: true)
        case "ICCBased" where parts.count > 1:
            guard let profile = try document.resolve(parts[1]).streamValue?.dictionary,
                let count = try document.value(profile, "N").integerValue
            else { return nil }
            return Extent(componentCount: count, holdsMore: true)
        case "DeviceN" where parts.count > 1:
            let names = try document.resolve(parts[1]).arrayValue
            return names.map { Extent(componentCount: $0.count) }
        case "Pattern":
            guard parts.count > 1 else { return Extent(componentCount: 0) }
            return try extent(of: parts[1], depth: depth + 1)
        default: return DeviceColors.componentCounts[family].map { Extent(componentCount: $0) }
        }
    }

    private func measured(
        _ family: PDFName, _ parts: [PDFObject]
    ) throws(PDFError) -> (space: Space?, doubt: String?) {
        guard parts.count == 2, let values = try document.resolve(parts[1]).dictionaryValue else {
            return (nil, "a colour space \(family) without a white point")
        }
        if let doubt = try MeasuredColors.doubt(family, values, in: document) {
            return (nil, doubt)
        }
        guard family == "Lab" else {
            return (Space(componentCount: family == "CalGray" ? 1 : 3), nil)
        }
        let range = try document.numbers(values, "Range") ?? []
        let isUsual =
            try document.value(values, "Range") == .null
            || range.count == 4 && [range[0], range[2]].allSatisfy(Self.labLowest.contains)
                && [range[1], range[3]].allSatisfy(Self.labHighest.contains)
        return (Space(componentCount: 3, hasOddRange: !isUsual, isLab: true), nil)
    }

    private func profiled(
        _ parts: [PDFObject], _ depth: Int
    ) throws(PDFError) -> (space: Space?, doubt: String?) {
        guard parts.count == 2,
            let stream = try document.resolve(parts[1]).streamValue,
            let count = try document.value(stream.dictionary, "N").integerValue,
            Self.profileCounts.contains(count)
        else { return (nil, "a colour profile that does not say how many components it has") }
        let profile = stream.dictionary
        if let found = try memory.profile(parts[1], count, in: document) {
            guard found.fits else {
                return (
                    nil, "a colour profile for another number of components than it is used with"
                )
            }
            guard found.lightness != .other else {
                return (nil, "a colour profile whose black and white are not where they should be")
            }
        }
        if let alternate = profile["Alternate"], try document.resolve(alternate) != .null {
            let found = try space(alternate, depth: depth + 1)
            if let doubt = found.doubt { return (nil, doubt) }
            guard found.space?.componentCount == count else {
                return (
                    nil, "a colour profile with another number of components than its alternate"
                )
            }
            let parts = try document.resolve(alternate).arrayValue
            let family = try parts?.first.map { (first) throws(PDFError) in
                try document.resolve(first).nameValue
            }
            guard family.map(Self.alternates.contains) ?? true else {
                return (nil, "a colour profile in the place of colours of another kind")
            }
        }
        return (Space(componentCount: count), nil)
    }

    /// What stands for a profile in readers that do not follow it.
    private static let alternates: Set<PDFName?> = [
        "DeviceGray", "DeviceRGB", "DeviceCMYK", "CalGray", "CalRGB", "ICCBased",
    ]

    private func indexed(
        _ parts: [PDFObject], _ depth: Int
    ) throws(PDFError) -> (space: Space?, doubt: String?) {
        guard parts.count == 4, let highest = try document.resolve(parts[2]).integerValue,
            (0...255).contains(highest)
        else { return (nil, "a table of colours with an impossible highest index") }
        let base = try space(parts[1], depth: depth + 1)
        guard let components = base.space?.componentCount, base.space?.isIndexed == false else {
            return (nil, base.doubt ?? "a table of colours of a table")
        }
        let table = try document.resolve(parts[3])
        let wanted = (highest + 1) * components
        let count: Int
        if let bytes = table.stringValue {
            count = bytes.count
        } else if let stream = table.streamValue {
            let limit = Self.tableByteLimit
            count = try memory.data(of: stream, in: document, upTo: limit)?.count ?? wanted
        } else {
            count = 0
        }
        guard count >= wanted else { return (nil, "a table of colours that is too short") }
        return (Space(componentCount: 1, highestIndex: highest), nil)
    }

    private func separated(
        _ family: PDFName, _ parts: [PDFObject], _ depth: Int
    ) throws(PDFError) -> (space: Space?, doubt: String?) {
        guard parts.count >= 4 else {
            return (nil, "a colour space \(family) without all its parts")
        }
        let named = try document.resolve(parts[1])
        var names: [PDFName] = []
        for name in (named.arrayValue ?? [named]).prefix(Self.componentLimit + 1) {
            guard let name = try document.resolve(name).nameValue else {
                return (nil, "a colour space \(family) of colorants without names")
            }
            names.append(name)
        }
        guard (1...Self.componentLimit).contains(names.count),
            family == "DeviceN" || named.nameValue != nil
        else { return (nil, "a colour space \(family) with \(names.count) colorants") }
        let inks = names.filter { $0 != Self.blank }
        guard Set(inks).count == inks.count else {
            return (nil, "a colour space \(family) with a colorant twice")
        }
        guard !inks.isEmpty else {
            return (nil, "a colour that paints nothing (\(family) /None)")
        }
        let alternate = try space(parts[2], depth: depth + 1)
        guard let outputs = alternate.space?.componentCount else { return alternate }
        let function = try document.resolve(parts[3])
        guard function.dictionaryValue != nil || function.streamValue != nil else {
            return (nil, "a colour space \(family) without a function")
        }
        let doubt = try Functions(document, memory).doubt(
            about: parts[3], inputs: names.flatMap { _ in [0, 1] }, outputs: outputs)
        if let doubt { return (nil, doubt) }
        if let doubt = try blackDoubt(parts[3], names, outputs, parts[2]) { return (nil, doubt) }
        if let doubt = try colorantDoubt(parts, names, parts[2]) { return (nil, doubt) }
        return (Space(componentCount: names.count), nil)
    }

    /// How many places of a tint are looked at, and how far from even what it is replaced by may be.
    private static let (bendPlaces, bendLimit) = (8, 0.1)

    /// Whether what a tint is replaced by does not follow it evenly, as far as that is worked out: for
    /// gradients some readers mix tints, others what they are replaced by.
    func bends(_ entry: PDFObject) throws(PDFError) -> Bool {
        guard let parts = try document.resolve(entry).arrayValue, parts.count >= 4,
            let family = try document.resolve(parts[0]).nameValue,
            family == "Separation" || family == "DeviceN"
        else { return false }
        let count = try family == "DeviceN" ? document.resolve(parts[1]).arrayValue?.count ?? 1 : 1
        let functions = FunctionValues(document, memory)
        for index in 0..<min(count, Self.componentLimit) {
            func values(_ tint: Double) throws(PDFError) -> [Double]? {
                var tints = [Double](repeating: 0, count: count)
                tints[index] = tint
                return try functions.values(of: parts[3], at: tints)
            }
            guard let low = try values(0), let high = try values(1), low.count == high.count else {
                continue
            }
            for place in 1..<Self.bendPlaces {
                let tint = Double(place) / Double(Self.bendPlaces)
                guard let found = try values(tint), found.count == low.count else { break }
                for (index, value) in found.enumerated() {
                    let even = low[index] + tint * (high[index] - low[index])
                    let unit = max(1, low[index].magnitude, high[index].magnitude)
                    if (value - even).magnitude > Self.bendLimit * unit { return true }
                }
            }
        }
        return false
    }

    /// How dark a colour may be at no tint, at half and at full, where it is said to be black.
    private static let tints: [(tint: Double, darkness: ClosedRange<Double>)] = [
        (0, -1...0.15), (0.5, 0.2...0.85), (1, 0.6...2),
    ]

    /// Some readers take this colorant for the device's black, whatever it is replaced by.
    private func blackDoubt(
        _ function: PDFObject, _ names: [PDFName], _ outputs: Int, _ alternate: PDFObject
    ) throws(PDFError) -> String? {
        guard names == ["Black"] else { return nil }
        let values = FunctionValues(document, memory)
        let isLab = try document.resolve(alternate).arrayValue?.first == .name("Lab")
        for (tint, usual) in Self.tints {
            guard let color = try values.values(of: function, at: [tint]), color.count == outputs,
                usual.contains(Self.darkness(of: color, isLab: isLab))
            else { return "a colorant Black that is replaced by another colour" }
        }
        return nil
    }

    /// From 0 to 1, about as the device has it.
    private static func darkness(of color: [Double], isLab: Bool) -> Double {
        if isLab { return 1 - color[0] / 100 }
        if color.count == 4 { return color[3] + (color[0] + color[1] + color[2]) / 3 }
        return 1 - color.reduce(0, +) / Double(color.count)
    }

    /// How much the colours of one colorant may differ, in each component.
    private static let colorantTolerance = 0.2

    /// Some readers mix the colorants by themselves, others ask the space's own function.
    private func colorantDoubt(
        _ parts: [PDFObject], _ names: [PDFName], _ alternate: PDFObject
    ) throws(PDFError) -> String? {
        guard parts.count > 4, let attributes = try document.resolve(parts[4]).dictionaryValue,
            let colorants = try document.value(attributes, "Colorants").dictionaryValue
        else { return nil }
        let values = FunctionValues(document, memory)
        for (index, name) in names.enumerated() {
            guard let entry = colorants[name],
                let own = try document.resolve(entry).arrayValue, own.count >= 4
            else { continue }
            var inputs = [Double](repeating: 0, count: names.count)
            inputs[index] = 1
            guard try document.resolve(own[2]) == document.resolve(alternate),
                let mixed = try values.values(of: parts[3], at: inputs),
                let single = try values.values(of: own[3], at: [1]), mixed.count == single.count
            else { continue }
            guard zip(mixed, single).allSatisfy({ abs($0 - $1) <= Self.colorantTolerance }) else {
                return "a colorant \(name) of two colours"
            }
        }
        return nil
    }
}
