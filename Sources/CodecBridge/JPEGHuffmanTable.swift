/// A Huffman table of a sequential JPEG picture (ITU-T T.81 Annex C), made for passing over codes
/// and the bits that belong to them in one step.
struct JPEGHuffmanTable {
    /// What the symbols mean (ITU-T T.81 F.1.2).
    enum Purpose {
        /// The size of a difference of two mean values (DC).
        case differences
        /// A run of zeros and the size of the coefficient after it (AC).
        case coefficients
    }

    /// What follows in the data: how many bits code and value have together, and above that for
    /// differences the value's bits alone, for coefficients how many of the block they settle.
    /// 0: there is no such code.
    typealias Entry = UInt16

    /// Codes of up to so many bits are looked up at once.
    static let fastBitCount = 10
    /// Of coefficients, in bits (ITU-T T.81 Table F.2).
    private static let largestCoefficientSize = 10
    /// What an entry of an end of block settles: more than any run can.
    static let endOfBlock = 128

    /// How many codes there are of 1 to 16 bits.
    let counts: [UInt8]
    /// In the order of their codes.
    let symbols: [UInt8]
    /// By the next ``fastBitCount`` bits.
    private(set) var entries = [Entry](repeating: 0, count: 1 << fastBitCount)
    /// Codes and their lengths by symbol; a length of 0: the symbol has none.
    private(set) var codes = [(code: UInt64, bitCount: Int)](repeating: (0, 0), count: 256)

    private let purpose: Purpose
    /// For each length the first code, the code after the last one, and the place of the first one's
    /// symbol.
    private var ranges = [(first: Int, end: Int, place: Int)](repeating: (0, 0, 0), count: 17)

    /// - Returns: `nil` when no codes can be made of it, by the rules that libjpeg has too.
    init?(counts: [UInt8], symbols: [UInt8], purpose: Purpose) {
        guard counts.count == 16, counts.reduce(0, { $0 + Int($1) }) == symbols.count,
            symbols.count <= 256
        else { return nil }
        self.counts = counts
        self.symbols = symbols
        self.purpose = purpose
        var code = 0
        var place = 0
        for bitCount in 1...16 {
            let count = Int(counts[bitCount - 1])
            ranges[bitCount] = (code, code + count, place)
            for symbol in symbols[place..<(place + count)] {
                // The code of ones alone is no code.
                guard code < (1 << bitCount) - 1 else { return nil }
                if purpose == .differences, symbol > 15 { return nil }
                codes[Int(symbol)] = (UInt64(code), bitCount)
                if bitCount <= Self.fastBitCount {
                    let free = Self.fastBitCount - bitCount
                    let entry = Self.entry(symbol, bitCount, purpose)
                    for index in (code << free)..<((code + 1) << free) { entries[index] = entry }
                }
                code += 1
            }
            place += count
            code <<= 1
        }
    }

    /// The entry of a code that is longer than ``fastBitCount``.
    ///
    /// - Parameter bits: What follows in the data, from the highest bit on.
    func longEntry(_ bits: UInt64) -> Entry {
        for bitCount in (Self.fastBitCount + 1)...16 {
            let code = Int(bits >> UInt64(64 - bitCount))
            let range = ranges[bitCount]
            if code >= range.first, code < range.end {
                return Self.entry(symbols[range.place + code - range.first], bitCount, purpose)
            }
        }
        return 0
    }

    private static func entry(_ symbol: UInt8, _ bitCount: Int, _ purpose: Purpose) -> Entry {
        let size = Int(symbol & 15)
        // No coefficient of 8-bit samples is larger, and no encoder takes one that is.
        guard purpose == .differences || size <= largestCoefficientSize else { return 0 }
        let value =
            switch purpose {
            case .differences: size
            case .coefficients:
                // A run of 16 zeros has no coefficient; other runs without one end the block.
                size > 0 || symbol == 0xF0 ? Int(symbol >> 4) + 1 : endOfBlock
            }
        return Entry(bitCount + size | value << 5)
    }

    /// The usual table for differences of brightness (ITU-T T.81 Table K.3), which has a code for
    /// each that can be.
    static let usualDifferences = JPEGHuffmanTable(
        counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], symbols: Array(0...11),
        purpose: .differences)
}
