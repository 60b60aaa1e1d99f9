/// Finds references in nested values without recursion.
///
/// A caller may pass referenced objects to ``follow(_:)`` to search them too. The caller must keep
/// track of visited objects.
package struct ReferenceWalk {
    private var waiting: [PDFObject] = []
    private let ignoredKeys: Set<PDFName>

    /// - Parameter ignoredKeys: Dictionary entries that are skipped.
    package init(through object: PDFObject? = nil, besides ignoredKeys: Set<PDFName> = []) {
        self.ignoredKeys = ignoredKeys
        if let object { follow(object) }
    }

    /// Searches another value next.
    package mutating func follow(_ object: PDFObject) {
        switch object {
        case .array, .dictionary, .stream, .reference: waiting.append(object)
        default: break
        }
    }

    /// The next reference, the last one of an array or dictionary first; `nil` if there are no
    /// more.
    package mutating func next() -> ObjectID? {
        while let object = waiting.popLast() {
            switch object {
            case .array(let elements): for element in elements { follow(element) }
            case .dictionary(let dictionary): follow(dictionary)
            case .stream(let stream): follow(stream.dictionary)
            case .reference(let id): return id
            default: break
            }
        }
        return nil
    }

    private mutating func follow(_ dictionary: PDFDictionary) {
        for entry in dictionary.entries
        where ignoredKeys.isEmpty || !ignoredKeys.contains(entry.key) { follow(entry.value) }
    }
}
