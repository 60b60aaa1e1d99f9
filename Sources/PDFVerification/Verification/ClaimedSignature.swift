package import Base
package import CMSKit
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
    /// The place of signing; nil for none.
    package let location: String?
    /// Further statements in signed attributes.
    package let statements: SignerStatements
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
        let check = Self.check(value)
        return ClaimedSignature(
            signer: check?.signer?.displayName,
            time: token?.info.genTime.time
                ?? value.dictionary["M"]?.stringValue.flatMap { CalendarTime(pdfDate: $0) },
            kind: value.subFilter == "ETSI.RFC3161" ? .timestamp : .signature,
            location: value.dictionary["Location"]?.stringValue.map { PDFString(bytes: $0).text },
            statements: check?.statements ?? SignerStatements())
    }

    /// Subject of the signing certificate named by the signature, unverified; nil if the
    /// certificate is not embedded.
    package func claimedSigner(in document: PDFDocument) -> String? {
        guard isSignature, let value = try? signature(in: document).value else { return nil }
        return Self.check(value)?.signer?.displayName
    }

    /// The content is not read.
    private static func check(_ value: SignatureValue) -> SignatureCheck? {
        guard let end = ASN1Node.byteCount(in: value.contents, .definite),
            let message = try? SignedData(Array(value.contents[..<end]))
        else { return nil }
        return try? SignedDataVerifier(profile: .detached).verify(message).first
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
