struct CachedObject {
    let id: ObjectID
    let object: PDFObject
    /// The length of the text it was parsed from.
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

/// Parsed objects that may be needed again, a bounded number of them.
struct ObjectCache<Key: Hashable> {
    /// Those that take long to be parsed are not given up for many small ones.
    private var (small, large) = (Part(), Part())
    /// The newest item that is too large to be kept besides others: many may refer to it.
    private var largest: (key: Key, item: CachedObject)?

    private struct Part {
        var items: [Key: CachedObject] = [:]
        var byteCount = 0

        /// A full part is emptied first.
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

    /// From how many bytes on an object is a large one.
    private static var largeByteCount: Int { PDFLimits.objectCacheByteCount / 256 }

    subscript(key: Key) -> CachedObject? {
        if let known = small.items[key] { return known }
        if let known = large.items[key] { return known }
        return largest.flatMap { $0.key == key ? $0.item : nil }
    }

    /// Keeps an item, of those that are too large only the newest.
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

/// Where an object stands in the file.
struct ObjectPlace: Hashable {
    /// Of the object itself, or of the object stream that holds it.
    let offset: Int
    /// Which object of the stream it is.
    var index: Int?
}
