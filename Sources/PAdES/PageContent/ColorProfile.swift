/// What a colour profile says of itself (ICC.1:2010 §7.2, §10): for what space it is, and how light the
/// colours become. Some readers follow it, others take the device's space instead.
struct ColorProfile {
    /// What is known of how light colours become.
    enum Lightness {
        /// About as light as the device's.
        case usual
        case other
        /// It cannot be told.
        case unknown
    }

    private let bytes: FontBytes
    private let space: String
    private let connectionSpace: String
    /// Where the data of tags are, by signature.
    private var tags: [String: Range<Int>] = [:]

    private static let headerByteCount = 128
    private static let tagLimit = 100
    /// Spaces of profiles, by how many components they have.
    private static let spaces: [Int: [String]] = [
        1: ["GRAY"], 3: ["RGB ", "Lab "], 4: ["CMYK"],
    ]
    /// Where curves are looked at.
    private static let steps = (0...8).map { Double($0) / 8 }
    /// The steepest curves that devices have, and by how much they may miss them.
    private static let (steep, flat, slack) = (5.0, 0.4, 0.03)
    /// How light black may be and how dark white, of 1; and how far what is between may be off.
    private static let (black, white, distance) = (0.5, 0.7, 0.4)

    /// Nil for what is no profile: readers agree to pass over that.
    init?(_ data: [UInt8]) {
        guard data.count >= Self.headerByteCount + 4,
            data[36..<40].elementsEqual("acsp".utf8)
        else { return nil }
        bytes = FontBytes(data)
        space = Self.word(data[16..<20])
        connectionSpace = Self.word(data[20..<24])
        let count = min(Int(bytes.number(Self.headerByteCount, 4) ?? 0), Self.tagLimit)
        for index in 0..<count {
            let place = Self.headerByteCount + 4 + 12 * index
            guard let start = bytes.number(place + 4, 4), let size = bytes.number(place + 8, 4)
            else { break }
            guard Int(start) + Int(size) <= data.count else { continue }
            tags[Self.word(data[place..<(place + 4)])] = Int(start)..<(Int(start) + Int(size))
        }
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Whether it is for so many components.
    func fits(_ count: Int) -> Bool { Self.spaces[count]?.contains(space) ?? false }

    /// How light colours of so many components become.
    func lightness(ofComponents count: Int) -> Lightness {
        let curves = (count == 1 ? ["kTRC"] : ["rTRC", "gTRC", "bTRC"]).compactMap { tags[$0] }
        guard curves.allSatisfy(isCurve) else { return .other }
        let hasMatrix = count == 3 && tags["rXYZ"] != nil
        if hasMatrix, !hasColors { return .other }
        if let table = tags["A2B0"] {
            return ColorTable(bytes, table, inLab: connectionSpace == "Lab ").map {
                isUsual($0, count) ? .usual : .other
            } ?? .unknown
        }
        let isWhole = count == 1 ? curves.count == 1 : hasMatrix && curves.count == 3
        return isWhole && space != "Lab " ? .usual : .unknown
    }

    /// Whether a curve leads from dark to light, and as devices do.
    private func isCurve(_ range: Range<Int>) -> Bool {
        guard let curve = ColorCurve(bytes, range) else { return false }
        return Self.steps.allSatisfy { x in
            let (least, most) = (Self.power(x, Self.steep), Self.power(x, Self.flat))
            return (least - Self.slack...most + Self.slack).contains(curve.value(at: x))
        }
    }

    private static func power(_ base: Double, _ exponent: Double) -> Double {
        ColorCurve.power(base, exponent)
    }

    /// Whether red, green and blue are such, and white all three.
    private var hasColors: Bool {
        let found = ["rXYZ", "gXYZ", "bXYZ"].map { name in
            (0..<3).map { index in
                tags[name].flatMap { ColorCurve.fixed(bytes, $0.lowerBound + 8 + 4 * index) } ?? 9
            }
        }
        let (red, green, blue) = (found[0], found[1], found[2])
        let isInRange = found.joined().allSatisfy { (-0.2...1.2).contains($0) }
        let light = red[1] + green[1] + blue[1]
        return isInRange && (0.7...1.3).contains(light) && red[0] > red[2] && blue[2] > blue[0]
            && green[1] > red[1] && green[1] > blue[1]
    }

    /// Whether greys become about as light as the device's.
    private func isUsual(_ table: ColorTable, _ count: Int) -> Bool {
        guard table.inputCount == count else { return false }
        return Self.steps.allSatisfy { x in
            let color = count == 4 ? [0, 0, 0, 1 - x] : [Double](repeating: x, count: count)
            guard let light = table.lightness(of: color) else { return false }
            if x == 0 { return light <= Self.black }
            if x == 1 { return light >= Self.white }
            return abs(light - x) <= Self.distance
        }
    }
}

/// A curve of a colour profile (ICC.1:2010 §10.5 and §10.15), from 0...1 to about that.
struct ColorCurve {
    private enum Kind {
        case gamma(Double)
        /// Where samples begin, and how many they are.
        case samples(Int, Int)
        case formula(Int, [Double])
    }

    private let bytes: FontBytes
    private let kind: Kind
    /// How many numbers formulas have, by their kind.
    private static let counts = [1, 3, 4, 5, 7]

