import PDFCore
import PDFSigning

/// Kinds of auxiliary objects, which only contain parts of other objects. An update may rewrite
/// them with their owner. Objects with a type of their own are compared separately: pages,
/// annotations, fields, structure elements, fonts.
enum AuxiliaryObject {
    case dictionary
    /// A dictionary with only these entries.
    case entries(Set<PDFName>)
    /// VRI entries: validation data of signatures, by hexadecimal hashes.
    case signatureLists
    case states
    case references
    case stream

    /// Entries that identify objects of other kinds.
    private static let foreignKeys: Set<PDFName> = [
        "Type", "Subtype", "Rect", "Kids", "Parent", "FT", "MediaBox", "Annots", "Fields", "Pages",
        "S", "BaseFont", "Contents", "V",
    ]
    /// Minimum number of hexadecimal digits in a VRI key.
    private static let digitCount = 32

    func isKind(of object: PDFObject, in document: PDFDocument) throws -> Bool {
        switch (self, object) {
        case (.states, .dictionary(let dictionary)):
            try dictionary.entries.allSatisfy {
                let state = try document.resolve($0.value)
                return state == .null || state.streamValue != nil
            }
        case (.stream, .stream): true
        case (.references, .array(let elements)): elements.allSatisfy { $0.referenceValue != nil }
        case (.dictionary, .dictionary(let dictionary)):
            Self.foreignKeys.isDisjoint(with: dictionary.keys)
        case (.entries(let keys), .dictionary(let dictionary)): keys.isSuperset(of: dictionary.keys)
        case (.signatureLists, .dictionary(let dictionary)):
            dictionary.entries.allSatisfy {
                $0.key == "Type" ? $0.value.nameValue == "VRI" : Self.isHash($0.key)
            }
        default: false
        }
    }

    private static func isHash(_ key: PDFName) -> Bool {
        key.bytes.count >= digitCount
            && key.bytes.allSatisfy { byte in
                (48...57).contains(byte) || (65...70).contains(byte & 0xDF)
            }
    }
}

extension RevisionComparison {
    /// Whether an object is of a kind in both revisions, or was of that kind and is removed.
    func stays(_ kind: AuxiliaryObject, id: ObjectID) throws -> Bool {
        guard try existed(id), try kind.isKind(of: old.object(id), in: old) else { return false }
        let now = try new.object(id)
        return try now == .null || kind.isKind(of: now, in: new)
    }

    /// Objects named by the catalog in entries other than `key`.
    func namedByCatalog(besides key: PDFName) throws -> Set<ObjectID> {
        var named: Set<ObjectID> = []
        for document in [old, new] {
            var walk = ReferenceWalk()
            for entry in try document.catalog().entries where entry.key != key {
                walk.follow(entry.value)
            }
            while let id = walk.next() {
                try memory.values.spend(1)
                named.insert(id)
            }
        }
        return named
    }
}
