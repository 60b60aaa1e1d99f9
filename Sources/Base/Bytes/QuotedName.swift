extension String {
    /// Maximum size in bytes of a name that is displayed in full.
    private static let longestName = 1000
    /// Number of Unicode scalars displayed from each end of a longer name.
    private static let nameEnd = 100

    /// The text in quotes that nothing inside can close. Names come from files and certificates:
    /// they must not look like part of the message or hide it by their length.
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
