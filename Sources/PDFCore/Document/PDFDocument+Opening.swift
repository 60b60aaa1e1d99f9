import ByteKit

extension PDFDocument {
    /// Where the header is, and its version.
    static func header(
        _ reader: IndirectObjectReader
    ) throws(PDFError) -> (Int, PDFVersion) {
        let start = try reader.bytes(at: 0, count: PDFLimits.headerSearchByteCount + 8)
        guard let marker = start.firstRange(of: Array("%PDF-".utf8)) else {
            throw PDFError(.notAPDF, "no PDF header in the first 1024 bytes", offset: 0)
        }
        let version = PDFVersion(start[marker.upperBound...].prefix(3))
        return (marker.lowerBound, version ?? PDFVersion(major: 1, minor: 0))
    }

    /// The sections, repaired as far as permitted, and from where offsets count.
    static func sections(
        _ reader: IndirectObjectReader, _ headerOffset: Int, _ repair: PDFOptions.Repair
    ) throws(PDFError) -> ([CrossReferenceSection], offsetBase: Int) {
        if repair == .always {
            return try rebuilt(reader, headerOffset, because: "as told", offset: nil)
        }
        var crossReferences = CrossReferenceReader(
            objects: reader, headerOffset: headerOffset, searchesNearby: repair == .whenNeeded)
        do {
            return (try crossReferences.sections(), crossReferences.offsetBase)
        } catch {
            guard repair == .whenNeeded, error.code == .damagedCrossReference else { throw error }
            return try rebuilt(reader, headerOffset, because: error.detail, offset: error.offset)
        }
    }

    /// A section made by searching. Offsets to be written count from the header, as the standard
    /// has it.
    static func rebuilt(
        _ reader: IndirectObjectReader, _ headerOffset: Int, because reason: String, offset: Int?
    ) throws(PDFError) -> ([CrossReferenceSection], offsetBase: Int) {
        let section = try rebuilt(reader, headerOffset, nil)
        reader.warnings.add(.crossReferenceRebuilt, reason, offset: offset)
        return ([section], headerOffset)
    }

    /// - Parameter encryption: What object streams are encrypted with; those that cannot be read
    ///   are left out.
    static func rebuilt(
        _ reader: IndirectObjectReader, _ headerOffset: Int, _ encryption: PDFEncryption?
    ) throws(PDFError) -> CrossReferenceSection {
        var rebuilder = CrossReferenceRebuilder(
            reader.cache.source, headerOffset: headerOffset, encryption: encryption)
        return try rebuilder.section()
    }
}
