/// A string object: its bytes and its written form.
package struct PDFString: Hashable, Sendable {
    package let bytes: [UInt8]
    /// Written as `<…>` instead of `(…)`.
    package let isHexadecimal: Bool
    /// Whether it contains ends of lines that viewers read as different bytes.
    let isOddlySpelled: Bool

    package init(bytes: [UInt8], isHexadecimal: Bool = false) {
        self.init(bytes: bytes, isHexadecimal: isHexadecimal, isOddlySpelled: false)
    }

    init(bytes: [UInt8], isHexadecimal: Bool = false, isOddlySpelled: Bool) {
        self.bytes = bytes
        self.isHexadecimal = isHexadecimal
        self.isOddlySpelled = isOddlySpelled
    }

    package static func == (left: PDFString, right: PDFString) -> Bool {
        left.isHexadecimal == right.isHexadecimal && left.bytes == right.bytes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
        hasher.combine(isHexadecimal)
    }

    /// A text string (ISO 32000-2 §7.9.2.2). ASCII is unchanged; other text is UTF-16BE with a byte
    /// order mark, which viewers of all versions support.
    package static func text(_ text: String) -> PDFString {
        let bytes = Array(text.utf8)
        // Control characters other than tab and line ends have another meaning in PDFDocEncoding.
        if bytes.allSatisfy({ (32...126).contains($0) || $0 == 9 || $0 == 10 || $0 == 13 }) {
            return PDFString(bytes: bytes)
        }
        var encoded: [UInt8] = [0xFE, 0xFF]
        for unit in text.utf16 {
            encoded.append(UInt8(unit >> 8))
            encoded.append(UInt8(unit & 0xFF))
        }
        return PDFString(bytes: encoded)
    }

    /// The text of a text string: UTF-16 or UTF-8 with a byte order mark, else PDFDocEncoding.
    package var text: String {
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16Text(highByteFirst: true) }
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16Text(highByteFirst: false) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return String(decoding: bytes.dropFirst(3), as: UTF8.self)
        }
        // Fast path for text that is ASCII in both encodings, which is the usual case.
        if bytes.allSatisfy({ 32...126 ~= $0 || $0 == 10 || $0 == 13 || $0 == 9 }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        var result = String.UnicodeScalarView()
        for byte in bytes { result.append(PDFDocEncoding.scalar(byte)) }
        return String(result)
    }

    /// Whether all viewers read a text string alike: PDFDocEncoding without control characters, or
    /// UTF-16BE without language codes.
    package static func isPlain(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: [0xFE, 0xFF]) else {
            return !bytes.starts(with: [0xFF, 0xFE]) && !bytes.starts(with: [0xEF, 0xBB, 0xBF])
                && bytes.allSatisfy {
                    [9, 10, 13].contains($0)
                        || $0 >= 32 && PDFDocEncoding.scalar($0) != "\u{FFFD}"
                }
        }
        return bytes.count.isMultiple(of: 2)
            && !stride(from: 2, to: bytes.count, by: 2).contains {
                bytes[$0] == 0 && bytes[$0 + 1] == 0x1B
            }
    }

    /// Text in PDFDocEncoding; `nil` if that lacks a character.
    static func encoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let byte = (0...255).first(where: { PDFDocEncoding.scalar($0) == scalar }) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }

    private func utf16Text(highByteFirst: Bool) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var index = 2
        while index + 1 < bytes.count {
            let first = UInt16(bytes[index])
            let second = UInt16(bytes[index + 1])
            units.append(highByteFirst ? first << 8 | second : second << 8 | first)
            index += 2
        }
        return Self.withoutLanguageEscapes(String(decoding: units, as: UTF16.self))
    }

    /// Removes language codes from UTF-16 text: two letters, optionally with a country of two
    /// letters, between escape characters (ISO 32000-2 §7.9.2.2.2). Other text between escape
    /// characters is kept, because viewers show it.
    private static func withoutLanguageEscapes(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        guard scalars.contains("\u{1B}") else { return text }
        var result = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            let code = scalars[(index + 1)...].prefix(languageLimit + 1).prefix { $0 != "\u{1B}" }
            let end = code.endIndex
            if scalars[index] == "\u{1B}", end < scalars.count, scalars[end] == "\u{1B}",
                code.count == 2 || code.count == languageLimit,
                code.allSatisfy({ $0.isASCII && $0.properties.isAlphabetic })
            {
                index = end + 1
            } else {
                result.append(scalars[index])
                index += 1
            }
        }
        return String(result)
    }

    /// Number of letters of a language code with a country.
    private static let languageLimit = 4
}

/// The encoding of text strings without a byte order mark (ISO 32000-2 Annex D.3).
private enum PDFDocEncoding {
    static func scalar(_ byte: UInt8) -> Unicode.Scalar {
        switch byte {
        case 0x18: "\u{02D8}"
        case 0x19: "\u{02C7}"
        case 0x1A: "\u{02C6}"
        case 0x1B: "\u{02D9}"
        case 0x1C: "\u{02DD}"
        case 0x1D: "\u{02DB}"
        case 0x1E: "\u{02DA}"
        case 0x1F: "\u{02DC}"
        case 0x80: "\u{2022}"
        case 0x81: "\u{2020}"
        case 0x82: "\u{2021}"
        case 0x83: "\u{2026}"
        case 0x84: "\u{2014}"
        case 0x85: "\u{2013}"
        case 0x86: "\u{0192}"
        case 0x87: "\u{2044}"
        case 0x88: "\u{2039}"
        case 0x89: "\u{203A}"
        case 0x8A: "\u{2212}"
        case 0x8B: "\u{2030}"
        case 0x8C: "\u{201E}"
        case 0x8D: "\u{201C}"
        case 0x8E: "\u{201D}"
        case 0x8F: "\u{2018}"
        case 0x90: "\u{2019}"
        case 0x91: "\u{201A}"
        case 0x92: "\u{2122}"
        case 0x93: "\u{FB01}"
        case 0x94: "\u{FB02}"
        case 0x95: "\u{0141}"
        case 0x96: "\u{0152}"
        case 0x97: "\u{0160}"
        case 0x98: "\u{0178}"
        case 0x99: "\u{017D}"
        case 0x9A: "\u{0131}"
        case 0x9B: "\u{0142}"
        case 0x9C: "\u{0153}"
        case 0x9D: "\u{0161}"
        case 0x9E: "\u{017E}"
        case 0xA0: "\u{20AC}"
        case 0x7F, 0x9F, 0xAD: "\u{FFFD}"
        default: Unicode.Scalar(byte)
        }
    }
}
