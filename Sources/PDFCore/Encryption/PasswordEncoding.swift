/// The bytes that a typed password may stand for (ISO 32000-2 §7.6.4.3).
enum PasswordEncoding {
    /// The longest password that counts from revision 5 on.
    private static let byteLimit = 127

    /// What to try, the likeliest first.
    static func candidates(_ password: [UInt8], _ revision: Int) -> [[UInt8]] {
        let isASCII = password.allSatisfy { $0 < 0x80 }
        // Not text: then nobody else reads it as text either.
        let text = isASCII ? nil : String(validating: password, as: UTF8.self)
        var candidates: [[UInt8]] = []
        if let text {
            if revision >= 5 {
                candidates.append(Array(prepared(text).utf8))
            } else if let encoded = PDFString.encoded(text) {
                candidates.append(encoded)
            }
        }
        // Many writers take what they get.
        candidates.append(password)
        if revision >= 5 { candidates = candidates.map { Array($0.prefix(byteLimit)) } }
        return candidates
    }

    /// SASLprep (RFC 4013) as far as it can be had without tables: characters that count as
    /// nothing and as a space, and the compatibility forms of ASCII. Composing accents is left to
    /// the keyboard, whose output is composed already.
    private static func prepared(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            // RFC 3454 table B.1.
            case 0x00AD, 0x034F, 0x1806, 0x180B...0x180D, 0x200C...0x200D, 0x2060, 0xFE00...0xFE0F,
                0xFEFF:
                continue
            // RFC 3454 table C.1.2, which comes first: U+200B is in both.
            case 0x00A0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000:
                result.append(" ")
            case 0xFF01...0xFF5E:
                result.append(Unicode.Scalar(UInt8(scalar.value - 0xFF01 + 0x21)))
            default:
                if let plain = compatible[scalar] {
                    result.append(contentsOf: plain.unicodeScalars)
                } else {
                    result.append(scalar)
                }
            }
        }
        return String(result)
    }

    private static let compatible: [Unicode.Scalar: String] = [
        "\u{AA}": "a", "\u{B2}": "2", "\u{B3}": "3", "\u{B5}": "\u{3BC}", "\u{B9}": "1",
        "\u{BA}": "o", "\u{2026}": "...", "\u{2122}": "TM", "\u{2160}": "I", "\u{2161}": "II",
        "\u{2162}": "III", "\u{2163}": "IV", "\u{2164}": "V", "\u{2168}": "IX", "\u{2169}": "X",
        "\u{FB00}": "ff", "\u{FB01}": "fi", "\u{FB02}": "fl", "\u{FB03}": "ffi",
        "\u{FB04}": "ffl",
    ]
}
