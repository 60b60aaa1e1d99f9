import Base
import PDFCore
import PDFSigning

/// The structure tree of tagged documents (ISO 32000-2 §14.7): updates may only add elements for
/// new annotations and signatures, and remove those of removed annotations.
///
/// The previous revision decides which objects belong to it.
extension RevisionComparison {
    private static let maximumElementCount = 100_000
    private static let elementCost = 32
    private static let maximumDepth = 1000

    mutating func compareStructure() throws {
        guard let rootEntry = try old.catalog()["StructTreeRoot"],
            let root = try old.resolve(rootEntry).dictionaryValue,
            let newRoot = try new.resolve(rootEntry).dictionaryValue
        else { return }
        var change = KidsDiff()
        let nodes = try keptParentTree(root["ParentTree"], newRoot["ParentTree"], &change)
        if let id = rootEntry.referenceValue, unexplainedObjects[id.number] != nil,
            !fixed.contains(id)
        {
            let changed = try equivalence.changedKeys(root, newRoot)
            guard Set(changed).isSubset(of: ["K", "ParentTree", "ParentTreeNextKey"]),
                newRoot.duplicateKeys.isEmpty,
                try compareKids(root["K"], newRoot["K"], &change), nodes != nil
            else { return }
            accept(id)
            change.noteAccepted()
        }
        try compareElements(below: rootEntry.referenceValue, &change)
        let kept = try (nodes ?? []).filter { try stays(.entries(Self.nodeKeys), id: $0) }
        let holders = Set(kept.map(\.number) + [rootEntry.referenceValue?.number ?? 0])
        for id in kept.sorted() where unexplainedObjects[id.number] != nil {
            guard try isNodeKept(id, holders: holders) else { continue }
            accept(id)
            change.noteAccepted()
        }
        if change.hasAdded { noteTechnical(.formFilling, "tags were added to the structure tree") }
        if change.hasRemoved {
            note(.annotations, "tags of annotations were removed from the structure tree")
        }
        noteWords(of: change)
    }

    /// Judges a new structure tree: it may contain only annotations.
    mutating func judgeNewStructureTree(_ entry: PDFObject?) throws {
        var change = KidsDiff()
        guard let id = entry?.referenceValue, try !existed(id),
            let root = try new.object(id).dictionaryValue, root.duplicateKeys.isEmpty,
            try compareKids(nil, root["K"], &change), let tree = try parentTreeAfter(),
            try tree.nodes.allSatisfy({ try !existed($0) }),
            try tree.entries.values.allSatisfy({ try isAnnotationEntry($0, change: &change) })
        else { return forbid("a structure tree was added") }
        noteTechnical(.formFilling, "tags were added to the structure tree")
        noteWords(of: change)
    }

    /// Changes to the kids of elements.
    private struct KidsDiff {
        var hasAdded = false
        var hasRemoved = false
        /// Texts of new elements, and whether they describe existing objects.
        var words: [(text: String, isOfKnown: Bool)] = []

        /// Notes that a changed object was accepted: what was not removed was added.
        mutating func noteAccepted() { if !hasRemoved { hasAdded = true } }
    }

    /// Reports texts that screen readers read.
    private mutating func noteWords(of change: KidsDiff) {
        for (text, isOfKnown) in change.words {
            result.note(
                .formFilling, "a tag with the text \(text.inQuotes) was added", isContent: isOfKnown
            )
        }
    }

    /// A page without /StructParents may get a number. The number must not refer to structure
    /// elements, which could contradict the page content.
    mutating func compareStructureNumber(of page: PDFDictionary, _ number: Int) throws {
        guard let key = try new.value(page, "StructParents").integerValue,
            let entry = try parentTreeAfter()?.entries[key]
        else { return }
        let value = try new.resolve(entry)
        if value == .null || value.arrayValue?.isEmpty == true { return }
        forbid("page \(number): content tagged")
    }

    /// The later parent tree; nil if it cannot be read.
    private mutating func parentTreeAfter() throws -> NumberTree? {
        if let tagsAfter { return tagsAfter }
        let root = try new.value(new.catalog(), "StructTreeRoot").dictionaryValue
        let tree = try numberTree(root?["ParentTree"], in: new)
        tagsAfter = .some(tree)
        return tree
    }

    /// Whether an entry of the parent tree is empty or names an annotation's element: lists are for
    /// content (ISO 32000-2 §14.7.5.4).
    private func isAnnotationEntry(_ entry: PDFObject, change: inout KidsDiff) throws -> Bool {
        let value = try new.resolve(entry)
        if value == .null || value.arrayValue?.isEmpty == true { return true }
        guard let element = value.dictionaryValue, let id = entry.referenceValue else {
            return false
        }
        return try existed(id)
            ? isElement(element, in: new) : containsOnlyAnnotations(entry, in: new, &change)
    }

    // MARK: Elements

