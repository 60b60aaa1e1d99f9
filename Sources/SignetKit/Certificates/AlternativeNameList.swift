import CryptoBridge

/// A list of alternative names such as `email:a@b,upn:a@b`.
public enum AlternativeNameList {
    /// The names in a list. A comma starts a new name only before a kind of names, because URIs and
    /// directory names may contain commas.
    public static func split(_ text: String) -> [String] {
        var names: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let trimmed = String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            let isNew = GeneralNames.kinds.contains { trimmed.lowercased().hasPrefix($0 + ":") }
            if isNew || names.isEmpty {
                names.append(trimmed)
            } else {
                names[names.count - 1] += "," + part
            }
        }
        return names
    }
}
