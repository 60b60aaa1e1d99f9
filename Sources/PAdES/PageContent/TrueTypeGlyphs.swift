/// Which glyphs a TrueType font has for codes and characters, by each of the lists that readers go by
/// (ISO 32000-2 §9.6.5.4): its maps of characters and the names of its glyphs.
struct TrueTypeGlyphs {
    /// Glyphs for the characters of ``characters``, by their places there; empty without such a map.
    private let unicode: [[Int]]
    /// By name; of two glyphs of a name, the first one and the last.
    private let named: [[Int]]
    /// By code, 0 for none: the maps for symbols, by what is added to 0xF000 or to nothing, and those
    /// for MacRoman.
    private let symbols: [[Int]]
    private let roman: [[Int]]
    /// Whether a map that readers go by has its codes out of order, or is of a kind that few know.
    let hasOddMaps: Bool
    /// Whether it has any map, or one by which characters are found.
    let hasMaps: Bool
    var hasUnicode: Bool { !unicode.isEmpty }
    var hasRoman: Bool { !roman.isEmpty }
    /// Whether it has one of these that all readers go by, of platform 3.
    let hasMicrosoft: Bool
    private let outlines: GlyphPrograms?
    /// The names of glyphs that are not among the 258 that all know.
    let names: Set<[UInt8]>?

    private static let symbolBase = 0xF000
    private static let recordLimit = 64
    /// How far the names of ASCII, among those that all know, are behind their characters.
    private static let usualNameShift = 29
    private static let excessByteCount = 64
    /// Most codes of one map that are looked up.
    private static let lookupLimit = 1 << 16

    /// Codes, and what the encodings that all readers know have beyond them.
    private static let codes = Array(0...255)
    private static let characters = Array(
        Set(codes + LatinEncoding.characters + [LatinEncoding.euro])
    ).sorted()
    private static let places = Dictionary(
        uniqueKeysWithValues: characters.enumerated().map { ($1, $0) })

    init(_ bytes: FontBytes, _ tables: [UInt32: Range<Int>]) {
        // Some programs write a table that is a little longer than they say.
        let map = FontBytes(
            tables[FontTable.map].map {
                bytes.part($0.lowerBound..<($0.upperBound + Self.excessByteCount))
            } ?? [])
        var starts: [Int: [Int]] = [:]
        for index in 0..<min(Int(map.number(2, 2) ?? 0), Self.recordLimit) {
            let record = 4 + index * 8
            guard let platform = map.number(record, 2), let encoding = map.number(record + 2, 2),
                let offset = map.number(record + 4, 4)
            else { break }
            let key = Int(platform) << 16 | Int(encoding)
            // Of two of a kind readers take the first one or the last.
            starts[key, default: []].append(Int(offset))
        }
        func glyphs(_ key: Int, _ wanted: [Int], base: Int = 0) -> [[Int]] {
            Set(starts[key] ?? []).map { Self.glyphs(map, at: $0, wanted, base: base) }
                .filter { !$0.isEmpty }
        }
        hasMaps = !starts.isEmpty
        // Those for Unicode: 3.1, 3.10, and all of platform 0 but that for variants.
        let keys = starts.keys.filter { $0 == 3 << 16 | 1 || $0 == 3 << 16 | 10 || $0 < 5 }
        unicode = keys.flatMap { glyphs($0, Self.characters) }
        hasMicrosoft = keys.contains { $0 >= 3 << 16 }
        roman = glyphs(1 << 16, Self.codes)
        let high = glyphs(3 << 16, Self.codes, base: Self.symbolBase)
        symbols = (high + glyphs(3 << 16, Self.codes)).filter { $0.contains { $0 != 0 } }
        hasOddMaps = Set((keys + [1 << 16, 3 << 16]).flatMap { starts[$0] ?? [] })
            .contains { !MapOrder.isPlain(map, at: $0) }
        outlines = GlyphPrograms(bytes, tables)
        let post = FontBytes(tables[FontTable.post].map(bytes.part) ?? [])
        (named, names) = Self.names(post)
    }

