package import Base
import CryptoBridge
package import PDFCore
package import PDFSigning
import TrustKit

/// The integrity of existing signatures before another one is added. Trust in their signers is not
/// checked.
package struct SignatureState {
    package struct Finding: Sendable {
        package let field: String
        package let message: String
    }

    /// Signatures that fail, because of their own bytes or later changes.
    package private(set) var failed: [Finding] = []
    /// Signatures whose integrity is indeterminate.
    package private(set) var doubtful: [Finding] = []

    /// - Parameters:
    ///   - time: the current time.
    ///   - reading: a pass over the document's source that has already begun; nil to start one.
    package init(
        of document: PDFDocument, form: AcroForm, at time: CalendarTime,
        reading: DocumentReading? = nil
    ) throws {
        guard try form.hasSignature(in: document) else { return }
        // Without repair, as `verify` opens files.
        let report: DocumentReport
        do {
            let strict = try document.revised(by: [], repair: .never)
            let validator = PathValidator(anchors: .certificates([]), now: time)
            report = try DocumentVerifier(validator: validator, time: time)
                .verify(strict, reading: reading)
        } catch let error as PDFError where error.code.isDamage {
            failed = [
                Finding(
                    field: form.signatureFields.first?.fullName.text ?? "",
                    message: "the document is damaged and cannot be verified")
            ]
            return
        }
        failed = report.signatures.compactMap { Finding($0, .failed) }
        doubtful = report.signatures.compactMap { Finding($0, .indeterminate) }
    }
}

extension SignatureState.Finding {
    /// Nil if the signature has no finding of that severity; findings about its certificate are
    /// ignored.
    fileprivate init?(_ report: SignatureReport, _ verdict: Verdict) {
        let isFailed = report.allProblems.contains { $0.verdict == .failed }
        guard isFailed == (verdict == .failed),
            let problem = report.allProblems.first(where: {
                $0.verdict == verdict && !$0.isAboutCertificate
            })
        else { return nil }
        self.init(field: report.field, message: problem.message)
    }
}
