import Base

/// The exact form of a classic table and of the end of a revision (ISO 32000-2 §7.5.4, §7.5.5).
/// Viewers repair deviations in different ways.
struct SectionSyntax {
    private let cache: BlockCache
    private var lexer: Lexer

    /// Maximum length of white space in one position.
    private static let whiteSpaceLimit = 1024
    private static let digitLimit = 10
    private static let entriesPerRead = 512

    init(_ cache: BlockCache, at offset: Int) {
        self.cache = cache
        lexer = Lexer(cache, at: offset)
    }

    /// Whether viewers differ on a token that was read.
    var hasOddSpelling: Bool { lexer.hasOddSpelling }

    /// Reads a table and its trailer.
    ///
    /// - Returns: Position of the keyword `trailer`, end of the dictionary, and whether the table
    ///   has no subsections.
    mutating func table() throws(PDFError) -> (trailer: Int, end: Int, isEmpty: Bool) {
        try take(Keyword.Spelling.xref)
        try endLine()
        var isEmpty = true
        while Characters.isDigit(try lexer.peek()) {
            isEmpty = false
            let first = try number()
            try take([32])
            let count = try number()
            guard count > 0 || first == 0 else { throw unexpected("a subsection with entries") }
            try endLine()
            try entries(count)
        }
        try whiteSpace()
        let trailer = lexer.position
        try take(Keyword.Spelling.trailer)
        try whiteSpace()
        guard try lexer.peek() == 60 else { throw unexpected("the trailer's dictionary") }
        var parser = ObjectParser(lexer)
        guard case .dictionary = try parser.parse() else {
            throw unexpected("the trailer's dictionary")
        }
        guard parser.numberBeyondLimit == nil else { throw unexpected("numbers of objects") }
        lexer = parser.lexer
        return (trailer, lexer.position, isEmpty)
    }

    private mutating func entries(_ count: Int) throws(PDFError) {
        let width = CrossReferenceEntries.tableEntryByteCount
        var remaining = count
        while remaining > 0 {
            let start = lexer.position
            let some = min(remaining, Self.entriesPerRead)
            let bytes = try reading(cache.bytes(at: start, count: some * width))
            if let index = firstMalformed(of: some, in: bytes.span) {
                throw PDFError(
                    .damagedCrossReference, "malformed table entry", offset: start + index * width)
            }
            lexer.seek(to: start + some * width)
            remaining -= some
        }
    }

    private func firstMalformed(of count: Int, in bytes: Span<UInt8>) -> Int? {
        (0..<count).first { index in
            guard
                let entry = TableEntry(bytes, at: index * CrossReferenceEntries.tableEntryByteCount)
            else { return true }
            return entry.isInUse && !(entry.offset > 0 && entry.offset < cache.byteCount)
        }
    }

    /// Reads `startxref`, a number and `%%EOF`, with white space before and between, and preceding
    /// comments that producers write.
    ///
    /// - Returns: The number, the position of the keyword, and the range of all of it.
    mutating func end() throws(PDFError) -> (offset: Int, keyword: Int, range: Range<Int>) {
        try whiteSpace()
        let start = lexer.position
        while try lexer.peek() == 37 {
            try comment()
            try whiteSpace()
        }
        let keyword = lexer.position
        try take(Keyword.Spelling.startxref)
        try endLine()
        try whiteSpace()
        let offset = try number()
        try endLine()
        try whiteSpace()
        try take(Array("%%EOF".utf8))
        let next = try lexer.peek()
        guard next < 0 || Characters.isWhiteSpace(next) else { throw unexpected("an end of line") }
        return (offset, keyword, start..<lexer.position)
    }

    // MARK: Parts

    private func unexpected(_ wanted: String) -> PDFError {
        PDFError(.damagedCrossReference, "not \(wanted)", offset: lexer.position)
    }

    private mutating func take(_ bytes: [UInt8]) throws(PDFError) {
        for byte in bytes {
            guard try lexer.peek() == Int(byte) else {
                throw unexpected("'\(String(decoding: bytes, as: UTF8.self))'")
            }
            lexer.advance()
        }
    }

    private mutating func number() throws(PDFError) -> Int {
        var value = 0
        var digitCount = 0
        while Characters.isDigit(try lexer.peek()), digitCount < Self.digitLimit {
            value = value * 10 + (try lexer.peek()) - 48
            digitCount += 1
            lexer.advance()
        }
        guard digitCount > 0, !Characters.isRegular(try lexer.peek()) else {
            throw unexpected("a number")
        }
        return value
    }

    private mutating func comment() throws(PDFError) {
        var bytes: [UInt8] = []
        while true {
            let byte = try lexer.peek()
            if byte < 0 || byte == 10 || byte == 13 { break }
            guard bytes.count < Filling.commentLimit else { throw unexpected("a short comment") }
            bytes.append(UInt8(byte))
            lexer.advance()
        }
        guard Filling.isHarmless(bytes) else { throw unexpected("a comment without a keyword") }
    }

    /// White space without a comment or a zero byte.
    private mutating func whiteSpace() throws(PDFError) {
        let start = lexer.position
        while try lexer.peek() > 0, Characters.isWhiteSpace(try lexer.peek()) {
            guard lexer.position - start < Self.whiteSpaceLimit else {
                throw unexpected("so much white space")
            }
            lexer.advance()
        }
    }

    /// Spaces and one end of line.
    private mutating func endLine() throws(PDFError) {
        let start = lexer.position
        while try lexer.peek() == 32, lexer.position - start < Self.whiteSpaceLimit {
            lexer.advance()
        }
        switch try lexer.peek() {
        case 13:
            lexer.advance()
            if try lexer.peek() == 10 { lexer.advance() }
        case 10: lexer.advance()
        default: throw unexpected("an end of line")
        }
    }
}
