package import Base
package import CMSKit
package import PDFCore

/// A prepared signature without a value. It is completed in a second step, so that the key may be
/// on another machine.
package struct PendingSignature {
    /// The signature dictionary.
    package let id: ObjectID
    package let field: FormField
    package let byteRange: ByteRange
    package let claimedTime: CalendarTime?
    /// Whether the format is ETSI.CAdES.detached.
    package let isPAdES: Bool
    package let message: PreparedSignedData
    /// The message digest of the byte range.
    package let messageDigest: [UInt8]

    /// Finds the document's only signature without a value.
    package init(in document: PDFDocument) throws {
        var found: [PendingSignature] = []
        for field in try AcroForm(of: document).signatureFields {
            guard let id = field.value?.referenceValue,
                let value = try SignatureValue.read(id, in: document).value,
                let pending = Self(field, value)
            else { continue }
            found.append(pending)
        }
        guard found.count == 1, let pending = found.first else {
            throw PAdESError(
                .nothingPending, "the document has \(found.count) prepared signatures, not one")
        }
        self = pending
    }

    /// Whether a field has a prepared signature without a value.
    package static func waits(in field: FormField, of document: PDFDocument) throws -> Bool {
        guard field.isSignature, let id = field.value?.referenceValue,
            let value = try? SignatureValue.read(id, in: document).value
        else { return false }
        return Self(field, value) != nil
    }

    private init?(_ field: FormField, _ value: SignatureValue) {
        guard let end = ASN1Node.byteCount(in: value.contents, .definite),
            let signed = try? SignedData(Array(value.contents[..<end])),
            let digest = signed.signers.first?.messageDigest,
            let message = try? PreparedSignedData(resuming: signed)
        else { return nil }
        id = value.id
        self.field = field
        byteRange = value.byteRange
        isPAdES = value.subFilter == "ETSI.CAdES.detached"
        claimedTime = value.dictionary["M"]?.stringValue.flatMap { CalendarTime(pdfDate: $0) }
        self.message = message
        messageDigest = digest
    }

    /// The placeholder's bytes with `cms` in it: a hexadecimal string padded with zeros.
    package func gapBytes(holding cms: [UInt8]) throws(PAdESError) -> [UInt8] {
        let digits = Hex.digits(of: cms)
        let room = byteRange.gap.count - 2
        guard digits.count <= room else {
            throw PAdESError(
                .reservationExceeded,
                "the signature has \(cms.count) bytes, but \(room / 2) are reserved")
        }
        let padding = [UInt8](repeating: UInt8(ascii: "0"), count: room - digits.count)
        return [UInt8(ascii: "<")] + digits + padding + [UInt8(ascii: ">")]
    }
}
