package import ByteKit
import CMSKit
package import CryptoBridge
package import PDFCore
package import TrustKit

/// Verifies every signature of a document: dictionary, byte range, CMS, certificate path, coverage
/// and later changes (ETSI EN 319 102-1 §5; ISO 32000-2 §12.8).
package struct DocumentVerifier {
    private let validator: PathValidator
    private let pinned: Certificate?
    private let time: CalendarTime

    /// - Parameter pinned: the one certificate that counts as signer; nil for any.
    package init(validator: PathValidator, pinned: Certificate? = nil, time: CalendarTime) {
        self.validator = validator
        self.pinned = pinned
        self.time = time
    }

    /// A signature on its way through the checks.
    private struct Candidate {
        let field: FormField
        var report: SignatureReport
        var value: SignatureValue?
        var message: SignedData?
        var algorithm: DigestAlgorithm?
    }

    /// - Parameter fieldName: only this field's signature; nil is all.
    package func verify(
        _ document: PDFDocument, fieldName: String? = nil
    ) throws -> DocumentReport {
        let form = try AcroForm(of: document)
        var candidates: [Candidate] = []
        for field in form.signatureFields where fieldName == nil || field.fullName == fieldName {
            guard let value = field.value, try document.resolve(value) != .null else { continue }
            guard candidates.count < SignatureValue.maximumCount else { break }
            candidates.append(try read(field, value: value, in: document))
        }

        // All ranges are hashed while the file is read once.
        var requests: Set<ByteRangeHasher.Request> = []
        for candidate in candidates {
            if let value = candidate.value, let algorithm = candidate.algorithm {
                requests.insert(.init(byteRange: value.byteRange, algorithm: algorithm))
            }
        }
        let digests = try ByteRangeHasher.digests(of: requests, in: document.source)
        let history = RevisionHistory(of: document)
        var certification: Int?
        for candidate in candidates {
            guard let value = candidate.value else { continue }
            let level = try SigningPermission.transformLevel(of: value.dictionary, in: document)
            certification = certification ?? level
        }

        var reports: [SignatureReport] = []
        for var candidate in candidates {
            if let value = candidate.value {
                if let message = candidate.message, let algorithm = candidate.algorithm,
                    let digest = digests[.init(byteRange: value.byteRange, algorithm: algorithm)]
                {
                    try judge(&candidate.report, value, message, algorithm, digest)
                }
                try judgeCoverage(
                    &candidate.report, value, history, in: document, certification: certification)
            }
            reports.append(candidate.report)
        }
        var warnings = document.warnings.map(\.description)
        if document.trailer["AuthCode"] != nil {
            warnings.append("the document's integrity code (/AuthCode) was not checked")
        }
        return DocumentReport(signatures: reports, warnings: warnings)
    }

    // MARK: Reading

    private func read(
        _ field: FormField, value: PDFObject, in document: PDFDocument
    ) throws -> Candidate {
        var candidate = Candidate(field: field, report: SignatureReport(field: field.fullName))
        guard let id = value.referenceValue else {
            candidate.report.problems.append(
                .failure("signature-direct", "the field's value is not an indirect object"))
            return candidate
        }
        let (signature, problems) = try SignatureValue.read(id, in: document)
        candidate.report.problems += problems
        guard let signature else { return candidate }
        candidate.value = signature
        describe(&candidate.report, signature)

        switch signature.subFilter {
        case "ETSI.CAdES.detached", "adbe.pkcs7.detached": break
        case "ETSI.RFC3161":
            candidate.report.kind = .timestamp
            candidate.report.problems.append(
                .doubt("timestamp-not-checked", "document timestamps are not checked yet", .noPOE))
            return candidate
        case "adbe.pkcs7.sha1", "adbe.x509.rsa_sha1":
            candidate.report.problems.append(
                .doubt(
                    "subfilter-outdated",
                    "the outdated signature format /\(signature.subFilter) is not checked",
                    .cryptoConstraintsFailureNoPOE))
            return candidate
        default:
            candidate.report.problems.append(
                .failure(
                    "subfilter-unknown", "unknown signature format /\(signature.subFilter)"))
            return candidate
        }
        guard let element = DERElementLength.first(in: signature.contents),
            signature.contents[element...].allSatisfy({ $0 == 0 })
        else {
            candidate.report.problems.append(
                .failure(
                    "contents-padding",
                    "behind the signature's value stands something else than zeros"))
            return candidate
        }
        do {
            let message = try SignedData(Array(signature.contents[..<element]))
            candidate.message = message
            candidate.algorithm = message.requiredDigests.first
            if candidate.algorithm == nil {
                candidate.report.problems.append(
                    .doubt(
                        "algorithm-unsupported",
                        "the signature uses a hash algorithm that is unknown",
                        .cryptoConstraintsFailureNoPOE))
            }
        } catch {
            candidate.report.problems.append(.failure("cms-malformed", error.detail))
        }
        return candidate
    }

    private func describe(_ report: inout SignatureReport, _ value: SignatureValue) {
        func text(_ key: PDFName) -> String? {
            value.dictionary[key]?.stringValue.map {
                PDFString(bytes: $0, isHexadecimal: false).text
            }
        }
        report.subFilter = value.subFilter.description
        report.claimedTime = value.dictionary["M"]?.stringValue.flatMap {
            CalendarTime(pdfDate: $0)
        }
        report.name = text("Name")
        report.reason = text("Reason")
        report.location = text("Location")
    }

    // MARK: Judging

    /// The CMS, its signer and the signer's certificate.
    private func judge(
        _ report: inout SignatureReport, _ value: SignatureValue, _ message: SignedData,
        _ algorithm: DigestAlgorithm, _ digest: [UInt8]
    ) throws {
        let isPAdES = value.subFilter == "ETSI.CAdES.detached"
        var verifier = SignedDataVerifier(profile: isPAdES ? .pades : .adobeDetached)
        verifier.pinned = pinned
        let checks = try verifier.verify(message, contentDigests: [algorithm: digest])
        guard let check = checks.first, checks.count == 1 else {
            report.problems.append(
                .failure("several-signers", "the signature has \(checks.count) signers"))
            return
        }
        report.digest = algorithm.rawValue
        report.algorithm = check.scheme?.name
        report.isIntact = check.isIntact
        report.claimedTime = report.claimedTime ?? check.claimedTime
        report.problems += check.problems.map(VerificationProblem.init)
        if check.verified != nil { report.level = isPAdES ? "B-B" : "CMS" }
        guard let signer = check.signer else { return }
        report.signer = signer

        let path = try validator.validate(
            leaf: signer, candidates: check.certificates, digest: check.digest, at: time)
        report.isTrusted = path.isTrusted
        report.problems += VerificationProblem.problems(path)
    }

    private func judgeCoverage(
        _ report: inout SignatureReport, _ value: SignatureValue, _ history: RevisionHistory,
        in document: PDFDocument, certification: Int?
    ) throws {
        let level = try SigningPermission.transformLevel(of: value.dictionary, in: document)
        report.certification = level.flatMap { CertificationNames.name(level: $0) }
        let end = value.byteRange.second.upperBound
        switch try history.coverage(upTo: end, signatureID: value.id) {
        case .wholeFile: report.coverage = .wholeFile
        case .partial(let reason):
            report.problems.append(.failure("coverage-partial", reason))
        case .revision(let index):
            report.coverage = .revision
            let steps = try history.changes(since: index)
            report.changes = steps.map(\.level).max() ?? .none
            report.changesDetail = steps.flatMap(\.details)
            let permitted = CertificationNames.permittedChanges(level: certification)
            if report.changes == .forbidden {
                report.problems.append(
                    .failure(
                        "changed-after-signing",
                        "changed after signing: " + report.changesDetail.joined(separator: "; ")))
            } else if report.changes > permitted {
                report.problems.append(
                    .failure(
                        "change-not-permitted",
                        "the certification does not permit: "
                            + report.changesDetail.joined(separator: "; ")))
            }
            if let lock = FieldLock(of: value.dictionary, in: document) {
                let touched = steps.flatMap(\.changedFields).filter(lock.covers)
                if let field = touched.first {
                    report.problems.append(
                        .failure(
                            "locked-field-changed",
                            "the field '\(field)', locked by this signature, was changed"))
                }
            }
        }
    }
}
