import Base

/// The tables that a picture defines before its first scan (ITU-T T.81 B.2.4).
struct JPEGTables {
    /// By their number; the last definition counts.
    private(set) var differences: [UInt8: JPEGHuffmanTable] = [:]
    private(set) var coefficients: [UInt8: JPEGHuffmanTable] = [:]
    /// 64 numbers in zigzag order.
    private(set) var quantization: [UInt8: [Int]] = [:]

    /// - Returns: `nil` when a segment is damaged.
    init?(_ segments: [JPEGMarkers.Segment], in cache: BlockCache) throws(SourceError) {
        for segment in segments where segment.marker == 0xC4 || segment.marker == 0xDB {
            let content = try JPEGMarkers.content(of: segment, in: cache)
            let isSound =
                segment.marker == 0xC4 ? addHuffman(content[...]) : addQuantization(content[...])
            guard isSound else { return nil }
        }
    }

    private mutating func addHuffman(_ content: ArraySlice<UInt8>) -> Bool {
        var rest = content
        while let kind = rest.popFirst() {
            let counts = Array(rest.prefix(16))
            rest = rest.dropFirst(16)
            let symbolCount = counts.reduce(0) { $0 + Int($1) }
            guard kind < 32, kind & 15 < 4, symbolCount <= rest.count else { return false }
            let symbols = Array(rest.prefix(symbolCount))
            rest = rest.dropFirst(symbolCount)
            let purpose: JPEGHuffmanTable.Purpose = kind < 16 ? .differences : .coefficients
            guard let table = JPEGHuffmanTable(counts: counts, symbols: symbols, purpose: purpose)
            else { return false }
            switch purpose {
            case .differences: differences[kind] = table
            case .coefficients: coefficients[kind & 15] = table
            }
        }
        return true
    }

    private mutating func addQuantization(_ content: ArraySlice<UInt8>) -> Bool {
        var rest = content
        while let kind = rest.popFirst() {
            let width = kind < 16 ? 1 : 2
            let bytes = Array(rest.prefix(64 * width))
            rest = rest.dropFirst(64 * width)
            guard kind < 32, kind & 15 < 4, bytes.count == 64 * width else { return false }
            quantization[kind & 15] =
                width == 1
                ? bytes.map { Int($0) }
                : (0..<64).map { Int(bytes[2 * $0]) << 8 | Int(bytes[2 * $0 + 1]) }
        }
        return true
    }
}
