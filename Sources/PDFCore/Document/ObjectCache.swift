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

    subscript(key: Int) -> Item? { items[key] }

    /// Keeps an item, unless it is too large. A full cache is emptied first.
    mutating func insert(_ item: Item, for key: Int) {
        guard item.byteCount <= PDFLimits.objectCacheByteCount else { return }
        if items.count >= PDFLimits.objectCacheCount
            || byteCount + item.byteCount > PDFLimits.objectCacheByteCount
        {
            self = ObjectCache()
        }
        items[key] = item
        byteCount += item.byteCount
    }
}
