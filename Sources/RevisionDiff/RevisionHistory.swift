import Base
package import PDFCore
import PDFSigning

/// Findings about the end of a signature's byte range.
package struct SignedEndFindings {
    /// The most severe finding about the layout of the bytes after the signed ones.
    package let update: UpdateLayout.Finding?
    /// Whether a signed object ends after the signed bytes: by its syntax, or by the /Length of a
    /// stream.
    package let objectsEndLater: (bySyntax: Bool, byLength: Bool)
    /// The lowest number of an undefined object to which a later revision adds a reference.
    package let missingObject: Int?
    /// Description of an unreadable object; nil if all objects are readable.
    package let unreadableObject: String?
}

/// The document as of one of its revisions, with its form.
struct RevisionState {
    let document: PDFDocument
    let form: AcroForm
    let places: AcroForm.Places
    /// Indices of the fields that may differ from the previous revision; nil if all may.
    var changedFields: [Int]?
}

extension RevisionState {
    init(_ document: PDFDocument) throws(PDFError) {
        let form = try AcroForm(of: document)
        self.init(document: document, form: form, places: AcroForm.Places(of: form))
    }

    /// The state after `old`, with a section that defines or frees `defined`.
    init(
        _ document: PDFDocument, after old: RevisionState, defining defined: Set<ObjectID>
    ) throws(PDFError) {
        guard try document.catalogID == old.document.catalogID,
            let (form, changed) = try old.form.updated(
                to: document, from: old.document, defining: defined, old.places)
        else {
            try self.init(document)
            return
        }
        self.init(document: document, form: form, places: old.places, changedFields: changed)
    }
}

