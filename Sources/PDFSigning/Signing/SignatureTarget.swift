package import Base
package import PDFCore

/// The field that will hold the signature.
package enum SignatureTarget {
    case existing(FormField)
    case new(name: String)

    /// Maximum length of a field name in a message, in characters.
    private static let nameLimit = 80

    package init(_ choice: FieldChoice, in form: AcroForm, of document: PDFDocument) throws {
        let empty = try form.signatureFields.filter { try Self.isEmpty($0, in: document) }
        switch choice {
        case .automatic:
            guard empty.count <= 1 else {
                // Fields of one name cannot be selected by it.
                if Set(empty.map(\.fullName.text)).count == 1 {
                    try Self.requireOneOfItsName(empty[0], in: form)
                }
                throw PAdESError(
                    .fieldAmbiguous,
                    "the document has \(empty.count) empty signature fields: \(Self.names(empty))")
            }
            if let only = empty.first { try Self.requireOneOfItsName(only, in: form) }
            self = empty.first.map { .existing($0) } ?? .new(name: Self.freeName(in: form))
        case .named(let name):
            guard let field = Self.field(name, in: form) else {
                self = .new(name: try Self.checked(name, in: form))
                return
            }
            guard empty.contains(where: { $0.id == field.id }) else {
                let others = empty.isEmpty ? "" : "; empty signature fields: \(Self.names(empty))"
                throw PAdESError(
                    .fieldNotUsable,
                    "the field \(name.inQuotes) is "
                        + (field.isSignature ? "already signed" : "not a signature field") + others)
            }
            try Self.requireOneOfItsName(field, in: form)
            self = .existing(field)
        case .new(let name):
            if let name {
                guard Self.field(name, in: form) == nil else {
                    throw PAdESError(.fieldTaken, "the field \(name.inQuotes) already exists")
                }
                self = .new(name: try Self.checked(name, in: form))
            } else {
                self = .new(name: Self.freeName(in: form))
            }
        }
    }

    private static func names(_ fields: [FormField]) -> String {
        fields.prefix(8).map { String($0.fullName.text.prefix(nameLimit)) }.joined(separator: ", ")
    }

    /// The field with this name; else the first with a visually identical name.
    private static func field(_ name: String, in form: AcroForm) -> FormField? {
        form.fields.first { $0.fullName == ExactText(name) }
            ?? form.fields.first { $0.fullName.text == name }
    }

    /// Throws if another field has a name that looks the same, by Unicode equivalence.
    private static func requireOneOfItsName(_ field: FormField, in form: AcroForm) throws {
        let count = form.fields.count { $0.fullName.text == field.fullName.text }
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

    /// A partial name contains no period (ISO 32000-2 §12.7.4.2).
    private static func checked(_ name: String, in form: AcroForm) throws -> String {
        guard !name.isEmpty else {
            throw PAdESError(.fieldNameInvalid, "the name of a new field is empty")
        }
        guard !name.utf8.contains(UInt8(ascii: ".")) else {
            throw PAdESError(
                .fieldNameInvalid,
                "the field \(name.inQuotes) does not exist, and new names must not contain periods")
        }
        guard !rootNames(of: form).contains(ExactText(name)) else {
            throw PAdESError(.fieldTaken, "the form already has a group of fields \(name.inQuotes)")
        }
        return name
    }

    /// Names of the top-level fields and field groups.
    private static func rootNames(of form: AcroForm) -> Set<ExactText> {
        Set(
            form.fields.lazy.map { field in
                let name = field.fullName.text.utf8.prefix { $0 != UInt8(ascii: ".") }
                return ExactText(String(Substring(name)))
            })
    }

    /// A new field for a document timestamp. Empty signature fields are reserved for signers.
    package static func timestamp(in form: AcroForm) -> SignatureTarget {
        .new(name: freeName("Timestamp", in: form))
    }

    private static func freeName(_ prefix: String = "Signature", in form: AcroForm) -> String {
        let taken = rootNames(of: form).union(form.fields.map(\.fullName))
        var number = 1
        while taken.contains(ExactText("\(prefix)\(number)")) { number += 1 }
        return "\(prefix)\(number)"
    }

    /// The field's full name.
    package var name: String {
        switch self {
        case .existing(let field): field.fullName.text
        case .new(let name): name
        }
    }
}
