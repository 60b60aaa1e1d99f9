import Base
import PDFCore

struct SignatureRoles {
    let signature: ObjectID
    let field: ObjectID
    /// The widgets of an existing field.
    let widgets: [ObjectID]
    let certifies: Bool

    /// Checks that the update contains its additions. An object with two roles, such as field and
    /// form, would lose one of them.
    func require(in update: IncrementalUpdate, of document: PDFDocument, _ form: AcroForm) throws {
        let catalog = try document.catalogID
        for id in [field] + widgets {
            let type = try document.object(id).dictionaryValue?["Type"]?.nameValue
            guard id != catalog, id != form.id,
                type.map({ !["Page", "Pages", "Catalog"].contains($0) }) ?? true
            else { throw Self.misused(id) }
        }
        guard update.pending(field)?.dictionaryValue?["V"]?.referenceValue == signature else {
            throw Self.misused(field)
        }
        guard certifies else { return }
        let permissions = try (update.pending(catalog)?.dictionaryValue ?? document.catalog())[
            "Perms"]
        guard permissions?.dictionaryValue?["DocMDP"]?.referenceValue == signature else {
            throw Self.misused(catalog)
        }
    }

    private static func misused(_ id: ObjectID) -> PAdESError {
        PAdESError(
            .malformedForm,
            "an object is used in the form and elsewhere: a change "
                + "of one would change the other (object \(id))")
    }
}
