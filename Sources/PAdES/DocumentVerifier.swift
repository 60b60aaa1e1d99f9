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

    /// - Parameter fieldName: only this field's signature; nil is all.
    package func verify(
        _ document: PDFDocument, fieldName: String? = nil
    ) throws -> DocumentReport {
        let form = try AcroForm(of: document)
        var candidates = try Self.candidates(in: form, of: document)
        let lost = try LostSignatures.reports(in: document, besides: form)

        // All ranges are hashed while the file is read once.
        let digests = try ByteRangeHasher.digests(
            of: Set(candidates.compactMap(\.request)), in: document.source)
        for index in candidates.indices {
            guard let request = candidates[index].request, let digest = digests[request] else {
                continue
            }
            try judge(&candidates[index], digest)
        }
        try RevisionJudgement(of: document, form: form).judge(&candidates)
        let structure = try DocumentStructure.problems(of: document, form: form)
        for index in candidates.indices { candidates[index].report.problems += structure.problems }

        let reports = candidates.map(\.report) + lost
        var warnings = document.warnings.map(\.description) + structure.warnings
        if document.trailer["AuthCode"] != nil {
            warnings.append("the document's integrity code (/AuthCode) was not checked")
        }
        return DocumentReport(
            signatures: reports.filter { fieldName == nil || $0.field == fieldName },
            warnings: warnings)
    }

    /// The signatures in the order in which they were made, which is that of what they cover.
    private static func candidates(
        in form: AcroForm, of document: PDFDocument
    ) throws -> [SignatureCandidate] {
        var candidates: [SignatureCandidate] = []
        for field in form.signatureFields {
            guard let value = field.value, try document.resolve(value) != .null else { continue }
            guard candidates.count < SignatureValue.maximumCount else { break }
            candidates.append(try SignatureCandidate(field, value: value, in: document))
        }
        func end(_ candidate: SignatureCandidate) -> Int {
            candidate.value?.byteRange.second.upperBound ?? .max
        }
        candidates = candidates.enumerated()
            .sorted { (end($0.element), $0.offset) < (end($1.element), $1.offset) }.map(\.element)
        refuseSharedGaps(&candidates)
        return candidates
    }

    /// No two signatures may have their values in the same place.
    private static func refuseSharedGaps(_ candidates: inout [SignatureCandidate]) {
        let gaps = candidates.indices
            .compactMap { index in candidates[index].value.map { (index, $0.byteRange.gap) } }
            .sorted { $0.1.lowerBound < $1.1.lowerBound }
        for (first, second) in zip(gaps, gaps.dropFirst())
        where first.1.upperBound > second.1.lowerBound {
            let isSame = candidates[first.0].value?.id == candidates[second.0].value?.id
            for index in [first.0, second.0] {
                candidates[index].report.problems.append(
                    isSame
                        ? VerificationProblem(
                            "several-fields", "the same signature stands in several fields",
                            verdict: nil)
                        : .failure(
                            "gap-shared", "another signature has its value in the same place"))
            }
        }
    }

    // MARK: Judging

    /// The value, its signer and the signer's certificate.
    private func judge(_ candidate: inout SignatureCandidate, _ digest: [UInt8]) throws {
        do {
            switch candidate.format {
            case .cms(let profile)?:
                try judgeMessage(&candidate, profile, digest)
            case .cmsOverSHA1?:
                try judgeMessage(&candidate, .adobeSHA1, digest)
            case .rawRSA?:
                try judgeRawSignature(&candidate.report, candidate.value, digest)
            case .timestamp?:
                candidate.report.problems.append(
                    .doubt(
                        "timestamp-not-checked", "document timestamps are not checked yet", .noPOE))
            case nil: break
            }
        } catch let error as CryptoError where error.code != .internalFailure {
            candidate.report.problems.append(
                .doubt(
                    "certificate-unusable", "the signer's certificate: \(error.description)",
                    .certificateChainGeneralFailure))
        }
    }

    private func judgeMessage(
        _ candidate: inout SignatureCandidate, _ profile: SignedDataVerifier.Profile,
        _ digest: [UInt8]
    ) throws {
        guard let message = candidate.message, let algorithm = candidate.algorithm else { return }
        var verifier = SignedDataVerifier(profile: profile)
        verifier.pinned = pinned
        let checks = try verifier.verify(message, contentDigests: [algorithm: digest])
        guard let check = checks.first, checks.count == 1 else {
            candidate.report.problems.append(
                .failure("several-signers", "the signature has \(checks.count) signers"))
            return
        }
        var report = candidate.report
        defer { candidate.report = report }
        report.digest = algorithm.rawValue
        report.algorithm = check.scheme?.name
        report.isIntact = check.isIntact
        report.claimedTime = report.claimedTime ?? check.claimedTime
        report.problems += check.problems.map(VerificationProblem.init)
        if !profile.isDetached {
            // The content is the hash of what is signed.
            let fits = message.content == digest
            report.isIntact = check.isIntact && fits
            if !fits {
                report.problems.append(
                    .failure("digest-mismatch", "the content is not what was signed", .hashFailure))
            }
            report.problems.append(Self.weakDigest)
        } else if !check.signedAttributesPresent, !profile.requiresSignedAttributes {
            report.problems.append(
                .doubt(
                    "signed-attributes-missing",
                    "the signature has no signed attributes: nothing says what it was made for",
                    .signatureConstraintsFailure))
        }
        if check.verified != nil {
            report.level = profile.requiresSigningCertificateReference ? "B-B" : "CMS"
        }
        guard let signer = check.signer else { return }
        try judgeSigner(
            &report, signer, candidates: check.certificates, digest: check.digest)
    }

    /// adbe.x509.rsa_sha1 (ISO 32000-2 §12.8.3.2): RSA over the SHA-1 of the byte range.
    private func judgeRawSignature(
        _ report: inout SignatureReport, _ value: SignatureValue?, _ digest: [UInt8]
    ) throws {
        guard let value else { return }
        let entry = value.dictionary["Cert"]
        let encoded = (entry?.arrayValue ?? [entry ?? .null]).compactMap(\.stringValue)
        let certificates = encoded.compactMap { try? Certificate(der: $0) }
        guard let signer = certificates.first, let signature = value.octetStringContents else {
            report.problems.append(
                .doubt(
                    "signer-certificate-missing", "there is no certificate beside the signature",
                    .noSigningCertificateFound))
            return
        }
        report.digest = DigestAlgorithm.sha1.rawValue
        report.algorithm = SignatureScheme.rsaPKCS1(.sha1).name
        let isValid = try signer.publicKey.verify(
            signature: signature, scheme: .rsaPKCS1(.sha1), digest: digest)
        report.isIntact = isValid
        if !isValid {
            report.problems.append(
                .failure(
                    "signature-invalid", "the signature does not verify", .signatureCryptoFailure))
        }
        if let pinned, signer != pinned {
            report.problems.append(
                .doubt(
                    "signer-not-pinned", "the signature was made by another certificate",
                    .noSigningCertificateFound))
        }
        report.level = "CMS"
        report.problems.append(Self.weakDigest)
        try judgeSigner(
            &report, signer, candidates: Array(certificates.dropFirst()), digest: .sha1)
    }

    /// Formats that hash the document with SHA-1 whatever the signature says.
    private static let weakDigest = VerificationProblem.doubt(
        "weak-algorithm", "SHA-1 counts as broken", .cryptoConstraintsFailureNoPOE)

    private func judgeSigner(
        _ report: inout SignatureReport, _ signer: Certificate, candidates: [Certificate],
        digest: DigestAlgorithm?
    ) throws {
        report.signer = signer
        let path = try validator.validate(
            leaf: signer, candidates: candidates, digest: digest, at: time)
        report.isTrusted = path.isTrusted
        report.problems += VerificationProblem.problems(path).filter {
            !report.problems.contains($0)
        }
    }
}
