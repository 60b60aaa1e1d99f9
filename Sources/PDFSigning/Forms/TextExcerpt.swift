/// Parts of texts of any length, short enough for a message.
package enum TextExcerpt {
    /// Longest part of a text in a message, in characters.
    private static let limit = 60
    /// One character may have any number of combining marks.
    private static let scalarLimit = 4 * limit
    /// How much of what two texts have in common stands before the part in which they differ.
    private static let contextLength = 20

    /// The beginning of a text.
    package static func short(_ text: String) -> String {
        let start = String(text.unicodeScalars.prefix(scalarLimit))
        return start.count > limit || start.utf8.count < text.utf8.count
            ? String(start.prefix(limit)) + "…" : text
    }

    /// The beginning of a text, or of a long one the part in which it differs from another text.
    package static func short(_ text: String, besides other: String?) -> String {
        let (all, others) = (text.unicodeScalars, (other ?? "").unicodeScalars)
        let common = zip(all, others).prefix { $0 == $1 }.count
        guard text.count > limit, common > limit - contextLength else { return short(text) }
        return "…" + short(String(String.UnicodeScalarView(all.dropFirst(common - contextLength))))
    }

    /// With one space between the words.
    package static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
