/// Random access to the bytes of an input.
///
/// A source never changes while it is open: readers cache what they have read.
package protocol ByteSource: AnyObject {
    /// The number of bytes in the source.
    var byteCount: Int { get }

    /// Reads exactly `min(count, byteCount - offset)` bytes.
    ///
    /// - Parameters:
    ///   - offset: Position of the first byte, in `0...byteCount`.
    ///   - count: How many bytes are wanted, not negative.
    /// - Throws: ``SourceError`` when the position is outside the source or reading fails.
    func bytes(at offset: Int, count: Int) throws(SourceError) -> [UInt8]
}

/// Why bytes could not be read from a ``ByteSource``.
package struct SourceError: Error, Equatable, Sendable {
    /// What went wrong, for programs.
    package enum Code: Sendable {
        /// The operating system reported an error, or the input shrank while it was read.
        case readFailed
        /// The position lies outside the source.
        case outOfRange
    }

    package let code: Code
    package let detail: String
    /// The position that was to be read.
    package let offset: Int

    package init(_ code: Code, detail: String, offset: Int) {
        self.code = code
        self.detail = detail
        self.offset = offset
    }

    /// Errors are equal when their codes are: the rest is prose.
    package static func == (left: SourceError, right: SourceError) -> Bool {
        left.code == right.code
    }
}

/// Bytes that are in memory already.
package final class MemorySource: ByteSource {
    private let content: [UInt8]

    package init(_ bytes: [UInt8]) {
        content = bytes
    }

    package var byteCount: Int { content.count }

    package func bytes(at offset: Int, count: Int) throws(SourceError) -> [UInt8] {
        let range = try clampedRange(at: offset, count: count, within: content.count)
        return Array(content[range])
    }
}

/// The first bytes of another source, as the input was before something was appended.
package final class PrefixSource: ByteSource {
    private let base: any ByteSource
    package let byteCount: Int

    /// A view of the first `byteCount` bytes of `base`, or of all when it has fewer.
    package init(_ base: any ByteSource, byteCount: Int) {
        self.base = base
        self.byteCount = max(0, min(byteCount, base.byteCount))
    }

    package func bytes(at offset: Int, count: Int) throws(SourceError) -> [UInt8] {
        let range = try clampedRange(at: offset, count: count, within: byteCount)
        return try base.bytes(at: range.lowerBound, count: range.count)
    }
}

/// The part of `offset ..< offset + count` that lies within a source of `byteCount` bytes.
///
/// - Throws: ``SourceError`` when `offset` is outside `0...byteCount` or `count` is negative.
package func clampedRange(
    at offset: Int, count: Int, within byteCount: Int
) throws(SourceError) -> Range<Int> {
    guard offset >= 0, offset <= byteCount, count >= 0 else {
        throw SourceError(
            .outOfRange, detail: "\(count) bytes at \(offset) of \(byteCount)", offset: offset)
    }
    return offset..<(offset + min(count, byteCount - offset))
}
