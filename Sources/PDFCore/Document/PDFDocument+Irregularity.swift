import Base

extension PDFDocument {
    /// What about the cross-references is not as ISO 32000-2 §7.5.4, §7.5.5 and §7.5.8 have it, in
    /// words: for that some readers search the file for its objects, others do not. Nil for nothing.
    package func sectionIrregularity() throws(PDFError) -> String? {
        if found.hasIrregularEnd { return "the end of the file" }
        for section in sections {
            guard let text = try irregularity(of: section) else { continue }
            return "the section at byte \(section.offset): \(text)"
        }
        return nil
    }

    /// What leads to nothing that pages show: programs hide just that from old readers.
    private static let unseenKeys: Set<PDFName> = [
        "StructTreeRoot", "StructParents", "Metadata", "Info", "PieceInfo", "Outlines", "Names",
        "Dests", "PageLabels", "Threads", "SpiderInfo",
    ]

    /// Something shown that a hybrid section hides from some readers, in words. ISO 32000-2 §7.5.8.4
    /// has the table free what the stream lists: readers that look at the table alone search the file
    /// for it, as do those for which the stream places nothing outside of object streams.
    package func objectHiddenByHybrid() throws(PDFError) -> String? {
        guard sections.contains(where: { $0.kind == .hybrid }) else { return nil }
        let freed = try firstShown(besides: Self.unseenKeys) { (id) throws(PDFError) in
            try section(of: id.number)?.isFreeInTable(id.number) ?? false
        }
        if let freed { return "a table marks object \(freed.number) as free" }
        guard let rebuilt = try searched()?.sections.first else { return nil }
        let replaced = try firstShown(besides: Self.unseenKeys) { (id) throws(PDFError) in
            guard case .offset = try location(of: id), let section = try section(of: id.number),
                try section.isInStreamAlone(id.number)
            else { return false }
            return try isReplaced(id, in: rebuilt)
        }
        return replaced.map { "object \($0.number) is not the last one in the file" }
    }

    private func section(of number: Int) throws(PDFError) -> CrossReferenceSection? {
        try definition(of: number).map { sections[$0.section] }
    }

    private func irregularity(of section: CrossReferenceSection) throws(PDFError) -> String? {
        if let text = section.deviation ?? section.entryIrregularity(in: source.byteCount) {
            return text
        }
        guard section.kind == .table || section.kind == .hybrid else { return nil }
        var syntax = SectionSyntax(reader.cache, at: section.offset)
        do throws(PDFError) {
            _ = try syntax.table()
            guard syntax.hasOddSpelling else { return nil }
            return "some viewers read the trailer differently"
        } catch {
            guard error.code != .readFailed else { throw error }
            return error.detail
        }
    }

    /// Whether an object was found in an object stream by searching the file: some readers who search
    /// look into such streams, others do not.
    package func isFoundByFew(_ id: ObjectID) throws(PDFError) -> Bool {
        guard isRebuilt, case .compressed? = try definition(of: id.number)?.location else {
            return false
        }
        return true
    }
}