    private mutating func compareElements(below root: ObjectID?, _ change: inout KidsDiff) throws {
        var ancestry = StructPath(root: root, document: old)
        for id in unexplainedObjects.values.sorted() {
            guard !fixed.contains(id), let before = try old.object(id).dictionaryValue,
                let after = try new.object(id).dictionaryValue, try isElement(before, in: old),
                try ancestry.contains(id)
            else { continue }
            accept(id)
            guard after.duplicateKeys.isEmpty, try equivalence.changedKeys(before, after) == ["K"],
                try compareKids(before["K"], after["K"], &change)
            else {
                forbid("the structure tree was changed (object \(id.number))")
                continue
            }
            change.noteAccepted()
        }
    }

    private func isElement(_ dictionary: PDFDictionary, in document: PDFDocument) throws -> Bool {
        let type = try document.value(dictionary, "Type")
        guard type == .null else { return type.nameValue == "StructElem" }
        return try dictionary["P"]?.referenceValue != nil
            && document.value(dictionary, "S").nameValue != nil
    }

    /// Whether the later kids are the earlier ones in sequence, except for annotation elements.
    private func compareKids(
        _ before: PDFObject?, _ after: PDFObject?, _ change: inout KidsDiff
    ) throws -> Bool {
        func kids(_ entry: PDFObject?, in document: PDFDocument) throws -> [PDFObject] {
            guard let entry else { return [] }
            return try document.resolve(entry).arrayValue ?? [entry]
        }
        var earlier = try kids(before, in: old)[...]
        for kid in try kids(after, in: new) {
            if let next = earlier.first, try isSameKid(next, kid) {
                earlier = earlier.dropFirst()
                continue
            }
            if try containsOnlyAnnotations(kid, in: new, &change) {
                change.hasAdded = true
                continue
            }
            while let next = earlier.first, try !isSameKid(next, kid) {
                guard try containsOnlyAnnotations(next, in: old, &change) else { return false }
                change.hasRemoved = true
                earlier = earlier.dropFirst()
            }
            guard !earlier.isEmpty else { return false }
            earlier = earlier.dropFirst()
        }
        if !earlier.isEmpty { change.hasRemoved = true }
        return try earlier.allSatisfy { try containsOnlyAnnotations($0, in: old, &change) }
    }

    /// Whether a kid is unchanged; only the object of an object reference matters.
    private func isSameKid(_ before: PDFObject, _ after: PDFObject) throws -> Bool {
        if let was = before.dictionaryValue, let now = after.dictionaryValue,
            was["Type"]?.nameValue == "OBJR", now["Type"]?.nameValue == "OBJR"
        {
            return was["Obj"] == now["Obj"]
        }
        return try equivalence.holds(before, after)
    }

    /// Whether an element contains only annotations: content must keep its tags. Added elements
    /// must be entirely new.
    private func containsOnlyAnnotations(
        _ kid: PDFObject, in document: PDFDocument, _ change: inout KidsDiff
    ) throws -> Bool {
        let isAddition = document === new
        var (words, isOfKnown): ([String], Bool) = ([], false)
        var stack = [kid]
        var visited: Set<ObjectID> = []
        while let next = stack.popLast() {
            // Several elements may share kids.
            try memory.values.spend(Self.elementCost)
            if let id = next.referenceValue {
                if isAddition, try existed(id) { return false }
                guard visited.insert(id).inserted, visited.count <= Self.maximumElementCount else {
                    return false
                }
            }
            guard let dictionary = try document.resolve(next).dictionaryValue else { return false }
            if dictionary["Type"]?.nameValue == "OBJR" {
                guard try leadsToAnnotation(dictionary, in: document) else { return false }
                if isAddition, try !isNewOrSigned(dictionary["Obj"]) { isOfKnown = true }
                continue
            }
            guard try isElement(dictionary, in: document) else { return false }
            if isAddition { words += try self.words(of: dictionary) }
            guard let entry = dictionary["K"] else {
                // The element of a removed annotation may already be empty.
                if isAddition { return false }
                continue
            }
            stack += try document.resolve(entry).arrayValue ?? [entry]
        }
        change.words += words.map { ($0, isOfKnown) }
        return true
    }

    /// Replacement and alternate texts of an element (ISO 32000-2 §14.9).
    private func words(of element: PDFDictionary) throws -> [String] {
        try ["ActualText", "Alt", "E"].compactMap { key in
            try new.value(element, key).stringValue.map(Self.beginning(of:))
        }
    }

    /// Whether this revision added an annotation or its signature.
    private func isNewOrSigned(_ entry: PDFObject?) throws -> Bool {
        guard let id = entry?.referenceValue else { return false }
        if try !existed(id) { return true }
        return try field(of: id).map { try isSignedNow($0) } ?? false
    }

    private func leadsToAnnotation(
        _ reference: PDFDictionary, in document: PDFDocument
    ) throws -> Bool {
        let target = try document.value(reference, "Obj")
        return target == .null || target.dictionaryValue?["Rect"] != nil
    }

    // MARK: Parent tree

