/// Finds the references in values, however deep, without recursion.
///
/// What a reference leads to is walked through as well where it is given to ``follow(_:)``; who does
/// that notes what was visited.
package struct ReferenceWalk {
    private var waiting: [PDFObject] = []
    private let ignoredKeys: Set<PDFName>

    /// - Parameter ignoredKeys: dictionary entries that are skipped.
    package init(through object: PDFObject? = nil, besides ignoredKeys: Set<PDFName> = []) {
        self.ignoredKeys = ignoredKeys
        if let object { follow(object) }
    }

    /// Walks through another value next.
    package mutating func follow(_ object: PDFObject) {
        switch object {
        case .array, .dictionary, .stream, .reference: waiting.append(object)
        default: break
        }
    }

    /// The next reference, the last one of an array or dictionary first; nil when there is none left.
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
