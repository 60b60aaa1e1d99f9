import Base

/// Writes blocks of one component in the order of a scan of its own: row after row, though those of
/// a few rows come together.
struct JPEGLumaRows {
    /// A row of blocks without the first one's mean value: what it differs from is known only when
    /// the rows above are full.
    private struct Row {
        var bits = JPEGBitWriter()
        var firstMean: Int?
        var lastMean = 0
    }

    private let table: JPEGHuffmanTable
    private var rows: [Row]
    private var lastMean = 0
    private var output = JPEGBitWriter()
    private var pending: [UInt8] = []

    /// Bytes go to the sink so many at once.
    private static let pendingByteCount = 64 * 1024

    /// - Parameters:
    ///   - count: How many rows come together.
    ///   - table: Codes for the differences of mean values.
    init(count: Int, table: JPEGHuffmanTable) {
        self.table = table
        rows = [Row](repeating: Row(), count: count)
    }

    /// Appends a block to a row.
    ///
    /// - Parameter coefficients: Where its codes stand in `window`.
    /// - Throws: ``CodecError`` when its mean value is out of bounds.
    @inline(__always)
    mutating func append(
        to row: Int, mean: Int, _ coefficients: Range<Int>, of window: RawSpan
    ) throws(CodecError) {
        if rows[row].firstMean == nil {
            rows[row].firstMean = mean
        } else {
            let (code, bitCount) = try code(of: mean - rows[row].lastMean)
            rows[row].bits.append(code, count: bitCount)
        }
        rows[row].lastMean = mean
        rows[row].bits.append(coefficients, of: window)
    }

    /// Writes the rows, which then are empty again.
    mutating func finish(to sink: any ByteSink, isEnd: Bool) throws {
        for index in rows.indices {
            guard let firstMean = rows[index].firstMean else { continue }
            let (code, bitCount) = try code(of: firstMean - lastMean)
            output.append(code, count: bitCount)
            output.append(rows[index].bits)
            lastMean = rows[index].lastMean
            rows[index].bits.removeAll()
            rows[index].firstMean = nil
        }
        if isEnd { output.fillByte() }
        output.drain(into: &pending, isEnd: isEnd)
        if isEnd { pending += [0xFF, 0xD9] }
        if isEnd || pending.count >= Self.pendingByteCount {
            try sink.append(pending)
            pending = []
        }
    }

    /// The code of a difference with the bits that say which of its size it is (ITU-T T.81 F.1.2.1).
    @inline(__always)
    private func code(of difference: Int) throws(CodecError) -> (UInt64, bitCount: Int) {
        let size = Int.bitWidth - difference.magnitude.leadingZeroBitCount
        guard size < table.codes.count, table.codes[size].bitCount > 0 else {
            throw CodecError(.malformed, detail: "its data is corrupt: no such brightness")
        }
        let (code, bitCount) = table.codes[size]
        let value = UInt64(bitPattern: Int64(difference < 0 ? difference - 1 : difference))
        return (code << UInt64(size) | value & ((1 << UInt64(size)) - 1), bitCount + size)
    }
}
