/// Excerpts of long texts for messages.
package enum TextExcerpt {
    /// Maximum length of a short excerpt, in characters.
    private static let limit = 60
    /// Maximum length in Unicode scalars: a character may have any number of combining marks.
    private static let scalarLimit = 4 * limit
    /// Maximum length of a difference between two texts, in characters.
    private static let differenceLimit = 300
    /// Number of common characters before the difference.
    private static let contextLength = 20

    /// The beginning of a text.
    package static func short(_ text: String) -> String {
        let start = String(text.unicodeScalars.prefix(scalarLimit))
        return start.count > limit || start.utf8.count < text.utf8.count
            ? String(start.prefix(limit)) + "…" : text
    }

    /// The text; for a long text, the part that differs from the other text.
    package static func difference(of text: String, from other: String?) -> String {
        let (all, others) = (Array(text.unicodeScalars), Array((other ?? "").unicodeScalars))
        let common = zip(all, others).prefix { $0 == $1 }.count
        let rest = min(all.count, others.count) - common
        let end = zip(all.reversed(), others.reversed()).prefix(rest).prefix { $0 == $1 }.count
        var (start, stop) = (0, all.count)
        if common > limit - contextLength { start = common - contextLength }
        if end > limit - contextLength { stop = all.count - end + contextLength }
        let shownStop = min(stop, start + differenceLimit)
        let part = String(String.UnicodeScalarView(all[start..<shownStop]))
        let cut = stop - shownStop
        return (start > 0 ? "…" : "") + part + (shownStop < all.count ? "…" : "")
            + (cut > 0 ? " (and \(cut) more characters)" : "")
    }

    /// The text with single spaces between words.
    package static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
