/// The comparison exceeds its limit.
package struct TooMuchToCompare: Error { package init() {} }

/// Counts the values that are compared, in all revisions of a document.
package final class ValueBudget {
    private var remaining: Int

    /// - Parameter count: the default takes about half a second.
    package init(_ count: Int = 30_000_000) { remaining = count }

    package var isSpent: Bool { remaining < 0 }

    package func spend(_ count: Int) throws(TooMuchToCompare) {
        remaining -= count
        guard remaining >= 0 else {
            remaining = -1
            throw TooMuchToCompare()
        }
    }
}