    init?(_ bytes: FontBytes, _ range: Range<Int>) {
        self.bytes = bytes
        let start = range.lowerBound
        switch bytes.number(start, 4) {
        // curv
        case 0x6375_7276:
            guard let count = bytes.number(start + 8, 4), Int(count) * 2 + 12 <= range.count else {
                return nil
            }
            switch count {
            case 0: kind = .gamma(1)
            case 1: kind = .gamma(Double(bytes.number(start + 12, 2) ?? 0) / 256)
            default: kind = .samples(start + 12, Int(count))
            }
        // para
        case 0x7061_7261:
            guard let kind = bytes.number(start + 8, 2), kind < Self.counts.count else {
                return nil
            }
            let numbers = (0..<Self.counts[Int(kind)]).compactMap {
                Self.fixed(bytes, start + 12 + 4 * $0)
            }
            guard numbers.count == Self.counts[Int(kind)] else { return nil }
            self.kind = .formula(Int(kind), numbers)
        default: return nil
        }
    }

    /// A number of 16 bits and 16 binary places.
    static func fixed(_ bytes: FontBytes, _ place: Int) -> Double? {
        bytes.number(place, 4).map { Double(Int32(bitPattern: $0)) / 65_536 }
    }

    static func power(_ base: Double, _ exponent: Double) -> Double {
        guard base > 0 else { return 0 }
        guard exponent >= 0 else { return 1 / power(base, -exponent) }
        let exponent = min(exponent, exponentLimit)
        var (result, root, rest) = (1.0, base, exponent - exponent.rounded(.down))
        for _ in 0..<Int(exponent) { result *= base }
        // Its binary places are square roots of square roots.
        for _ in 0..<placeCount {
            root = root.squareRoot()
            rest *= 2
            if rest >= 1 { (result, rest) = (result * root, rest - 1) }
        }
        return result
    }

    private static let exponentLimit = 32.0
    private static let placeCount = 24

    func value(at x: Double) -> Double {
        switch kind {
        case .gamma(let gamma): return Self.power(x, gamma)
        case .samples(let start, let count):
            let index = Int((x * Double(count - 1)).rounded())
            return Double(bytes.number(start + 2 * index, 2) ?? 0) / 65_535
        case .formula(let kind, let n):
            guard kind > 0 else { return Self.power(x, n[0]) }
            let (a, b) = (n[1], n[2])
            let bent = Self.power(a * x + b, n[0])
            switch kind {
            case 1: return a != 0 && x >= -b / a ? bent : 0
            case 2: return a != 0 && x >= -b / a ? bent + n[3] : n[3]
            case 3: return x >= n[4] ? bent : n[3] * x
            default: return x >= n[4] ? bent + n[5] : n[3] * x + n[6]
            }
        }
    }
}

/// A table of a colour profile that leads from its colours to those that do not depend on a device
/// (ICC.1:2010 §10.8 and §10.9).
struct ColorTable {
    let inputCount: Int
    private let bytes: FontBytes
    private let inLab: Bool
    private let outputCount: Int
    private let gridCount: Int
    /// How many bytes a number has.
    private let size: Int
    private let (inputEntryCount, outputEntryCount): (Int, Int)
    private let start: Int

    /// Nil for other kinds of tables, and such as are cut off.
    init?(_ bytes: FontBytes, _ range: Range<Int>, inLab: Bool) {
        (self.bytes, self.inLab) = (bytes, inLab)
        let place = range.lowerBound
        // mft1, mft2
        guard let kind = bytes.number(place, 4), kind == 0x6D66_7431 || kind == 0x6D66_7432,
            let inputs = bytes.number(place + 8, 1), let outputs = bytes.number(place + 9, 1),
            let grid = bytes.number(place + 10, 1), (1...4).contains(inputs), outputs == 3, grid > 1
        else { return nil }
        (inputCount, outputCount, gridCount) = (Int(inputs), Int(outputs), Int(grid))
        size = kind == 0x6D66_7431 ? 1 : 2
        if size == 1 {
            (inputEntryCount, outputEntryCount, start) = (256, 256, place + 48)
        } else {
            guard let input = bytes.number(place + 48, 2), let output = bytes.number(place + 50, 2),
                input > 1, output > 1
            else { return nil }
            (inputEntryCount, outputEntryCount, start) = (Int(input), Int(output), place + 52)
        }
    }

    /// How light a colour becomes, from 0 to 1; nil where the table is cut off.
    func lightness(of color: [Double]) -> Double? {
        var index = 0
        for (channel, value) in color.enumerated() {
            let place = channel * inputEntryCount + Self.nearest(value, inputEntryCount)
            guard let found = number(start, place) else { return nil }
            index = index * gridCount + Self.nearest(found, gridCount)
        }
        // Lightness comes first, or Y second.
        let channel = inLab ? 0 : 1
        let grid = start + inputCount * inputEntryCount * size
        var points = 1
        for _ in 0..<inputCount { points *= gridCount }
        let outputs = grid + points * outputCount * size
        guard let found = number(grid, index * outputCount + channel),
            let light = number(
                outputs, channel * outputEntryCount + Self.nearest(found, outputEntryCount))
        else { return nil }
        guard !inLab else { return size == 1 ? light : light * 65_535 / 65_280 }
        let y = light * 65_535 / 32_768
        return y > 0.008856 ? 1.16 * ColorCurve.power(y, 1 / 3.0) - 0.16 : 9.033 * y
    }

    private func number(_ start: Int, _ index: Int) -> Double? {
        bytes.number(start + index * size, size).map { Double($0) / (size == 1 ? 255 : 65_535) }
    }

    private static func nearest(_ value: Double, _ count: Int) -> Int {
        Int((min(max(value, 0), 1) * Double(count - 1)).rounded())
    }
}
