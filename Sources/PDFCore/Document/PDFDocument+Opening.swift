import Base

extension PDFDocument {
    /// The bytes of `%PDF-n.m`.
    static let headerByteCount = 8

    /// Where the header is, and its version.
    static func header(_ reader: IndirectObjectReader) throws(PDFError) -> (Int, PDFVersion) {
        let start = try reader.bytes(
            at: 0, count: PDFLimits.headerSearchByteCount + headerByteCount)
        guard let marker = start.firstRange(of: Array("%PDF-".utf8)) else {
            // Other readers open a file that at least ends like a document.
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
        /// The newest first.
        let sections: SectionList
        /// From where offsets count.
        let offsetBase: Int
        /// Whether other readers do not find them, and search the file for its objects.
        var isHidden = false
        /// See ``CrossReferenceReader/hasIrregularEnd``.
        var hasIrregularEnd = false
        /// Why readers that search the file do not find the same; nil for sections that are whole.
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

    /// A section made by searching. Offsets to be written count from the header, as the standard
    /// has it.
    static func rebuilt(
        _ reader: IndirectObjectReader, _ headerOffset: Int, because reason: String, offset: Int?
    ) throws(PDFError) -> FoundSections {
        let found = try rebuilt(reader, headerOffset, nil)
        reader.warnings.add(.crossReferenceRebuilt, reason, offset: offset)
        return found
    }

    /// - Parameter encryption: What object streams are encrypted with; those that cannot be read
    ///   are left out.
    static func rebuilt(
        _ reader: IndirectObjectReader, _ headerOffset: Int, _ encryption: PDFEncryption?
    ) throws(PDFError) -> FoundSections {
        var rebuilder = CrossReferenceRebuilder(
            reader.cache.source, headerOffset: headerOffset, encryption: encryption)
        let section = try rebuilder.section()
        return FoundSections(
            sections: SectionList([section]), offsetBase: headerOffset,
            disagreement: rebuilder.disagreement,
            generations: rebuilder.generations, replaced: rebuilder.replaced)
    }

    /// The number of an object in use that its section's `Size`, or that of a newer one, excludes
    /// (ISO 32000-2 Table 15); `nil` when there is none. Most readers show such objects, others
    /// take them for null.
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

    /// Whether the sections lead some readers to other objects than others.
    package func hasAmbiguousXref() throws(PDFError) -> Bool {
        if try objectBeyondSize() != nil { return true }
        // Some readers take such a document for encrypted.
        if isEncrypted, encryption == nil, !options.permitsEncryption { return true }
        if reader.warnings.codes.contains(.objectOffset) { return true }
        return try entryExactness() != .exact
    }
}
