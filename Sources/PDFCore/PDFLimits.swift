/// Bounds on what a document may ask for. Exceeding one is a clean error.
package enum PDFLimits {
    /// How deep arrays and dictionaries may nest.
    package static let nestingDepth = 128
    /// The highest object number.
    package static let objectNumber = 8_388_607
    /// Values in one object, counting those of nested arrays and dictionaries; what needs memory
    /// of its own, as strings do, counts fourfold.
    package static let valuesPerObject = 800_000
    /// Bytes of one name, number or keyword.
    package static let tokenByteCount = 64 * 1024
    /// Bytes of one string. Signature contents are the longest that make sense.
    package static let stringByteCount = 16 << 20
    /// Objects in one object stream.
    package static let objectsPerStream = 100_000
    /// Bytes of one decoded stream, however large it was before.
    package static let decodedStreamByteCount = 256 << 20
    /// Bytes that a stream may have after any of its filters, however small it was before.
    /// Deflate can shrink zeros to a thousandth; what a document says shrinks to a tenth.
    package static let decodedStreamAllowance = 8 << 20
    /// How much larger than its data a stream may become beyond the allowance.
    package static let decodedStreamRatio = 8
    /// Bytes of all decoded streams of one document: so many, and so many for each of the file.
    package static let decodedTotalAllowance = 256 << 20
    package static let decodedTotalRatio = 64
    /// Bytes of the cross-reference streams, which are all kept: so many, and so many for each
    /// byte of the file.
    package static let crossReferenceAllowance = 16 << 20
    package static let crossReferenceRatio = 16
    /// Bytes parsed in vain, or for objects too large to be kept: so many, and so many for each
    /// byte of the file. No honest file needs that; others would cost its size squared.
    package static let wastedAllowance = 32 << 20
    package static let wastedRatio = 4

    /// A limit that grows with the number of bytes.
    static func allowance(_ allowance: Int, _ ratio: Int, for byteCount: Int) -> Int {
        let (product, overflows) = byteCount.multipliedReportingOverflow(by: ratio)
        guard !overflows else { return .max }
        let (sum, isTooMuch) = allowance.addingReportingOverflow(product)
        return isTooMuch ? .max : sum
    }
    /// Objects that do not follow the syntax and are read all the same, and their bytes.
    package static let damagedObjectCount = 100_000
    package static let damagedByteCount = 32 << 20
    /// Filters applied to one stream.
    package static let filtersPerStream = 8
    /// Pages of a document.
    package static let pageCount = 500_000
    /// References that lead from one to the next.
    package static let referenceHops = 32
    /// Cross-reference sections, that is about as many revisions.
    package static let sectionCount = 4096
    /// Subsections of one cross-reference section.
    package static let subsectionCount = 1 << 20
    /// Levels from a page up to the root of the page tree.
    package static let pageTreeDepth = 64
    /// Where the header and the end-of-file marker are looked for, from either end.
    package static let headerSearchByteCount = 1024
    package static let trailerSearchByteCount = 1024
    /// How much may follow the end-of-file marker before it is not found any more.
    package static let junkSearchByteCount = 1 << 20
    /// How far from its offset a table or an object is looked for when repairs are permitted.
    package static let nearbyByteCount = 64
    /// The first offset that does not fit the ten digits of a cross-reference table.
    package static let tableOffsetLimit = 10_000_000_000
    /// Decoded object streams kept in memory.
    package static let objectStreamCacheByteCount = 8 << 20
    /// Parsed objects kept in memory, and the text they may come from: enough for the kids of a
    /// flat page tree, which are asked for again and again.
    package static let objectCacheByteCount = 2 << 20
    package static let objectCacheCount = 256
    /// Warnings kept; what exceeds them says nothing new.
    package static let warningCount = 200
}
