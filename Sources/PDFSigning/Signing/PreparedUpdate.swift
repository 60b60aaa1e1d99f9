package import PDFCore

/// An update that is ready to be appended to a document.
package protocol PreparedUpdate {
    /// All bytes to append to the original file.
    var bytes: [UInt8] { get }

    /// Whether the finished file contains the additions of the update.
    func isPresent(in document: PDFDocument) throws -> Bool
}

/// An incremental update that adds empty signature fields.
package struct PreparedFields: PreparedUpdate {
    package let bytes: [UInt8]
    private let fields: Set<ObjectID>

    /// - Parameters:
    ///   - update: an empty update.
    ///   - fileIdentifier: 16 random bytes for the second half of the trailer's /ID.
    package init(
        _ fields: [NewSignatureField], document: PDFDocument, form: AcroForm,
        update: IncrementalUpdate, fileIdentifier: [UInt8]
    ) throws {
        var update = update
        let isTagged = try !form.hasSignature(in: document)
        let ids = try fields.map { field in
            try field.add(isTagged: isTagged, to: &update, of: document).field
        }
        try form.rewrite(adding: ids, flags: AcroForm.fieldFlags, in: document, &update)
        let seal = try IntegritySeal.of(document)
        let serialized =
            try seal?.serialize(update, of: document, fileIdentifier: fileIdentifier)
            ?? update.serialize(fileIdentifier: fileIdentifier)
        bytes = serialized.bytes
        self.fields = Set(ids)
    }

    package func isPresent(in document: PDFDocument) throws -> Bool {
        let found = try AcroForm(of: document).signatureFields.filter {
            try fields.contains($0.id) && document.resolve($0.value ?? .null) == .null
        }
        return found.count == fields.count
    }
}
