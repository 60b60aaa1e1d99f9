import Base

/// An ICC profile that matches its photo (ICC.1:2022 §7.2).
package struct ColorProfile: Hashable, Sendable {
    package let bytes: [UInt8]
    package let componentCount: Int

    /// Checks the fields that PDF viewers rely on.
    ///
    /// - Parameter componentCount: Number of color components of the photo.
    /// - Returns: `nil` if the profile is damaged or for another color space.
    package init?(_ bytes: [UInt8], componentCount: Int) {
        guard bytes.count >= 132, bytes.contains(Array("acsp".utf8), at: 36) else { return nil }
        let size = bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
        guard size >= 132, size <= bytes.count, bytes[8] == 2 || bytes[8] == 4 else { return nil }
        let space = String(decoding: bytes[16..<20], as: UTF8.self)
        let wanted = [1: "GRAY", 3: "RGB ", 4: "CMYK"][componentCount]
        let deviceClass = String(decoding: bytes[12..<16], as: UTF8.self)
        guard space == wanted, ["scnr", "mntr", "prtr", "spac"].contains(deviceClass) else {
            return nil
        }
        self.bytes = bytes.count == size ? bytes : Array(bytes.prefix(size))
        self.componentCount = componentCount
    }

    /// Combines the parts of a profile (ICC.1:2022 Annex B.4).
    ///
    /// - Parameter parts: The contents of all APP2 segments.
    /// - Returns: `nil` if there is no profile; an empty array if parts are missing or
    ///   inconsistent.
    static func assemble(_ parts: [[UInt8]]) -> [UInt8]? {
        let marker = Array("ICC_PROFILE\0".utf8)
        var chunks: [Int: [UInt8]] = [:]
        var count: Int?
        for part in parts where part.count >= 14 && part.starts(with: marker) {
            let number = Int(part[12])
            guard count == nil || count == Int(part[13]), chunks[number] == nil else { return [] }
            count = Int(part[13])
            chunks[number] = Array(part.dropFirst(14))
        }
        guard let count else { return nil }
        guard count > 0, chunks.count == count else { return [] }
        var profile: [UInt8] = []
        for number in 1...count {
            guard let chunk = chunks[number] else { return [] }
            profile += chunk
        }
        return profile
    }

    /// sRGB (IEC 61966-2-1) as a matrix profile of version 2, computed from the values of the
    /// standard.
    package static func sRGB() -> [UInt8] {
        let tags: [(String, [UInt8])] = [
            ("desc", description("sRGB IEC61966-2.1")),
            ("cprt", textTag("No copyright, use freely")),
            // Colorants adapted to D50 with the Bradford transform.
            ("wtpt", xyz(0xF6D6, 0x10000, 0xD32D)),
            ("rXYZ", xyz(0x6FA2, 0x38F5, 0x0390)),
            ("gXYZ", xyz(0x6299, 0xB785, 0x18DA)),
            ("bXYZ", xyz(0x24A0, 0x0F84, 0xB6CF)),
            ("rTRC", curve()),
        ]
        // All three components share one curve.
        let names = tags.map(\.0) + ["gTRC", "bTRC"]
        let headerByteCount = 128 + 4 + 12 * names.count
        var data: [UInt8] = []
        var places: [(Int, Int)] = []
        for (_, content) in tags {
            places.append((headerByteCount + data.count, content.count))
            data += content
            data += [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
        }
        places += [places[6], places[6]]
        var profile = be32(headerByteCount + data.count)
        profile += [0, 0, 0, 0] + be32(0x0210_0000)
        profile += Array("mntrRGB XYZ ".utf8)
        profile += [2026, 1, 1, 0, 0, 0].flatMap { be16($0) }
        profile += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
        profile += be32(0xF6D6) + be32(0x10000) + be32(0xD32D)
        profile += [UInt8](repeating: 0, count: 128 - profile.count) + be32(names.count)
        for (name, place) in zip(names, places) {
            profile += Array(name.utf8) + be32(place.0) + be32(place.1)
        }
        return profile + data
    }

    private static func be16(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    private static func be32(_ value: Int) -> [UInt8] { be16(value >> 16) + be16(value) }

    /// An XYZ tag of s15Fixed16 numbers.
    private static func xyz(_ x: Int, _ y: Int, _ z: Int) -> [UInt8] {
        Array("XYZ ".utf8) + be32(0) + be32(x) + be32(y) + be32(z)
    }

    private static func textTag(_ text: String) -> [UInt8] {
        Array("text".utf8) + be32(0) + Array(text.utf8) + [0]
    }

    /// A textDescriptionType tag; its fields for other scripts are empty.
    private static func description(_ text: String) -> [UInt8] {
        Array("desc".utf8) + be32(0) + be32(text.utf8.count + 1) + Array(text.utf8)
            + [UInt8](repeating: 0, count: 1 + 8 + 3 + 67)
    }

    private static func curve() -> [UInt8] {
        let count = 1024
        return Array("curv".utf8) + be32(0) + be32(count)
            + (0..<count).flatMap { index -> [UInt8] in
                let value = Double(index) / Double(count - 1)
                return be16(Int((linear(value) * 65_535).rounded()))
            }
    }

    /// The inverse transfer function of sRGB (IEC 61966-2-1 §5.2).
    private static func linear(_ value: Double) -> Double {
        guard value > 0.04045 else { return value / 12.92 }
        let base = (value + 0.055) / 1.055
        // base^2.4 is base^2 times the fifth root of base^2, computed with Newton's method.
        let square = base * base
        var root = base
        for _ in 0..<50 { root -= (root - square / (root * root * root * root)) / 5 }
        return square * root
    }
}
