import Base

extension PDFDocument {
    /// The first deviation of the cross-references from ISO 32000-2 §7.5.4, §7.5.5 and §7.5.8, as
    /// text; `nil` if there is none. Some viewers then search the file for its objects, others do
    /// not.
    package func sectionIrregularity() throws(PDFError) -> String? {
        if found.hasIrregularEnd { return "the end of the file" }
        for section in sections {
            guard let text = try irregularity(of: section) else { continue }
            return "the section at byte \(section.offset): \(text)"
        }
        return nil
    }

    /// Entries that lead to nothing visible on pages. Producers hide exactly these from old
    /// viewers.
    private static let unseenKeys: Set<PDFName> = [
        "StructTreeRoot", "StructParents", "Metadata", "Info", "PieceInfo", "Outlines", "Names",
        "Dests", "PageLabels", "Threads", "SpiderInfo",
    ]

    /// A visible object that a hybrid section hides from some viewers, as text; `nil` if there is
    /// none.
    ///
    /// By ISO 32000-2 §7.5.8.4, the table frees objects listed in the stream. Viewers that read
    /// only the table search the file for them. So do viewers that use the stream only for objects
    /// in object streams.
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

    /// Whether a section from `index` on has replaced an object of an object stream. Viewers that
    /// reconstruct the table use the object in the stream.
    func isCompressedObjectReplaced(from index: Int) throws(PDFError) -> Bool {
        var defined = ObjectNumberSet()
        for section in sections[index...] {
            var numbers: [Int] = []
            let replaced = try section.firstEntry { (entry) throws(PDFError) in
                numbers.append(entry.number)
                guard case .compressed = entry.location else { return false }
                return defined.contains(entry.number)
            }
            if replaced != nil { return true }
            for number in numbers { defined.insert(number) }
        }
        return false
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

    /// Whether an object was found in an object stream by searching the file. Only some viewers
    /// that search a file examine object streams.
    package func isFoundByFew(_ id: ObjectID) throws(PDFError) -> Bool {
        guard isRebuilt, case .compressed? = try definition(of: id.number)?.location else {
            return false
        }
        return true
    }
}
