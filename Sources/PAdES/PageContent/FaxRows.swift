/// How many rows there are in data of a fax that are coded in two dimensions (ITU-T T.6), whose last bytes
/// do not mark their end: what they leave out readers fill in different ways.
struct FaxRows {
    private let bytes: [UInt8]
    private let columns: Int
    /// In bits.
    private var position = 0
    /// Where the colours of the row before change.
    private var reference: [Int] = []

    /// - Parameter columns: samples in a row.
    private init(_ bytes: [UInt8], columns: Int) {
        (self.bytes, self.columns) = (bytes, columns)
    }

    /// Whether data are so many rows, and then the mark of the end, whatever follows that, or nothing
    /// but what fills the last byte.
    static func areWhole(_ bytes: [UInt8], columns: Int, rows: Int) -> Bool {
        var data = FaxRows(bytes, columns: columns)
        for _ in 0..<rows {
            guard data.takeRow() else { return false }
        }
        return (data.position + 7) / 8 == bytes.count || data.endsHere
    }

    /// Twice eleven zeros and a one.
    private var endsHere: Bool {
        let end = (0..<2 * Self.endBitCount).map { ($0 + 1).isMultiple(of: Self.endBitCount) }
        guard position + end.count <= 8 * bytes.count else { return false }
        return end.enumerated().allSatisfy { bit(at: position + $0) == ($1 ? 1 : 0) }
    }

    private static let endBitCount = 12

    private func bit(at place: Int) -> Int { Int(bytes[place / 8] >> UInt8(7 - place % 8) & 1) }

    private enum Mode {
        case pass, horizontal
        case vertical(Int)
    }

    /// - Returns: Whether there is a whole one.
    private mutating func takeRow() -> Bool {
        var changes: [Int] = []
        var (place, isBlack, index, isFirst) = (0, false, 0, true)
        while place < columns {
            // The next change of the row before to the other colour, and the one after that.
            index = max(0, index - 2)
            if index.isMultiple(of: 2) == isBlack { index += 1 }
            while !isFirst, index < reference.count, reference[index] <= place { index += 2 }
            isFirst = false
            let next = index < reference.count ? reference[index] : columns
            switch takeMode() {
            case .pass: place = index + 1 < reference.count ? reference[index + 1] : columns
            case .horizontal:
                for color in [isBlack, !isBlack] {
                    guard let run = takeRun(isBlack: color), run <= columns - place else {
                        return false
                    }
                    place += run
                    changes.append(place)
                }
            case .vertical(let step):
                guard next + step >= place, next + step <= columns else { return false }
                place = next + step
                changes.append(place)
                isBlack.toggle()
            case nil: return false
            }
        }
        reference = changes
        return true
    }

    // MARK: Codes

    private mutating func takeMode() -> Mode? {
        guard let mode = take(from: Self.modes) else { return nil }
        switch mode {
        case Self.passMode: return .pass
        case Self.horizontalMode: return .horizontal
        default: return .vertical(mode)
        }
    }

    private mutating func takeRun(isBlack: Bool) -> Int? {
        var sum = 0
        while let run = take(from: isBlack ? Self.blackRuns : Self.whiteRuns) {
            sum += run
            if run < Self.unit { return sum }
            guard sum <= columns else { return nil }
        }
        return nil
    }

    /// - Parameter codes: their bits behind a one.
    private mutating func take(from codes: [Int: Int]) -> Int? {
        var code = 1
        for length in 1...Self.longest {
            let place = position + length - 1
            guard place < 8 * bytes.count else { return nil }
            code = code << 1 | bit(at: place)
            guard let value = codes[code] else { continue }
            position += length
            return value
        }
        return nil
    }

    private static let longest = 13
    /// From where on runs are multiples of it, with a rest behind.
    private static let unit = 64
    private static let (passMode, horizontalMode) = (9, 10)

    /// Vertical modes by how many samples they go to the right (ITU-T T.6 Table 1).
    private static let modes = table(
        "0001 001 1 011 000011 0000011 010 000010 0000010",
        [passMode, horizontalMode, 0, 1, 2, 3, -1, -2, -3])

    private static func table(_ codes: String, _ values: [Int]) -> [Int: Int] {
        var table: [Int: Int] = [:]
        for (code, value) in zip(codes.split(separator: " "), values) {
            table[Int("1" + code, radix: 2) ?? 0] = value
        }
        return table
    }

    private static let lengths = Array(0..<unit) + (1...40).map { $0 * unit }
    private static let whiteRuns = table(whiteCodes + " " + longCodes, lengths)
    private static let blackRuns = table(blackCodes + " " + longCodes, lengths)

    /// Runs of up to 63 samples, and those of a multiple of 64 (ITU-T T.4 Tables 2 and 3).
    private static let whiteCodes = """
        00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 \
        110100 110101 101010 101011 0100111 0001100 0001000 0010111 0000011 0000100 0101000 \
        0101011 0010011 0100100 0011000 00000010 00000011 00011010 00011011 00010010 00010011 \
        00010100 00010101 00010110 00010111 00101000 00101001 00101010 00101011 00101100 \
        00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 \
        00100100 00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 \
        00110011 00110100 11011 10010 010111 0110111 00110110 00110111 01100100 01100101 \
        01101000 01100111 011001100 011001101 011010010 011010011 011010100 011010101 \
        011010110 011010111 011011000 011011001 011011010 011011011 010011000 010011001 \
        010011010 011000 010011011
        """
    private static let blackCodes = """
        0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 \
        00000100 00000111 000011000 0000010111 0000011000 0000001000 00001100111 00001101000 \
        00001101100 00000110111 00000101000 00000010111 00000011000 000011001010 000011001011 \
        000011001100 000011001101 000001101000 000001101001 000001101010 000001101011 \
        000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 \
        000001101100 000001101101 000011011010 000011011011 000001010100 000001010101 \
        000001010110 000001010111 000001100100 000001100101 000001010010 000001010011 \
        000000100100 000000110111 000000111000 000000100111 000000101000 000001011000 \
        000001011001 000000101011 000000101100 000001011010 000001100110 000001100111 \
        0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 \
        000000110101 0000001101100 0000001101101 0000001001010 0000001001011 0000001001100 \
        0000001001101 0000001110010 0000001110011 0000001110100 0000001110101 0000001110110 \
        0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 0000001011010 \
        0000001011011 0000001100100 0000001100101
        """
    /// Of more than 1728, of either colour.
    private static let longCodes = """
        00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 \
        000000010101 000000010110 000000010111 000000011100 000000011101 000000011110 \
        000000011111
        """
}