    /// The glyphs that the maps have for a code by itself.
    ///
    /// - Parameter isRoman: whether the map for MacRoman counts.
    func glyphs(ofCode code: Int, isRoman: Bool) -> Set<Int> {
        var found: Set<Int> = []
        for map in symbols { found.insert(map[code]) }
        if isRoman { for map in roman { found.insert(map[code]) } }
        return found.subtracting([0])
    }

    /// The glyphs that they have for a character.
    ///
    /// - Parameter isNamed: whether its name counts.
    func glyphs(ofCharacter character: Int, isRoman: Bool, isNamed: Bool) -> Set<Int> {
        guard let place = Self.places[character] else { return [] }
        var found = Set(unicode.map { $0[place] })
        if isRoman, let code = LatinEncoding.macintoshCode(of: character) {
            for map in roman { found.insert(map[code]) }
        }
        if isNamed { for list in named { found.insert(list[place]) } }
        return found.subtracting([0])
    }

    /// Whether a glyph has no outline.
    func isBlank(_ glyph: Int) -> Bool { outlines?.isBlank(glyph) ?? false }

    /// The glyphs that some readers find for a code with another name than itself, where the font has
    /// only a map for symbols, or one for Unicode that is not for all systems.
    func unnamed(_ code: Int, _ character: Int) -> Set<Int> {
        guard !hasMicrosoft, !hasRoman else { return [] }
        var found: Set<Int> = []
        if hasUnicode {
            if let place = Self.places[code] { found.formUnion(unicode.map { $0[place] }) }
        } else if Self.codes.indices.contains(character) {
            found.formUnion(symbols.map { $0[character] })
        }
        return found.subtracting([0])
    }

    // MARK: Maps

    /// - Parameter wanted: rising.
    private static func glyphs(
        _ map: FontBytes, at start: Int, _ wanted: [Int], base: Int
    ) -> [Int] {
        var found = [Int](repeating: 0, count: wanted.count)
        switch map.number(start, 2) {
        case 0 where base == 0:
            for (place, code) in wanted.enumerated() where code < 256 {
                found[place] = Int(map.number(start + 6 + code, 1) ?? 0)
            }
        case 4: segments(map, start, wanted, base, &found)
        case 6:
            guard let first = map.number(start + 6, 2), let count = map.number(start + 8, 2) else {
                break
            }
            for (place, code) in wanted.enumerated() {
                let index = base + code - Int(first)
                guard (0..<Int(count)).contains(index) else { continue }
                found[place] = Int(map.number(start + 10 + 2 * index, 2) ?? 0)
            }
        case 12:
            var remaining = lookupLimit
            for index in 0..<min(Int(map.number(start + 12, 4) ?? 0), map.bytes.count / 12) {
                let group = start + 16 + 12 * index
                guard let first = map.number(group, 4), let last = map.number(group + 4, 4),
                    let glyph = map.number(group + 8, 4), first <= last, remaining > 0
                else { break }
                for place in places(wanted, Int(first) - base, Int(last) - base) {
                    found[place] = Int(glyph) + base + wanted[place] - Int(first)
                    remaining -= 1
                }
            }
        default: return []
        }
        return found
    }

    /// The places of wanted codes in a range.
    private static func places(_ wanted: [Int], _ first: Int, _ last: Int) -> Range<Int> {
        func place(_ code: Int) -> Int {
            var range = 0..<wanted.count
            while !range.isEmpty {
                let middle = (range.lowerBound + range.upperBound) / 2
                range =
                    wanted[middle] < code
                    ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
            }
            return range.lowerBound
        }
        let start = place(first)
        return start..<max(start, place(last + 1))
    }

