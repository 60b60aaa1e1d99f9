import Base
import CodecBridge

/// Where a word stands in a file, looked for block by block and once: a file full of streams that
/// lack their ends is searched in a time that grows with its size, not with its square.
struct WordIndex {
    private let word: [UInt8]
    /// Where in a block the word begins.
    private var places: [Int: [UInt16]] = [:]
    private var placeCount = 0
    /// The next block that may have the word, for blocks behind which there are some without.
    private var following: [Int: Int] = [:]
    /// How many more blocks may be looked at. Each one is looked at once, unless what is known of
    /// them is too much to be kept.
    private var blockBudget: Int

    /// Most places that are kept.
    private static let placeLimit = 4 << 20
    /// Blocks that may be looked at besides those that the file has.
    private static let blockAllowance = 1024

    init(of word: [UInt8], byteCount: Int) {
        self.word = word
        blockBudget = PDFLimits.allowance(
            Self.blockAllowance, 2, for: byteCount / BlockCache.blockByteCount)
    }

    /// The first place from `start` on where the word stands; `nil` when there is none.
    mutating func firstPosition(from start: Int, in cache: BlockCache) throws(PDFError) -> Int? {
        let first = max(0, start) / BlockCache.blockByteCount
        let blockStart = first * BlockCache.blockByteCount
        let known = try places(inBlock: first, cache)
        let next = known.partitioningIndex { blockStart + Int($0) >= start }
        if next < known.count { return blockStart + Int(known[next]) }
        var block = following[first] ?? first + 1
        while block * BlockCache.blockByteCount < cache.byteCount {
            if let place = try places(inBlock: block, cache).first {
                following[first] = block
                return block * BlockCache.blockByteCount + Int(place)
            }
            block = following[block] ?? block + 1
        }
        following[first] = block
        return nil
    }

    private mutating func places(
        inBlock number: Int, _ cache: BlockCache
    ) throws(PDFError) -> [UInt16] {
        if let known = places[number] { return known }
        let start = number * BlockCache.blockByteCount
        guard start < cache.byteCount else { return [] }
        blockBudget -= 1
        guard blockBudget > 0 else {
            throw PDFError(.limitExceeded, "too many streams with a wrong length", offset: start)
        }
        // The word may begin in this block and end in the next one.
        let next = try reading(
            cache.bytes(at: start + BlockCache.blockByteCount, count: word.count - 1))
        let bytes = try reading(cache.bytes(at: start, count: BlockCache.blockByteCount)) + next
        var found: [UInt16] = []
        ByteSearch.forEach(word, in: bytes.span) { found.append(UInt16($0)) }
        if placeCount > Self.placeLimit {
            places = [:]
            placeCount = 0
        }
        places[number] = found
        placeCount += found.count + 1
        return found
    }
}
