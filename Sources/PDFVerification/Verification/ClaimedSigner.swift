internal import Base
import CMSKit
internal import CryptoBridge
package import PDFCore
import PDFSigning

extension FormField {
    /// Subject of the signing certificate named by the signature, unverified; nil if the
    /// certificate is not embedded.
    package func claimedSigner(in document: PDFDocument) -> String? {
        guard isSignature, let id = value?.referenceValue,
            let value = try? SignatureValue.read(id, in: document).value,
            let end = ASN1Node.byteCount(in: value.contents, .definite),
            let message = try? SignedData(Array(value.contents[..<end])),
            let checks = try? SignedDataVerifier(profile: .detached).verify(message)
        else { return nil }
        return checks.first?.signer?.displayName
    }

    /// The tooltip of the field (/TU).
    package func tooltip(in document: PDFDocument) throws -> String? {
        try document.value(dictionary, "TU").stringValue.map { PDFString(bytes: $0).text }
    }

    /// Whether the form requires a value in the field (ISO 32000-2 Table 227).
    package func isRequired(in document: PDFDocument) throws -> Bool {
        (try document.inherited("Ff", of: dictionary)?.integerValue ?? 0)
            & FieldFlags.required != 0
    }
}
