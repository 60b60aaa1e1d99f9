/// Which glyphs a TrueType font has for ASCII characters, by each of the lists that readers go by
/// (ISO 32000-2 §9.6.5.4): its maps of characters and the names of its glyphs.
struct TrueTypeGlyphs {
    /// By character 0 to 127, 0 for none; empty without such a map.
    let unicode: [Int]
    /// The map for symbols, by what is added to 0xF000 or to nothing.
    let symbols: [Int]
    let roman: [Int]
    /// By the name of the character.
    let named: [Int]
    /// The names of glyphs that are not among the 258 that all know.
    let names: Set<[UInt8]>?

    private static let map: UInt32 = 0x636D_6170
    private static let post: UInt32 = 0x706F_7374
    private static let characterCount = 128
    private static let symbolBase = 0xF000
    private static let recordLimit = 64
    /// How far the names of ASCII, among those that all know, are behind their characters.
    private static let usualNameShift = 29

    init(_ bytes: FontBytes, _ tables: [UInt32: Range<Int>]) {
        let map = FontBytes(tables[Self.map].map(bytes.part) ?? [])
        var places: [Int: Int] = [:]
        for index in 0..<min(Int(map.number(2, 2) ?? 0), Self.recordLimit) {
            let record = 4 + index * 8
            guard let platform = map.number(record, 2), let encoding = map.number(record + 2, 2),
                let offset = map.number(record + 4, 4)
            else { break }
            let key = Int(platform) << 16 | Int(encoding)
            if places[key] == nil { places[key] = Int(offset) }
        }
        func glyphs(_ platform: Int, _ encoding: Int, base: Int = 0) -> [Int] {
            places[platform << 16 | encoding].map { Self.glyphs(map, at: $0, base: base) } ?? []
        }
        unicode = glyphs(3, 1)
        roman = glyphs(1, 0)
        let high = glyphs(3, 0, base: Self.symbolBase)
        symbols = high.contains { $0 != 0 } ? high : glyphs(3, 0)
        let post = FontBytes(tables[Self.post].map(bytes.part) ?? [])
        (named, names) = Self.names(post)
    }

    private static func glyphs(_ map: FontBytes, at start: Int, base: Int) -> [Int] {
        var found = [Int](repeating: 0, count: characterCount)
        switch map.number(start, 2) {
        case 0 where base == 0:
            for code in 0..<characterCount {
                found[code] = Int(map.number(start + 6 + code, 1) ?? 0)
            }
        case 4: segments(map, start, base, &found)
        case 6:
            guard let first = map.number(start + 6, 2), let count = map.number(start + 8, 2) else {
                break
            }
            for code in 0..<characterCount {
                let index = base + code - Int(first)
                guard (0..<Int(count)).contains(index) else { continue }
                found[code] = Int(map.number(start + 10 + 2 * index, 2) ?? 0)
            }
        case 12:
            for index in 0..<min(Int(map.number(start + 12, 4) ?? 0), map.bytes.count / 12) {
                let group = start + 16 + 12 * index
                guard let first = map.number(group, 4), let last = map.number(group + 4, 4),
                    let glyph = map.number(group + 8, 4), first <= last
                else { break }
                let codes = max(Int(first) - base, 0)...max(Int(last) - base, 0)
                for code in codes.clamped(to: 0...(characterCount - 1))
                where (Int(first)...Int(last)).contains(base + code) {
                    found[code] = Int(glyph) + base + code - Int(first)
                }
            }
        default: return []
        }
        return found
    }

    /// The map that most fonts have, of segments of codes.
    private static func segments(
        _ map: FontBytes, _ start: Int, _ base: Int, _ found: inout [Int]
    ) {
        let doubleCount = Int(map.number(start + 6, 2) ?? 0)
        let (ends, starts) = (start + 14, start + 16 + doubleCount)
        let (deltas, offsets) = (starts + doubleCount, starts + 2 * doubleCount)
        for index in stride(from: 0, to: doubleCount, by: 2) {
            guard let last = map.number(ends + index, 2), let first = map.number(starts + index, 2),
                let delta = map.number(deltas + index, 2),
                let offset = map.number(offsets + index, 2)
            else { return }
            guard first <= last, last >= base, first < base + characterCount else { continue }
            for code in max(Int(first), base)...min(Int(last), base + characterCount - 1)
            where found[code - base] == 0 {
                var glyph = code
                if offset != 0 {
                    let place = offsets + index + Int(offset) + 2 * (code - Int(first))
                    glyph = Int(map.number(place, 2) ?? 0)
                    if glyph == 0 { continue }
                }
                found[code - base] = (glyph + Int(delta)) & 0xFFFF
            }
        }
    }

    /// The glyphs of ASCII characters by their names, and the names that are a font's own.
    private static func names(_ post: FontBytes) -> ([Int], Set<[UInt8]>?) {
        guard post.number(0, 4) == 0x0002_0000, let count = post.number(32, 2) else {
            return ([], nil)
        }
        var found = [Int](repeating: 0, count: characterCount)
        for glyph in 0..<Int(count) {
            guard let index = post.number(34 + 2 * glyph, 2) else { break }
            let character = Int(index) + usualNameShift
            if index > 2, character < characterCount, found[character] == 0 {
                found[character] = glyph
            }
        }
        var names: Set<[UInt8]> = []
        var position = 34 + 2 * Int(count)
        while let length = post.number(position, 1), names.count < 1 << 16 {
            names.insert(post.part((position + 1)..<(position + 1 + Int(length))))
            position += 1 + Int(length)
        }
        return (found, names)
    }
}
