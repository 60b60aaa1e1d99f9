internal import Base
import CMSKit
package import CryptoBridge
package import PDFCore
import PDFSigning

extension FormField {
    /// The subject in the certificate that the field's signature names as its signer's; nil where it
    /// brings none. Nothing is verified.
    package func claimedSigner(in document: PDFDocument) -> DistinguishedName? {
        guard isSignature, let id = value?.referenceValue,
            let value = try? SignatureValue.read(id, in: document).value,
            let end = ASN1Node.byteCount(in: value.contents, .definite),
            let message = try? SignedData(Array(value.contents[..<end])),
            let checks = try? SignedDataVerifier(profile: .detached).verify(message)
        else { return nil }
        return checks.first?.signer?.subject
    }

    /// The field's /TU, for people.
    package func tooltip(in document: PDFDocument) throws -> String? {
        try document.value(dictionary, "TU").stringValue.map { PDFString(bytes: $0).text }
    }

    /// Whether the form is not complete without a value (ISO 32000-2 Table 227).
    package func isRequired(in document: PDFDocument) throws -> Bool {
        (try document.inherited("Ff", of: dictionary)?.integerValue ?? 0)
            & FieldFlags.required != 0
    }
}
