import PDFCore

/// What the comparisons of all revisions of a document share: how much may still be looked at, and
/// what one of them read that the next needs again.
final class ComparisonMemory {
    /// Values that may still be compared.
    let values = ValueBudget()
    /// What revisions mostly leave as it is: the parts of the validation data and the nodes of the
    /// parent tree, as the revision of a section has them.
    var knownStore: (section: Int, parts: SecurityStoreParts)?
    var knownParentTree: (section: Int, nodes: Set<ObjectID>)?
    /// Looks of fields that may still be read, and how much of them, in bytes.
    private var remainingLooks = (count: 50_000, byteCount: 8 << 20)

    /// Whether one more look may be read.
    func takeLook() -> Bool {
        remainingLooks.count -= 1
        return remainingLooks.count >= 0 && remainingLooks.byteCount >= 0
    }

    func spendLook(_ byteCount: Int) { remainingLooks.byteCount -= byteCount }
}
