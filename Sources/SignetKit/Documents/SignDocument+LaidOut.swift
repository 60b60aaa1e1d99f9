import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import TimestampKit

extension SignDocument {
    /// Everything that is decided before the update is laid out.
    struct Plan {
        let opened: UpdatableDocument
        let form: AcroForm
        /// Makes the document's integrity code; nil if it has none.
        let seal: IntegritySeal?
        let target: SignatureTarget
        let terms: SigningTerms
        let builder: SignedDataBuilder
        let claimedTime: CalendarTime
        let content: ShownDynamicContent
        var warnings: [String] = []
        /// What the signer should know.
        var notes: [String] = []
    }

    /// A document with everything decided but the signature's value.
    struct LaidOut {
        let plan: Plan
        let appended: AppendedSignature
        let signerName: String
        let level: SignatureLevel
        let marks: SignedDocument.Marks?
        let widgets: [SignedDocument.Widget]
        let stampText: [String]
        let warnings: [Sentence]
        let notes: [String]
        let allowsFailed: Bool

        var builder: SignedDataBuilder { plan.builder }

        /// - Parameter output: nil after a mere check.
        func result(
            file: String, output: String? = nil, stamp: ObtainedTimestamp? = nil
        ) throws -> SignedDocument {
            let restriction = plan.terms.restriction
            var result = SignedDocument(
                file: file, output: output, field: plan.target.name,
                level: stamp?.isTrusted == false && level == .t ? .b : level,
                digest: builder.signer.digest.rawValue, algorithm: builder.signer.scheme.name,
                signer: signerName, claimedTime: plan.claimedTime.moment,
                timestamp: stamp.map(TimestampReceipt.init),
                marks: marks,
                warnings: try warnings
                    + lostSignatures().map { Sentence($0) } + (stamp?.advice ?? [])
            )
            result.notes = notes
            result.dynamicContent = plan.content
            result.visible = !widgets.isEmpty
            if !widgets.isEmpty { result.widgets = widgets }
            if !stampText.isEmpty { result.stampText = stampText }
            result.certification = restriction.certification
            result.lock = restriction.lock?.argument
            if !plan.terms.demands.isEmpty {
                result.demands = plan.terms.demands.map(SignedDocument.Demand.init)
            }
            return result
        }

        /// Of a document that is signed, the signatures were looked at before.
        private func lostSignatures() throws -> [String] {
            let (document, form) = (plan.opened.document, plan.form)
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
