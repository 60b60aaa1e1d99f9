/// Bits in the order of a JPEG scan, gathered in words.
struct JPEGBitWriter {
    private var words: [UInt64] = []
    /// The bits that do not fill a word yet, from its highest bit on.
    private var rest: UInt64 = 0
    private var restCount = 0

    /// Appends the lowest `count` bits of `value`; the others must be zero. `count` is below 64.
    @inline(__always)
    mutating func append(_ value: UInt64, count: Int) {
        let free = 64 - restCount
        if count < free {
            rest |= value &<< UInt64(free - count)
            restCount += count
        } else {
            let left = count - free
            words.append(rest | value &>> UInt64(left))
            rest = left == 0 ? 0 : value &<< UInt64(64 - left)
            restCount = left
        }
    }

    /// Appends bits of a window, which has eight bytes more at least.
    @inline(__always)
    mutating func append(_ range: Range<Int>, of window: RawSpan) {
        var position = range.lowerBound
        while range.upperBound - position > Self.stepBitCount {
            append(window.bits(at: position) >> 8, count: Self.stepBitCount)
            position += Self.stepBitCount
        }
        let count = range.upperBound - position
        guard count > 0 else { return }
        append(window.bits(at: position) &>> UInt64(64 - count), count: count)
    }

    mutating func append(_ other: JPEGBitWriter) {
        for word in other.words {
            append(word >> 32, count: 32)
            append(word & 0xFFFF_FFFF, count: 32)
        }
        if other.restCount > 0 {
            append(other.rest >> UInt64(64 - other.restCount), count: other.restCount)
        }
    }

    mutating func removeAll() {
        words.removeAll(keepingCapacity: true)
        (rest, restCount) = (0, 0)
    }

    /// Fills the last byte with ones (ITU-T T.81 F.1.2.3).
    mutating func fillByte() {
        let missing = -restCount & 7
        append((1 << UInt64(missing)) - 1, count: missing)
    }

    /// Moves whole words, or at the end all bytes, to `bytes`, a zero after each byte of ones.
    mutating func drain(into bytes: inout [UInt8], isEnd: Bool = false) {
        bytes.reserveCapacity(bytes.count + words.count * 9 + 16)
        for word in words {
            if Self.hasOnes(word) {
                Self.stuff(word, byteCount: 8, into: &bytes)
            } else {
                unsafe withUnsafeBytes(of: word.bigEndian) { unsafe bytes.append(contentsOf: $0) }
            }
        }
        words.removeAll(keepingCapacity: true)
        if isEnd {
            Self.stuff(rest, byteCount: restCount / 8, into: &bytes)
            (rest, restCount) = (0, 0)
        }
    }

    /// Of each load of a window so many bits are sure to be there: up to seven are skipped.
    private static let stepBitCount = 56

    /// Whether a byte of `word` is 0xFF.
    private static func hasOnes(_ word: UInt64) -> Bool {
        (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 != 0
    }

    private static func stuff(_ word: UInt64, byteCount: Int, into bytes: inout [UInt8]) {
        for index in 0..<byteCount {
            let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index))
            bytes.append(byte)
            if byte == 0xFF { bytes.append(0) }
        }
    }
}

extension RawSpan {
    /// 57 bits or more from a position on, at the top; the rest are zeros.
    @inline(__always)
    func bits(at position: Int) -> UInt64 {
        let word = unsafe unsafeLoadUnaligned(fromByteOffset: position >> 3, as: UInt64.self)
        return UInt64(bigEndian: word) &<< UInt64(position & 7)
    }
}
