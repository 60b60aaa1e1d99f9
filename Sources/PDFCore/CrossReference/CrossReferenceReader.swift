import Base

/// Finds and reads the chain of cross-reference sections.
struct CrossReferenceReader {
    let objects: IndirectObjectReader
    let headerOffset: Int
    /// Number added to the offsets in the file: 0, or the position of the header if offsets are
    /// relative to it. The first section decides.
    private(set) var offsetBase = 0
    /// Whether most viewers do not find the newest section and search the file for its objects.
    private(set) var isHidden = false
    /// Whether the end of the file deviates from ISO 32000-2 §7.5.5, so that some viewers do not
    /// find the newest section.
    private(set) var hasIrregularEnd = false
    private var cache: BlockCache { objects.cache }

    /// Whether a section that is not at its stated offset is searched for nearby.
    private let searchesNearby: Bool

    init(objects: IndirectObjectReader, headerOffset: Int, searchesNearby: Bool = false) {
        self.objects = objects
        self.headerOffset = headerOffset
        self.searchesNearby = searchesNearby
    }

    /// Reads all sections, the newest first.
    mutating func sections() throws(PDFError) -> [CrossReferenceSection] {
        var sections: [CrossReferenceSection] = []
        var visited: Set<Int> = []
        var next: Int? = try newestOffset()
        var size = Int.max
        // Overlapping sections would be parsed repeatedly.
        var textBudget = PDFLimits.allowance(1 << 20, ratio: 2, for: cache.byteCount)
        var entryBudget = PDFLimits.allowance(
            PDFLimits.crossReferenceAllowance, ratio: PDFLimits.crossReferenceRatio,
            for: cache.byteCount)
        while let offset = next {
            guard visited.insert(offset).inserted else {
                throw PDFError(
                    .damagedCrossReference, "the chain of cross-reference sections is circular",
                    offset: offset)
            }
            guard sections.count < PDFLimits.sectionCount else {
                throw PDFError(
                    .limitExceeded, "more than \(PDFLimits.sectionCount) cross-reference sections",
                    offset: offset)
            }
            let section = try section(at: offset)
            textBudget -= section.endOffset - offset
            entryBudget -= section.entryByteCount
            guard textBudget > 0, entryBudget > 0 else {
                throw PDFError(
                    .limitExceeded, "cross-reference sections that are too large together",
                    offset: offset)
            }
            size = min(size, section.size)
            if section.highestNumber >= size {
                objects.warnings.add(
                    .entriesBeyondSize,
                    "entries up to number \(section.highestNumber), but Size is \(size)",
                    offset: offset)
            }
            sections.append(section)
            next = section.previous
        }
        return sections
    }

    mutating func newestOffset() throws(PDFError) -> Int { try firstSectionOffset(startOffset()) }

    /// The number after the last `startxref`.
    mutating func startOffset() throws(PDFError) -> Int {
        var count = min(cache.byteCount, PDFLimits.trailerSearchByteCount)
        var tailStart = cache.byteCount - count
        var tail = try objects.bytes(at: tailStart, count: count)
        if tail.lastRange(of: Keyword.Spelling.startxref) == nil {
            // More than the usual trailing bytes: some servers append whole pages to downloads.
            count = min(cache.byteCount, PDFLimits.junkSearchByteCount)
            tailStart = cache.byteCount - count
            tail = try objects.bytes(at: tailStart, count: count)
            isHidden = true
        }
        let marker = tail.lastRange(of: Array("%%EOF".utf8))
        if let marker {
            let rest = tail[marker.upperBound...]
            if let junk = rest.firstIndex(where: { !Characters.isWhiteSpace(Int($0)) }) {
                objects.warnings.add(
                    .bytesAfterEndOfFile, "other data follows %%EOF", offset: tailStart + junk)
            }
            // The revision has no %%EOF marker, or a misspelled one. Most viewers still use it.
            if let last = tail.lastRange(of: Keyword.Spelling.startxref),
                last.lowerBound > marker.lowerBound
            {
                isHidden = true
            }
        } else {
            objects.warnings.add(.missingEndOfFile, "no %%EOF in the last \(count) bytes")
        }
        guard
            let keyword = tail.lastRange(of: Keyword.Spelling.startxref, before: marker?.lowerBound)
        else {
            throw PDFError(
                .damagedCrossReference,
                "the file is damaged or cut off: no startxref in the last \(count) bytes",
                offset: tailStart)
        }
        var lexer = Lexer(cache, at: tailStart + keyword.upperBound)
        guard case .integer(let offset) = try lexer.next() else {
            throw PDFError(
                .damagedCrossReference, "no number after startxref",
                offset: tailStart + keyword.lowerBound)
        }
        let before = tail.byte(at: keyword.lowerBound - 1) ?? 0
        var syntax = SectionSyntax(cache, at: tailStart + keyword.lowerBound)
        hasIrregularEnd = before != 10 && before != 13 || (try? syntax.end()) == nil
        return offset
    }

