package import Base
package import PDFCore

/// The revisions appended to a file.
package struct AddedRevisions {
    private let document: PDFDocument
    /// The earlier length of the file, in bytes.
    private let byteCount: Int
    /// Opens the document at that length.
    private let before: () throws -> PDFDocument

    /// - Parameters:
    ///   - document: the current document.
    ///   - byteCount: the earlier length of the file.
    ///   - before: opens the document at that length.
    package init(
        to document: PDFDocument, behind byteCount: Int,
        _ before: @escaping () throws -> PDFDocument
    ) { (self.document, self.byteCount, self.before) = (document, byteCount, before) }

    /// The first change above a level, or of the document's content, as text; nil if there is none.
    ///
    /// - Parameter parts: the permitted parts of a signature that the revision adds.
    package func change(upTo level: ChangeLevel, besides parts: Set<SignaturePart>) throws
        -> String?
    {
        for revision in try changes() {
            let own = revision.compactMap(\.part).filter(parts.contains)
            let isOfSignature = own.contains { if case .signature = $0 { true } else { false } }
            let found = revision.first { change in
                let isOwn = isOfSignature && change.part.map(parts.contains) ?? false
                return !isOwn && (change.level > level || change.isContent)
            }
            if let found { return found.text }
        }
        return nil
    }

    private func changes() throws -> [[DocumentChange]] {
        if let index = document.sections.firstIndex(where: { $0.offset < byteCount }) {
            return try RevisionHistory(of: document).changes(since: index).map(\.changes)
        }
        return [try changesOfDamaged().changes]
    }

    /// If the cross-reference table is damaged, the update redefines all objects.
    private func changesOfDamaged() throws -> RevisionChanges {
        let before = try before()
        var defined: Set<ObjectID> = []
        for section in document.sections {
            try section.forEachEntry { entry throws(PDFError) in
                guard entry.number > 0,
                    try before.definition(of: entry.number)?.location != entry.location
                else { return }
                defined.insert(entry.objectID)
            }
        }
        var removed: Int?
        for section in before.sections {
            try section.forEachEntry { entry throws(PDFError) in
                guard entry.location != .free else { return }
                let location = try document.definition(of: entry.number)?.location ?? .free
                if location == .free { removed = entry.number }
            }
        }
        // References to the removed object are unknown.
        if let removed { return RevisionChanges(forbidding: "object \(removed) was removed") }
        return try RevisionComparison(
            from: RevisionState(before), to: RevisionState(document), section: 0, defining: defined,
            in: .init(
                references: ReferenceIndex(of: document), memory: ComparisonCache(),
                fixed: FixedObjects(of: before))
        ).result
    }
}
