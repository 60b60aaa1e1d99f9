/// The name in a signature: free text that is not verified.
enum SignerName {
    /// Whether the name differs from all names in the certificate. Two names are the same if one
    /// has all words of the other. Case and punctuation are ignored, as are letters outside ASCII,
    /// which encodings break, if there are others.
    static func isForeign(_ name: String, to known: [String]) -> Bool {
        let given = words(name)
        return !known.map(words).contains { other in
            let (short, long) = given.count < other.count ? (given, other) : (other, given)
            return given == other || short.count > 1 && short.isSubset(of: long)
        }
    }

    private static func words(_ text: String) -> Set<String> {
        Set(
            text.lowercased().split { $0.isASCII && !$0.isLetter && !$0.isNumber && $0 != "?" }
                .map(pattern))
    }

    /// The word with one `?` for each run of letters outside ASCII.
    private static func pattern(of word: Substring) -> String {
        func isLost(_ character: Character) -> Bool { !character.isASCII || character == "?" }
        guard !word.allSatisfy(isLost) else { return String(word) }
        return word.reduce(into: "") { pattern, character in
            if !isLost(character) {
                pattern.append(character)
            } else if pattern.last != "?" {
                pattern.append("?")
            }
        }
    }
}
