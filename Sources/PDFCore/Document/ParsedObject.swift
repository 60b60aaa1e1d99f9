import Base

/// An indirect object with the ranges of its parts in the file.
package struct ParsedObject {
    package let id: ObjectID
    package let object: PDFObject
    /// From the object number to the end of `endobj`.
    package let range: Range<Int>
    /// The object itself, without `n g obj` and `endobj`; the dictionary of a stream.
    package let bodyRange: Range<Int>
    /// The range of each value in the object's or its stream's dictionary. A composite value
    /// includes its delimiters. For a repeated key, the range is that of the last value.
    package let valueRanges: [PDFName: Range<Int>]
    /// The deviation from the syntax that viewers may handle differently, as text; `nil` if there
    /// is none.
    package var deviation: String?
    /// Whether viewers may end the stream's data elsewhere, by more than an end of line.
    package var hasDoubtfulLength = false
    /// End of the last byte that a viewer may read as part of the object. It exceeds ``range`` if
    /// the stream's length extends beyond `endstream`.
    package var reach: Int
}

extension PDFDocument {
    /// Maximum number of bytes after the last `startxref`: viewers that do not find it in the last
    /// 1024 bytes reconstruct the file.
    package static let endByteCount = 1000

    /// Whether the bytes from a position to the end of the file are white space (ISO 32000-2 Table 1),
    /// at most `limit`; true for no bytes.
    package func isPadding(
        from start: Int, limit: Int = PDFDocument.endByteCount
    ) throws(PDFError) -> Bool {
        let count = source.byteCount - start
        guard (0...limit).contains(count) else { return false }
        return try reader.bytes(at: start, count: count).allSatisfy {
            Characters.isWhiteSpace(Int($0))
        }
    }

    /// The ranges of the values of a direct dictionary, as in ``ParsedObject/valueRanges``.
    ///
    /// - Parameter range: the range of the dictionary in the file, delimiters included.
    package func valueRanges(in range: Range<Int>) throws(PDFError) -> [PDFName: Range<Int>] {
        var parser = ObjectParser(Lexer(reader.cache, at: range.lowerBound), recordsRanges: true)
        _ = try parser.parse()
        return Dictionary(
            parser.valueRanges.map { ($0.key, $0.range) }, uniquingKeysWith: { $1 })
    }
}
