/// The bytes that a typed password may stand for (ISO 32000-2 §7.6.4.3).
enum PasswordEncoding {
    /// The longest password that counts from revision 5 on.
    private static let byteLimit = 127

    /// What to try, the likeliest first.
    ///
    /// - Parameter normalized: What revisions from 5 on should count with, where that differs.
    static func candidates(
        _ password: [UInt8], normalized: [UInt8]?, _ revision: Int
    ) -> [[UInt8]] {
        var candidates: [[UInt8]] = []
        if revision >= 5 {
            if let normalized { candidates.append(normalized) }
        } else if isText(password) {
            let text = String(decoding: password, as: UTF8.self)
            // Some writers take Latin-1 for PDFDocEncoding, which lacks a few of its characters.
            if let encoded = PDFString.encoded(text) ?? latin1(text) { candidates.append(encoded) }
        }
        // Many writers take what they get.
        candidates.append(password)
        if revision >= 5 { candidates = candidates.map { Array($0.prefix(byteLimit)) } }
        return candidates
    }

    /// Nil for text that has other characters.
    private static func latin1(_ text: String) -> [UInt8]? {
        let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        return bytes.count == text.unicodeScalars.count ? bytes : nil
    }

    /// Whether it is text of which there are several forms. What is not text, nobody else reads as
    /// text either.
    static func isText(_ password: [UInt8]) -> Bool {
        !password.allSatisfy { $0 < 0x80 } && String(validating: password, as: UTF8.self) != nil
    }
}
