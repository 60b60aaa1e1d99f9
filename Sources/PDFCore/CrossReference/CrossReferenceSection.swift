/// One cross-reference section with its trailer (ISO 32000-2 §7.5.4, §7.5.5 and §7.5.8).
package struct CrossReferenceSection {
    package enum Kind: Sendable {
        case table
        case stream
        /// A table whose trailer refers to a stream with further objects (ISO 32000-2 §7.5.8.4).
        case hybrid
        /// The section was reconstructed by searching the file.
        case rebuilt
    }

    /// Position of the keyword `xref`, or of the cross-reference stream's object.
    package let offset: Int
    package let kind: Kind
    /// The trailer dictionary; for a cross-reference stream, the stream dictionary.
    package let trailer: PDFDictionary
    /// Position of the previous section in the file.
    package let previous: Int?
    /// Position after the trailer dictionary, or after `endobj` of the stream.
    package let endOffset: Int
    /// The ID of the cross-reference stream object, for ``Kind/stream``.
    package let container: ObjectID?
    /// Position of the cross-reference stream of a hybrid section.
    package let supplementOffset: Int?
    package var supplementTrailer: PDFDictionary?
    /// How the object of a cross-reference stream deviates from the syntax.
    var deviation: String?
    /// Whether some viewers read a name or number in the trailer differently.
    let hasOddTrailer: Bool

    let entries: CrossReferenceEntries
    let supplement: CrossReferenceEntries?

    package var highestNumber: Int { max(entries.highestNumber, supplement?.highestNumber ?? -1) }

    /// One more than the highest permitted object number, from the section's trailer (ISO 32000-2
    /// Table 15); 0 if missing.
    package var size: Int { max(0, trailer["Size"]?.integerValue ?? 0) }

    var numberRanges: [Range<Int>] { entries.numberRanges + (supplement?.numberRanges ?? []) }

    /// Whether objects may be in object streams, which a table cannot express.
    var mayHoldCompressed: Bool { kind == .rebuilt || kind == .stream || supplement != nil }

    /// Approximate memory size of the entries.
    var entryByteCount: Int { entries.byteCount + (supplement?.byteCount ?? 0) }

    /// The location of an object; `nil` if the section has no entry for it.
    ///
    /// In a hybrid section the stream defines objects that the table omits or marks as free.
    package func location(of number: Int) throws(PDFError) -> ObjectLocation? {
        let location = try entries.location(of: number)
        guard let supplement, location == nil || location == .free else { return location }
        return try supplement.location(of: number) ?? location
    }

    /// Every entry of the section, by ascending number for each of its parts.
    package func forEachEntry(
        _ body: (CrossReferenceEntry) throws(PDFError) -> Void
    ) throws(PDFError) {
        _ = try firstEntry { (entry) throws(PDFError) in
            try body(entry)
            return false
        }
    }

    /// The first entry that `isWanted` accepts, in the order of ``forEachEntry(_:)``.
    package func firstEntry(
        where isWanted: (CrossReferenceEntry) throws(PDFError) -> Bool
    ) throws(PDFError) -> CrossReferenceEntry? {
        guard let supplement else { return try entries.first(where: isWanted) }
        let listed = try entries.first { (entry) throws(PDFError) in
            let location = try self.location(of: entry.number) ?? entry.location
            return try isWanted(CrossReferenceEntry(number: entry.number, location: location))
        }
        if let listed { return listed }
        return try supplement.first { (entry) throws(PDFError) in
            guard try self.entries.location(of: entry.number) == nil else { return false }
            return try isWanted(entry)
        }
    }

    /// A property of the trailer that misleads some viewers; nil if there is none.
    package func trailerIrregularity() -> String? {
        if kind == .stream, trailer["XRefStm"] != nil {
            return "a cross-reference stream has an entry /XRefStm"
        }
        if hasOddTrailer { return "some viewers read a name or number in its trailer differently" }
        guard let supplementTrailer else { return nil }
        for key: PDFName in ["Prev", "Root", "Encrypt", "XRefStm"] {
            guard let value = supplementTrailer[key], value != trailer[key] else { continue }
            return
                "viewers may display different content: /\(key) differs in the trailer and its /XRefStm"
        }
        return supplementTrailer.differingKeys.first
            .map { "the stream at /XRefStm has the key /\($0) more than once" }
    }

    /// A property of a stream's entries that viewers interpret differently; nil if there is none.
    ///
    /// - Parameter byteCount: size of the file.
    func entryIrregularity(in byteCount: Int) -> String? {
        entries.irregularity(in: byteCount) ?? supplement?.irregularity(in: byteCount)
    }

    /// Whether only the cross-reference stream of a hybrid section has an entry for an object.
    func isInStreamAlone(_ number: Int) throws(PDFError) -> Bool {
        guard supplement != nil else { return false }
        return try entries.location(of: number) == nil
    }

    /// Whether the table marks an object as free and the stream of the hybrid section locates it.
    func isFreeInTable(_ number: Int) throws(PDFError) -> Bool {
        guard let supplement, try entries.location(of: number) == .free else { return false }
        return try supplement.location(of: number) ?? .free != .free
    }

    /// An object that the stream of a hybrid section locates elsewhere than the table does, or that
    /// the table marks as free for old viewers.
    ///
    /// - Parameter isInUse: Whether earlier sections locate the number.
    fileprivate func hybridDisagreement(_ isInUse: (Int) -> Bool) throws(PDFError) -> Int? {
        guard let supplement else { return nil }
        let entry = try supplement.first { (entry) throws(PDFError) in
            guard let location = try self.entries.location(of: entry.number) else { return false }
            return location == .free ? isInUse(entry.number) : location != entry.location
        }
        return entry?.number
    }
}

extension PDFDocument {
    /// An object with different locations in the table and the stream of a hybrid section: ISO
    /// 32000-2 §7.5.8.4 defines no precedence.
    package func hybridDisagreement() throws(PDFError) -> Int? {
        guard let oldest = sections.lastIndex(where: { $0.kind == .hybrid }) else { return nil }
        var inUse: Set<Int> = []
        for (index, section) in sections.enumerated().reversed() {
            if index <= oldest, let number = try section.hybridDisagreement(inUse.contains) {
                return number
            }
            try section.forEachEntry { (entry) throws(PDFError) in
                if entry.location != .free { inUse.insert(entry.number) }
            }
        }
        return nil
    }
}
