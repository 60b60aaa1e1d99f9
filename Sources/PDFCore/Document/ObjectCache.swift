/// Parsed objects that may be needed again, a bounded number of them.
struct ObjectCache {
    struct Item {
        let id: ObjectID
        let object: PDFObject
        /// The length of the text it was parsed from.
        let byteCount: Int
    }

    private var items: [Int: Item] = [:]
    private var byteCount = 0
    /// The newest item that is too large to be kept besides others: many may refer to it.
    private var largest: (key: Int, item: Item)?

    subscript(key: Int) -> Item? {
        items[key] ?? largest.flatMap { $0.key == key ? $0.item : nil }
    }

    /// Keeps an item, of those that are too large only the newest. A full cache is emptied first.
    mutating func insert(_ item: Item, for key: Int) {
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
