import Base

extension PDFDocument {
    /// Length of `%PDF-n.m`.
    static let headerByteCount = 8

    static func header(_ reader: IndirectObjectReader) throws(PDFError) -> (Int, PDFVersion) {
        let start = try reader.bytes(
            at: 0, count: PDFLimits.headerSearchByteCount + headerByteCount)
        guard let marker = start.firstRange(of: Array("%PDF-".utf8)) else {
            // Other viewers open a file without a header if `startxref` is near its end.
            let byteCount = reader.cache.byteCount
            let count = min(byteCount, PDFLimits.trailerSearchByteCount)
            let end = try reader.bytes(at: byteCount - count, count: count)
            guard end.lastRange(of: Keyword.Spelling.startxref) != nil else {
                throw PDFError(.notAPDF, "not a PDF file: no %PDF header in the first 1024 bytes")
            }
            reader.warnings.add(.missingHeader, "no %PDF header in the first 1024 bytes")
            return (0, PDFVersion(major: 1, minor: 0))
        }
        let version = PDFVersion(start[marker.upperBound...].prefix(3))
        return (marker.lowerBound, version ?? PDFVersion(major: 1, minor: 0))
    }

    /// The sections, repaired as far as permitted.
    struct FoundSections {
        /// The sections, newest first.
        let sections: SectionList
        /// The position that offsets are relative to.
        let offsetBase: Int
        /// Whether other viewers do not find the sections and search the file for its objects.
        var isHidden = false
        /// See ``CrossReferenceReader/hasIrregularEnd``.
        var hasIrregularEnd = false
        /// Why viewers that search the file find different objects; `nil` for sections that were
        /// not reconstructed.
        var disagreement: String?
        /// See ``RebuildChoices/generations``.
        var generations: [Int: Int] = [:]
        /// See ``RebuildChoices/replaced``.
        var replaced: Set<Int> = []
    }

    static func sections(
        _ reader: IndirectObjectReader, _ headerOffset: Int, _ repair: PDFOptions.Repair
    ) throws(PDFError) -> FoundSections {
        if repair == .always {
            return try rebuilt(
                reader, headerOffset, because: "the sections are wrong about some objects",
                offset: nil)
        }
        var crossReferences = CrossReferenceReader(
            objects: reader, headerOffset: headerOffset, searchesNearby: repair == .whenNeeded)
        do {
            return FoundSections(
                sections: SectionList(try crossReferences.sections()),
                offsetBase: crossReferences.offsetBase, isHidden: crossReferences.isHidden,
                hasIrregularEnd: crossReferences.hasIrregularEnd)
        } catch {
            guard repair == .whenNeeded, error.code == .damagedCrossReference else { throw error }
            return try rebuilt(reader, headerOffset, because: error.detail, offset: error.offset)
        }
    }

    /// A section reconstructed by searching. New offsets are relative to the header, as ISO 32000-2
    /// requires.
    static func rebuilt(
        _ reader: IndirectObjectReader, _ headerOffset: Int, because reason: String, offset: Int?
    ) throws(PDFError) -> FoundSections {
        let found = try rebuilt(reader, headerOffset, nil)
        reader.warnings.add(.crossReferenceRebuilt, reason, offset: offset)
        return found
    }

    /// - Parameter encryption: Decrypts object streams; unreadable ones are omitted.
    static func rebuilt(
        _ reader: IndirectObjectReader, _ headerOffset: Int, _ encryption: PDFEncryption?
    ) throws(PDFError) -> FoundSections {
        var rebuilder = CrossReferenceRebuilder(
            reader.cache.source, headerOffset: headerOffset, encryption: encryption)
        let section = try rebuilder.section()
        return FoundSections(
            sections: SectionList([section]), offsetBase: headerOffset,
            disagreement: rebuilder.choices.disagreement,
            generations: rebuilder.choices.generations, replaced: rebuilder.choices.replaced)
    }

    /// The number of an object in use that exceeds the `Size` of its section or of a newer one (ISO
    /// 32000-2 Table 15). `nil` if there is none. Most viewers show such objects, others treat them
    /// as null.
    package func objectBeyondSize() throws(PDFError) -> Int? {
        var size = Int.max
        for section in sections {
            size = min(size, section.size)
            guard section.highestNumber >= size else { continue }
            let found = try section.firstEntry { (entry) throws(PDFError) in
                entry.number >= size && entry.location != .free
            }
            if let found { return found.number }
        }
        return nil
    }

    /// Whether the sections lead viewers to different objects.
    package func hasAmbiguousXref() throws(PDFError) -> Bool {
        if try objectBeyondSize() != nil { return true }
        // Some viewers treat such a document as encrypted.
        if isEncrypted, encryption == nil, !options.permitsEncryption { return true }
        if reader.warnings.codes.contains(.objectOffset) { return true }
        return try entryExactness() != .exact
    }
}
