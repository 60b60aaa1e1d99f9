import CryptoBridge
import PDFCore
import SignatureTerms
import TrustKit

extension DocumentVerifier {
    /// Explains every signature's level from what the document brings.
    func explain(
        _ candidates: inout [SignatureCandidate], in document: PDFDocument,
        _ store: DocumentSecurityStore, by judge: SignatureJudge
    ) throws {
        let stamps = try candidates.compactMap {
            candidate -> (name: String, held: Set<[UInt8]>)? in
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
            candidates[index].report.explanation = LevelExplanation(
                try judge.audit(of: report, store), paths: report.paths, store.material,
                stamps: stamps)
        }
    }
}
