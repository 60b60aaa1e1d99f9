package import Base
package import CryptoBridge
package import PDFCore
package import PDFSigning
import RevisionDiff
package import TrustKit

/// Verifies every signature of a document: dictionary, byte range, CMS, timestamps, certificate
/// chain, coverage and later changes (ETSI EN 319 102-1 §5; ISO 32000-2 §12.8).
package struct DocumentVerifier {
    private let validator: PathValidator
    private let pinned: Certificate?
    private let time: CalendarTime
    /// Signatures below this level do not pass.
    package var requiredLevel: SignatureLevel?
    /// Whether any content change after a signature prevents a pass, even a permitted one.
    package var requiresUnchanged = false
    /// Whether the report contains the certificates embedded in the document.
    package var keepsCertificates = false
    /// Document of the required signature policy; nil for any.
    package var policyDocument: [UInt8]?
    /// Whether the report explains the level of each signature.
    package var explainsLevels = false

    /// - Parameter pinned: the only accepted signing certificate; nil for any.
    package init(validator: PathValidator, pinned: Certificate? = nil, time: CalendarTime) {
        self.validator = validator
        self.pinned = pinned
        self.time = time
    }

    /// Runs the verification steps. Each step takes earlier results as values and does not change
    /// them. This function defines the order of the steps and of the report.
    ///
    /// - Parameters:
    ///   - fieldName: the field whose signature is verified; nil for all fields.
    ///   - reading: a read of the document's source that began before the document was opened.
    package func verify(
        _ document: PDFDocument, fieldName: String? = nil, reading: DocumentReading? = nil
    ) throws -> DocumentReport {
        let reading = reading ?? DocumentReading(of: document.source)
        let hasher = reading.hasher
        let form = try AcroForm(of: document)
        let candidates = try SignatureCandidate.all(in: form, of: document)
        // The file is read once for all hashes, and the other checks run at the same time.
        let codes = try IntegrityCodes(of: document)
        hasher.begin(candidates.flatMap { $0.requests } + codes.requests)
        let store = try DocumentSecurityStore(of: document)
        let stores = StoreHistory(document: document, newest: store)
        let revisions = try RevisionJudgement(of: document).findings(for: candidates)
        // This step follows the revisions, because reading them may find more defects.
        let structure = try DocumentStructure.finding(of: document, form: form)
        let values = try findings(for: candidates, revisions, stores, digestOf: hasher.digest)
        let lost = try LostSignatures(
            in: document, besides: form,
            unreferencedSections: reading.unreferencedSections(of: document))
        let integrity = try codes.report(digestOf: hasher.digest)
        let common =
            structure.problems + store.problems + lost.problems + (integrity?.problems ?? [])
        let signatures = candidates.indices.map { index in
            SignatureFindings(
                candidate: candidates[index], revision: revisions[index], value: values[index],
                ofDocument: common)
        }
        let levels = try levels(of: signatures, stores)
        let explanations = explainsLevels ? try explanations(of: signatures, stores) : []
        let unsigned = demandsOfSigner(signatures)
        let reports = signatures.indices.map { index in
            let unmet = unmetDemands(of: signatures[index], level: levels[index]) + unsigned
            return SignatureReport(
                signatures[index], level: levels[index], unmet: unmet,
                explanation: explainsLevels ? explanations[index] : nil)
        }
        return DocumentReport(
            signatures: (reports + lost.fields.map { SignatureReport(lostFrom: $0) })
                .filter { fieldName == nil || $0.field == fieldName },
            problems: common,
            warnings: document.warnings.map(\.description) + structure.warnings,
            integrityCode: integrity,
            certificates: keepsCertificates
                ? candidates.flatMap(\.carriedCertificates) + store.certificates.map(\.der) : [],
            newestTokenByteCount: candidates.last { $0.tokenByteCount != nil }?.tokenByteCount,
            evidence: store.evidence, storeCertificates: store.certificates)
    }

    // MARK: Values

    private func findings(
        for candidates: [SignatureCandidate], _ revisions: [RevisionFinding],
        _ stores: StoreHistory, digestOf: SignatureJudge.DigestLookup
    ) throws -> [ValueFinding] {
        let judge = SignatureJudge(
            validator: validator, pinned: pinned, time: time, stores: stores,
            policyDocument: policyDocument)
        var found = Array(repeating: ValueFinding(), count: candidates.count)
        var judged: [ObjectID: Int] = [:]
        var later = LaterTimestamps()
        for (index, candidate) in candidates.enumerated().reversed() {
            if let id = candidate.value?.id, let known = judged[id] {
                found[index] = found[known].standing(
                    besides: candidate.problems, judgedIn: candidates[known])
                continue
            }
            found[index] = try judge.finding(
                for: candidate, revisions[index].coverage, later, digestOf: digestOf)
            later = found[index].later ?? later
            if let id = candidate.value?.id { judged[id] = index }
        }
        return found
    }

    // MARK: Levels (ETSI EN 319 142-1 §6)

    /// The level of each signature. B-LTA is B-LT with a later document timestamp that passed and
    /// covers the validation data.
    private func levels(
        of signatures: [SignatureFindings], _ stores: StoreHistory
    ) throws -> [SignatureLevel?] {
        var levels = signatures.map(\.value.level)
        guard levels.contains(.lt), let last = signatures.lastIndex(where: \.isProvingTimestamp),
            let end = signatures[last].candidate.coveredByteCount,
            let stamped = try stores.store(before: end)
        else { return levels }
        for index in signatures[..<last].indices where levels[index] == .lt {
            let value = signatures[index].value
            let isCovered = try validator.isComplete(
                stamped.material, for: value.paths, at: value.times?.provenTime ?? time)
            if isCovered { levels[index] = .lta }
        }
        return levels
    }

    /// The reasons for each signature's level; nil for timestamps.
    private func explanations(
        of signatures: [SignatureFindings], _ stores: StoreHistory
    ) throws -> [LevelExplanation?] {
        let stamps = try signatures.compactMap {
            signature -> (name: String, held: Set<[UInt8]>)? in
            guard signature.isProvingTimestamp, let end = signature.candidate.coveredByteCount,
                let evidence = try stores.store(before: end)?.evidence
            else { return nil }
            return (
                signature.candidate.field.fullName.text,
                Set(evidence.lists.map(\.der) + evidence.responses.map(\.der))
            )
        }
        let material = stores.newest.material
        return try signatures.map { signature in
            guard signature.candidate.kind == .signature else { return nil }
            let value = signature.value
            let audit = try validator.audit(
                value.paths, with: material, at: value.times?.provenTime ?? time)
            return LevelExplanation(audit, paths: value.paths, material, stamps: stamps)
        }
    }

    // MARK: Demands

    /// Requirements of the caller that a signature does not meet.
    private func unmetDemands(
        of signature: SignatureFindings, level: SignatureLevel?
    ) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        let changes = signature.revision.contentChanges + signature.revision.coveringNotes
        if requiresUnchanged, !changes.isEmpty {
            let rest = changes.count - RevisionChanges.reasonLimit
            problems.append(
                .doubt(
                    .changedSinceSigned,
                    "modified after signing, and this validation permits no changes: "
                        + changes.prefix(RevisionChanges.reasonLimit).joined(separator: "; ")
                        + (rest > 0 ? "; and \(rest) more changes" : "")))
        }
        let times = signature.value.times
        if let requiredLevel, signature.candidate.kind == .signature,
            (level ?? .cms) < requiredLevel || requiredLevel >= .t && times?.provenTime == nil
        {
            problems.append(.levelNotReached(level, StampState(of: times), required: requiredLevel))
        }
        return problems
    }

    /// The problems if a signature is required and the document contains only timestamps. Anybody
    /// can obtain a timestamp, so it does not replace a signature.
    private func demandsOfSigner(_ signatures: [SignatureFindings]) -> [VerificationProblem] {
        guard !signatures.contains(where: { $0.candidate.kind == .signature }) else { return [] }
        var problems: [VerificationProblem] = []
        if let requiredLevel {
            problems.append(
                .doubt(
                    .levelNotReached,
                    "\(requiredLevel.rawValue) is required; the document has only timestamps, no signature"
                ))
        }
        if policyDocument != nil {
            problems.append(
                .doubt(
                    .signaturePolicyMismatch,
                    "a signature policy is required; the document has only timestamps",
                    .signatureConstraintsFailure))
        }
        if validator.certificatePolicies.requiresExplicit {
            problems.append(
                .doubt(
                    .certificateNotTrusted,
                    "a certificate policy is required; the document has only timestamps",
                    .chainConstraintsFailure))
        }
        if let pinned, !signatures.contains(where: { $0.value.checked?.signer == pinned }) {
            problems.append(
                .doubt(
                    .signerNotPinned,
                    "the document has only timestamps, no signature by the required certificate",
                    .noSigningCertificateFound))
        }
        return problems
    }
}

/// The results of all steps for one signature.
package struct SignatureFindings: Sendable {
    package let candidate: SignatureCandidate
    package let revision: RevisionFinding
    package let value: ValueFinding
    let problems: [VerificationProblem]
    /// The problems of the document, which apply to every signature.
    let documentProblems: [VerificationProblem]

    /// - Parameter ofDocument: the problems of the document.
    init(
        candidate: SignatureCandidate, revision: RevisionFinding, value: ValueFinding,
        ofDocument: [VerificationProblem]
    ) {
        self.candidate = candidate
        self.revision = revision
        self.value = value
        problems = candidate.problems + value.problems + revision.problems
        documentProblems = ofDocument
    }

    /// A pass requires positive results: a list without problems may mean that a check was skipped.
    var isProven: Bool {
        value.checked?.isIntact == true && value.path?.isTrusted == true
            && revision.coverage != .partial && revision.changes != .forbidden
    }

    /// Whether it is a valid timestamp. Problems of the display do not affect a proof of existence.
    var isProvingTimestamp: Bool {
        let counted = (problems + documentProblems).filter {
            $0.verdict == .failed || !$0.code.isAboutAppearance
        }
        return candidate.token != nil && counted.verdict(isProven: isProven) == .passed
    }
}
