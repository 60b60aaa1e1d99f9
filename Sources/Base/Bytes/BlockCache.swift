/// A small cache of fixed-size blocks in front of a ``ByteSource``.
///
/// Memory use does not depend on the size of the source. Parsers read whole blocks, so that one
/// read serves many tokens.
package final class BlockCache {
    /// The size of a block. A power of two, so that block boundaries agree with pages.
    package static let blockByteCount = 16 * 1024

    /// Sets of two ways each: enough that a cross-reference table and the objects it points to
    /// do not evict one another.
    private static let setCount = 32

    package let source: any ByteSource
    package let byteCount: Int

    private struct Way {
        var number = -1
        var bytes: [UInt8] = []
    }

    private var recent = [Way](repeating: Way(), count: BlockCache.setCount)
    private var older = [Way](repeating: Way(), count: BlockCache.setCount)

    package init(_ source: any ByteSource) {
        self.source = source
        byteCount = source.byteCount
    }

    /// A cache for reading everything once: this one if it holds the whole source, otherwise another,
    /// so that the blocks that are read repeatedly stay.
    package var forReadingAll: BlockCache {
        byteCount <= Self.setCount * Self.blockByteCount ? self : BlockCache(source)
    }

    /// The block that holds the byte at `offset`.
    ///
    /// - Returns: The position of the block's first byte, and its bytes; no bytes when `offset` is
    ///   at or past the end.
    /// - Throws: ``SourceError`` when reading fails.
    package func block(containing offset: Int) throws(SourceError) -> (start: Int, bytes: [UInt8]) {
        guard offset >= 0, offset < byteCount else { return (offset, []) }
        let number = offset / Self.blockByteCount
        let start = number * Self.blockByteCount
        let set = number % Self.setCount
        if recent[set].number == number { return (start, recent[set].bytes) }
        if older[set].number == number {
            swap(&recent[set], &older[set])
            return (start, recent[set].bytes)
        }
        let bytes = try source.bytes(at: start, count: min(Self.blockByteCount, byteCount - start))
        guard offset - start < bytes.count else {
            throw SourceError(.readFailed, detail: "the input became shorter", offset: offset)
        }
        older[set] = recent[set]
        recent[set] = Way(number: number, bytes: bytes)
        return (start, bytes)
    }

    /// Bytes at any position. Ranges of at most one block are read through the cache.
    ///
    /// - Returns: `min(count, byteCount - offset)` bytes, none when `offset` is past the end.
    /// - Throws: ``SourceError`` when the position is negative or reading fails.
    package func bytes(at offset: Int, count: Int) throws(SourceError) -> [UInt8] {
        guard offset < byteCount else { return [] }
        let range = try clampedRange(at: offset, count: count, within: byteCount)
        guard range.count <= Self.blockByteCount else {
            return try source.bytes(at: range.lowerBound, count: range.count)
        }
        var result: [UInt8] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let (start, bytes) = try block(containing: position)
            let stop = min(bytes.count, range.upperBound - start)
            if start == range.lowerBound, stop == bytes.count, range.count == stop { return bytes }
            result.append(contentsOf: bytes[(position - start)..<stop])
            position = start + stop
        }
        return result
    }
}
