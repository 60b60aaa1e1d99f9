package import Base
package import PDFCore

/// What was appended to a file.
package struct AddedRevisions {
    private let document: PDFDocument
    /// How long the file was before.
    private let byteCount: Int
    /// The document that it was then.
    private let before: () throws -> PDFDocument

    /// - Parameters:
    ///   - document: the whole.
    ///   - byteCount: how long the file was before.
    ///   - before: the document that it was then.
    package init(
        to document: PDFDocument, behind byteCount: Int,
        _ before: @escaping () throws -> PDFDocument
    ) {
        (self.document, self.byteCount, self.before) = (document, byteCount, before)
    }

    /// What they change of the document that is more than a level, or that changes what it says or shows,
    /// in words; nil for nothing.
    ///
    /// - Parameter parts: what the revision may do as well that has one of them, a signature.
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

    /// Of each revision.
    private func changes() throws -> [[DocumentChange]] {
        if let index = document.sections.firstIndex(where: { $0.offset < byteCount }) {
            return try RevisionHistory(of: document).changes(since: index).map(\.changes)
        }
        return [try changesOfDamaged().changes]
    }

    /// Behind a file whose cross-references are damaged, new ones stand for all objects.
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
        // Who refers to it is not known.
        if let removed { return RevisionChanges(forbidding: "object \(removed) was removed") }
        return try RevisionComparison(
            from: RevisionState(before), to: RevisionState(document), section: 0,
            defining: defined,
            in: .init(
                references: ReferenceIndex(of: document), memory: ComparisonMemory(),
                fixed: FixedObjects(of: before))
        ).result
    }
}