    /// Finds the offset base by locating the first section.
    mutating func firstSectionOffset(_ start: Int) throws(PDFError) -> Int {
        let bases = headerOffset > 0 ? [headerOffset, 0] : [0]
        for base in bases {
            guard start >= 0, let offset = start.addingChecked(base), offset < cache.byteCount,
                try looksLikeSection(at: offset)
            else { continue }
            offsetBase = base
            return offset
        }
        for base in bases where searchesNearby {
            guard let offset = start.addingChecked(base), let found = try section(near: offset)
            else { continue }
            // PDFDocument checks later whether the sections lead to the pages with this base.
            offsetBase = base
            isHidden = true
            return found
        }
        throw PDFError(
            .damagedCrossReference,
            "no cross-reference section at the offset in startxref",
            offset: start)
    }

    /// A table whose keyword is a few bytes away, as after a change of line ends or of the header.
    private func section(near offset: Int) throws(PDFError) -> Int? {
        let reach = PDFLimits.nearbyByteCount
        guard offset >= 0, offset < cache.byteCount.addingReportingOverflow(reach).partialValue
        else { return nil }
        let start = max(0, offset - reach)
        let bytes = try objects.bytes(at: start, count: 2 * reach)
        var nearest: Int?
        var search = 0
        while let found = bytes.firstRange(of: Keyword.Spelling.xref, from: search) {
            search = found.upperBound
            // `startxref` ends with the same letters.
            if let before = bytes.byte(at: found.lowerBound - 1), Characters.isRegular(Int(before))
            {
                continue
            }
            let position = start + found.lowerBound
            if nearest.map({ abs(position - offset) < abs($0 - offset) }) ?? true {
                nearest = position
            }
        }
        if let nearest {
            objects.warnings.add(
                .crossReferenceOffset, "the section begins at \(nearest), not at \(offset)",
                offset: offset)
        }
        return nearest
    }

    private func looksLikeSection(at offset: Int) throws(PDFError) -> Bool {
        var lexer = Lexer(cache, at: offset)
        guard let first = try? lexer.next() else { return false }
        if first == .keyword(.xref) {
            // With the wrong offset base, an offset may point into `startxref`.
            let keyword = Keyword.Spelling.startxref
            let start = lexer.position - keyword.count
            guard start >= 0 else { return true }
            return try objects.bytes(at: start, count: keyword.count) != keyword
        }
        guard case .integer = first, case .integer? = try? lexer.next() else { return false }
        return (try? lexer.next()) == .keyword(.obj)
    }

    private func section(at offset: Int) throws(PDFError) -> CrossReferenceSection {
        var lexer = Lexer(cache, at: offset)
        let token = try lexer.next()
        if lexer.tokenStart != offset {
            let skipped = try objects.bytes(at: offset, count: lexer.tokenStart - offset)
            // Viewers skip white space before a table, but qpdf only one byte, and pypdf none.
            let isSpace =
                token == .keyword(.xref)
                && skipped.allSatisfy { Characters.isWhiteSpace(Int($0)) }
            let space: PDFWarning.Code =
                skipped.count > 1 ? .muchSpaceBeforeCrossReference : .whiteSpaceBeforeCrossReference
            objects.warnings.add(
                isSpace ? space : .crossReferenceOffset,
                "the section begins at \(lexer.tokenStart), not at \(offset)", offset: offset)
        }
        switch token {
        case .keyword(.xref):
            return try tableSection(&lexer)
        case .integer:
            return try streamSection(at: lexer.tokenStart)
        default:
            throw PDFError(
                .damagedCrossReference, "\(token.summary) instead of a cross-reference section",
                offset: offset)
        }
    }

