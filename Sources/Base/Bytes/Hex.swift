/// Hexadecimal text.
package enum Hex {
    package static func encode(_ bytes: [UInt8], uppercase: Bool = false) -> String {
        String(decoding: digits(of: bytes, uppercase: uppercase), as: UTF8.self)
    }

    /// The ASCII digits of ``encode(_:uppercase:)``, for writing into a file.
    package static func digits(of bytes: [UInt8], uppercase: Bool = false) -> [UInt8] {
        let letter: UInt8 = (uppercase ? 65 : 97) - 10
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 &+ value : letter &+ value }
        var result = [UInt8](repeating: 0, count: bytes.count * 2)
        // A span avoids the check for shared storage that an array makes at each change: a
        // signature value has thousands of digits.
        var digits = result.mutableSpan
        for index in bytes.indices {
            digits[2 * index] = digit(bytes[index] >> 4)
            digits[2 * index + 1] = digit(bytes[index] & 15)
        }
        return result
    }

    /// Decodes pairs of digits; no white space, no separators.
    ///
    /// - Returns: `nil` when a character is not a hexadecimal digit or their number is odd.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        // Generic code is not specialised for other modules: an array is read four times faster.
        decode(array: Array(text))
    }

    private static func decode(array text: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 2)
        var high: UInt8?
        for character in text {
            guard let digit = value(of: character) else { return nil }
            if let first = high {
                result.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? result : nil
    }

    /// The value of one hexadecimal digit.
    @inlinable package static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 48...57: character - 48
        case 65...70: character - 55
        case 97...102: character - 87
        default: nil
        }
    }
}
