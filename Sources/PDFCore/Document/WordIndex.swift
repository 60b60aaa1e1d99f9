import Base
import CodecBridge

/// Positions of a word in a file, searched block by block and only once. A file full of
/// unterminated streams is searched in linear, not quadratic, time.
struct WordIndex {
    private let word: [UInt8]
    /// Positions of the word by block, relative to the block.
    private var places: [Int: [UInt16]] = [:]
    private var placeCount = 0
    /// The next block that may contain the word, for blocks followed by blocks without it.
    private var following: [Int: Int] = [:]
    /// Remaining blocks to read. Each block is read once, unless the index exceeds its limit.
    private var blockBudget: Int

    /// Maximum number of positions kept.
    private static let placeLimit = 4 << 20
    /// Number of blocks that may be read in addition to those of the file.
    private static let blockAllowance = 1024

    init(of word: [UInt8], byteCount: Int) {
        self.word = word
        blockBudget = PDFLimits.allowance(
            Self.blockAllowance, ratio: 2, for: byteCount / BlockCache.blockByteCount)
    }

    /// The first position of the word at or after `start`; `nil` if there is none.
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
