import Base

/// Reads classic tables (ISO 32000-2 §7.5.4), normally only the headers of their subsections.
enum CrossReferenceTable {
    /// Reads subsections up to and including the keyword `trailer`.
    ///
    /// - Parameter lexer: After the keyword `xref`; moved past `trailer`.
    static func read(
        after lexer: inout Lexer, cache: BlockCache, offsetBase: Int, warnings: WarningLog
    ) throws(PDFError) -> CrossReferenceEntries {
        let start = lexer.position
        if let entries = try skipping(&lexer, cache, offsetBase) { return entries }
        lexer.seek(to: start)
        warnings.add(
            .crossReferenceEntrySize, "entries of a table do not have 20 bytes", offset: start)
        return try scanning(&lexer, offsetBase)
    }

    /// Reads subsection headers only. The entries are accepted if the next header follows after 20
    /// bytes per entry, and the first and last entry are well-formed.
    ///
    /// - Returns: `nil` if that is not the case.
    private static func skipping(
        _ lexer: inout Lexer, _ cache: BlockCache, _ offsetBase: Int
    ) throws(PDFError) -> CrossReferenceEntries? {
        var subsections: [CrossReferenceEntries.Subsection] = []
        while true {
            let token = try lexer.next()
            if token == .keyword(.trailer) { break }
            let (first, count) = try header(token, &lexer)
            try check(subsections.count)
            guard count > 0 else { continue }
            try skipLineEnd(&lexer)
            let start = lexer.position
            guard
                let byteCount = count.multipliedChecked(
                    by: CrossReferenceEntries.tableEntryByteCount),
                let end = start.addingChecked(byteCount), end <= cache.byteCount
            else { return nil }
            for offset in [start, end - CrossReferenceEntries.tableEntryByteCount] {
                let bytes = try reading(
                    cache.bytes(at: offset, count: CrossReferenceEntries.tableEntryByteCount))
                guard TableEntry(bytes.span, at: 0) != nil else { return nil }
            }
            subsections.append(.init(first: first, count: count, start: start))
            lexer.seek(to: end)
        }
        return try entries(subsections, .table(cache), offsetBase, lexer.tokenStart)
    }

    /// Reads every entry, with any white space between entries.
    private static func scanning(
        _ lexer: inout Lexer, _ offsetBase: Int
    ) throws(PDFError) -> CrossReferenceEntries {
        let widths = RowWidths(type: 1, second: 8, third: 2)
        var subsections: [CrossReferenceEntries.Subsection] = []
        var rows: [UInt8] = []
        while true {
            let token = try lexer.next()
            if token == .keyword(.trailer) { break }
            let (first, count) = try header(token, &lexer)
            try check(subsections.count)
            subsections.append(.init(first: first, count: count, start: rows.count / widths.total))
            for _ in 0..<count {
                guard case .integer(let offset) = try lexer.next(), offset >= 0,
                    case .integer(let generation) = try lexer.next(), generation >= 0,
                    case .keyword(.other(let letter)) = try lexer.next(),
                    letter == [110] || letter == [102]
                else {
                    throw PDFError(
                        .damagedCrossReference, "malformed table entry", offset: lexer.tokenStart)
                }
                rows.append(letter == [110] ? 1 : 0)
                for shift in stride(from: 56, through: 0, by: -8) {
                    rows.append(UInt8(truncatingIfNeeded: offset >> shift))
                }
                let shown = UInt16(clamping: generation)
                rows.append(UInt8(shown >> 8))
                rows.append(UInt8(shown & 0xFF))
            }
        }
        return try entries(subsections, .rows(rows, widths: widths), offsetBase, lexer.tokenStart)
    }

    private static func header(
        _ token: Token, _ lexer: inout Lexer
    ) throws(PDFError) -> (first: Int, count: Int) {
        guard case .integer(let first) = token, case .integer(let count) = try lexer.next() else {
            throw PDFError(
                .damagedCrossReference, "\(token.summary) instead of a subsection",
                offset: lexer.tokenStart)
        }
        guard (0...PDFLimits.objectNumber).contains(first), count >= 0,
            let end = first.addingChecked(count), end - 1 <= PDFLimits.objectNumber
        else {
            throw PDFError(
                .damagedCrossReference, "impossible subsection \(first) \(count)",
                offset: lexer.tokenStart)
        }
        return (first, count)
    }

    /// Entries begin on the line after the header; spaces may precede the line end.
    private static func skipLineEnd(_ lexer: inout Lexer) throws(PDFError) {
        while try lexer.peek() == 32 { lexer.advance() }
        if try lexer.peek() == 13 { lexer.advance() }
        if try lexer.peek() == 10 { lexer.advance() }
    }

    private static func check(_ count: Int) throws(PDFError) {
        guard count < PDFLimits.subsectionCount else {
            throw PDFError(
                .limitExceeded, "more than \(PDFLimits.subsectionCount) subsections in a table")
        }
    }

    private static func entries(
        _ subsections: [CrossReferenceEntries.Subsection],
        _ storage: CrossReferenceEntries.Storage, _ offsetBase: Int, _ end: Int
    ) throws(PDFError) -> CrossReferenceEntries {
        guard
            let entries = CrossReferenceEntries(
                subsections: subsections, storage: storage, offsetBase: offsetBase)
        else {
            throw PDFError(.damagedCrossReference, "subsections of a table overlap", offset: end)
        }
        return entries
    }
}
