import PDFCore
import PDFSigning

/// Budgets and cached results shared by all comparisons of a document's revisions.
final class ComparisonCache {
    let values = ValueBudget()
    /// The parts of the validation data and the nodes of the parent tree, cached with the section
    /// of their revision. Most revisions do not change them.
    var knownStore: (section: Int, parts: SecurityStoreParts)?
    var knownParentTree: (section: Int, nodes: Set<ObjectID>)?
    /// End of the last signed byte range in an earlier revision, cached by section.
    var knownSignedEnd: (section: Int, end: Int)?
    private var remainingAppearances = (count: 50_000, byteCount: 8 << 20)
    /// Remaining pages to read in all revisions.
    private var remainingPages = 300_000
    /// Remaining pages to search for positions, used only in messages.
    var remainingPlaces = 10_000

    /// Takes one appearance from the budget; false if it is used up.
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
