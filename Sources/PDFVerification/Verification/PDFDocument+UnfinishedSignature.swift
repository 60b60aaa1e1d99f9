import Base
package import PDFCore

extension PDFDocument {
    /// Maximum number of bytes after the last revision that are searched.
    private static let unfinishedByteCount = 16 << 20
    /// Keys of a signature dictionary, one of which precedes the value.
    private static let signatureKeys = ["/ByteRange", "/SubFilter"].map { Array($0.utf8) }

    /// Offset of a signed but incomplete revision after the last one: the file was truncated or not
    /// completely written. Nil if there is none.
    package func unfinishedSignature() throws -> Int? {
        let last = try isRebuilt ? endOfLastObject() : sections.map(\.endOffset).max()
        guard let end = last, end < source.byteCount else { return nil }
        let tail = try source.bytes(
            at: end, count: min(source.byteCount - end, Self.unfinishedByteCount))
        return Self.signatureKeys.contains { tail.firstRange(of: $0) != nil } ? end : nil
    }

    private func endOfLastObject() throws -> Int? {
        let count = min(source.byteCount, Self.unfinishedByteCount)
        let start = source.byteCount - count
        return try source.bytes(at: start, count: count).lastRange(of: Array("endobj".utf8))
            .map { start + $0.upperBound }
    }
}
