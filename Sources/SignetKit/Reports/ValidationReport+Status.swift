import Base
import CryptoBridge

extension ValidationReport {
    private static func indication(_ verdict: Verdict, isSignature: Bool) -> ReportElement {
        let word =
            switch verdict {
            case .passed: isSignature ? "total-passed" : "passed"
            case .failed: isSignature ? "total-failed" : "failed"
            case .indeterminate: "indeterminate"
            }
        return ReportElement("MainIndication", text: etsi + "mainindication:" + word)
    }

    // MARK: Result

    /// The validation status of a signature.
    ///
    /// - Parameters:
    ///   - chain: elements of the certificate's path.
    ///   - identifier: identifier of the signature in the report.
    ///   - evidence: names of objects.
    func status(
        _ signature: VerifiedSignature, chain: [ReportElement?], identifier: String?,
        evidence: [String] = []
    ) -> ReportElement {
        var indications: [SubIndication] = []
        if signature.verdict != .passed {
            let all =
                [signature.subindication]
                + signature.problems.filter { $0.verdict == signature.verdict }.map(\.subindication)
            for case let one? in all where !indications.contains(one) { indications.append(one) }
        }
        let digest = signature.digest.flatMap { DigestAlgorithm(name: $0) }
        let isWeak = signature.problems.contains { $0.code == .weakAlgorithm }
        let cryptography = identifier.map { name in
            ReportElement(
                "CryptoInformation", ReportElement("ValidationObjectId", "VOReference", name),
                ReportElement(
                    "Algorithm", text: AlgorithmURI.signature(signature.algorithm, digest)),
                ReportElement("SecureAlgorithm", text: isWeak ? "false" : "true"))
        }
        let related = evidence.map { ReportElement("RelatedValidationObject", "VOReference", $0) }
        let data = ReportElement(
            "AssociatedValidationReportData",
            chain + related + [cryptography, Self.list(signature.problems)])
        return ReportElement(
            "SignatureValidationStatus",
            [Self.indication(signature.verdict, isSignature: signature.kind == .signature)]
                + indications.map {
                    ReportElement("SubIndication", text: Self.etsi + "subindication:" + $0.rawValue)
                } + [data.isEmpty ? nil : data])
    }

    private static func list(_ problems: [VerificationProblem]) -> ReportElement? {
        guard !problems.isEmpty else { return nil }
        return ReportElement(
            "AdditionalValidationReportData",
            problems.map { problem in
                ReportElement(
                    "ReportData",
                    ReportElement("Type", text: "urn:signet:problem:\(problem.code.rawValue)"),
                    ReportElement("Value", text: problem.message))
            })
    }

    /// The report for a document without signatures, which the schema requires. It contains the
    /// result for the document's MAC.
    static func nothingSigned(_ code: VerifiedDocument.IntegrityCode?) -> ReportElement {
        let constraints = code.map { code in
            ReportElement(
                "ValidationConstraintsEvaluationReport",
                impliedPolicy, constraint(integrityCheck, code.verdict))
        }
        let problems = list(code?.problems ?? []).map {
            ReportElement("AssociatedValidationReportData", $0)
        }
        return ReportElement(
            "SignatureValidationReport", constraints,
            ReportElement(
                "SignatureValidationStatus",
                ReportElement(
                    "MainIndication",
                    text: "urn:cef:dss:mainindication:noSignatureFound"), problems))
    }

    // MARK: Checks

    private static let integrityCheck = "integrity-code"

    private static let impliedPolicy = ReportElement(
        "SignatureValidationPolicy",
        ReportElement("SignaturePolicyIdentifier", ReportElement("xades:SignaturePolicyImplied")))

    /// The checks and their results.
    func constraints(
        _ signature: VerifiedSignature, _ document: VerifiedDocument
    ) -> ReportElement {
        let isPDF = signature.subfilter != nil
        // A revocation after the proof of existence has no effect.
        let isRevoked = signature.problems.contains { $0.code == .revoked && $0.verdict != nil }
        var checks: [(name: String, verdict: Verdict?)] = [
            ("intact", signature.intact ? .passed : signature.verdict),
            ("trusted", signature.trusted ? .passed : .indeterminate),
            ("coverage", isPDF ? (signature.coverage == .partial ? .failed : .passed) : nil),
            (
                "changes",
                isPDF && signature.coverage == .revision
                    ? (signature.changes == .forbidden ? .failed : .passed) : nil
            ), ("revocation", isRevoked ? .failed : signature.revocation.map { _ in .passed }),
        ]
        if let code = document.integrityCode { checks.append((Self.integrityCheck, code.verdict)) }
        return ReportElement(
            "ValidationConstraintsEvaluationReport",
            [Self.impliedPolicy] + checks.map(Self.constraint))
    }

    private static func constraint(_ name: String, _ verdict: Verdict?) -> ReportElement {
        ReportElement(
            "ValidationConstraint",
            ReportElement("ValidationConstraintIdentifier", text: "urn:signet:check:" + name),
            ReportElement(
                "ConstraintStatus",
                ReportElement(
                    "Status",
                    text: etsi + "constraintStatus:"
                        + (verdict == nil ? "disabled" : "applied"))),
            verdict.map {
                ReportElement("ValidationStatus", indication($0, isSignature: false))
            })
    }

    // MARK: Further information

    func information(_ signature: VerifiedSignature) -> ReportElement? {
        func line(_ name: String, _ text: String?) -> ReportElement? {
            text.map { ReportElement("signet:" + name, text: $0) }
        }
        let changes: [ReportElement?] = signature.changesDetail.map { line("changedSince", $0) }
        let files: [ReportElement?] = (signature.files ?? []).map { line("file", $0) }
        let element = ReportElement(
            "OtherInformation",
            [
                line("validator", validator), line("field", signature.field),
                line("level", signature.level?.rawValue), line("content", signature.contentFile),
                line("certification", signature.certification?.rawValue),
                line("revocationKnownUntil", signature.revocation?.nextUpdate?.description),
            ] + changes + files)
        return element.isEmpty ? nil : element
    }
}
