import Base

/// Reads bytes of a file, mostly in ascending order. Keeps the current block, so that the cache is
/// queried only at the start of another block.
struct BlockWindow {
    private let cache: BlockCache
    private var start = 0
    private var bytes: [UInt8] = []

    init(_ cache: BlockCache) { self.cache = cache }

    /// The byte at a position; `nil` outside the file.
    ///
    /// - Throws: ``PDFError`` if reading fails.
    @inline(__always) mutating func byte(at position: Int) throws(PDFError) -> UInt8? {
        if position >= start, position - start < bytes.count { return bytes[position - start] }
        try move(to: position)
        return bytes.isEmpty ? nil : bytes[position - start]
    }

    /// Calls `body` with an array and the index of `position` in it. Fewer than `count` bytes
    /// follow only at the end of the file.
    @inline(__always) mutating func withBytes<Result>(
        at position: Int, count: Int, _ body: ([UInt8], Int) -> Result
    ) throws(PDFError) -> Result {
        if position < start || position - start >= bytes.count { try move(to: position) }
        if position - start + count <= bytes.count { return body(bytes, position - start) }
        return body(try reading(cache.bytes(at: position, count: count)), 0)
    }

    private mutating func move(to position: Int) throws(PDFError) {
        (start, bytes) = try reading(cache.block(containing: position))
    }
}
