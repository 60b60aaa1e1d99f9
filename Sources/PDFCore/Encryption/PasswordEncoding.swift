/// Possible encodings of a typed password (ISO 32000-2 §7.6.4.3).
enum PasswordEncoding {
    /// Maximum password length in bytes, from revision 5 on.
    private static let byteLimit = 127

    /// The byte strings to try, the most likely first.
    ///
    /// - Parameter normalized: The SASLprep form for revisions from 5 on, if it differs.
    static func candidates(
        _ password: [UInt8], normalized: [UInt8]?, _ revision: Int
    ) -> [[UInt8]] {
        var candidates: [[UInt8]] = []
        if revision >= 5 {
            if let normalized { candidates.append(normalized) }
        } else if isText(password) {
            let text = String(decoding: password, as: UTF8.self)
            // Some writers use Latin-1 instead of PDFDocEncoding, which lacks a few of its
            // characters.
            if let encoded = PDFString.encoded(text) ?? latin1(text) { candidates.append(encoded) }
        }
        // Many writers use the bytes as typed.
        candidates.append(password)
        if revision >= 5 { candidates = candidates.map { Array($0.prefix(byteLimit)) } }
        return candidates
    }

    /// The text in Latin-1; `nil` if it has other characters.
    private static func latin1(_ text: String) -> [UInt8]? {
        let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        return bytes.count == text.unicodeScalars.count ? bytes : nil
    }

    static func isText(_ password: [UInt8]) -> Bool {
        !password.allSatisfy { $0 < 0x80 } && String(validating: password, as: UTF8.self) != nil
    }
}
