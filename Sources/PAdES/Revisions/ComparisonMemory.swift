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
    /// How widgets looked when their value came or a revision was signed, whichever was later, as
    /// far as they were drawn anew since: many small moves are a large one.
    private var firstLooks: [ObjectID: [PlainText]] = [:]
    /// Likewise the marks of buttons.
    private var firstMarks: [ObjectID: [String: MarkLook]] = [:]
    /// Which pages have which annotations.
    let holders = AnnotationHolders()
    /// Looks of fields that may still be read, and how much of them, in bytes.
    private var remainingLooks = (count: 50_000, byteCount: 8 << 20)
    /// Pages of all revisions that may still be gone through.
    private var remainingPages = 300_000
    /// Pages that may still be searched for where something is shown, for the words alone.
    var remainingPlaces = 10_000

    /// Whether one more look may be read.
    func takeLook() -> Bool {
        remainingLooks.count -= 1
        return remainingLooks.count >= 0 && remainingLooks.byteCount >= 0
    }

    func takePage() throws(TooMuchToCompare) {
        remainingPages -= 1
        guard remainingPages >= 0 else { throw TooMuchToCompare() }
    }

    /// How the text that a widget shows compares with what it showed first; nil when that is not
    /// known.
    ///
    /// - Parameter byWords: whether the words count, besides their place and colour.
    func likeness(
        of widget: ObjectID, _ was: WidgetLook, _ now: WidgetLook, byWords: Bool = true
    ) throws -> ShownText.Likeness? {
        guard let before = try was.plainTexts(), let after = try now.plainTexts() else {
            return nil
        }
        let first = firstLooks[widget] ?? before
        firstLooks[widget] = first
        guard first.count == after.count, before.count == after.count else { return .other }
        var likeness = ShownText.Likeness.same
        for (first, (before, after)) in zip(first, zip(before, after)) {
            guard !byWords || first.words == after.words && before.words == after.words else {
                return .other
            }
            for other in [first, before] {
                let found = after.shown.likeness(to: other.shown)
                if found.rawValue > likeness.rawValue { likeness = found }
            }
        }
        return likeness
    }

    /// The marks that a button had first, which are `marks` when none is known.
    func firstMarks(
        of widget: ObjectID, _ marks: [String: MarkLook]
    ) -> [String: MarkLook] {
        let first = firstMarks[widget] ?? marks
        firstMarks[widget] = first
        return first
    }

    /// Whether a widget's frames are where they were first, as far as ``likeness(of:_:_:)`` knows.
    func hasSameFrames(_ widget: ObjectID, _ now: WidgetLook) throws -> Bool {
        guard let first = firstLooks[widget], let after = try now.plainTexts() else { return false }
        return zip(first, after).allSatisfy { Frame.areAlike($0.frames, $1.frames) }
    }

    /// What is shown now by widgets with another value is not to be compared with what was before.
    func forgetLooks(of widgets: [ObjectID]) {
        guard !firstLooks.isEmpty else { return }
        for widget in widgets { firstLooks[widget] = nil }
    }

    func spendLook(_ byteCount: Int) { remainingLooks.byteCount -= byteCount }
}
