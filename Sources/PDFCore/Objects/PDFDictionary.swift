/// A dictionary object that preserves the order of its entries, including repeated keys.
package struct PDFDictionary: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    /// One key with its value.
    package struct Entry: Equatable, Sendable {
        package let key: PDFName
        package var value: PDFObject
    }

    /// All entries in the order in which they are written.
    package private(set) var entries: [Entry]

    /// Positions by key, only for dictionaries too large for a linear search.
    private var index: [PDFName: Int]?
    private static let indexThreshold = 24

    package init() { entries = [] }

    package init(dictionaryLiteral elements: (PDFName, PDFObject)...) {
        self.init(entries: elements.map { Entry(key: $0.0, value: $0.1) })
    }

    /// A dictionary of these entries; a key may occur several times.
    package init(entries: [Entry]) {
        self.entries = entries
        rebuildIndex()
    }

    /// The value of a key; `nil` if it is absent or null, which are equivalent (ISO 32000-2
    /// §7.3.9). Of several entries with the key, the last one is used, as in most viewers; see
    /// ``duplicateKeys``.
    ///
    /// Setting replaces the value in place or appends an entry; `nil` removes the key.
    package subscript(key: PDFName) -> PDFObject? {
        get {
            guard let position = position(of: key) else { return nil }
            let value = entries[position].value
            return value == .null ? nil : value
        }
        set {
            if let newValue, let position = position(of: key) {
                entries[position].value = newValue
                if entries[..<position].contains(where: { $0.key == key }) {
                    removeOthers(key, keeping: position)
                }
            } else if let newValue {
                entries.append(Entry(key: key, value: newValue))
                index?[key] = entries.count - 1
                if index == nil { rebuildIndex() }
            } else {
                entries.removeAll { $0.key == key }
                rebuildIndex()
            }
        }
    }

    /// The keys in the order of their first entries, without repetition.
    package var keys: [PDFName] {
        var seen: Set<PDFName> = []
        return entries.compactMap { seen.insert($0.key).inserted ? $0.key : nil }
    }

    /// Keys that occur more than once, which ISO 32000-2 §7.3.7 forbids and viewers resolve
    /// differently.
    package var duplicateKeys: [PDFName] {
        guard entries.count > 1 else { return [] }
        if let index, index.count == entries.count { return [] }
        // Almost no dictionary repeats a key, and most dictionaries are small.
        if index == nil, !hasRepeatedKey { return [] }
        var seen: Set<PDFName> = []
        var told: Set<PDFName> = []
        return entries.map(\.key).filter { !seen.insert($0).inserted && told.insert($0).inserted }
    }

    private var hasRepeatedKey: Bool {
        for position in entries.indices.dropFirst() {
            let key = entries[position].key
            for earlier in 0..<position where entries[earlier].key == key { return true }
        }
        return false
    }

    /// A copy in which each key occurs once, with the value that is used, also in nested
    /// dictionaries.
    package var withKeysOnce: PDFDictionary {
        let repeated = Set(duplicateKeys)
        return PDFDictionary(
            entries: entries.enumerated().compactMap { position, entry in
                guard !repeated.contains(entry.key) || position == self.position(of: entry.key)
                else { return nil }
                return Entry(key: entry.key, value: entry.value.withKeysOnce)
            })
    }

    /// The repeated keys that have different values, of which viewers use different ones.
    package var differingKeys: [PDFName] {
        guard !duplicateKeys.isEmpty else { return [] }
        var first: [PDFName: Int] = [:]
        var told: Set<PDFName> = []
        return entries.enumerated().compactMap { position, entry in
            guard let known = first[entry.key] else {
                first[entry.key] = position
                return nil
            }
            let differs = entries[known].value != entry.value
            return differs && told.insert(entry.key).inserted ? entry.key : nil
        }
    }

    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }

    /// Dictionaries are equal if they have the same entries in the same order.
    package static func == (left: PDFDictionary, right: PDFDictionary) -> Bool {
        left.entries == right.entries
    }

    private func position(of key: PDFName) -> Int? {
        if let index { return index[key] }
        return entries.lastIndex { $0.key == key }
    }

    private mutating func removeOthers(_ key: PDFName, keeping position: Int) {
        let kept = entries[position]
        var seen = false
        entries = entries.compactMap { entry in
            guard entry.key == key else { return entry }
            defer { seen = true }
            return seen ? nil : kept
        }
        rebuildIndex()
    }

    private mutating func rebuildIndex() {
        guard entries.count > Self.indexThreshold else {
            index = nil
            return
        }
        var positions: [PDFName: Int] = [:]
        positions.reserveCapacity(entries.count)
        for (position, entry) in entries.enumerated() { positions[entry.key] = position }
        index = positions
    }
}

extension PDFObject {
    /// A copy in which each key of its dictionaries occurs once.
    package var withKeysOnce: PDFObject {
        switch self {
        case .dictionary(let dictionary): return .dictionary(dictionary.withKeysOnce)
        case .array(let elements): return .array(elements.map(\.withKeysOnce))
        case .stream(var stream):
            stream.dictionary = stream.dictionary.withKeysOnce
            return .stream(stream)
        default: return self
        }
    }
}
