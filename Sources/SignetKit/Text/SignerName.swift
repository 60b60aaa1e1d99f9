/// The name that a signature gives its signer: free text, which nobody has checked.
enum SignerName {
    /// Whether the name is none of those in the certificate; case and spaces do not matter.
    static func isForeign(_ name: String, to known: [String]) -> Bool {
        func words(_ text: String) -> [Substring] {
            text.lowercased().split(whereSeparator: \.isWhitespace)
        }
        return !known.map(words).contains(words(name))
    }
}
