import Base
import PDFCore
import PDFSigning

extension SignatureCandidate {
    /// The signatures, oldest first, ordered by the end of their byte ranges.
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
            // A field with an unreadable value is not empty.
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
        "not all signatures were checked: more than \(SignatureValue.maximumCount)")

    // MARK: Shared problems

    /// The problems of signatures whose Contents placeholders overlap, by signature.
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
        .severalFields, "several fields contain the same signature", verdict: nil)
    private static let gapShared = VerificationProblem.failure(
        .gapShared, "another signature has its Contents at the same offset")

    /// Maximum number of bytes hashed after the Contents placeholders, in a document of any size.
    private static let hashedByteAllowance = 1 << 30
    /// Additional bytes hashed, as a multiple of the document's size.
    private static let hashedSizeRatio = 4

    /// How many signatures are hashed, oldest first. Bytes before a placeholder are hashed once for
    /// all signatures, bytes after it once for each.
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
        .tooMuchToHash, "not all signatures were checked: too much data (limit reached)")
}
