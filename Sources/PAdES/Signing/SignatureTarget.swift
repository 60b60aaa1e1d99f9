import ByteKit
package import PDFCore

/// Which signature field the person asked for.
package enum FieldChoice: Equatable, Sendable {
    /// The document's only empty signature field, or else a new one.
    case automatic
    /// This empty field, or a new one of that name.
    case named(String)
    /// A new one whatever fields there are; named, or `SignatureN`.
    case new(String?)
}

/// The field that will hold the signature.
package enum SignatureTarget {
    case existing(FormField)
    case new(name: String)

    /// How much of a name is said.
    private static let nameLimit = 80

    package init(_ choice: FieldChoice, in form: AcroForm, of document: PDFDocument) throws {
        let empty = try form.signatureFields.filter { try Self.isEmpty($0, in: document) }
        switch choice {
        case .automatic:
            guard empty.count <= 1 else {
                let names = empty.prefix(8).map { String($0.fullName.prefix(Self.nameLimit)) }
                    .joined(separator: ", ")
                throw PAdESError(
                    .fieldAmbiguous, "\(empty.count) empty signature fields: \(names)")
            }
            if let only = empty.first { try Self.requireOneOfItsName(only, in: form) }
            self = empty.first.map { .existing($0) } ?? .new(name: Self.freeName(in: form))
        case .named(let name):
            guard let field = form.fields.first(where: { $0.fullName == name }) else {
                self = .new(name: try Self.checked(name, in: form))
                return
            }
            guard field.isSignature else {
                throw PAdESError(
                    .fieldNotUsable, "the field \(name.inQuotes) is not a signature field")
            }
            guard empty.contains(where: { $0.id == field.id }) else {
                throw PAdESError(.fieldNotUsable, "the field \(name.inQuotes) is signed already")
            }
            try Self.requireOneOfItsName(field, in: form)
            self = .existing(field)
        case .new(let name):
            if let name {
                guard !form.fields.contains(where: { $0.fullName == name }) else {
                    throw PAdESError(.fieldTaken, "a field \(name.inQuotes) exists already")
                }
                self = .new(name: try Self.checked(name, in: form))
            } else {
                self = .new(name: Self.freeName(in: form))
            }
        }
    }

    /// Who reads a name must know which field is meant.
    private static func requireOneOfItsName(_ field: FormField, in form: AcroForm) throws {
        let count = form.fields.count { $0.fullName == field.fullName }
        guard count == 1 else {
            throw PAdESError(
                .fieldNotUsable, "\(count) fields have the name \(field.fullName.inQuotes)")
        }
    }

    private static func isEmpty(
        _ field: FormField, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        try document.resolve(field.value ?? .null) == .null
    }

    /// A partial name holds no period (ISO 32000-2 §12.7.4.2).
    private static func checked(_ name: String, in form: AcroForm) throws -> String {
        guard !name.isEmpty else {
            throw PAdESError(.fieldNameInvalid, "the name of a new field is empty")
        }
        guard !name.contains(".") else {
            throw PAdESError(
                .fieldNameInvalid, "\(name.inQuotes) cannot be the name of a new field: no periods")
        }
        return name
    }

    /// A new field for a document timestamp: empty fields wait for people.
    package static func timestamp(in form: AcroForm) -> SignatureTarget {
        .new(name: freeName("Timestamp", in: form))
    }

    private static func freeName(_ prefix: String = "Signature", in form: AcroForm) -> String {
        let taken = Set(form.fields.map(\.fullName))
        var number = 1
        while taken.contains("\(prefix)\(number)") { number += 1 }
        return "\(prefix)\(number)"
    }
}

extension SignatureTarget {
    /// The field's full name.
    package var name: String {
        switch self {
        case .existing(let field): field.fullName
        case .new(let name): name
        }
    }
}
