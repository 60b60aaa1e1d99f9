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
        } else if isText(password),
            let encoded = PDFString.encoded(
                String(decoding: password, as: UTF8.self))
        {
            candidates.append(encoded)
        }
        // Many writers take what they get.
        candidates.append(password)
        if revision >= 5 { candidates = candidates.map { Array($0.prefix(byteLimit)) } }
        return candidates
    }

    /// Whether it is text of which there are several forms. What is not text, nobody else reads as
    /// text either.
    static func isText(_ password: [UInt8]) -> Bool {
        !password.allSatisfy { $0 < 0x80 } && String(validating: password, as: UTF8.self) != nil
    }
}
