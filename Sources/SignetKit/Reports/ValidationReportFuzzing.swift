import SignatureTerms

/// Lets a fuzzer put texts of its own where documents and certificates have theirs.
package enum ValidationReportFuzzing {
    /// A report of one signature.
    ///
    /// - Parameter texts: its names and reasons; missing ones are empty.
    package static func report(of texts: [String]) throws -> [UInt8] {
        func text(_ index: Int) -> String { index < texts.count ? texts[index] : "" }
        let signer = VerifiedSignature.Signer(
            subject: text(0), issuer: text(1), serial: "1", sha256: "00",
            notBefore: "2026-01-01T00:00:00Z", notAfter: "2027-01-01T00:00:00Z",
            displayName: text(0))
        let signature = VerifiedSignature(
            field: text(2), kind: .signature, verdict: .indeterminate,
            subindication: .noCertificateChainFound, coverage: .wholeFile, intact: true,
            trusted: false, changes: .none, changesDetail: [text(3)], level: .b,
            subfilter: text(4), digest: "sha256", algorithm: text(5), signer: signer,
            claimedTime: nil, certification: nil, name: text(6), reason: text(7),
            location: text(8),
            problems: [
                VerifiedSignature.Problem(
                    code: .certificateNotTrusted, message: text(9), verdict: .indeterminate,
                    subindication: .noCertificateChainFound)
            ], contentFile: text(10))
        let document = VerifiedDocument(
            file: "a.pdf", verdict: .indeterminate, signatures: [signature], warnings: [])
        return try ValidationReport(at: 0).encoded(document)
    }
}
