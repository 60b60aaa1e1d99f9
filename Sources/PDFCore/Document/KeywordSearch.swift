/// Searches bytes for keywords that a strict parser does not find there. A viewer that reconstructs
/// the cross-reference table reads them as objects.
///
/// Outside strings and stream data, every keyword is a hit, and so is a comment or a control
/// character other than white space. Inside, `obj` is a hit after two numbers, and any other
/// keyword as the first word of a line.
struct KeywordSearch {
    private let reader: IndirectObjectReader
    /// Position of the first hit.
    private(set) var hit: Int?

    private static let words = [
        "obj", "endobj", "stream", "endstream", "xref", "startxref", "trailer", "%PDF", "/Catalog",
    ].map { Array($0.utf8) }
    private static let obj = Array("obj".utf8)
    private static let catalog = Array("/Catalog".utf8)
    private static let chunkByteCount = 64 * 1024
    /// Maximum distance of the two numbers before `obj`, in bytes.
    private static let reach = 256
    /// Length of the longest keyword.
    private static let wordByteCount = 9
    /// Maximum number of other bytes between a number and what follows it, except white space,
    /// control characters and comments. A higher limit would match compressed data by chance too
    /// often.
    private static let oddByteCount = 8

    init(_ reader: IndirectObjectReader) { self.reader = reader }

    /// Searches an object without its stream data, or a trailer dictionary.
    ///
    /// - Parameter catalogCount: Permitted number of occurrences of `/Catalog`.
    mutating func searchSyntax(_ range: Range<Int>, catalogCount: Int) throws(PDFError) {
        var strings = StringTracker()
        var catalogs = catalogCount
        try forEachPosition(in: range) { (bytes: borrowing Span<UInt8>, index: Int) -> Bool in
            guard !strings.take(bytes[index]) else { return Self.isHitInData(bytes, at: index) }
            if Self.isOddInSyntax(bytes[index]) { return true }
            guard let word = Self.word(in: bytes, at: index) else { return false }
            guard word == Self.catalog, catalogs > 0 else { return true }
            catalogs -= 1
            return false
        }
    }

    /// Whether a comment or control character is outside the strings of an object.
    static func hasOddSyntax(_ bytes: ArraySlice<UInt8>) -> Bool {
        var strings = StringTracker()
        return bytes.contains { !strings.take($0) && isOddInSyntax($0) }
    }

    /// Whether a byte begins a comment or is a control character other than white space. Viewers
    /// disagree whether a zero byte is white space.
    static func isOddInSyntax(_ byte: UInt8) -> Bool {
        byte == 37 || byte == 127 || byte < 32 && ![9, 10, 12, 13].contains(byte)
    }

    mutating func searchData(_ range: Range<Int>) throws(PDFError) {
        try forEachPosition(in: range, Self.isHitInData)
    }

    /// Calls `isHit` with bytes of the range and an index in them, until it returns true.
    private mutating func forEachPosition(
        in range: Range<Int>, _ isHit: (borrowing Span<UInt8>, Int) -> Bool
    ) throws(PDFError) {
        var position = range.lowerBound
        while position < range.upperBound, hit == nil {
            let start = max(range.lowerBound, position - Self.reach)
            let bytes = try reader.bytes(
                at: start, count: min(range.upperBound - start, Self.reach + Self.chunkByteCount))
            let isLast = start + bytes.count >= range.upperBound
            let stop = isLast ? bytes.count : bytes.count - Self.wordByteCount
            guard stop > position - start else { return }
            let span = bytes.span
            for index in (position - start)..<stop where isHit(span, index) {
                hit = start + index
                return
            }
            position = start + stop
        }
    }

    private static func word(in bytes: borrowing Span<UInt8>, at index: Int) -> [UInt8]? {
        // The first letters of the keywords.
        switch bytes[index] {
        case 37, 47, 101, 111, 115, 116, 120: break
        default: return nil
        }
        return words.first { contains($0, in: bytes, at: index) }
    }

    private static func contains(
        _ word: [UInt8], in bytes: borrowing Span<UInt8>, at index: Int
    ) -> Bool {
        guard index + word.count <= bytes.count else { return false }
        for offset in word.indices where bytes[index + offset] != word[offset] { return false }
        return true
    }

    private static func isHitInData(_ bytes: borrowing Span<UInt8>, at index: Int) -> Bool {
        guard let word = word(in: bytes, at: index) else { return false }
        let first = max(0, index - reach)
        guard word != obj else {
            var cursor = index
            return skipNumber(before: &cursor, from: first, bytes)
                && skipNumber(before: &cursor, from: first, bytes)
        }
        let end = index + word.count
        if word[0] != 37, end < bytes.count, Characters.isRegular(Int(bytes[end])) { return false }
        var before = index - 1
        while before >= first, bytes[before] != 10, bytes[before] != 13 {
            guard bytes[before] <= 32 else { return false }
            before -= 1
        }
        return true
    }

    /// Steps back over a number in any notation and the bytes after it. A number is assumed if they
    /// are longer than ``reach``.
    private static func skipNumber(
        before cursor: inout Int, from first: Int, _ bytes: borrowing Span<UInt8>
    ) -> Bool {
        var oddByteCount = 0
        while cursor > first, !Characters.isDigit(Int(bytes[cursor - 1])) {
            if let comment = comment(before: cursor, from: first, bytes) {
                cursor = comment
                continue
            }
            cursor -= 1
            if bytes[cursor] > 32 { oddByteCount += 1 }
            guard oddByteCount <= Self.oddByteCount else { return false }
        }
        guard cursor > first else { return first > 0 }
        while cursor > first, Characters.isDigit(Int(bytes[cursor - 1])) { cursor -= 1 }
        return true
    }

    /// Start of the comment that ends with its line directly before `cursor`.
    private static func comment(
        before cursor: Int, from first: Int, _ bytes: borrowing Span<UInt8>
    ) -> Int? {
        guard bytes[cursor - 1] == 10 || bytes[cursor - 1] == 13 else { return nil }
        var start: Int?
        var index = cursor - 2
        while index >= first, bytes[index] != 10, bytes[index] != 13 {
            if bytes[index] == 37 { start = index }
            index -= 1
        }
        return start
    }
}

/// Tracks the starts and ends of literal strings (ISO 32000-2 §7.3.4.2), up to the first comment.
private struct StringTracker {
    private var depth = 0
    private var isEscaped = false

    /// - Returns: Whether the byte is part of a literal string.
    mutating func take(_ byte: UInt8) -> Bool {
        guard depth > 0 else {
            if byte == 40 { depth = 1 }
            return false
        }
        if isEscaped {
            isEscaped = false
        } else if byte == 92 {
            isEscaped = true
        } else if byte == 40 {
            depth += 1
        } else if byte == 41 {
            depth -= 1
        }
        return true
    }
}
