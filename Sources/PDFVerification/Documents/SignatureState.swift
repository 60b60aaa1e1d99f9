package import Base
import CryptoBridge
package import PDFCore
package import PDFSigning
import TrustKit

/// How the signatures of a document stand before another one is added: who adds one seems to agree
/// with what is there. Whose they are is another question, which is not asked here.
package struct SignatureState {
    /// One of them, and what speaks against it.
    package struct Finding: Sendable {
        package let field: String
        package let message: String
    }

    /// Those that fail, the bytes themselves or what came after them.
    package private(set) var failed: [Finding] = []
    /// Those of which it cannot be told for certain whether they are unchanged.
    package private(set) var doubtful: [Finding] = []
    /// The fields of all that are there, and the names in the certificates.
    package private(set) var signers: [(field: String, name: String?)] = []

    /// - Parameters:
    ///   - time: the present.
    ///   - reading: of the document's source.
    package init(
        of document: PDFDocument, form: AcroForm, at time: CalendarTime,
        reading: DocumentReading? = nil
    ) throws {
        guard try form.hasSignature(in: document) else { return }
        // As verify opens it.
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
                    message: "the document is damaged: nothing in it can be verified")
            ]
            return
        }
        failed = report.signatures.compactMap { Finding($0, .failed) }
        doubtful = report.signatures.compactMap { Finding($0, .indeterminate) }
        signers = report.signatures.map { ($0.field, $0.signer?.subject.shortText) }
    }
}

extension SignatureState.Finding {
    /// Nil where nothing of that gravity speaks against the signature; its certificate does not
    /// count here.
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
