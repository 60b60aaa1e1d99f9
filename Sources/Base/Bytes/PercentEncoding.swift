/// Percent-encoding of addresses (RFC 3986 §2.1).
package enum PercentEncoding {
    /// - Returns: nil where a `%` stands without two hexadecimal digits behind it.
    package static func decode(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
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
}
