/// There is more to compare than the limit.
struct TooMuchToCompare: Error {}

/// Counts the values that are compared, in all revisions of a document.
final class ValueBudget {
    private var remaining: Int

    /// - Parameter count: as many as take about half a second.
    init(_ count: Int = 30_000_000) { remaining = count }

    var isSpent: Bool { remaining < 0 }

    func spend(_ count: Int) throws(TooMuchToCompare) {
        remaining -= count
        guard remaining >= 0 else {
            remaining = -1
            throw TooMuchToCompare()
        }
    }
}
