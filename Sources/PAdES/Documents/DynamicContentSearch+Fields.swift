import ByteKit
import PDFCore

extension DynamicContentSearch {
    /// Parents that are asked.
    private static let parentLimit = 64

    /// Whether a widget is one of the form's, or one of those that lead to such and are listed there.
    mutating func isInForm(_ entry: PDFObject, _ widget: PDFDictionary) -> Bool {
        var current = (id: entry.referenceValue, dictionary: widget)
        for _ in 0..<Self.parentLimit {
            if let id = current.id, roots.contains(id) { return true }
            guard let parent = current.dictionary["Parent"], let next = dictionary(parent) else {
                // Nobody can say beyond the budget.
                return remaining <= 0
            }
            // What is no object of its own nobody can list.
            guard let id = current.id, let parentID = parent.referenceValue,
                kids(of: next, parentID).contains(id)
            else { return remaining <= 0 }
            current = (parentID, next)
        }
        return false
    }

    private mutating func kids(of field: PDFDictionary, _ id: ObjectID) -> Set<ObjectID> {
        // Fields may share a list.
        let id = field["Kids"]?.referenceValue ?? id
        if let known = knownKids[id] { return known }
        let kids = Set(array(field["Kids"]).compactMap(\.referenceValue))
        remaining -= kids.count / Self.kidsPerObject
        knownKids[id] = kids
        return kids
    }

    /// How many kids of a field, which are looked up, count as much as an object that is read.
    private static let kidsPerObject = 64
}
