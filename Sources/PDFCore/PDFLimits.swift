/// Limits on the resources that a document may require. Exceeding one is a regular error.
package enum PDFLimits {
    /// Maximum nesting depth of arrays and dictionaries.
    package static let nestingDepth = 128
    /// Nesting depth of arrays and dictionaries that all viewers read. PDFium reads 64.
    package static let usualNestingDepth = 60
    package static let objectNumber = 8_388_607
    /// Maximum number of values in an object, including those of nested arrays and dictionaries. A
    /// value with its own allocation, such as a string, counts four times.
    package static let valuesPerObject = 800_000
    /// Maximum length of a name, number or keyword, in bytes.
    package static let tokenByteCount = 64 * 1024
    /// Maximum length of a string, in bytes. The longest useful strings are the /Contents of
    /// signatures.
    package static let stringByteCount = 16 << 20
    package static let objectsPerStream = 100_000
    /// Maximum length of a decoded stream in bytes, regardless of its stored length.
    package static let decodedStreamByteCount = 256 << 20
    /// Bytes that a stream may have after any of its filters, regardless of its stored length.
    /// Deflate can compress zeros to a thousandth, but real content only to about a tenth.
    package static let decodedStreamAllowance = 8 << 20
    /// Additional bytes after a filter for each stored byte, beyond the allowance.
    package static let decodedStreamRatio = 8
    /// Maximum size of all decoded streams of a document: an allowance, plus a multiple of the file
    /// size.
    package static let decodedTotalAllowance = 256 << 20
    package static let decodedTotalRatio = 64
    /// Maximum size of the cross-reference streams, which are all kept in memory: an allowance,
    /// plus a multiple of the file size.
    package static let crossReferenceAllowance = 16 << 20
    package static let crossReferenceRatio = 16
    /// Bytes parsed without success, or for objects too large for the cache: an allowance, plus a
    /// multiple of the file size. Regular files need no more; malicious ones would take quadratic
    /// time.
    package static let wastedAllowance = 32 << 20
    package static let wastedRatio = 4

    static func allowance(_ allowance: Int, ratio: Int, for byteCount: Int) -> Int {
        let (product, overflows) = byteCount.multipliedReportingOverflow(by: ratio)
        guard !overflows else { return .max }
        let (sum, isTooMuch) = allowance.addingReportingOverflow(product)
        return isTooMuch ? .max : sum
    }
    /// Maximum number of objects with syntax errors that are read, and their total size in bytes.
    package static let damagedObjectCount = 100_000
    package static let damagedByteCount = 32 << 20
    package static let filtersPerStream = 8
    package static let pageCount = 500_000
    /// Maximum length of a chain of references.
    package static let referenceHops = 32
    /// Maximum number of cross-reference sections, which is approximately the number of revisions.
    package static let sectionCount = 4096
    /// Maximum number of subsections of a cross-reference section.
    package static let subsectionCount = 1 << 20
    /// Maximum number of levels from a page to the root of the page tree.
    package static let pageTreeDepth = 64
    /// Number of bytes at the start and at the end of the file that are searched for the header and
    /// the end-of-file marker.
    package static let headerSearchByteCount = 1024
    package static let trailerSearchByteCount = 1024
    /// Number of bytes at the end of the file that are searched if trailing bytes follow the
    /// end-of-file marker.
    package static let junkSearchByteCount = 1 << 20
    /// Maximum distance from its stated offset at which a table or an object is searched for, if
    /// repairs are permitted.
    package static let nearbyByteCount = 64
    /// The first offset that does not fit the ten digits of a cross-reference table.
    package static let tableOffsetLimit = 10_000_000_000
    package static let objectStreamCacheByteCount = 8 << 20
    /// Maximum source length in bytes and number of the cached objects. Enough for the kids of a
    /// flat page tree, which are requested repeatedly.
    package static let objectCacheByteCount = 2 << 20
    package static let objectCacheCount = 256
    /// Maximum number of warnings kept; further ones provide no new information.
    package static let warningCount = 200
}
