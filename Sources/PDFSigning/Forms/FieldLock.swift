package import Base
package import PDFCore

/// The fields that a signature locks: its FieldMDP transform (ISO 32000-2 §12.8.2.4).
package struct FieldLock: Sendable {
    package enum Scope: Sendable {
        case all
        case only(Set<ExactText>)
        case except(Set<ExactText>)
    }

    package let scope: Scope

    /// Maximum total length of names in all locks of a document, in bytes. Signatures may share
    /// locks.
    package static let nameAllowance = 16 << 20
    /// Bytes counted for each name in addition to its length.
    private static let nameOverhead = 64

    package init(_ scope: Scope) { self.scope = scope }

    /// Nil if the signature has no lock. An unreadable lock, or one with too many names, covers
    /// every field.
    ///
    /// - Parameter allowance: how many more bytes of names are read.
    package init?(of signature: PDFDictionary, in document: PDFDocument, _ allowance: inout Int) {
        let references = try? document.value(signature, "Reference").arrayValue
        let transforms = (references ?? []).compactMap { try? document.resolve($0).dictionaryValue }
        let locks = transforms.filter {
            (try? document.value($0, "TransformMethod").nameValue) == "FieldMDP"
        }
        guard let transform = locks.first else { return nil }
        // If there are several transforms, viewers disagree about which one applies.
        guard locks.count == 1, transform.duplicateKeys.isEmpty else {
            scope = .all
            return
        }
        let parameters = try? document.value(transform, "TransformParams").dictionaryValue
        guard parameters?.duplicateKeys.isEmpty ?? true else {
            scope = .all
            return
        }
        let action = parameters.flatMap { try? document.value($0, "Action").nameValue }
        let entries = parameters.flatMap { try? document.value($0, "Fields").arrayValue } ?? []
        var names: Set<ExactText> = []
        for entry in entries {
            let bytes = (try? document.resolve(entry))?.stringValue ?? []
            allowance -= bytes.count + Self.nameOverhead
            guard allowance >= 0 else {
                scope = .all
                return
            }
            let name = PDFString(bytes: bytes, isHexadecimal: false).text
            // A name that viewers read differently locks every field.
            let isClear = PDFString.isPlain(bytes) && !name.unicodeScalars.contains("\u{FFFD}")
            if isClear || action != "Exclude" { names.insert(ExactText(name)) }
        }
        switch action {
        case "Include"?: scope = .only(names)
        case "Exclude"?: scope = .except(names)
        default: scope = .all
        }
    }

    /// Whether the field with this full name is locked; a non-terminal name covers its subtree.
    package func covers(_ field: ExactText) -> Bool {
        guard let prefixes = Self.prefixes(of: field) else { return true }
        return switch scope {
        case .all: true
        case .only(let names): prefixes.contains(where: names.contains)
        case .except(let names): !prefixes.contains(where: names.contains)
        }
    }

    /// The names of a field and its ancestors; nil if the name has more levels than the limit.
    fileprivate static func prefixes(of field: ExactText) -> [ExactText]? {
        let bytes = field.text.utf8
        let parts = bytes.split(
            separator: UInt8(ascii: "."), maxSplits: AcroForm.maximumDepth,
            omittingEmptySubsequences: false)
        guard parts.count <= AcroForm.maximumDepth else { return nil }
        return parts.map { ExactText(String(field.text[..<$0.endIndex])) }
    }
}

extension SignatureLock {
    package var fieldLock: FieldLock {
        switch self {
        case .all: FieldLock(.all)
        case .only(let names): FieldLock(.only(Set(names.map { ExactText($0) })))
        case .except(let names): FieldLock(.except(Set(names.map { ExactText($0) })))
        }
    }
}

/// The changed fields, compared with the locks of many signatures.
package struct ChangedFields {
    /// Full names, sorted.
    private let names: [ExactText]
    /// The first changed field for each of its own and ancestor names, computed at first use.
    private var firstBelow: [ExactText: ExactText]?
    private let unplaced: ExactText?

    package init(_ names: Set<ExactText>) {
        self.names = names.sorted()
        unplaced = self.names.first { FieldLock.prefixes(of: $0) == nil }
    }

    /// A field that the lock covers.
    ///
    /// - Parameter budget: limits the number of name comparisons.
    package mutating func first(
        coveredBy lock: FieldLock, _ budget: ValueBudget
    ) throws(TooMuchToCompare) -> ExactText? {
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

    private func below(_ budget: ValueBudget) throws(TooMuchToCompare) -> [ExactText: ExactText] {
        var found: [ExactText: ExactText] = [:]
        for name in names {
            let prefixes = FieldLock.prefixes(of: name) ?? []
            try budget.spend(prefixes.count)
            for prefix in prefixes where found[prefix] == nil { found[prefix] = name }
        }
        return found
    }
}
