import Base

@testable import SignetKit

/// Creates validation reports with arbitrary texts in place of the texts of documents and
/// certificates.
enum ValidationReportFuzzing {
    /// A report of one signature.
    ///
    /// - Parameter texts: its names and reasons; missing ones are empty.
    static func report(of texts: [String]) throws -> [UInt8] {
        func text(_ index: Int) -> String { index < texts.count ? texts[index] : "" }
        let begin = Moment(secondsSinceEpoch: 1_767_225_600)
        let signer = VerifiedSignature.Signer(
            subject: text(0), issuer: text(1), serial: "1", sha256: "00",
            notBefore: begin, notAfter: begin.adding(.seconds(365 * 86_400)),
            displayName: text(0), issuerName: text(1), der: [])
        let signature = VerifiedSignature(
            field: text(2), kind: .signature, verdict: .indeterminate,
            subindication: .noCertificateChainFound, coverage: .wholeFile, intact: true,
            changesDetail: [text(3)], level: .b,
            subfilter: text(4), digest: "sha256", algorithm: text(5), signer: signer,
            name: text(6), reason: text(7),
            location: text(8),
            problems: [
                .doubt(.certificateNotTrusted, text(9), .noCertificateChainFound)
            ], contentFile: text(10))
        let document = VerifiedDocument(
            file: "a.pdf", verdict: .indeterminate, signatures: [signature], warnings: [])
        return try ValidationReport(at: Moment(secondsSinceEpoch: 0)).encoded(document)
    }
}
