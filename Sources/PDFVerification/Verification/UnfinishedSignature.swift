import Base
package import PDFCore
import PDFSigning

extension PDFDocument {
    /// Most bytes behind the last revision that are searched.
    private static let unfinishedByteCount = 16 << 20
    /// Keys of signatures, of which one stands before the value.
    private static let signatureKeys = ["/ByteRange", "/SubFilter"].map { Array($0.utf8) }

    /// Where what is left of a revision begins that was signed and is not whole: the file was cut
    /// off, or never written to its end. Nil when nothing of the kind stands behind the last
    /// revision.
    package func unfinishedSignature() throws -> Int? {
        guard !isRebuilt, let end = sections.map(\.endOffset).max(), end < source.byteCount else {
            return nil
        }
        let tail = try source.bytes(
            at: end, count: min(source.byteCount - end, Self.unfinishedByteCount))
        return Self.signatureKeys.contains { tail.firstRange(of: $0) != nil } ? end : nil
    }
}
