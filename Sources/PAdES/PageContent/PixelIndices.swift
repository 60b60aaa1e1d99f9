/// The samples of an image in a table of colours, row by row: whether all are in it.
struct PixelIndices {
    private let highest: Int
    /// Bits of a sample: 1, 2, 4 or 8.
    private let depth: Int
    private let width: Int
    private var column = 0
    private(set) var areBeyond = false

    init(highest: Int, depth: Int, width: Int) {
        (self.highest, self.depth, self.width) = (highest, depth, width)
    }

    /// Whether samples can say more than the table has.
    var canBeBeyond: Bool { depth <= 8 && (1 << depth) - 1 > highest }

    var rowByteCount: Int { (width * depth + 7) / 8 }

    /// - Parameter part: of the data, which begin with a row.
    mutating func take(_ part: Span<UInt8>) {
        guard !areBeyond else { return }
        if depth == 8 {
            for index in part.indices where part[index] > highest { areBeyond = true }
            return
        }
        for index in part.indices {
            take(Int(part[index]))
            column += 8 / depth
            if column >= width { column = 0 }
        }
    }

    /// What is behind the last sample of a row fills its last byte.
    private mutating func take(_ byte: Int) {
        var shift = 8 - depth
        for _ in column..<min(column + 8 / depth, width) {
            if byte >> shift & ((1 << depth) - 1) > highest { areBeyond = true }
            shift -= depth
        }
    }
}
