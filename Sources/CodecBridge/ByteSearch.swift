/// Looks for rare bytes faster than byte by byte.
package enum ByteSearch {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The first position from `start` on that holds one of two bytes; `nil` when none does.
    package static func first(
        of first: UInt8, or second: UInt8, in bytes: Span<UInt8>, from start: Int
    ) -> Int? {
        let (a, b) = (UInt64(first) &* ones, UInt64(second) &* ones)
        let raw = unsafe bytes.bytes
        let count = raw.byteCount
        var index = max(0, start)
        while index + 8 <= count {
            // In bounds: the loop's condition.
            let word = unsafe raw.unsafeLoadUnaligned(
                fromUncheckedByteOffset: index, as: UInt64.self)
            // Where a byte is zero in one of these, the high bit of its place is set.
            let (x, y) = (word ^ a, word ^ b)
            let hits = ((x &- ones) & ~x | (y &- ones) & ~y) & highBits
            if hits != 0 {
                // Bits above the lowest hit may be borrowed; the lowest one never is.
                return index + UInt64(littleEndian: hits).trailingZeroBitCount / 8
            }
            index += 8
        }
        while index < count {
            if bytes[index] == first || bytes[index] == second { return index }
            index += 1
        }
        return nil
    }
}
