import Base
import PDFCore
import PDFSigning
import TrustKit

extension SignatureCandidate {
    /// The signatures in the order in which they were made, which is that of what they cover.
    static func all(in form: AcroForm, of document: PDFDocument) throws -> [SignatureCandidate] {
        let ordered = try read(form, of: document).enumerated()
            .sorted { ($0.element.end, $0.offset) < ($1.element.end, $1.offset) }.map(\.element)
        let shared = sharedGapProblems(of: ordered)
        let hashedCount = hashedCount(of: ordered, in: document)
        return ordered.indices.map { index in
            let isLeftOut = index >= hashedCount
            return ordered[index].adding(
                shared[index] + (isLeftOut ? [tooMuchToHash] : []), isLeftOut: isLeftOut)
        }
    }

    private var end: Int { value?.byteRange.second.upperBound ?? .max }

    /// The signatures in the order of their fields.
    private static func read(
        _ form: AcroForm, of document: PDFDocument
    ) throws -> [SignatureCandidate] {
        var candidates: [SignatureCandidate] = []
        var known: [ObjectID: Int] = [:]
        for field in form.signatureFields {
            // What cannot be read is no empty field.
            guard let value = field.value, (try? document.resolve(value)) != .null else { continue }
            guard candidates.count < SignatureValue.maximumCount else {
                candidates[0] = candidates[0].adding([tooMany])
                break
            }
            if let id = value.referenceValue, let index = known[id] {
                candidates.append(candidates[index].standing(in: field))
            } else {
                if let id = value.referenceValue { known[id] = candidates.count }
                candidates.append(try SignatureCandidate(field, value: value, in: document))
            }
        }
        return candidates
    }

    private static let tooMany = VerificationProblem.doubt(
        .tooManySignatures,
        "there are more than \(SignatureValue.maximumCount) signatures: not all were looked at")

    // MARK: What they have in common

    /// No two signatures may have their values in the same place: what speaks so against each.
    private static func sharedGapProblems(
        of candidates: [SignatureCandidate]
    ) -> [[VerificationProblem]] {
        var problems = Array(repeating: [VerificationProblem](), count: candidates.count)
        let gaps = candidates.indices
            .compactMap { index in candidates[index].value.map { (index, $0.byteRange.gap) } }
            .sorted { $0.1.lowerBound < $1.1.lowerBound }
        for (first, second) in zip(gaps, gaps.dropFirst())
        where first.1.upperBound > second.1.lowerBound {
            let isSame = candidates[first.0].value?.id == candidates[second.0].value?.id
            for index in [first.0, second.0] {
                problems[index].append(isSame ? severalFields : gapShared)
            }
        }
        return problems
    }

    private static let severalFields = VerificationProblem(
        .severalFields, "the same signature stands in several fields", verdict: nil)
    private static let gapShared = VerificationProblem.failure(
        .gapShared, "another signature has its value in the same place")

    /// Bytes behind the gaps of all signatures that are hashed in any document.
    private static let hashedByteAllowance = 1 << 30
    /// As many times the document's size are hashed besides.
    private static let hashedSizeRatio = 4

    /// How many of the signatures are hashed, the oldest first: what stands before a gap is hashed
    /// once for all signatures, what stands behind it for each.
    private static func hashedCount(
        of candidates: [SignatureCandidate], in document: PDFDocument
    ) -> Int {
        var budget = hashedByteAllowance + hashedSizeRatio * document.source.byteCount
        var known: Set<ByteRangeHasher.Request> = []
        for (index, candidate) in candidates.enumerated() {
            for request in candidate.requests where known.insert(request).inserted {
                budget -= request.byteRange.second.count
            }
            if budget < 0 { return index }
        }
        return candidates.count
    }

    private static let tooMuchToHash = VerificationProblem.doubt(
        .tooMuchToHash, "the signatures of the document cover too much: not all were looked at")
}
