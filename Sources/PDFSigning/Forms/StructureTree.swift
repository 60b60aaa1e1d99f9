import Base
import PDFCore

/// The parts of a tagged document's structure tree (ISO 32000-2 §14.7) that a new field changes.
struct StructureTree {
    private let document: PDFDocument
    /// The update, with the earlier changes.
    private let update: IncrementalUpdate
    private let rootID: ObjectID
    private let root: PDFDictionary

    private static let maximumDepth = 32

    /// Nil if the document is not tagged.
    ///
    /// - Parameter update: the update that may already contain changes of the tree.
    init?(of document: PDFDocument, in update: IncrementalUpdate) throws(PDFError) {
        guard let id = try document.catalog()["StructTreeRoot"]?.referenceValue else { return nil }
        let stored = try document.object(id)
        guard let root = (update.pending(id) ?? stored).dictionaryValue else { return nil }
        self.document = document
        self.update = update
        rootID = id
        self.root = root
    }

    private func current(_ object: PDFObject) throws(PDFError) -> PDFObject {
        if let id = object.referenceValue, let pending = update.pending(id) { return pending }
        return try document.resolve(object)
    }

    typealias Annotation = (id: ObjectID, page: ObjectID)

    /// Adds structure elements for annotations at the end of the document, and their parent tree
    /// entries (ISO 32000-2 §14.7.5.4, Table 368; PDF/UA-1 §7.18.4).
    ///
    /// - Parameters:
    ///   - role: `Form` for a widget, `Annot` for others.
    ///   - description: the alternate description for screen readers.
    /// - Returns: the /StructParent of the first annotation; the others get the following numbers.
    ///   Nil if the tree is damaged, which leaves it unchanged.
    func tag(
        _ annotations: [Annotation], as role: PDFName, description: String,
        _ update: inout IncrementalUpdate
    ) throws(PDFError) -> Int? {
        guard let path = try lastLeaf(), let key = freeKey(after: path),
            let next = key.addingChecked(annotations.count)
        else { return nil }
        let elements = annotations.map { _ in update.allocate() }
        var root = root
        let parent = try documentElement()
        if let (id, dictionary) = parent {
            update.set(id, .dictionary(try adding(elements, to: dictionary)))
        } else {
            root = try adding(elements, to: root)
        }
        for (element, annotation) in zip(elements, annotations) {
            let page = PDFObject.reference(annotation.page)
            var dictionary: PDFDictionary = [
                "Type": .name("StructElem"), "S": .name(role), "Pg": page,
                "Alt": .string(.text(description)),
                "K": .dictionary([
                    "Type": .name("OBJR"), "Obj": .reference(annotation.id), "Pg": page,
                ]), "P": .reference(parent?.0 ?? rootID),
            ]
            // The namespace of the parent element.
            dictionary["NS"] = parent?.1["NS"]
            update.set(element, .dictionary(dictionary))
        }
        if let tree = extend(path, key, elements, &update) { root["ParentTree"] = tree }
        root["ParentTreeNextKey"] = .integer(next)
        update.set(rootID, .dictionary(root))
        return key
    }

    /// The only top-level element, if it is Document: it permits no siblings (ISO 32000-2
    /// §14.8.4.3).
    private func documentElement() throws(PDFError) -> (ObjectID, PDFDictionary)? {
        let entry = root["K"] ?? .null
        let kids = try current(entry).arrayValue ?? [entry]
        guard kids.count == 1, let id = kids[0].referenceValue,
            let element = try current(.reference(id)).dictionaryValue,
            try document.value(element, "S").nameValue == "Document"
        else { return nil }
        return (id, element)
    }

    private func adding(
        _ elements: [ObjectID], to parent: PDFDictionary
    ) throws(PDFError) -> PDFDictionary {
        var parent = parent
        var kids: [PDFObject] = []
        if let entry = parent["K"], try current(entry) != .null {
            kids = try current(entry).arrayValue ?? [entry]
        }
        kids += elements.map { .reference($0) }
        parent["K"] = kids.count == 1 ? kids[0] : .array(kids)
        return parent
    }

    // MARK: Parent tree

    /// A node of the number tree (ISO 32000-2 §7.9.7); a direct node has no identifier.
    private struct Node {
        let id: ObjectID?
        var dictionary: PDFDictionary
        var numbers: [PDFObject] = []
    }

    /// The nodes from the root of the parent tree to its last leaf; nil if it is damaged.
    private func lastLeaf() throws(PDFError) -> [Node]? {
        var path: [Node] = []
        var entry = root["ParentTree"] ?? .null
        if try current(entry) == .null { entry = .dictionary(PDFDictionary()) }
        while path.count < Self.maximumDepth {
            guard let dictionary = try current(entry).dictionaryValue else { return nil }
            path.append(Node(id: entry.referenceValue, dictionary: dictionary))
            guard let kids = try document.value(dictionary, "Kids").arrayValue else {
                let numbers = try document.value(dictionary, "Nums").arrayValue ?? []
                guard numbers.count % 2 == 0 else { return nil }
                path[path.count - 1].numbers = numbers
                return path
            }
            guard let last = kids.last, last.referenceValue != nil else { return nil }
            entry = last
        }
        return nil
    }

    /// An unused key of the parent tree: the larger of `ParentTreeNextKey` and the last key plus 1.
    /// Nil if the last leaf is malformed.
    private func freeKey(after path: [Node]) -> Int? {
        let declared = max(0, root["ParentTreeNextKey"]?.integerValue ?? 0)
        guard let numbers = path.last?.numbers, !numbers.isEmpty else {
            return path.count == 1 ? declared : nil
        }
        guard let last = numbers[numbers.count - 2].integerValue, last >= 0,
            let next = last.addingChecked(1)
        else { return nil }
        return max(declared, next)
    }

    /// Writes the last leaf with the new entries, and the limits of its ancestors.
    ///
    /// - Returns: the root of the parent tree if it is a direct object.
    private func extend(
        _ path: [Node], _ key: Int, _ elements: [ObjectID], _ update: inout IncrementalUpdate
    ) -> PDFObject? {
        let numbers: [PDFObject] = elements.enumerated().flatMap { index, element in
            [PDFObject.integer(key + index), .reference(element)]
        }
        let last = PDFObject.integer(key + elements.count - 1)
        var top: PDFObject?
        for (depth, node) in path.enumerated() {
            var dictionary = node.dictionary
            if depth == path.count - 1 { dictionary["Nums"] = .array(node.numbers + numbers) }
            if depth > 0 {
                let lowest = dictionary["Limits"]?.arrayValue?.first ?? node.numbers.first
                dictionary["Limits"] = .array([lowest ?? .integer(key), last])
            }
            // The limits of all lower nodes change; the root has none.
            if let id = node.id {
                if dictionary != node.dictionary { update.set(id, .dictionary(dictionary)) }
            } else {
                top = .dictionary(dictionary)
            }
        }
        return top
    }
}
