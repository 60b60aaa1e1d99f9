/// Base64 text with the standard alphabet (RFC 4648 §4).
package enum Base64 {
    @usableFromInline static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case 65...90: UInt32(character) - 65
        case 97...122: UInt32(character) - 71
        case 48...57: UInt32(character) + 4
        case 43: 62
        case 47: 63
        default: nil
        }
    }

    /// Encodes with padding, on a single line.
    package static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: characters(of: bytes), as: UTF8.self)
    }

    /// Encodes with the alphabet for URLs, without padding (RFC 4648 §5).
    package static func encodeForURL(_ bytes: [UInt8]) -> String {
        let characters = characters(of: bytes).filter { $0 != UInt8(ascii: "=") }
        return String(
            decoding: characters.map { character -> UInt8 in
                switch character {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: character
                }
            }, as: UTF8.self)
    }

    /// The ASCII characters of ``encode(_:)``, for writing into a file.
    package static func characters(of bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        encode(bytes) { text.append($0) }
        return text
    }

    /// Encodes with padding and passes on one character at a time, so that no copy of a secret
    /// remains in memory.
    ///
    /// - Parameter lineLength: ends lines with LF after so many characters, a multiple of 4; `nil`
    ///   for a single line without an end.
    @inlinable package static func encode(
        _ bytes: some Sequence<UInt8>, lineLength: Int? = nil, into put: (UInt8) -> Void
    ) {
        var rest = bytes.makeIterator()
        var column = 0
        while let first = rest.next() {
            let second = rest.next()
            let third = second == nil ? nil : rest.next()
            put(alphabet[Int(first >> 2)])
            put(alphabet[Int((first & 3) << 4 | (second ?? 0) >> 4)])
            put(second.map { alphabet[Int(($0 & 15) << 2 | (third ?? 0) >> 6)] } ?? 61)
            put(third.map { alphabet[Int($0 & 63)] } ?? 61)
            column += 4
            if column == lineLength {
                put(10)
                column = 0
            }
        }
        if column > 0, lineLength != nil { put(10) }
    }

    /// Decodes, ignoring ASCII white space.
    ///
    /// - Returns: `nil` if a character is not in the alphabet, the padding is wrong, or unused
    ///   bits of the last character are set (RFC 4648 §3.5).
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        // Copied into an array, since generic code is not specialized for other modules (see
        // `Hex`).
        let text = Array(text)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        return decode(text.span) { bytes.append($0) } ? bytes : nil
    }

    /// Decodes one byte at a time, see ``encode(_:lineLength:into:)``.
    ///
    /// - Parameter ignoresRest: whether bits beyond the last byte may be set.
    /// - Returns: false where ``decode(_:)`` returns nil; some bytes were decoded then.
    package static func decode(
        _ text: Span<UInt8>, ignoresRest: Bool = false, into put: (UInt8) -> Void
    ) -> Bool {
        var bits: UInt32 = 0
        var characters = 0
        var padding = 0
        for index in text.indices {
            let character = text[index]
            switch character {
            case 9...13, 32: continue
            case 61: padding += 1
            default:
                guard padding == 0, let value = value(of: character) else { return false }
                bits = bits << 6 | value
                characters += 1
                guard characters % 4 == 0 else { continue }
                put(UInt8(truncatingIfNeeded: bits >> 16))
                put(UInt8(truncatingIfNeeded: bits >> 8))
                put(UInt8(truncatingIfNeeded: bits))
            }
        }
        switch (characters % 4, padding) {
        case (0, 0): return true
        case (2, 2) where ignoresRest || bits & 0xF == 0:
            put(UInt8(truncatingIfNeeded: bits >> 4))
            return true
        case (3, 1) where ignoresRest || bits & 0x3 == 0:
            put(UInt8(truncatingIfNeeded: bits >> 10))
            put(UInt8(truncatingIfNeeded: bits >> 2))
            return true
        default: return false
        }
    }
}
