import PDFCore

/// The fields that a signature locks: its FieldMDP transform (ISO 32000-2 §12.8.2.4).
package struct FieldLock: Sendable {
    package enum Scope: Sendable {
        case all
        case only(Set<String>)
        case except(Set<String>)
    }

    package let scope: Scope

    /// Nil when the signature locks nothing. An unreadable lock covers every field.
    init?(of signature: PDFDictionary, in document: PDFDocument) {
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
        let names = entries.compactMap { entry in
            (try? document.resolve(entry))?.stringValue.map {
                PDFString(bytes: $0, isHexadecimal: false).text
            }
        }
        switch action {
        case "Include"?: scope = .only(Set(names))
        case "Exclude"?: scope = .except(Set(names))
        default: scope = .all
        }
    }

    /// Whether the field of this full name is locked; a non-terminal name covers its subtree.
    func covers(_ field: String) -> Bool {
        if case .all = scope { return true }
        let parts = field.split(
            separator: ".", maxSplits: AcroForm.maximumDepth, omittingEmptySubsequences: false)
        // No field stands that deep: its name is made up, and whose it is unknown.
        guard parts.count <= AcroForm.maximumDepth else { return true }
        func isNamed(in names: Set<String>) -> Bool {
            parts.contains { names.contains(String(field[..<$0.endIndex])) }
        }
        return switch scope {
        case .all: true
        case .only(let names): isNamed(in: names)
        case .except(let names): !isNamed(in: names)
        }
    }
}
