import PDFCore

/// The fields that a signature locks: its FieldMDP transform (ISO 32000-2 §12.8.2.4).
package struct FieldLock: Sendable {
    package enum Scope: Sendable {
        case all
        case only(Set<String>)
        case except(Set<String>)
    }

    package let scope: Scope

    /// How much the names of all locks of a document take up that are read, in bytes: signatures
    /// may share them.
    static let nameAllowance = 16 << 20
    /// What a name takes up besides its bytes.
    private static let nameOverhead = 64

    /// Nil when the signature locks nothing. An unreadable lock covers every field, and so does one
    /// that names more than may be read.
    ///
    /// - Parameter allowance: how many more bytes of names are read.
    init?(of signature: PDFDictionary, in document: PDFDocument, _ allowance: inout Int) {
        let references = try? document.value(signature, "Reference").arrayValue
        let transforms = (references ?? []).compactMap { try? document.resolve($0).dictionaryValue }
        guard
            let transform = transforms.first(where: {
                (try? document.value($0, "TransformMethod").nameValue) == "FieldMDP"
            })
        else { return nil }
        let parameters = try? document.value(transform, "TransformParams").dictionaryValue
        let action = parameters.flatMap { try? document.value($0, "Action").nameValue }
        let entries = parameters.flatMap { try? document.value($0, "Fields").arrayValue } ?? []
        var names: Set<String> = []
        for entry in entries {
            let bytes = (try? document.resolve(entry))?.stringValue ?? []
            allowance -= bytes.count + Self.nameOverhead
            guard allowance >= 0 else {
                scope = .all
                return
            }
            names.insert(PDFString(bytes: bytes, isHexadecimal: false).text)
        }
        switch action {
        case "Include"?: scope = .only(names)
        case "Exclude"?: scope = .except(names)
        default: scope = .all
        }
    }

    /// Whether the field of this full name is locked; a non-terminal name covers its subtree.
    func covers(_ field: String) -> Bool {
        guard let prefixes = Self.prefixes(of: field) else { return true }
        return switch scope {
        case .all: true
        case .only(let names): prefixes.contains(where: names.contains)
        case .except(let names): !prefixes.contains(where: names.contains)
        }
    }

    /// The names of a field and of all above it; nil where no field stands that deep: its name is
    /// made up, and whose it is unknown.
    fileprivate static func prefixes(of field: String) -> [String]? {
        let parts = field.split(
            separator: ".", maxSplits: AcroForm.maximumDepth, omittingEmptySubsequences: false)
        guard parts.count <= AcroForm.maximumDepth else { return nil }
        return parts.map { String(field[..<$0.endIndex]) }
    }
}

/// Fields that were changed, for the locks of many signatures.
struct ChangedFields {
    /// Full names, in order.
    private let names: [String]
    /// The first of them that is of this name or stands below it, once that was asked.
    private var firstBelow: [String: String]?
    private let unplaced: String?

    init(_ names: Set<String>) {
        self.names = names.sorted()
        unplaced = self.names.first { FieldLock.prefixes(of: $0) == nil }
    }

    /// A field that the lock covers.
    ///
    /// - Parameter budget: for each name that is looked at.
    mutating func first(
        coveredBy lock: FieldLock, _ budget: ValueBudget
    ) throws(TooMuchToCompare) -> String? {
        switch lock.scope {
        case .all: return names.first
        case .only(let locked):
            if let unplaced { return unplaced }
            try budget.spend(locked.count)
            if firstBelow == nil { firstBelow = try below(budget) }
            return locked.compactMap { firstBelow?[$0] }.min()
        case .except:
            for name in names {
                try budget.spend(1)
                if lock.covers(name) { return name }
            }
            return nil
        }
    }

    private func below(_ budget: ValueBudget) throws(TooMuchToCompare) -> [String: String] {
        var found: [String: String] = [:]
        for name in names {
            let prefixes = FieldLock.prefixes(of: name) ?? []
            try budget.spend(prefixes.count)
            for prefix in prefixes where found[prefix] == nil { found[prefix] = name }
        }
        return found
    }
}
