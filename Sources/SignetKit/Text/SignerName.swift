/// The name in a signature: free text that is not verified.
enum SignerName {
    /// Whether the name differs from all names in the certificate. Names match if their words are
    /// equal, or if all words (at least two) of one are in the other. Case and punctuation are
    /// ignored, and so are non-ASCII letters, which encodings break, in words with ASCII letters.
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
