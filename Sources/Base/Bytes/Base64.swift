/// Base64 text with the standard alphabet (RFC 4648 §4).
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 65...90: character - 65
        case 97...122: character - 71
        case 48...57: character + 4
        case 43: 62
        case 47: 63
        default: nil
        }
    }

    /// Encodes with padding.
    ///
    /// - Parameters:
    ///   - bytes: What to encode.
    ///   - lineLength: Breaks lines with LF after so many characters; `nil` for a single line.
    package static func encode(_ bytes: [UInt8], lineLength: Int? = nil) -> String {
        String(decoding: characters(of: bytes, lineLength: lineLength), as: UTF8.self)
    }

    /// The ASCII characters of ``encode(_:lineLength:)``, for writing into a file.
    package static func characters(of bytes: [UInt8], lineLength: Int? = nil) -> [UInt8] {
        let alphabet = Self.alphabet
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let available = min(3, bytes.count - index)
            let first = bytes[index]
            let second = available > 1 ? bytes[index + 1] : 0
            let third = available > 2 ? bytes[index + 2] : 0
            text.append(alphabet[Int(first >> 2)])
            text.append(alphabet[Int((first & 3) << 4 | second >> 4)])
            text.append(available > 1 ? alphabet[Int((second & 15) << 2 | third >> 6)] : 61)
            text.append(available > 2 ? alphabet[Int(third & 63)] : 61)
            index += 3
        }
        guard let lineLength, lineLength > 0 else { return text }
        var lines: [UInt8] = []
        var start = 0
        while start < text.count {
            let stop = min(start + lineLength, text.count)
            lines.append(contentsOf: text[start..<stop])
            lines.append(10)
            start = stop
        }
        return lines
    }

    /// Decodes, ignoring ASCII white space.
    ///
    /// - Returns: `nil` when a character is foreign, the padding is wrong, or bits beyond the last
    ///   byte are set (RFC 4648 §3.5).
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        // As an array for the reason that Hex has.
        decode(array: Array(text))
    }

    private static func decode(array text: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var characters = 0
        var padding = 0
        for character in text {
            switch character {
            case 9, 10, 12, 13, 32:
                continue
            case 61:
                padding += 1
            default:
                guard padding == 0, let value = value(of: character) else { return nil }
                bits = (bits << 6 | UInt32(value)) & 0xFF_FFFF
                characters += 1
                if characters % 4 == 0 {
                    result.append(UInt8(bits >> 16))
                    result.append(UInt8(bits >> 8 & 0xFF))
                    result.append(UInt8(bits & 0xFF))
                    bits = 0
                }
            }
        }
        switch (characters % 4, padding) {
        case (0, 0): return result
        case (2, 2) where bits & 0xF == 0:
            result.append(UInt8(bits >> 4 & 0xFF))
            return result
        case (3, 1) where bits & 0x3 == 0:
            result.append(UInt8(bits >> 10 & 0xFF))
            result.append(UInt8(bits >> 2 & 0xFF))
            return result
        default: return nil
        }
    }
}
