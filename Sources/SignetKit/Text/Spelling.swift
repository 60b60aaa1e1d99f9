/// Suggests corrections for misspelled words.
public enum Spelling {
    /// The word with the fewest changed, added, omitted or swapped letters; nil if none is similar.
    public static func nearest(to word: String, in words: [String]) -> String? {
        let typed = Array(word.lowercased())
        let limit = typed.count == 1 ? 0 : max(1, typed.count / 3)
        let nearest = words.map { ($0, distance(typed, Array($0.lowercased()))) }
            .filter { $0.1 <= limit }.min { $0.1 < $1.1 }
        if let nearest, nearest.1 <= 1 { return nearest.0 }
        // An unambiguous beginning of a word is a match.
        let beginnings = words.filter { typed.count > 1 && $0.hasPrefix(word.lowercased()) }
        return beginnings.count == 1 ? beginnings[0] : nearest?.0
    }

    /// Maximum length of a word in characters: a longer one is not a typing error.
    private static let longest = 40

    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        guard max(one.count, other.count) <= longest else { return .max }
        var before: [Int] = []
        var row = Array(0...other.count)
        for (i, left) in one.enumerated() {
            var next = [i + 1]
            for (j, right) in other.enumerated() {
                var best = min(row[j] + (left == right ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, left == other[j - 1], one[i - 1] == right {
                    best = min(best, before[j - 1] + 1)
                }
                next.append(best)
            }
            (before, row) = (row, next)
        }
        return row[other.count]
    }
}
