/// Guesses which word somebody meant.
public enum Spelling {
    /// The word that takes the fewest letters to be changed, added, left out or swapped; nil when
    /// none is near.
    public static func nearest(to word: String, in words: [String]) -> String? {
        let typed = Array(word.lowercased())
        // Who types a beginning means what begins so.
        let beginnings = words.filter { typed.count > 1 && $0.hasPrefix(word.lowercased()) }
        if beginnings.count == 1 { return beginnings[0] }
        let limit = max(1, typed.count / 3)
        let candidates = words.map { ($0, distance(typed, Array($0.lowercased()))) }
        return candidates.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
    }

    /// Longer words are no mistyped ones, and would take long to compare.
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
