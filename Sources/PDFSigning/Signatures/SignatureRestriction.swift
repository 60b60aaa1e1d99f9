package import Base
package import PDFCore

/// The later changes permitted by a new signature, in its /Reference (ISO 32000-2 §12.8.2).
package struct SignatureRestriction: Equatable, Sendable {
    /// The permission of a certification signature; nil for an approval signature.
    package var certification: DocMDPPermission?
    package var lock: SignatureLock?

    package init(certification: DocMDPPermission? = nil, lock: SignatureLock? = nil) {
        self.certification = certification
        self.lock = lock
    }

    /// The signature reference dictionaries (ISO 32000-2 Tables 256 to 258), without DigestMethod:
    /// ISO 19005-2 §6.1.12 forbids it with DocMDP.
    package func references(catalogID: ObjectID) -> [PDFObject] {
        var references: [PDFObject] = []
        if let certification {
            let parameters: PDFDictionary = [
                "Type": .name("TransformParams"), "P": .integer(certification.p), "V": .name("1.2"),
            ]
            references.append(Self.reference("DocMDP", parameters, data: nil))
        }
        if let lock {
            var parameters: PDFDictionary = ["Type": .name("TransformParams")]
            for entry in lock.entries.entries { parameters[entry.key] = entry.value }
            parameters["V"] = .name("1.2")
            references.append(Self.reference("FieldMDP", parameters, data: catalogID))
        }
        return references
    }

    private static func reference(
        _ method: PDFName, _ parameters: PDFDictionary, data: ObjectID?
    ) -> PDFObject {
        var reference: PDFDictionary = [
            "Type": .name("SigRef"), "TransformMethod": .name(method),
            "TransformParams": .dictionary(parameters),
        ]
        reference["Data"] = data.map { .reference($0) }
        return .dictionary(reference)
    }
}

extension SignatureLock {
    /// Action and Fields, used in transforms and locks (ISO 32000-2 Tables 236 and 259).
    package var entries: PDFDictionary {
        func entries(_ action: PDFName, names: [String]) -> PDFDictionary {
            ["Action": .name(action), "Fields": .array(names.map { .string(.text($0)) })]
        }
        return switch self {
        case .all: ["Action": .name("All")]
        case .only(let names): entries("Include", names: names)
        case .except(let names): entries("Exclude", names: names)
        }
    }

    /// The lock required by a field's /Lock dictionary (ISO 32000-2 Table 236); nil if it is
    /// missing or locks no field.
    package init?(of field: FormField, in document: PDFDocument) throws(PDFError) {
        guard let lock = try document.value(field.dictionary, "Lock").dictionaryValue else {
            return nil
        }
        var names: [String] = []
        for entry in try document.value(lock, "Fields").arrayValue ?? [] {
            if let bytes = try document.resolve(entry).stringValue {
                names.append(PDFString(bytes: bytes, isHexadecimal: false).text)
            }
        }
        switch try document.value(lock, "Action").nameValue {
        case "Include"? where names.isEmpty: return nil
        case "Include"?: self = .only(names)
        case "Exclude"? where !names.isEmpty: self = .except(names)
        default: self = .all
        }
    }
}
