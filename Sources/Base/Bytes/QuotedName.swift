extension String {
    /// Longest name that is shown completely, and the length of both ends of a longer one, in bytes
    /// and characters.
    private static let longestName = 1000
    private static let nameEnd = 100

    /// In quotes that nothing inside can end. Names come from files and certificates: they must not
    /// read like the sentence around them, nor hide it behind their length.
    package var inQuotes: String {
        guard utf8.count <= Self.longestName else {
            let (first, last) = (
                unicodeScalars.prefix(Self.nameEnd), unicodeScalars.suffix(Self.nameEnd)
            )
            return (String(first) + "…" + String(last)).inQuotes
        }
        guard contains("'") else { return "'\(self)'" }
        let escaped = replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
