/// Padding that viewers do not read as syntax: white space, and comments without a keyword.
struct Filling {
    private var comment: [UInt8]?
    private var needsLineEnd: Bool
    private(set) var hasControlCharacter = false

    /// Maximum length of a comment, in bytes.
    static let commentLimit = 4096
    private static let keywords = ["obj", "stream", "xref", "trailer", "PDF-"]
        .map { Array($0.utf8) }

    /// - Parameter followsLine: Whether other bytes precede the padding in its first line.
    init(followsLine: Bool) { needsLineEnd = followsLine }

    /// - Returns: Whether the byte is permitted at this position.
    mutating func take(_ byte: UInt8) -> Bool {
        if let count = comment?.count {
            if byte == 10 || byte == 13 {
                defer { comment = nil }
                return Self.isHarmless(comment ?? [])
            }
            comment?.append(byte)
            return count < Self.commentLimit
        }
        if byte == 37 {
            guard !needsLineEnd else { return false }
            comment = []
            return true
        }
        if byte == 10 || byte == 13 { needsLineEnd = false }
        if KeywordSearch.isOddInSyntax(byte) { hasControlCharacter = true }
        return Characters.isWhiteSpace(Int(byte))
    }

    /// Whether the padding may end here: the following bytes are not part of a comment or line.
    var isEnded: Bool { comment == nil && !needsLineEnd }

    /// Whether a comment contains no PDF keyword.
    static func isHarmless(_ comment: [UInt8]) -> Bool {
        keywords.allSatisfy { comment.firstRange(of: $0) == nil }
    }
}
