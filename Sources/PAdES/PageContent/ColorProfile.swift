/// What a colour profile says of itself (ICC.1:2010 §7.2, §10.5, §10.15): for what space it is, and
/// where black and white are. Some readers follow it, others take the device's space instead.
struct ColorProfile {
    private let data: [UInt8]
    private let space: String
    /// Where the data of tags are, by signature.
    private var tags: [String: Range<Int>] = [:]

    private static let headerByteCount = 128
    private static let tagLimit = 100
    private static let gammas = 0.2...5
    /// Spaces of profiles, by how many components they have.
    private static let spaces: [Int: [String]] = [
        1: ["GRAY"], 3: ["RGB ", "Lab "], 4: ["CMYK"],
    ]

    /// Nil for what is no profile: readers agree to pass over that.
    init?(_ data: [UInt8]) {
        guard data.count >= Self.headerByteCount + 4,
            data[36..<40].elementsEqual("acsp".utf8)
        else { return nil }
        self.data = data
        space = String(decoding: data[16..<20], as: UTF8.self)
        let count = min(Self.number(data, 128, 4), Self.tagLimit)
        for index in 0..<count {
            let place = Self.headerByteCount + 4 + 12 * index
            guard place + 12 <= data.count else { break }
            let (start, size) = (Self.number(data, place + 4, 4), Self.number(data, place + 8, 4))
            guard start + size <= data.count else { continue }
            tags[String(decoding: data[place..<(place + 4)], as: UTF8.self)] =
                start..<(start + size)
        }
    }

    /// What does not fit, in words; nil for nothing.
    func doubt(ofComponents count: Int) -> String? {
        guard Self.spaces[count]?.contains(space) ?? false else {
            return "a colour profile for another number of components than it is used with"
        }
        let curves = count == 1 ? ["kTRC"] : ["rTRC", "gTRC", "bTRC"]
        for curve in curves.compactMap({ tags[$0] }) where !rises(curve) {
            return "a colour profile whose black and white are not where they should be"
        }
        return nil
    }

    /// Whether a curve leads from dark to light.
    private func rises(_ curve: Range<Int>) -> Bool {
        guard curve.count >= 12 else { return true }
        let start = curve.lowerBound
        switch String(decoding: data[start..<(start + 4)], as: UTF8.self) {
        case "curv":
            let count = Self.number(data, start + 8, 4)
            guard count > 0, start + 12 + 2 * count <= curve.upperBound else { return count == 0 }
            let first = Self.number(data, start + 12, 2)
            if count == 1 { return Self.gammas.contains(Double(first) / 256) }
            return first < 0x4000 && Self.number(data, start + 10 + 2 * count, 2) > 0xC000
        case "para":
            guard curve.count >= 16 else { return false }
            return Self.gammas.contains(Double(Self.number(data, start + 12, 4)) / 65_536)
        default: return true
        }
    }

    /// A big-endian number inside the data.
    private static func number(_ data: [UInt8], _ start: Int, _ byteCount: Int) -> Int {
        data[start..<(start + byteCount)].reduce(0) { $0 << 8 | Int($1) }
    }
}
