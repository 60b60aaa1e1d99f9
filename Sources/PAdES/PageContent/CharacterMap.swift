/// Which characters codes of at most two bytes stand for (ISO 32000-2 §9.10.3): of ranges that a map
/// names again and again the last one counts, and none is spelled out before it is asked for.
struct CharacterMap {
    private struct Entry {
        let first: Int32
        /// Where its units begin, and how many there are: the last one grows with the code.
        let start: Int32
        let count: Int32
    }

    private var entries: [Entry] = []
    private var units: [UInt16] = []
    /// For each code which entry it has, counted from 1.
    private var places: [Int32] = []

    private static let codeCount = 1 << 16

    /// - Parameters:
    ///   - codes: 0 to 65,535.
    ///   - text: of the first of them, in UTF-16; not empty.
    mutating func add(_ codes: ClosedRange<Int>, _ text: [UInt16]) {
        if places.isEmpty { places = [Int32](repeating: 0, count: Self.codeCount) }
        entries.append(
            Entry(
                first: Int32(codes.lowerBound), start: Int32(units.count), count: Int32(text.count))
        )
        units += text
        for code in codes { places[code] = Int32(entries.count) }
    }

    subscript(code: Int) -> String? {
        guard places.indices.contains(code), places[code] > 0 else { return nil }
        let entry = entries[Int(places[code]) - 1]
        var text = Array(units[Int(entry.start)..<Int(entry.start + entry.count)])
        text[text.count - 1] &+= UInt16(truncatingIfNeeded: code - Int(entry.first))
        return String(decoding: text, as: UTF16.self)
    }
}
