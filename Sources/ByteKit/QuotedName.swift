extension String {
    /// In quotes that nothing inside can end. Names come from files and certificates: they must not
    /// read like the sentence around them.
    package var inQuotes: String {
        guard contains("'") else { return "'\(self)'" }
        let escaped = replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
