import PDFCore
import PDFSigning

/// What the comparisons of all revisions of a document share: how much may still be looked at, and
/// what one of them read that the next needs again.
final class ComparisonMemory {
    /// Values that may still be compared.
    let values = ValueBudget()
    /// What revisions mostly leave as it is: the parts of the validation data and the nodes of the
    /// parent tree, as the revision of a section has them.
    var knownStore: (section: Int, parts: SecurityStoreParts)?
    var knownParentTree: (section: Int, nodes: Set<ObjectID>)?
    /// Appearances of fields that may still be read, and how much of them, in bytes.
    private var remainingAppearances = (count: 50_000, byteCount: 8 << 20)
    /// Pages of all revisions that may still be gone through.
    private var remainingPages = 300_000
    /// Pages that may still be searched for where something is shown, for the words alone.
    var remainingPlaces = 10_000

    /// Whether one more appearance may be read.
    func takeAppearance() -> Bool {
        remainingAppearances.count -= 1
        return remainingAppearances.count >= 0 && remainingAppearances.byteCount >= 0
    }

    func takePage() throws(TooMuchToCompare) {
        remainingPages -= 1
        guard remainingPages >= 0 else { throw TooMuchToCompare() }
    }

    func spendAppearance(_ byteCount: Int) { remainingAppearances.byteCount -= byteCount }
}
