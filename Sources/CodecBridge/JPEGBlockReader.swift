/// Passes over the blocks of a scan, reading no more of them than where their parts are.
struct JPEGBlockReader {
    /// No block has more bits: 64 codes of 16, with values of 15.
    static let largestBitCount = 64 * 31

    /// A block's place in the data, in bits of the window.
    struct Block {
        /// The difference of its mean value to that of the block before.
        let difference: Int
        /// The codes of its other coefficients.
        let coefficients: Range<Int>
    }

    /// The tables' entries one after the other: by component, differences first.
    private let entries: [JPEGHuffmanTable.Entry]
    private let tables: [JPEGHuffmanTable]

    init(_ components: [(differences: JPEGHuffmanTable, coefficients: JPEGHuffmanTable)]) {
        tables = components.flatMap { [$0.differences, $0.coefficients] }
        entries = tables.flatMap(\.entries)
    }

    /// Reads the block that begins at a bit of the window, which must go on for
    /// ``largestBitCount`` and eight bytes.
    ///
    /// - Returns: `nil` when there is a code that does not exist, or more than 64 coefficients.
    @inline(__always)
    func block(of component: Int, at start: Int, in window: RawSpan) -> Block? {
        let entries = entries.span
        var bits = window.bits(at: start)
        var table = 2 * component
        var entry = entries[table << JPEGHuffmanTable.fastBitCount + Self.fastIndex(bits)]
        if entry == 0 { entry = tables[table].longEntry(bits) }
        guard entry != 0 else { return nil }
        var bitCount = Int(entry & 31)
        let size = Int(entry >> 5)
        // The lower half of the values of a size are negative (ITU-T T.81 F.2.2.1).
        var difference = Int((bits &<< UInt64(bitCount - size)) >> UInt64(64 - size))
        if difference < (1 << size) >> 1 { difference -= (1 << size) - 1 }

        table += 1
        let base = table << JPEGHuffmanTable.fastBitCount
        let first = start + bitCount
        var position = first
        // As many bits are sure to be there at the top of `bits`.
        var known = Self.loadedBitCount - bitCount
        bits &<<= UInt64(bitCount)
        var settled = 1
        while settled < 64 {
            entry = entries[base + Self.fastIndex(bits)]
            bitCount = Int(entry & 31)
            // No such code, or one that goes on beyond what is known.
            if UInt(bitPattern: bitCount &- 1) >= UInt(bitPattern: known) {
                bits = window.bits(at: position)
                known = Self.loadedBitCount
                entry = entries[base + Self.fastIndex(bits)]
                if entry == 0 { entry = tables[table].longEntry(bits) }
                guard entry != 0 else { return nil }
                bitCount = Int(entry & 31)
            }
            position += bitCount
            known -= bitCount
            bits &<<= UInt64(bitCount)
            settled += Int(entry >> 5)
        }
        guard settled == 64 || settled > JPEGHuffmanTable.endOfBlock else { return nil }
        return Block(difference: difference, coefficients: first..<position)
    }

    private static let loadedBitCount = 57

    @inline(__always)
    private static func fastIndex(_ bits: UInt64) -> Int {
        Int(bits &>> UInt64(64 - JPEGHuffmanTable.fastBitCount))
    }
}
