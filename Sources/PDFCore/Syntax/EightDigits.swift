import CodecBridge

/// Eight bytes of text that may be decimal digits, the first one in the lowest byte.
struct EightDigits {
    /// The bytes XOR 0x30: 0 to 9 for each digit.
    private let values: UInt64

    /// Reads eight bytes at `offset`, which must exist.
    @inline(__always) init(_ bytes: Span<UInt8>, at offset: Int) {
        values = bytes.eightBytes(at: offset) ^ 0x3030_3030_3030_3030
    }

    /// The highest bit of each byte that is not a digit.
    @inline(__always)
    var nonDigits: UInt64 {
        (((values & 0x7F7F_7F7F_7F7F_7F7F) + 0x7676_7676_7676_7676) | values)
            & 0x8080_8080_8080_8080
    }

    /// How many of the bytes are digits, counted from the first one.
    @inline(__always)
    var leadingCount: Int { nonDigits.trailingZeroBitCount / 8 }

    /// Number of consecutive digits at the end.
    @inline(__always)
    var trailingCount: Int { nonDigits.leadingZeroBitCount / 8 }

    /// The byte `index`, 0 to 7.
    @inline(__always) subscript(index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: values >> UInt64(8 * index)) ^ 0x30
    }

    /// The number that the first bytes spell, 1 to 8 of them, if they are digits.
    @inline(__always)
    func number(ofFirst count: Int) -> Int { Self.number(values << UInt64(64 - 8 * count)) }

    /// The number that the last `count` bytes spell, 1 to 8 of them, if they are digits.
    @inline(__always)
    func number(ofLast count: Int) -> Int {
        let unused = UInt64(64 - 8 * count)
        return Self.number((values >> unused) << unused)
    }

    @inline(__always)
    private static func number(_ values: UInt64) -> Int {
        var digits = values
        // Combines two digits in two bytes, then four in four, then all eight.
        digits = (digits &* (10 << 8 | 1)) >> 8 & 0x00FF_00FF_00FF_00FF
        digits = (digits &* (100 << 16 | 1)) >> 16 & 0x0000_FFFF_0000_FFFF
        return Int((digits &* (10_000 << 32 | 1)) >> 32)
    }
}
