import ByteKit
import CMSKit
import CryptoBridge
import PAdES
import PDFCore
import SignatureTerms
import TimestampClient

extension SignDocument {
    /// A document with everything decided but the signature's value.
    struct LaidOut: LaidOutUpdate {
        let appended: AppendedSignature
        let builder: SignedDataBuilder
        /// Makes the document's integrity code; nil where it has none.
        let seal: IntegritySeal?
        let fieldName: String
        let signerName: String
        let claimedTime: CalendarTime
        let level: SignatureLevel
        let marks: SignedDocument.Marks?
        let demands: [SigningDemand]
        let widgets: [SignedDocument.Widget]
        let stampText: [String]
        let restriction: SignatureRestriction
        let dynamicContent: ShownDynamicContent
        let warnings: [Wording]
        let document: PDFDocument
        let form: AcroForm
        let allowsFailed: Bool

        var prepared: PreparedSignature { appended.prepared }

        /// - Parameter output: nil after a mere check.
        func result(
            file: String, output: String? = nil, stamp: ObtainedTimestamp? = nil
        ) throws -> SignedDocument {
            var result = SignedDocument(
                file: file, output: output, field: fieldName,
                level: stamp?.isTrusted == false && level == .t ? .b : level,
                digest: builder.signer.digest.rawValue, algorithm: builder.signer.scheme.name,
                signer: signerName, claimedTime: claimedTime.moment,
                timestamp: stamp.map(TimestampReceipt.init),
                marks: marks,
                warnings: try warnings
                    + lostSignatures().map { Wording($0) } + (stamp?.advice ?? [])
            )
            result.dynamicContent = dynamicContent
            result.visible = !widgets.isEmpty
            if !widgets.isEmpty { result.widgets = widgets }
            if !stampText.isEmpty { result.stampText = stampText }
            result.certification = restriction.certification
            result.lock = restriction.lock?.argument
            if !demands.isEmpty { result.demands = demands.map(SignedDocument.Demand.init) }
            return result
        }

        /// Of a document that is signed, the signatures were looked at before.
        private func lostSignatures() throws -> [String] {
            guard try !form.hasSignature(in: document) else { return [] }
            let lost = try LostSignatures(
                in: document, besides: form, strays: appended.input.strays
            ).fields.map { field in
                "an earlier revision of the file was signed in the field \(field.inQuotes), and the "
                    + "newest one has no such signature: a verification will say so"
            }
            if let first = lost.first, !allowsFailed {
                throw PAdESError(.earlierSignatureFails, first)
            }
            return lost
        }
    }
}
