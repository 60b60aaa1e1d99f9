import PDFCore

extension PreparedSignature {
    /// Makes sure that the update holds what it is for. An object in two roles, say a field that is
    /// the form as well, is written for the one and lost for the other.
    ///
    /// - Parameters:
    ///   - holder: the field.
    ///   - widgets: of an existing field.
    static func requireSoleRoles(
        of holder: ObjectID, widgets: [ObjectID], for signature: ObjectID, certifies: Bool,
        form: AcroForm, in document: PDFDocument, _ update: IncrementalUpdate
    ) throws {
        let catalog = try document.catalogID
        for id in [holder] + widgets {
            let type = try document.object(id).dictionaryValue?["Type"]?.nameValue
            guard id != catalog, id != form.id,
                type.map({ !["Page", "Pages", "Catalog"].contains($0) }) ?? true
            else { throw misused(id) }
        }
        guard update.pending(holder)?.dictionaryValue?["V"]?.referenceValue == signature else {
            throw misused(holder)
        }
        guard certifies else { return }
        let permissions = try (update.pending(catalog)?.dictionaryValue ?? document.catalog())[
            "Perms"]
        guard permissions?.dictionaryValue?["DocMDP"]?.referenceValue == signature else {
            throw misused(catalog)
        }
    }

    private static func misused(_ id: ObjectID) -> PAdESError {
        PAdESError(
            .malformedForm,
            "object \(id) is a part of the form and of something else: what is "
                + "written for the one would be lost for the other")
    }
}
