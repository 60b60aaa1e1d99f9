internal import Base

/// The encodings in which programs and services write a signature value.
package enum SignatureSpellings {
    /// All possible values of the bytes: raw, hexadecimal, base64 or base64url, each also as r‖s.
    /// The right one is the one that verifies.
    package static func readings(of bytes: [UInt8]) -> [[UInt8]] {
        // JSON strings have quotation marks.
        var text = bytes.filter { !($0 == 0x20 || $0 == 0x22 || (0x09...0x0D).contains($0)) }
        // Vault writes a prefix such as vault:v1:.
        if text.starts(with: Array("vault:v".utf8)) {
            text = Array(text.split(separator: UInt8(ascii: ":"), maxSplits: 2).last ?? [])
        }
        var plain = text.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while plain.last == UInt8(ascii: "=") { plain.removeLast() }
        plain += [UInt8](repeating: UInt8(ascii: "="), count: (4 - plain.count % 4) % 4)
        let values = [bytes, Hex.decode(text), Base64.decode(plain)].compactMap { $0 }
        return values + values.compactMap { RawSignature.der(fromP1363: $0) }
    }
}
