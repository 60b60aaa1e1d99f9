/// Percent-encoding of addresses (RFC 3986 §2.1).
package enum PercentEncoding {
    /// - Returns: nil if a `%` is not followed by two hexadecimal digits.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hex.value),
                let low = rest.popFirst().flatMap(Hex.value)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// - Parameter isPlain: whether a byte is written unchanged.
    package static func encode(_ bytes: some Sequence<UInt8>, isPlain: (UInt8) -> Bool) -> String {
        bytes.map {
            isPlain($0) ? String(UnicodeScalar($0)) : "%" + Hex.encode([$0], uppercase: true)
        }.joined()
    }

    /// Whether a byte is plain in every part of a URL (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
    }
}

extension UInt8 {
    /// Whether this is a letter or digit of ASCII.
    package var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