    /// The map that most fonts have, of segments of codes.
    private static func segments(
        _ map: FontBytes, _ start: Int, _ wanted: [Int], _ base: Int, _ found: inout [Int]
    ) {
        let doubleCount = Int(map.number(start + 6, 2) ?? 0)
        let (ends, starts) = (start + 14, start + 16 + doubleCount)
        let (deltas, offsets) = (starts + doubleCount, starts + 2 * doubleCount)
        var remaining = lookupLimit
        for index in stride(from: 0, to: doubleCount, by: 2) where remaining > 0 {
            guard let last = map.number(ends + index, 2), let first = map.number(starts + index, 2),
                let delta = map.number(deltas + index, 2),
                let offset = map.number(offsets + index, 2)
            else { return }
            guard first <= last else { continue }
            for place in places(wanted, Int(first) - base, Int(last) - base) {
                remaining -= 1
                guard found[place] == 0 else { continue }
                let code = base + wanted[place]
                var glyph = code
                if offset != 0 {
                    let place = offsets + index + Int(offset) + 2 * (code - Int(first))
                    glyph = Int(map.number(place, 2) ?? 0)
                    if glyph == 0 { continue }
                }
                found[place] = (glyph + Int(delta)) & 0xFFFF
            }
        }
    }

    /// The glyphs of characters by their names, and the names that are a font's own.
    private static func names(_ post: FontBytes) -> ([[Int]], Set<[UInt8]>?) {
        guard post.number(0, 4) == 0x0002_0000, let count = post.number(32, 2) else {
            return ([], nil)
        }
        var (found, last) = ([Int](repeating: 0, count: characters.count), [Int]())
        last = found
        func take(_ glyph: Int, _ character: Int?) {
            guard let place = character.flatMap({ places[$0] }) else { return }
            if found[place] == 0 { found[place] = glyph }
            last[place] = glyph
        }
        var own: [(glyph: Int, index: Int)] = []
        for glyph in 0..<Int(count) {
            guard let index = post.number(34 + 2 * glyph, 2).map({ Int($0) }) else { break }
            let character = index + usualNameShift
            if index >= usualNameCount {
                own.append((glyph, index - usualNameCount))
            } else if index > 2, character < 127 {
                take(glyph, character)
            }
        }
        var list: [[UInt8]] = []
        var position = 34 + 2 * Int(count)
        while let length = post.number(position, 1), list.count < 1 << 16 {
            list.append(post.part((position + 1)..<(position + 1 + Int(length))))
            position += 1 + Int(length)
        }
        for (glyph, index) in own where index < list.count {
            take(glyph, LatinEncoding.scalar(of: list[index]))
        }
        return (found == last ? [found] : [found, last], Set(list))
    }

    /// How many names all fonts know.
    private static let usualNameCount = 258
}

/// Whether a map of characters is of a kind that all readers know, with its codes in order: some look
/// through all of it, others begin in the middle.
private enum MapOrder {
    private static let groupLimit = 1 << 16
    private static let lastCode = 0xFFFF

    static func isPlain(_ map: FontBytes, at start: Int) -> Bool {
        switch map.number(start, 2) {
        case 0, 6: return true
        case 4:
            let count = Int(map.number(start + 6, 2) ?? 0) / 2
            return isRising(count) { index in
                guard let last = map.number(start + 14 + 2 * index, 2),
                    let first = map.number(start + 16 + 2 * count + 2 * index, 2)
                else { return nil }
                return (Int(first), Int(last))
            }
        case 12:
            let count = Int(map.number(start + 12, 4) ?? 0)
            return isRising(count) { index in
                let group = start + 16 + 12 * index
                guard let first = map.number(group, 4), let last = map.number(group + 4, 4) else {
                    return nil
                }
                return (Int(first), Int(last))
            }
        default: return false
        }
    }

    /// - Parameter range: nil behind the end of the table.
    private static func isRising(
        _ count: Int, _ range: (Int) -> (first: Int, last: Int)?
    ) -> Bool {
        var before = -1
        for index in 0..<min(count, groupLimit) {
            guard let range = range(index) else { return true }
            // Some programs end with several of the last code.
            if range.first == lastCode, range.last == lastCode { continue }
            guard range.first > before, range.first <= range.last else { return false }
            before = range.last
        }
        return true
    }
}
