import PDFCore

/// The structure tree of tagged documents (ISO 32000-2 §14.7): it may grow by elements for new
/// annotations and signatures, and in no other way.
extension RevisionComparison {
    /// Most elements that are looked at.
    private static let maximumElementCount = 100_000

    mutating func compareStructure() throws {
        guard let rootEntry = try old.catalog()["StructTreeRoot"],
            let root = try old.resolve(rootEntry).dictionaryValue,
            let newRoot = try new.resolve(rootEntry).dictionaryValue
        else { return }
        var hasGrown = false
        let nodes = try keptParentTree(root["ParentTree"], newRoot["ParentTree"])
        if let id = rootEntry.referenceValue, pending[id.number] != nil {
            let changed = try equivalence.changedKeys(root, newRoot)
            guard Set(changed).isSubset(of: ["K", "ParentTree", "ParentTreeNextKey"]),
                try areOnlyAdditions(root["K"], newRoot["K"]), nodes != nil
            else { return }
            settle(id)
            hasGrown = true
        }
        for id in pending.values.sorted() {
            guard let before = try old.object(id).dictionaryValue,
                let after = try new.object(id).dictionaryValue
            else { continue }
            if try isElement(before, old) {
                guard try equivalence.changedKeys(before, after) == ["K"],
                    try areOnlyAdditions(before["K"], after["K"])
                else {
                    forbid("the structure tree was changed (object \(id.number))")
                    settle(id)
                    continue
                }
                settle(id)
                hasGrown = true
            } else if nodes?.contains(id) == true {
                settle(id)
                hasGrown = true
            }
        }
        if hasGrown { note(.formFilling, "tags were added to the structure tree") }
    }

    private func isElement(
        _ dictionary: PDFDictionary, _ document: PDFDocument
    ) throws -> Bool {
        try document.value(dictionary, "Type").nameValue == "StructElem"
            || dictionary["S"] != nil && dictionary["P"] != nil
    }

    /// Whether the later kids are the earlier ones in their order, with new elements among them
    /// that stand for annotations only.
    private func areOnlyAdditions(_ before: PDFObject?, _ after: PDFObject?) throws -> Bool {
        func kids(_ entry: PDFObject?, _ document: PDFDocument) throws -> [PDFObject] {
            guard let entry else { return [] }
            return try document.resolve(entry).arrayValue ?? [entry]
        }
        var earlier = try kids(before, old)[...]
        for kid in try kids(after, new) {
            if let next = earlier.first, try isSameKid(next, kid) {
                earlier = earlier.dropFirst()
            } else if try !standsForAnnotations(kid) {
                return false
            }
        }
        return earlier.isEmpty
    }

    /// Whether a kid stayed: what an object reference says besides the object, nobody reads.
    private func isSameKid(_ before: PDFObject, _ after: PDFObject) throws -> Bool {
        if let was = before.dictionaryValue, let now = after.dictionaryValue,
            was["Type"]?.nameValue == "OBJR", now["Type"]?.nameValue == "OBJR"
        {
            return was["Obj"] == now["Obj"]
        }
        return try equivalence.holds(before, after)
    }

    /// Whether a new element leads to nothing but annotations: page content stays as it is tagged.
    private func standsForAnnotations(_ kid: PDFObject) throws -> Bool {
        var stack = [kid]
        var visited: Set<ObjectID> = []
        while let next = stack.popLast() {
            if let id = next.referenceValue {
                guard try !existed(id), visited.insert(id).inserted,
                    visited.count <= Self.maximumElementCount
                else { return false }
            }
            guard let dictionary = try new.resolve(next).dictionaryValue else { return false }
            if dictionary["Type"]?.nameValue == "OBJR" { continue }
            guard try isElement(dictionary, new), let entry = dictionary["K"] else { return false }
            stack += try new.resolve(entry).arrayValue ?? [entry]
        }
        return true
    }

    /// The nodes of the parent tree, provided that it keeps what it said of earlier numbers; nil
    /// when it does not, or cannot be read.
    private func keptParentTree(
        _ before: PDFObject?, _ after: PDFObject?
    ) throws -> Set<ObjectID>? {
        guard !pending.isEmpty, let was = try numberTree(before, old),
            let now = try numberTree(after, new)
        else { return nil }
        for (number, entry) in was.entries {
            guard try equivalence.holds(entry, now.entries[number]) else { return nil }
        }
        return was.nodes.union(now.nodes)
    }

    /// A number tree (ISO 32000-2 §7.9.7); nil when it is damaged or says something twice.
    private func numberTree(
        _ root: PDFObject?, _ document: PDFDocument
    ) throws -> (entries: [Int: PDFObject], nodes: Set<ObjectID>)? {
        var entries: [Int: PDFObject] = [:]
        var nodes: Set<ObjectID> = []
        var stack = [root].compactMap { $0 }
        while let next = stack.popLast() {
            if let id = next.referenceValue, !nodes.insert(id).inserted { return nil }
            guard let node = try document.resolve(next).dictionaryValue,
                nodes.count + entries.count <= Self.maximumElementCount
            else { return nil }
            stack += try document.value(node, "Kids").arrayValue ?? []
            let list = try document.value(node, "Nums").arrayValue ?? []
            for index in stride(from: 0, to: list.count - 1, by: 2) {
                guard let number = list[index].integerValue,
                    entries.updateValue(list[index + 1], forKey: number) == nil
                else { return nil }
            }
        }
        return (entries, nodes)
    }
}
