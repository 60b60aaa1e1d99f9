struct CachedObject {
    let id: ObjectID
    let object: PDFObject
    /// Length of the text that the object was parsed from.
    let byteCount: Int
    /// How it was read; nil in an object stream.
    var parsed: ParsedObject?
}

extension CachedObject {
    init(_ parsed: ParsedObject) {
        self.init(
            id: parsed.id, object: parsed.object, byteCount: parsed.bodyRange.count, parsed: parsed)
    }
}

/// A cache of parsed objects with a limited size.
struct ObjectCache<Key: Hashable> {
    /// Large objects take long to parse, so they are not evicted in favor of many small ones.
    private var (small, large) = (Part(), Part())
    /// The newest item that exceeds the size of the cache. It is kept because many objects may
    /// refer to it.
    private var largest: (key: Key, item: CachedObject)?

    private struct Part {
        var items: [Key: CachedObject] = [:]
        var byteCount = 0

        /// Inserts an item; empties the part first if it is full.
        mutating func insert(_ item: CachedObject, for key: Key) {
            if items.count >= PDFLimits.objectCacheCount
                || byteCount + item.byteCount > PDFLimits.objectCacheByteCount
            {
                self = Part()
            }
            items[key] = item
            byteCount += item.byteCount
        }
    }

    private static var largeByteCount: Int { PDFLimits.objectCacheByteCount / 256 }

    subscript(key: Key) -> CachedObject? {
        if let known = small.items[key] { return known }
        if let known = large.items[key] { return known }
        return largest.flatMap { $0.key == key ? $0.item : nil }
    }

    /// Stores an item; of those that exceed the size of the cache, only the newest is kept.
    mutating func insert(_ item: CachedObject, for key: Key) {
        if item.byteCount < Self.largeByteCount {
            small.insert(item, for: key)
        } else if item.byteCount <= PDFLimits.objectCacheByteCount {
            large.insert(item, for: key)
        } else {
            largest = (key, item)
        }
    }
}

/// The location of an object in the file.
struct ObjectPlace: Hashable {
    /// Position of the object, or of the object stream that contains it.
    let offset: Int
    var index: Int?
}
