import Base
package import PDFCore
package import PDFSigning

/// Signatures of earlier revisions that the newest revision lacks: removing them can make a changed
/// document seem unsigned. Signatures are identified by their file offset, not by name.
package struct LostSignatures {
    package private(set) var fields: [String] = []
    /// Whether all revisions that may contain one were searched.
    private(set) var isComplete = true

    /// Maximum number of form fields that are read in all earlier revisions together.
    private static let maximumFieldCount = 150_000

    private let document: PDFDocument
    private var known: Set<Int> = []
    private var budget = Self.maximumFieldCount

    /// - Parameter unreferencedSections: sections without a reference, found during hashing; nil to
    ///   search for them.
    package init(
        in document: PDFDocument, besides form: AcroForm,
        unreferencedSections: UnreferencedSections? = nil
    ) throws {
        self.document = document
        for found in try signatures(of: form, in: document) { known.insert(found.place) }
        guard !document.isRebuilt else { return }
        try searchEarlierRevisions(of: form)
        try searchUnreferencedSections(unreferencedSections ?? UnreferencedSections(in: document))
    }

    /// The problem of an incomplete search, for all signatures of the file; empty if it is complete.
    var problems: [VerificationProblem] {
        guard !isComplete else { return [] }
        return [
            .doubt(
                .revisionsNotSearched,
                "not all revisions were searched for removed signatures (limit reached)")
        ]
    }

    // MARK: Signatures of a revision

    private func signatures(
        of form: AcroForm, in document: PDFDocument
    ) throws -> [(field: String, place: Int)] {
        try form.signatureFields.compactMap { field in
            try place(of: field.value, heldBy: field.valueHolder, in: document)
                .map { (field.fullName.text, $0) }
        }
    }

    /// File offset of a signature that is not known yet; nil for others. A direct dictionary is
    /// identified by the object that contains it.
    private func place(
        of value: PDFObject?, heldBy holder: ObjectID?, in document: PDFDocument
    ) throws -> Int? {
        let isDirect = value?.dictionaryValue.map(SignatureValue.isSignature) ?? false
        guard let id = isDirect ? holder : value?.referenceValue,
            case .offset(let offset, _)? = try document.location(of: id), !known.contains(offset),
            let object = try? document.object(id), object != .null
        else { return nil }
        return offset
    }

    private mutating func note(_ found: [(field: String, place: Int)]) {
        for (name, place) in found.sorted(by: { $0.place < $1.place })
        where known.insert(place).inserted { fields.append(name) }
    }

    // MARK: Earlier revisions

    private mutating func searchEarlierRevisions(of newest: AcroForm) throws {
        var trail = try FormHistory(newest, in: document)
        var changed: Set<Int> = []
        let groups = document.revisionSections
        for place in groups.indices.dropFirst().reversed() {
            guard let section = groups[place - 1].last else { continue }
            for index in groups[place] {
                try document.sections[index].forEachEntry { (entry) throws(PDFError) in
                    if trail.touches(entry.number) { changed.insert(entry.number) }
                }
            }
            let view = document.view(newestSection: section)
            guard try !changed.isEmpty || trail.isOther(view) else { continue }
            if let fields = try? trail.step(to: view, over: changed) {
                note(try fields.compactMap { try signature(of: $0, in: view, &trail) })
            } else {
                // A revision with an unreadable form cannot have been signed. Older signatures are
                // found in the revisions before it.
                guard let form = try? AcroForm(of: view) else { continue }
                budget -= form.fields.count
                guard budget >= 0 else {
                    isComplete = false
                    return
                }
                note(try signatures(of: form, in: view))
                trail = try FormHistory(form, in: view)
            }
            changed = []
        }
    }

    /// The signature in a field; nil if it is already known.
    private func signature(
        of id: ObjectID, in view: PDFDocument, _ trail: inout FormHistory
    ) throws -> (field: String, place: Int)? {
        guard let field = try? view.object(id).dictionaryValue,
            try view.inherited("FT", of: field)?.nameValue == "Sig"
        else { return nil }
        trail.note(field["V"], of: id)
        guard let place = try place(of: field["V"], heldBy: id, in: view) else { return nil }
        let name = try view.inherited("T", of: field)?.stringValue ?? []
        return (PDFString(bytes: name, isHexadecimal: false).text, place)
    }

    // MARK: Unreferenced revisions

    /// Searches the revisions that no cross-reference section refers to.
    private mutating func searchUnreferencedSections(_ unreferencedSections: UnreferencedSections)
        throws
    {
        let (views, isComplete) = try document.revisions(of: unreferencedSections)
        self.isComplete = self.isComplete && isComplete
        for view in views {
            guard let form = try? AcroForm(of: view) else { continue }
            budget -= form.fields.count
            note(try signatures(of: form, in: view))
            guard budget >= 0 else {
                self.isComplete = false
                return
            }
        }
    }
}
