import Base

extension PDFDocument {
    /// Number of revisions in the file (ISO 32000-2 §7.5.6).
    ///
    /// A linearized file begins with a section that refers forward to the main one. The two are one
    /// revision (Annex F).
    package var revisionCount: Int {
        sections.count - sections.count { ($0.previous ?? 0) > $0.offset }
    }

    /// The document as of an earlier section, read from the whole file.
    ///
    /// - Parameter index: An index in ``sections``.
    package func view(newestSection index: Int) -> PDFDocument {
        index == 0 ? self : PDFDocument(self, newestSection: index)
    }

    /// The document after `update` is appended to the file.
    package func revised(
        by update: [UInt8], repair: PDFOptions.Repair? = nil
    ) throws(PDFError) -> PDFDocument {
        var options = options
        options.decryption = nil
        if options.repair == .always { options.repair = .whenNeeded }
        if let repair { options.repair = repair }
        return try PDFDocument(
            source: AppendedSource(source, update), options: options, sharing: encryption)
    }

    /// The document at the time when the file ended at `endOffset`.
    ///
    /// - Returns: `nil` if these bytes alone are not a document.
    package func view(atRevisionEndingAt endOffset: Int) throws(PDFError) -> PDFDocument? {
        guard endOffset > 0, endOffset <= source.byteCount else { return nil }
        if let known = try knownRevision(endingAt: endOffset) { return known }
        // A repaired revision would differ from the signed one.
        var options = options
        options.repair = .never
        options.decryption = nil
        do {
            return try PDFDocument(
                source: PrefixSource(source, byteCount: endOffset), options: options,
                sharing: encryption)
        } catch {
            // A revision with another encryption is not a revision of this document.
            let unusable: [PDFErrorCode] = [
                .notAPDF, .damagedCrossReference, .encrypted, .malformedEncryption,
            ]
            guard unusable.contains(error.code) else { throw error }
            return nil
        }
    }

    /// The revision that ends at an offset, if its newest section is already known. Reading the
    /// chain again for each revision would take quadratic time.
    private func knownRevision(endingAt endOffset: Int) throws(PDFError) -> PDFDocument? {
        guard !isEncrypted, endOffset >= headerOffset + Self.headerByteCount else { return nil }
        let prefix = IndirectObjectReader(PrefixSource(source, byteCount: endOffset))
        var crossReferences = CrossReferenceReader(objects: prefix, headerOffset: headerOffset)
        guard let newest = try? crossReferences.newestOffset(),
            crossReferences.offsetBase == offsetBase, let index = sections.index(at: newest),
            sections.arePlain(from: index, before: endOffset)
        else { return nil }
        return PDFDocument(self, newestSection: index, prefix: prefix)
    }

    /// Indices of ``sections`` by revision, the oldest revision first. A linearized file begins
    /// with two sections that are one revision (ISO 32000-2 Annex F).
    package var revisionSections: [[Int]] {
        var groups: [[Int]] = []
        for index in sections.indices.reversed() {
            let continues = (sections[index].previous ?? 0) > sections[index].offset
            if continues, !groups.isEmpty {
                groups[groups.count - 1].append(index)
            } else {
                groups.append([index])
            }
        }
        return groups
    }
}
