import ByteKit

/// Which codes of a font strings show: single bytes, and as far as fonts with codes of two bytes need
/// it, the highest of those.
package struct ShownCodes: Sendable {
    private var bits = SIMD4<UInt64>()
    /// The highest code of two bytes, where strings are read as such.
    package private(set) var highestPair = 0

    package init() {}

    package var isEmpty: Bool { bits == SIMD4() }

    package func contains(_ code: UInt8) -> Bool { bits[Int(code >> 6)] & 1 << (code & 63) != 0 }

    package mutating func insert(_ code: UInt8) { bits[Int(code >> 6)] |= 1 << (code & 63) }

    package func isDisjoint(with other: ShownCodes) -> Bool { bits & other.bits == SIMD4() }

    package mutating func formUnion(_ other: ShownCodes) {
        bits |= other.bits
        highestPair = max(highestPair, other.highestPair)
    }

    /// Takes a string of a content stream as it is written, with its delimiters.
    mutating func take(_ content: [UInt8], _ string: Range<Int>) {
        var bytes = ShownBytes(content, string)
        while let first = bytes.next() {
            insert(first)
            guard let second = bytes.next() else { return }
            insert(second)
            highestPair = max(highestPair, Int(first) << 8 | Int(second))
        }
    }
}

/// The bytes that a string means (ISO 32000-2 §7.3.4).
private struct ShownBytes {
    private let content: [UInt8]
    private var position: Int
    private let end: Int
    private let isHexadecimal: Bool

    /// What single letters behind a backslash mean: `n`, `r`, `t`, `b`, `f`.
    private static let escapes: [UInt8: UInt8] = [0x6E: 10, 0x72: 13, 0x74: 9, 0x62: 8, 0x66: 12]

    init(_ content: [UInt8], _ string: Range<Int>) {
        self.content = content
        position = string.lowerBound + 1
        end = string.upperBound - 1
        isHexadecimal = string.isEmpty || content[string.lowerBound] == UInt8(ascii: "<")
    }

    mutating func next() -> UInt8? { isHexadecimal ? nextOfDigits() : nextOfText() }

    private mutating func nextOfDigits() -> UInt8? {
        var value: UInt8?
        while position < end {
            let digit = Hex.value(of: content[position])
            position += 1
            guard let digit else { continue }
            if let high = value { return high << 4 | digit }
            value = digit
        }
        return value.map { $0 << 4 }
    }

    private mutating func nextOfText() -> UInt8? {
        while position < end {
            let byte = content[position]
            position += 1
            guard byte == UInt8(ascii: "\\"), position < end else { return byte }
            let escaped = content[position]
            position += 1
            switch escaped {
            case 0x30...0x37:
                var value = escaped - 0x30
                for _ in 0..<2 where position < end && content[position] &- 0x30 < 8 {
                    value = value &<< 3 | (content[position] - 0x30)
                    position += 1
                }
                return value
            // An end of line behind a backslash is nothing.
            case 13:
                if position < end, content[position] == 10 { position += 1 }
            case 10: continue
            default: return Self.escapes[escaped] ?? escaped
            }
        }
        return nil
    }
}