/// The revisions of a document (ISO 32000-2 §7.5.6) and their changes. Each revision is compared
/// once for all signatures.
///
/// A revision is identified by the index of its cross-reference section in
/// ``PDFDocument/sections``: 0 is the newest, higher ones are older.
package final class RevisionHistory {
    /// The part of the file that a signature covers. Reports contain it as ``Base/Coverage``.
    package enum Coverage {
        /// The whole file, except for `padding` bytes of white space; a single end of line counts
        /// as none.
        case wholeFile(padding: Int)
        /// The document up to this section; later revisions follow.
        case revision(Int)
        /// Not a whole revision, for this reason.
        case partial(String)
    }

    private let document: PDFDocument
    /// The changes that a section makes to the next older one, by its index.
    private var comparisons: [Int: RevisionChanges] = [:]
    private var references: ReferenceIndex?
    private let cache = ComparisonCache()
    /// The fixed objects as of the last compared revision.
    private var fixed: FixedObjects?
    /// The layout of the bytes after the earliest signed end so far.
    private var layout: UpdateLayout?
    /// Element n - 1 is the highest object offset in the n oldest sections; extended on demand.
    private var highestOffsets: [Int] = []
    /// Element n is the lowest offset of the n newest sections.
    private lazy var lowestSections = document.sections.reduce(into: [Int.max]) { lowest, section in
        lowest.append(min(lowest[lowest.count - 1], section.offset))
    }
    /// The newer revision of the last comparison, which the next comparison starts from.
    private var lastCompared: (index: Int, state: RevisionState)?
    /// Remaining number of form fields to compare.
    private var fieldBudget = 400_000
    /// Remaining number of revisions listed for all signatures together: enough for 1000 signatures
    /// in separate revisions.
    private var stepBudget = 500_000
    /// Ratio of the cost of reading a form to the cost of reusing the previous form.
    private static let costOfReading = 32

    package init(of document: PDFDocument) { self.document = document }

    /// The coverage of a signature whose second span ends at `end`.
    package func coverage(upTo end: Int, signatureID: ObjectID) throws -> Coverage {
        let size = document.source.byteCount
        if try document.isPadding(from: end) {
            let last = try document.source.bytes(at: end, count: min(size - end, 3))
            return .wholeFile(padding: [[], [10], [13], [13, 10]].contains(last) ? 0 : size - end)
        }
        guard let signed = try document.view(atRevisionEndingAt: end),
            let offset = signed.sections.first?.offset,
            let index = document.sections.index(at: offset)
        else {
            return .partial(
                "the signature does not cover a whole revision: the signed byte range ends within it"
            )
        }
        guard index > 0 else {
            guard size - end > 1 else {
                return .partial(
                    "modified after signing: 1 byte of other data was added at the end of the file")
            }
            // Viewers that reconstruct the table show a second version if the signed file hides one.
            if try document.isPadding(from: end, limit: PDFLimits.junkSearchByteCount) {
                return .partial(
                    "modified after signing: \(size - end) bytes of white space were added at the "
                        + "end of the file, so viewers reconstruct the cross-reference table")
            }
            return .partial(
                "modified after signing: \(size - end) bytes of other data were added at the end of the file"
            )
        }
        guard lowestSections[index] >= end else {
            return .partial(
                "modified after signing: a later revision has its cross-references inside the signed "
                    + "byte range")
        }
        guard try signed.location(of: signatureID) == document.location(of: signatureID) else {
            return .partial("modified after signing: the signature was replaced")
        }
        guard try !hasEntries(behind: end, from: index) else {
            return .partial(
                "the signature does not cover its whole revision: cross-references refer to data after "
                    + "the signed byte range")
        }
        return .revision(index)
    }

    /// Findings about the end of signed bytes: unlisted data after it, and signed objects that end
    /// later. Fast if called in ascending order of `end`.
    ///
    /// - Parameter index: the newest signed section.
    package func findingsAtSignedEnd(_ end: Int, section index: Int) throws -> SignedEndFindings {
        let references = try knownReferences()
        return SignedEndFindings(
            update: try layout(behind: end, sections: index).summary(behind: end),
            objectsEndLater: references.objectsEnd(after: end, from: index),
            missingObject: references.missing(since: index),
            unreadableObject: references.unreadable)
    }

    /// The layout of at least the bytes after `end`, which are `count` sections.
    private func layout(behind end: Int, sections count: Int) throws(PDFError) -> UpdateLayout {
        if let layout, layout.start <= end { return layout }
        let made = try document.layout(from: end, sections: count)
        layout = made
        return made
    }

    private func knownReferences() throws(PDFError) -> ReferenceIndex {
        if let references { return references }
        let made = try ReferenceIndex(of: document)
        references = made
        return made
    }

    /// Whether an entry of section `index` or an older one has an offset at or after `end`.
    private func hasEntries(behind end: Int, from index: Int) throws(PDFError) -> Bool {
        let count = document.sections.count - index
        while highestOffsets.count < count {
            var highest = highestOffsets.last ?? -1
            let next = document.sections.count - 1 - highestOffsets.count
            try document.sections[next].forEachEntry { (entry) throws(PDFError) in
                if case .offset(let offset, _) = entry.location { highest = max(highest, offset) }
            }
            highestOffsets.append(highest)
        }
        return highestOffsets[count - 1] >= end
    }

    /// The changes of each revision newer than section `index`, oldest first.
    package func changes(since index: Int) throws -> [RevisionChanges] {
        stepBudget -= index
        guard stepBudget >= 0 else { return [RevisionChanges.uncompared] }
        return try (0..<index).reversed().map { newer in
            if let known = comparisons[newer] { return known }
            let changes = try compare(newer)
            comparisons[newer] = changes
            return changes
        }
    }

    /// The document as of section `index`.
    private func state(_ index: Int) throws -> RevisionState {
        if let lastCompared, lastCompared.index == index { return lastCompared.state }
        return try RevisionState(document.view(newestSection: index))
    }

    /// Compares section `newer` with the next older one; an unreadable revision is forbidden.
    private func compare(_ newer: Int) throws -> RevisionChanges {
        // Reading the revision would cost as much as comparing it.
        guard fieldBudget >= 0, !cache.values.isSpent else { return .uncompared }
        do {
            let references = try knownReferences()
            var defined: Set<ObjectID> = []
            try document.sections[newer].forEachEntry { entry throws(PDFError) in
                if entry.number > 0 { defined.insert(entry.objectID) }
            }
            let old = try state(newer + 1)
            let new = try RevisionState(
                document.view(newestSection: newer), after: old, defining: defined)
            lastCompared = (newer, new)
            var fixed = try fixed ?? FixedObjects(of: old.document)
            // If the update fails, so does the comparison of this and every later revision.
            defer {
                try? fixed.update(to: new.document, defining: defined)
                self.fixed = fixed
            }
            let count = new.form.fields.count
            fieldBudget -= new.changedFields.map { $0.count + count / Self.costOfReading } ?? count
            guard fieldBudget >= 0 else { return .uncompared }
            return try RevisionComparison(
                from: old, to: new, section: newer, defining: defined,
                in: .init(references: references, memory: cache, fixed: fixed)
            ).result
        } catch is TooMuchToCompare {
            return .uncompared
        } catch let error as PDFError where error.code != .readFailed {
            let place = error.object.map { " in object \($0)" } ?? ""
            return RevisionChanges(
                forbidding: "the later revision cannot be read (\(error.detail)\(place))")
        }
    }
}
