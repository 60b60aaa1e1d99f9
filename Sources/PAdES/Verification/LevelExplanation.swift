package import CryptoBridge
import PDFCore
import SignatureTerms
package import TrustKit

/// Why a signature has its level: what is known of each certificate that it depends on, and which
/// time stamp proves that.
package struct LevelExplanation: Sendable {
    package struct Item: Sendable {
        package let certificate: Certificate
        package let role: EvidenceAudit.Role
        /// Empty where nothing is known in the document, or nothing need be.
        package let words: [RevocationWord]
        package let needsNone: Bool
        /// The field of the first document timestamp over all of the words.
        package let coveredBy: String?
        /// Whether the document brings the certificate.
        package let isCarried: Bool
        /// Whose word of the document does not count, and why.
        package let useless: [String]
    }

    package let items: [Item]
    /// Anchors of the paths that the document does not bring: some validators want them there
    /// (ETSI EN 319 142-1 §6.3 r).
    package let missingAnchors: [Certificate]
}

extension DocumentVerifier {
    /// Explains every signature's level from what the document brings.
    func explain(
        _ candidates: inout [SignatureCandidate], in document: PDFDocument,
        _ store: DocumentSecurityStore, by judge: SignatureJudge
    ) throws {
        let stamps = try candidates.compactMap {
            candidate -> (field: String, held: Set<[UInt8]>)? in
            guard candidate.token != nil, candidate.report.verdict == .passed,
                let end = candidate.value?.byteRange.second.upperBound,
                let stamped = try Self.store(of: document, before: end, newest: store)
            else { return nil }
            let evidence = stamped.evidence
            return (
                candidate.report.field,
                Set(evidence.lists.map(\.der) + evidence.responses.map(\.der))
            )
        }
        for index in candidates.indices where candidates[index].report.kind == .signature {
            let report = candidates[index].report
            var carried = Set(store.certificates.map(\.der))
            for path in report.paths { carried.formUnion(path.carried) }
            let items = try judge.audit(of: report, store).entries.map { entry in
                let pieces = entry.words.flatMap { word in
                    word.evidence.lists.map(\.der) + word.evidence.responses.map(\.der)
                }
                let fromResponses = entry.words.isEmpty && entry.role == .responder
                return LevelExplanation.Item(
                    certificate: entry.certificate, role: entry.role, words: entry.words,
                    needsNone: entry.needsNone,
                    coveredBy: pieces.isEmpty
                        ? nil : stamps.first { $0.held.isSuperset(of: pieces) }?.field,
                    isCarried: fromResponses || entry.role == .responder
                        || carried.contains(entry.certificate.der),
                    useless: entry.useless)
            }
            let anchors = report.paths.compactMap(\.chain.last).filter { !carried.contains($0.der) }
            candidates[index].report.explanation = LevelExplanation(
                items: items, missingAnchors: anchors)
        }
    }
}
