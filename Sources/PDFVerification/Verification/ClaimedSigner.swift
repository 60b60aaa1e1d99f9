package import Base
import CMSKit
internal import CryptoBridge
package import PDFCore
import PDFSigning
import TimestampKit

package struct ClaimedSignature {
    /// Name of the signer; nil if the certificate is not embedded.
    package let signer: String?
    /// The claimed signing time, or the time of a document timestamp.
    package let time: CalendarTime?
    package let kind: SignaturePurpose
}

extension FormField {
    /// The signature dictionary in the field, and its problems. A direct dictionary is read from the
    /// object that contains it.
    func signature(
        in document: PDFDocument
    ) throws -> (value: SignatureValue?, problems: [VerificationProblem]) {
        if let id = value?.referenceValue { return try SignatureValue.read(id, in: document) }
        guard let holder = valueHolder else { return (nil, []) }
        return try SignatureValue.read(holder, isDirect: true, in: document)
    }

    /// The unverified contents of the signature; nil if the field contains none, or an unreadable
    /// one.
    package func claimedSignature(in document: PDFDocument) -> ClaimedSignature? {
        guard isSignature, let value = try? signature(in: document).value else { return nil }
        let end = ASN1Node.byteCount(in: value.contents, .ber) ?? 0
        let bytes = Array(value.contents[..<end])
        let token = value.subFilter == "ETSI.RFC3161" ? try? TimestampToken(bytes) : nil
        return ClaimedSignature(
            signer: claimedSigner(in: document),
            time: token?.info.genTime.time
                ?? value.dictionary["M"]?.stringValue.flatMap { CalendarTime(pdfDate: $0) },
            kind: value.subFilter == "ETSI.RFC3161" ? .timestamp : .signature)
    }

    /// Subject of the signing certificate named by the signature, unverified; nil if the
    /// certificate is not embedded.
    package func claimedSigner(in document: PDFDocument) -> String? {
        guard isSignature, let value = try? signature(in: document).value,
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
