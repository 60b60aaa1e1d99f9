import Base
package import PDFCore
import PDFSigning

/// Findings about the end of a signature's byte range.
package struct SignedEndFindings {
    /// The most severe finding about the layout of the bytes after the signed ones.
    package let update: UpdateLayout.Finding?
    /// Whether a signed object ends after the signed bytes: by its syntax; by that or a stream's
    /// /Length.
    package let objectsGoBehind: (surely: Bool, perhaps: Bool)
    /// The lowest number of an object that a later revision refers to before it is defined.
    package let missing: Int?
    /// Description of an unreadable object; nil if all objects are readable.
    package let unreadable: String?
}

/// The document in one of its revisions.
struct RevisionState {
    let document: PDFDocument
    let form: AcroForm
    let places: AcroForm.Places
    /// Indices of the fields that may differ from the previous state; nil if the whole form may
    /// differ.
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
package final class RevisionHistory {
    package enum Extent {
        /// With the bytes of white space after the signed bytes, except for one end of line.
        case wholeFile(padding: Int)
        /// The signed bytes are the document with this section as the newest, counted from the end.
        case revision(Int)
        case partial(String)
    }

    private let document: PDFDocument
    /// The comparison of section `index` with the one before it.
    private var comparisons: [Int: RevisionChanges] = [:]
    private var references: ReferenceIndex?
    private let memory = ComparisonCache()
    /// The fixed objects of all revisions compared so far.
    private var fixed: FixedObjects?
    /// Data after the end of the first signed revision. Signatures are checked in the order of
    /// their ends.
    private var layout: UpdateLayout?
    /// Element n - 1 is the highest object offset in the n oldest sections.
    private var highestOffsets: [Int] = []
    /// Element n is the lowest offset of the n newest sections.
    private lazy var lowestSections = document.sections.reduce(into: [Int.max]) { lowest, section in
        lowest.append(min(lowest[lowest.count - 1], section.offset))
    }
    /// The later state of the last comparison, by section.
    private var states: [Int: RevisionState] = [:]
    /// Remaining form fields to compare.
    private var fieldBudget = 400_000
    /// Remaining revision steps for all signatures together: enough for 1000 signatures in separate
    /// revisions.
    private var stepBudget = 500_000
    /// Ratio of the cost of reading a form to the cost of reusing the previous form.
    private static let costOfReading = 32

    package init(of document: PDFDocument) { self.document = document }

    /// The coverage of a signature whose second span ends at `end`.
    package func coverage(upTo end: Int, signatureID: ObjectID) throws -> Extent {
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
                "the signature does not cover a whole revision: the signed byte range ends inside one"
            )
        }
        guard index > 0 else {
            let count = size - end
            return .partial(
                "modified after signing: \(count) byte\(count == 1 ? "" : "s") of other data "
                    + "\(count == 1 ? "was" : "were") added at the end of the file")
        }
        guard lowestSections[index] >= end else {
            return .partial(
                "modified after signing: a later revision has its cross-references inside the signed "
                    + "byte range")
        }
        guard try signed.location(of: signatureID) == document.location(of: signatureID) else {
            return .partial("modified after signing: the signature was replaced")
        }
        guard try !refersBehind(end, from: index) else {
            return .partial(
                "the signature does not cover its whole revision: cross-references refer to data after "
                    + "the signed byte range")
        }
        if layout == nil { layout = try document.layout(from: end, sections: index) }
        return .revision(index)
    }

    /// Findings about signed bytes that end at `end`: unlisted data after them, and signed objects
    /// that do not end there.
    ///
    /// - Parameter index: the newest section at that time.
    package func findingsAtSignedEnd(_ end: Int, section index: Int) throws -> SignedEndFindings {
        let references = try knownReferences()
        return SignedEndFindings(
            update: layout?.summary(behind: end),
            objectsGoBehind: references.goes(behind: end, from: index),
            missing: references.missing(since: index), unreadable: references.unreadable)
    }

    private func knownReferences() throws(PDFError) -> ReferenceIndex {
        if let references { return references }
        let made = try ReferenceIndex(of: document)
        references = made
        return made
    }

    /// Whether any section up to the signed one refers to an offset after the signed bytes.
    private func refersBehind(_ end: Int, from index: Int) throws(PDFError) -> Bool {
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

    /// The changes of each revision after section `index`, oldest first.
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

    /// The document with section `index` as the newest; cached for the next comparison.
    private func state(_ index: Int) throws -> RevisionState {
        if let known = states[index] { return known }
        return try RevisionState(document.view(newestSection: index))
    }

    /// Compares a revision; an unreadable one is forbidden.
    private func compare(_ newer: Int) throws -> RevisionChanges {
        // Skip the revision: reading it would cost as much as comparing it.
        guard fieldBudget >= 0, !memory.values.isSpent else { return .uncompared }
        do {
            let references = try knownReferences()
            var defined: Set<ObjectID> = []
            try document.sections[newer].forEachEntry { entry throws(PDFError) in
                if entry.number > 0 { defined.insert(entry.objectID) }
            }
            let old = try state(newer + 1)
            let new = try RevisionState(
                document.view(newestSection: newer), after: old, defining: defined)
            states = [newer: new]
            var fixed = try fixed ?? FixedObjects(of: old.document)
            // An unreadable revision fails, and so do all later ones.
            defer {
                try? fixed.update(to: new.document, defining: defined)
                self.fixed = fixed
            }
            let count = new.form.fields.count
            fieldBudget -= new.changedFields.map { $0.count + count / Self.costOfReading } ?? count
            guard fieldBudget >= 0 else { return .uncompared }
            return try RevisionComparison(
                from: old, to: new, section: newer, defining: defined,
                in: .init(references: references, memory: memory, fixed: fixed)
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
