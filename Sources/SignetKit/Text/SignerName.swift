/// The name in a signature: free text that is not verified.
enum SignerName {
    /// Whether the name differs from all names in the certificate, ignoring case and spaces.
    static func isForeign(_ name: String, to known: [String]) -> Bool {
        func words(_ text: String) -> [Substring] {
            text.lowercased().split(whereSeparator: \.isWhitespace)
        }
        return !known.map(words).contains(words(name))
    }
}
