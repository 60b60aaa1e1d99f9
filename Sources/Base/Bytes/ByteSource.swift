/// Random access to the bytes of an input.
///
/// A source does not change while it is open: callers cache what they read, and several threads
/// may read at the same time.
package protocol ByteSource: AnyObject, Sendable {
    var byteCount: Int { get }

    /// Reads exactly `min(count, byteCount - offset)` bytes.
    ///
    /// - Parameters:
    ///   - count: Number of bytes, not negative.
    /// - count: Number of bytes, not negative.
    /// - Throws: ``SourceError`` when the position is outside the source or reading fails.
    func bytes(at offset: Int, count: Int) throws(SourceError) -> [UInt8]

    /// Reads a range from its start to its end.
    ///
    /// - Parameters:
    ///   - range: Which bytes; it must be inside the source.
    ///   - body: Called with one part after another. An error that it throws ends reading.
    /// - Throws: The error of `body`, or a read error.
    func stream(range: Range<Int>, _ body: (Span<UInt8>) throws -> Void) throws
}

/// Why bytes could not be read from a ``ByteSource``.
package struct SourceError: Error, Equatable, Sendable {
    /// What went wrong, for programs.
    package enum Code: Sendable {
        /// The operating system reported an error, or the input shrank while it was read.
        case readFailed
        /// The position is outside the source.
        case outOfRange
    }

    package let code: Code
    package let detail: String
    /// Position of the failed read.
    package let offset: Int

    package init(_ code: Code, detail: String, offset: Int) {
        self.code = code
        self.detail = detail
        self.offset = offset
    }

    /// Equality compares only the codes.
    package static func == (left: SourceError, right: SourceError) -> Bool {
        left.code == right.code
    }
}

package final class MemorySource: ByteSource {
    private let content: [UInt8]

    package init(_ bytes: [UInt8]) { content = bytes }

    package var byteCount: Int { content.count }

    package func bytes(at offset: Int, count: Int) throws(SourceError) -> [UInt8] {
        let range = try clampedRange(at: offset, count: count, within: content.count)
        return Array(content[range])
    }

    package func stream(range: Range<Int>, _ body: (Span<UInt8>) throws -> Void) throws {
        try requireRange(range, within: content.count)
        // A span can depend on a local variable, but not on a property.
        let content = content
        try body(content.span.extracting(range))
    }
}

/// The first bytes of another source, for example the file before an incremental update.
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

    package func stream(range: Range<Int>, _ body: (Span<UInt8>) throws -> Void) throws {
        try requireRange(range, within: byteCount)
        try base.stream(range: range, body)
    }
}

/// Another source with bytes appended: the file as it will be after writing.
package final class AppendedSource: ByteSource {
    private let base: any ByteSource
    private let tail: [UInt8]
    package var byteCount: Int { base.byteCount + tail.count }

    package init(_ base: any ByteSource, _ tail: [UInt8]) {
        self.base = base
        self.tail = tail
    }

    package func bytes(at offset: Int, count: Int) throws(SourceError) -> [UInt8] {
        let range = try clampedRange(at: offset, count: count, within: byteCount)
        let border = base.byteCount
        var bytes: [UInt8] = []
        if range.lowerBound < border {
            bytes = try base.bytes(
                at: range.lowerBound, count: min(range.upperBound, border) - range.lowerBound)
        }
        if range.upperBound > border {
            bytes += tail[(max(range.lowerBound, border) - border)..<(range.upperBound - border)]
        }
        return bytes
    }

    package func stream(range: Range<Int>, _ body: (Span<UInt8>) throws -> Void) throws {
        try requireRange(range, within: byteCount)
        let border = base.byteCount
        if range.lowerBound < border {
            try base.stream(range: range.lowerBound..<min(range.upperBound, border), body)
        }
        if range.upperBound > border {
            let tail = tail
            try body(
                tail.span.extracting(
                    (max(range.lowerBound, border) - border)..<(range.upperBound - border)))
        }
    }
}

/// The part of `offset ..< offset + count` that is inside a source of `byteCount` bytes.
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

/// - Throws: ``SourceError`` when the range is not inside a source of `byteCount` bytes.
package func requireRange(_ range: Range<Int>, within byteCount: Int) throws(SourceError) {
    guard range.lowerBound >= 0, range.upperBound <= byteCount else {
        throw SourceError(
            .outOfRange, detail: "bytes \(range) of \(byteCount)", offset: range.lowerBound)
    }
}
