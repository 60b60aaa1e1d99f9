package import Base

/// One change by a later revision, and its level.
package struct DocumentChange: Hashable, Sendable {
    package let level: ChangeLevel
    /// A text: `field 'amount' changed from '100' to '900'`.
    package let text: String
    /// Whether it changes the content or display of the document; signatures do not.
    package let isContent: Bool
    /// The pages on which it may be visible.
    package let places: ChangedPlaces
    package var part: SignaturePart?

}

/// A signature, or an addition that belongs to it.
package enum SignaturePart: Hashable, Sendable {
    /// The signature and its appearance, by the full name of its field.
    case signature(ExactText)
    case mark
    /// The entry that makes it a certification signature.
    case certification
}

package struct RevisionChanges {
    package enum Remark: Hashable {
        case visibleSignatureAdded(String)
        /// An annotation with an appearance, which may cover what was signed.
        case annotationMayCoverContent(String)
        /// A new field that is not a signature field, or a new empty signature field.
        case fieldAdded(String)
        /// A change that viewers may display differently, as text.
        case uncertain(String)
        /// A note about an appearance, without effect on the verdict.
        case appearanceNote(String)
        /// The fields in all revisions exceed the limit.
        case tooMuchToCompare
        /// The changes exceed the limit.
        case tooManyChanges
        /// New objects without a reference to them.
        case unusedObjects(Int)
        /// A new unreferenced object that viewers may use as document structure when they
        /// reconstruct the file.
        case unusedStructure(Int)

        package enum Kind {
            case visibleSignature, covering, field, uncertain, note, tooMuch, tooMany, unused
            case unusedStructure
        }

        package var kind: Kind {
            switch self {
            case .visibleSignatureAdded: .visibleSignature
            case .annotationMayCoverContent: .covering
            case .fieldAdded: .field
            case .uncertain: .uncertain
            case .appearanceNote: .note
            case .tooMuchToCompare: .tooMuch
            case .tooManyChanges: .tooMany
            case .unusedObjects: .unused
            case .unusedStructure: .unusedStructure
            }
        }
    }

    package private(set) var changes: [DocumentChange] = []
    /// Full names of the fields whose value, appearance or state changed.
    package var changedFields: Set<ExactText> = []
    package var covering = CoveringChanges()
    /// Notes without an effect on the permission.
    package var remarks: Set<Remark> = []

    /// Whether ``changes`` was cut at the limit.
    package private(set) var isCut = false
    private var known: Set<DocumentChange> = []
    private var contentCount = 0

    package static let maximumContentCount = 10_000
    /// Maximum number of other changes that are listed, in addition to the content changes.
    package static let maximumTechnicalCount = 1000
    /// Maximum number of changes listed in a problem, and the maximum for each of many signatures.
    package static let (reasonLimit, shortLimit) = (50, 20)

    package init() {}

    package init(forbidding text: String) { note(.forbidden, text) }

    static let uncompared: RevisionChanges = {
        var changes = RevisionChanges()
        changes.remarks.insert(.tooMuchToCompare)
        changes.note(.none, "too much to compare", isContent: false)
        return changes
    }()

    package private(set) var level = ChangeLevel.none

    package mutating func note(
        _ level: ChangeLevel, _ text: String, isContent: Bool = true,
        on places: ChangedPlaces? = nil, part: SignaturePart? = nil
    ) {
        let change = DocumentChange(
            level: level, text: text, isContent: isContent && level > .archival,
            places: places ?? (isContent && level > .archival ? .anywhere : .none), part: part)
        guard !known.contains(change) else { return }
        let hasRoom =
            change.isContent
            ? contentCount < Self.maximumContentCount
            : changes.count - contentCount < Self.maximumTechnicalCount
        guard hasRoom || level > self.level else {
            isCut = true
            if change.isContent { remarks.insert(.tooManyChanges) }
            return
        }
        self.level = max(self.level, level)
        known.insert(change)
        changes.append(change)
        if change.isContent { contentCount += 1 }
    }
}