    /// Keys of a number tree node (ISO 32000-2 Table 37).
    private static let nodeKeys: Set<PDFName> = ["Kids", "Nums", "Limits", "Type"]

    /// The nodes of the earlier parent tree, if it keeps its entries except for annotations; nil if
    /// it does not, is unreadable, or nothing is left to explain.
    private mutating func keptParentTree(
        _ before: PDFObject?, _ after: PDFObject?, _ change: inout KidsDiff
    ) throws -> Set<ObjectID>? {
        if before == after, let known = memory.knownParentTree, known.section == section + 1,
            unexplainedObjects.values.allSatisfy({ !known.nodes.contains($0) })
        {
            memory.knownParentTree = (section, known.nodes)
            return known.nodes
        }
        guard !unexplainedObjects.isEmpty, let was = try numberTree(before, in: old),
            let now = try numberTree(after, in: new)
        else { return nil }
        memory.knownParentTree = (section, now.nodes)
        for (number, entry) in was.entries {
            if try isSameEntry(entry, now.entries[number]) { continue }
            guard try new.resolve(now.entries[number] ?? .null) == .null,
                try containsOnlyAnnotations(entry, in: old, &change)
            else { return nil }
            change.hasRemoved = true
        }
        for id in now.nodes.subtracting(was.nodes).sorted() where try existed(id) {
            forbid("the structure tree refers to a signed object (object \(id.number))")
        }
        for (number, entry) in now.entries where was.entries[number] == nil {
            if try isAnnotationEntry(entry, change: &change) { continue }
            forbid("content was tagged in the structure tree")
            break
        }
        return was.nodes
    }

    /// Whether an entry names the same elements, in a direct or indirect list.
    private func isSameEntry(_ before: PDFObject, _ after: PDFObject?) throws -> Bool {
        if try equivalence.holds(before, after) { return true }
        guard let was = try old.resolve(before).arrayValue,
            let now = try after.map({ try new.resolve($0) })?.arrayValue
        else { return false }
        return try equivalence.holds(.array(was), .array(now))
    }

    /// Whether a changed node keeps its type, and only the tree refers to it.
    private func isNodeKept(_ id: ObjectID, holders: Set<Int>) throws -> Bool {
        guard let before = try old.object(id).dictionaryValue,
            let after = try new.object(id).dictionaryValue, after.duplicateKeys.isEmpty
        else { return false }
        return try !equivalence.changedKeys(before, after).contains("Type")
            && belongsOnly(to: holders, id)
    }

    struct NumberTree {
        let entries: [Int: PDFObject]
        let nodes: Set<ObjectID>
    }

    /// A number tree (ISO 32000-2 §7.9.7); nil if it is damaged or has duplicate keys.
    private func numberTree(_ root: PDFObject?, in document: PDFDocument) throws -> NumberTree? {
        var entries: [Int: PDFObject] = [:]
        var nodes: Set<ObjectID> = []
        var stack = try [root].compactMap { $0 }.filter { try document.resolve($0) != .null }
        while let next = stack.popLast() {
            if let id = next.referenceValue, !nodes.insert(id).inserted { return nil }
            guard let node = try document.resolve(next).dictionaryValue,
                nodes.count + entries.count <= Self.maximumElementCount
            else { return nil }
            stack += try document.value(node, "Kids").arrayValue ?? []
            let list = try document.value(node, "Nums").arrayValue ?? []
            try memory.values.spend(list.count)
            for index in stride(from: 0, to: list.count - 1, by: 2) {
                guard let number = list[index].integerValue,
                    entries.updateValue(list[index + 1], forKey: number) == nil
                else { return nil }
            }
        }
        return NumberTree(entries: entries, nodes: nodes)
    }

    /// Tests whether objects belong to the tree: the chain of /P entries reaches the root, and the
    /// /K entry of each parent contains the child.
    private struct StructPath {
        let root: ObjectID?
        let document: PDFDocument
        private var known: Set<ObjectID> = []
        private var kids: [ObjectID: Set<ObjectID>] = [:]

        init(root: ObjectID?, document: PDFDocument) {
            self.root = root
            self.document = document
        }

        mutating func contains(_ id: ObjectID) throws -> Bool {
            var path: [ObjectID] = []
            var current = id
            while current != root, !known.contains(current) {
                guard path.count < RevisionComparison.maximumDepth,
                    let element = try document.object(current).dictionaryValue,
                    let parent = element["P"]?.referenceValue,
                    try kids(of: parent).contains(current)
                else { return false }
                path.append(current)
                current = parent
            }
            known.formUnion(path)
            return true
        }

        private mutating func kids(of parent: ObjectID) throws -> Set<ObjectID> {
            if let found = kids[parent] { return found }
            let dictionary = try document.object(parent).dictionaryValue ?? PDFDictionary()
            let entry = dictionary["K"] ?? .null
            let list = try document.resolve(entry).arrayValue ?? [entry]
            let found = Set(list.compactMap(\.referenceValue))
            kids[parent] = found
            return found
        }
    }
}
