struct CachedObject {
    let id: ObjectID
    let object: PDFObject
    /// The length of the text it was parsed from.
    let byteCount: Int
}

/// Parsed objects that may be needed again, a bounded number of them.
struct ObjectCache<Key: Hashable> {
    private var items: [Key: CachedObject] = [:]
    private var byteCount = 0
    /// The newest item that is too large to be kept besides others: many may refer to it.
    private var largest: (key: Key, item: CachedObject)?

    subscript(key: Key) -> CachedObject? {
        items[key] ?? largest.flatMap { $0.key == key ? $0.item : nil }
    }

    /// Keeps an item, of those that are too large only the newest. A full cache is emptied first.
    mutating func insert(_ item: CachedObject, for key: Key) {
        guard item.byteCount <= PDFLimits.objectCacheByteCount else {
            largest = (key, item)
            return
        }
        if items.count >= PDFLimits.objectCacheCount
            || byteCount + item.byteCount > PDFLimits.objectCacheByteCount
        {
            (items, byteCount) = ([:], 0)
        }
        items[key] = item
        byteCount += item.byteCount
    }
}

/// Where an object stands in the file.
struct ObjectPlace: Hashable {
    /// Of the object itself, or of the object stream that holds it.
    let offset: Int
    /// Which object of the stream it is.
    var index: Int?
}
