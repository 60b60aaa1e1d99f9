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
    /// For each code which entry it has, counted from 1: a page for each first byte that there is.
    private var pages: [[Int32]] = []

    private static let pageCount = 256
    private static let codesPerPage = 256

    /// What it takes, about, in bytes.
    private(set) var byteCount = 0

    /// - Parameters:
    ///   - codes: 0 to 65,535.
    ///   - text: of the first of them, in UTF-16; not empty.
    mutating func add(_ codes: ClosedRange<Int>, _ text: [UInt16]) {
        if pages.isEmpty { pages = [[Int32]](repeating: [], count: Self.pageCount) }
        entries.append(
            Entry(
                first: Int32(codes.lowerBound), start: Int32(units.count), count: Int32(text.count))
        )
        units += text
        byteCount += MemoryLayout<Entry>.stride + 2 * text.count
        for code in codes {
            let page = code / Self.codesPerPage
            if pages[page].isEmpty {
                pages[page] = [Int32](repeating: 0, count: Self.codesPerPage)
                byteCount += Self.codesPerPage * MemoryLayout<Int32>.stride
            }
            pages[page][code % Self.codesPerPage] = Int32(entries.count)
        }
    }

    subscript(code: Int) -> String? {
        let page = code / Self.codesPerPage
        guard code >= 0, pages.indices.contains(page), !pages[page].isEmpty else { return nil }
        let place = Int(pages[page][code % Self.codesPerPage])
        guard place > 0 else { return nil }
        let entry = entries[place - 1]
        var text = Array(units[Int(entry.start)..<Int(entry.start + entry.count)])
        text[text.count - 1] &+= UInt16(truncatingIfNeeded: code - Int(entry.first))
        return String(decoding: text, as: UTF16.self)
    }
}
