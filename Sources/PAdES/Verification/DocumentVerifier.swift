package import ByteKit
import CMSKit
package import CryptoBridge
package import PDFCore
package import SignatureTerms
package import TrustKit

/// Verifies every signature of a document: dictionary, byte range, CMS, time stamps, certificate
/// path, coverage and later changes (ETSI EN 319 102-1 §5; ISO 32000-2 §12.8).
package struct DocumentVerifier {
    private let validator: PathValidator
    private let pinned: Certificate?
    private let time: CalendarTime
    /// Signatures below this level do not pass.
    package var requiredLevel: SignatureLevel?
    /// Documents whose content was changed after a signature do not pass, even as is permitted.
    package var requiresUnchanged = false
    /// Whether the report is to name the certificates that the document brings.
    package var keepsCertificates = false
    /// Whether the report is to say why signatures have their levels.
    package var explainsLevels = false

    /// - Parameter pinned: the one certificate that counts as signer; nil for any.
    package init(validator: PathValidator, pinned: Certificate? = nil, time: CalendarTime) {
        self.validator = validator
        self.pinned = pinned
        self.time = time
    }

    /// - Parameters:
    ///   - fieldName: only this field's signature; nil is all.
    ///   - reading: of the document's source, to have begun before the document was opened.
    package func verify(
        _ document: PDFDocument, fieldName: String? = nil, reading: DocumentReading? = nil
    ) throws -> DocumentReport {
        let reading = reading ?? DocumentReading(of: document.source)
        let hasher = reading.hasher
        let form = try AcroForm(of: document)
        var candidates = try Self.candidates(in: form, of: document)
        // All ranges are hashed while the file is read once, and everything else is looked at
        // meanwhile.
        let codes = try IntegrityCodes(of: document)
        hasher.begin(candidates.flatMap { $0.requests } + codes.requests)
        let store = try DocumentSecurityStore(of: document)
        try RevisionJudgement(of: document, form: form).judge(&candidates)
        // After all that was read: defects show when something is.
        let structure = try DocumentStructure.problems(of: document, form: form)
        try judge(&candidates, hasher, store, in: document)
        let lost = try LostSignatures(
            in: document, besides: form, strays: reading.strays(of: document))
        let integrity = try codes.report(digestOf: hasher.digest)
        for index in candidates.indices {
            let own = candidates[index].revisionProblems
            // Why readers rebuild a file is said once, where it is told best.
            let isTold = own.contains { $0.code == .rebuiltDifferently }
            candidates[index].report.problems +=
                own + structure.problems.filter { !isTold || $0.code != .rebuiltDifferently }
                + store.problems + lost.problems + (integrity?.problems ?? [])
        }
        try raiseToLTA(&candidates, in: document, store)
        if explainsLevels {
            let judge = SignatureJudge(
                validator: validator, pinned: pinned, time: time, store: store)
            try explain(&candidates, in: document, store, by: judge)
        }
        for index in candidates.indices { checkDemands(&candidates[index].report) }
        demandSignature(&candidates)

        let reports = (candidates.map(\.report) + lost.reports)
            .filter { fieldName == nil || $0.field == fieldName }
        var report = DocumentReport(
            signatures: reports,
            warnings: document.warnings.map(\.description) + structure.warnings,
            integrityCode: integrity)
        report.newestTokenByteCount = candidates.last { $0.tokenByteCount != nil }?.tokenByteCount
        report.evidence = store.evidence
        report.storeCertificates = store.certificates
        if keepsCertificates {
            report.certificates =
                candidates.flatMap(\.carriedCertificates) + store.certificates.map(\.der)
        }
        return report
    }

    /// Judges all signatures; while the file is still being hashed, as if it hashed to what they
    /// claim. It nearly always does: when it does not, what was found thus counts for nothing.
    private func judge(
        _ candidates: inout [SignatureCandidate], _ hasher: ByteRangeHasher,
        _ store: DocumentSecurityStore,
        in document: PDFDocument
    ) throws {
        if hasher.isBusy, let claims = SignatureCandidate.claimedDigests(of: candidates) {
            var judged = candidates
            try judge(&judged, store, in: document) { request in
                claims.first { $0.request == request }?.digest
            }
            if try claims.allSatisfy({ try hasher.digest($0.request) == $0.digest }) {
                candidates = judged
                return
            }
        }
        try judge(&candidates, store, in: document, digestOf: hasher.digest)
    }

    private func judge(
        _ candidates: inout [SignatureCandidate], _ store: DocumentSecurityStore,
        in document: PDFDocument, digestOf: SignatureJudge.DigestLookup
    ) throws {
        var judge = SignatureJudge(
            validator: validator, pinned: pinned, time: time, store: store
        ) { end in try Self.store(of: document, before: end, newest: store) }
        var judged: [ObjectID: Int] = [:]
        // A document timestamp proves the time of all that is older (EN 319 102-1 §5.6.3).
        for index in candidates.indices.reversed() {
            guard let id = candidates[index].value?.id, let known = judged[id] else {
                try judge.judge(&candidates[index], digestOf: digestOf)
                if let id = candidates[index].value?.id { judged[id] = index }
                continue
            }
            candidates[index].adopt(
                candidates[known], ownProblems: candidates[index].report.problems)
        }
    }

    /// The signatures in the order in which they were made, which is that of what they cover.
    static func candidates(
        in form: AcroForm, of document: PDFDocument
    ) throws -> [SignatureCandidate] {
        var candidates: [SignatureCandidate] = []
        var known: [ObjectID: Int] = [:]
        for field in form.signatureFields {
            // What cannot be read is no empty field.
            guard let value = field.value, (try? document.resolve(value)) != .null else { continue }
            guard candidates.count < SignatureValue.maximumCount else {
                candidates[0].report.problems.append(
                    .doubt(
                        .tooManySignatures,
                        "there are more than \(SignatureValue.maximumCount) signatures: not all were "
                            + "looked at", .signatureConstraintsFailure))
                break
            }
            if let id = value.referenceValue, let index = known[id] {
                candidates.append(candidates[index].standing(in: field))
            } else {
                if let id = value.referenceValue { known[id] = candidates.count }
                candidates.append(try SignatureCandidate(field, value: value, in: document))
            }
        }
        func end(_ candidate: SignatureCandidate) -> Int {
            candidate.value?.byteRange.second.upperBound ?? .max
        }
        candidates = candidates.enumerated()
            .sorted { (end($0.element), $0.offset) < (end($1.element), $1.offset) }.map(\.element)
        refuseSharedGaps(&candidates)
        boundHashing(&candidates, of: document)
        return candidates
    }

    /// Bytes behind the gaps of all signatures that are hashed in any document.
    private static let hashedByteAllowance = 1 << 30
    /// As many times the document's size are hashed besides.
    private static let hashedSizeRatio = 4

    /// What stands before a gap is hashed once for all signatures, what stands behind it for each.
    private static func boundHashing(
        _ candidates: inout [SignatureCandidate], of document: PDFDocument
    ) {
        var budget = hashedByteAllowance + hashedSizeRatio * document.source.byteCount
        var known: Set<ByteRangeHasher.Request> = []
        for index in candidates.indices {
            for request in candidates[index].requests where known.insert(request).inserted {
                budget -= request.byteRange.second.count
            }
            guard budget < 0 else { continue }
            candidates[index].dropValue()
            candidates[index].report.problems.append(
                .doubt(
                    .tooMuchToHash,
                    "the signatures of the document cover too much: not all were looked at",
                    .signatureConstraintsFailure))
        }
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
                            .severalFields, "the same signature stands in several fields",
                            verdict: nil)
                        : .failure(
                            .gapShared, "another signature has its value in the same place"))
            }
        }
    }

    // MARK: Levels (ETSI EN 319 142-1 §6)

    /// The store as it was when the file ended at `end`; nil where it cannot be told.
    static func store(
        of document: PDFDocument, before end: Int, newest: DocumentSecurityStore
    ) throws -> DocumentSecurityStore? {
        guard end < document.source.byteCount else { return newest }
        return try document.view(atRevisionEndingAt: end).map { try DocumentSecurityStore(of: $0) }
    }

    /// B-LTA is B-LT with a later document timestamp, one that passed, over the validation data.
    private func raiseToLTA(
        _ candidates: inout [SignatureCandidate], in document: PDFDocument,
        _ store: DocumentSecurityStore
    ) throws {
        guard candidates.contains(where: { $0.report.level == .lt }),
            let last = candidates.lastIndex(where: {
                $0.token != nil && $0.report.verdict == .passed
            }), let end = candidates[last].value?.byteRange.second.upperBound
        else { return }
        guard let stamped = try Self.store(of: document, before: end, newest: store) else { return }
        let judge = SignatureJudge(validator: validator, pinned: pinned, time: time, store: stamped)
        for index in candidates.indices.prefix(last)
        where candidates[index].report.level == .lt {
            if try judge.hasValidationData(stamped, for: candidates[index].report) {
                candidates[index].report.level = .lta
            }
        }
    }

    /// Most changes that are told in the reason of a problem.
    private static let reasonLimit = 50

    private func checkDemands(_ report: inout SignatureReport) {
        if requiresUnchanged, !report.contentChanges.isEmpty {
            let rest = report.contentChanges.count - Self.reasonLimit
            report.problems.append(
                .doubt(
                    .changedSinceSigned,
                    "the document was changed since, and no change is accepted: "
                        + report.contentChanges.prefix(Self.reasonLimit).joined(separator: "; ")
                        + (rest > 0 ? "; and \(rest) more changes" : ""),
                    .signatureConstraintsFailure))
        }
        checkLevel(&report)
    }

    /// Time stamps, which anybody gets, are no answer to who asks for a signature.
    private func demandSignature(_ candidates: inout [SignatureCandidate]) {
        guard !candidates.contains(where: { $0.report.kind == .signature }) else { return }
        for index in candidates.indices {
            if let requiredLevel {
                candidates[index].report.problems.append(
                    .doubt(
                        .levelNotReached,
                        "nobody signed, there are time stamps only: a signature of level "
                            + "\(requiredLevel.rawValue) is required", .signatureConstraintsFailure)
                )
            }
            if let pinned, !candidates.contains(where: { $0.report.signer == pinned }) {
                candidates[index].report.problems.append(
                    .doubt(
                        .signerNotPinned,
                        "nobody signed with the certificate that was named: there are time stamps "
                            + "only", .noSigningCertificateFound))
            }
        }
    }

    private func checkLevel(_ report: inout SignatureReport) {
        guard let requiredLevel, report.kind == .signature,
            (report.level ?? .cms) < requiredLevel
                || requiredLevel >= .t && report.provenTime == nil
        else { return }
        report.problems.append(
            .levelNotReached(report.level, report.stampState, required: requiredLevel))
    }
}