    // MARK: Tables

    private func tableSection(_ lexer: inout Lexer) throws(PDFError) -> CrossReferenceSection {
        let offset = lexer.tokenStart
        let entries: CrossReferenceEntries
        do {
            entries = try CrossReferenceTable.read(
                after: &lexer, cache: cache, offsetBase: offsetBase, warnings: objects.warnings)
        } catch {
            throw PDFError(.damagedCrossReference, error.detail, offset: error.offset ?? offset)
        }
        var parser = ObjectParser(lexer)
        let parsed: PDFObject
        do {
            parsed = try parser.parse()
        } catch {
            throw PDFError(
                .damagedCrossReference, "trailer: \(error.detail)", offset: error.offset)
        }
        guard case .dictionary(let trailer) = parsed else {
            throw PDFError(
                .damagedCrossReference, "\(parsed.kind) instead of a trailer",
                offset: lexer.position)
        }
        lexer = parser.lexer
        var supplement: CrossReferenceEntries?
        var supplementOffset: Int?
        var supplementTrailer: PDFDictionary?
        var deviation: String?
        if let value = trailer["XRefStm"] {
            let position = try self.position(value, key: "XRefStm", of: offset)
            let stream = try streamSection(at: position)
            supplement = stream.entries
            supplementTrailer = stream.trailer
            deviation = stream.deviation
            supplementOffset = position
        }
        return CrossReferenceSection(
            offset: offset, kind: supplement == nil ? .table : .hybrid, trailer: trailer,
            previous: try previous(trailer, of: offset), endOffset: lexer.position,
            container: nil, supplementOffset: supplementOffset,
            supplementTrailer: supplementTrailer, deviation: deviation,
            hasOddTrailer: lexer.hasOddWords, entries: entries, supplement: supplement)
    }

    // MARK: Streams

    private func streamSection(at offset: Int) throws(PDFError) -> CrossReferenceSection {
        let parsed: ParsedObject
        do {
            // The length must be direct: references cannot be resolved yet.
            parsed = try objects.read(at: offset) { _ in nil }
        } catch {
            throw PDFError(
                .damagedCrossReference, "cross-reference stream: \(error.detail)",
                offset: error.offset ?? offset)
        }
        guard case .stream(let stream) = parsed.object,
            stream.dictionary["Type"]?.nameValue == "XRef"
        else {
            throw PDFError(
                .damagedCrossReference, "object \(parsed.id) is not a cross-reference stream",
                offset: offset)
        }
        let entries: CrossReferenceEntries
        do {
            entries = try CrossReferenceStream.read(stream, objects, offsetBase: offsetBase)
        } catch {
            guard error.code != .limitExceeded else { throw error }
            throw PDFError(
                .damagedCrossReference, "cross-reference stream: \(error.detail)", offset: offset,
                object: parsed.id)
        }
        return CrossReferenceSection(
            offset: offset, kind: .stream, trailer: stream.dictionary,
            previous: try previous(stream.dictionary, of: offset),
            endOffset: parsed.range.upperBound, container: parsed.id, supplementOffset: nil,
            deviation: parsed.deviation, hasOddTrailer: objects.oddObjects.contains(parsed.id),
            entries: entries, supplement: nil)
    }

    // MARK: Prev

    private func previous(_ trailer: PDFDictionary, of offset: Int) throws(PDFError) -> Int? {
        guard let value = trailer["Prev"] else { return nil }
        if value == .integer(0) {
            objects.warnings.add(.previousIsZero, "Prev is 0", offset: offset)
            return nil
        }
        return try position(value, key: "Prev", of: offset)
    }

    private func position(_ value: PDFObject, key: String, of offset: Int) throws(PDFError) -> Int {
        guard let number = value.integerValue, number >= 0,
            let position = number.addingChecked(offsetBase), position < cache.byteCount
        else {
            throw PDFError(
                .damagedCrossReference, "the offset \(key) is outside the file", offset: offset)
        }
        return position
    }
}
