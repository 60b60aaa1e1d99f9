import Base

extension PDFDocument {
    /// How many revisions the file holds (ISO 32000-2 §7.5.6).
    ///
    /// A linearized file begins with a section that points forward to the main one; the two are
    /// one revision (Annex F).
    package var revisionCount: Int {
        sections.count - sections.count { ($0.previous ?? 0) > $0.offset }
    }

    /// The document as an earlier section left it, by the bytes of the whole file.
    ///
    /// - Parameter index: an index of ``sections``.
    package func view(newestSection index: Int) -> PDFDocument {
        index == 0 ? self : PDFDocument(self, newestSection: index)
    }

    /// The document as it will be when `update` stands behind the file.
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

    /// The document as it was when the file ended at `endOffset`.
    ///
    /// - Returns: `nil` when these bytes alone are no document.
    package func view(atRevisionEndingAt endOffset: Int) throws(PDFError) -> PDFDocument? {
        guard endOffset > 0, endOffset <= source.byteCount else { return nil }
        if let known = try knownRevision(endingAt: endOffset) { return known }
        // A repaired revision is not the one that was signed.
        var options = options
        options.repair = .never
        options.decryption = nil
        do {
            return try PDFDocument(
                source: PrefixSource(source, byteCount: endOffset), options: options,
                sharing: encryption)
        } catch {
            // A revision encrypted otherwise is none of this document.
            let unusable: [PDFErrorCode] = [
                .notAPDF, .damagedCrossReference, .encrypted, .malformedEncryption,
            ]
            guard unusable.contains(error.code) else { throw error }
            return nil
        }
    }

    /// As above, when the revision ends with a section that is known already. To read its chain
    /// once more for each of many revisions would cost the square of their number.
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

    /// Indices of ``sections`` by revision, the oldest revision first: a linearized file begins
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
