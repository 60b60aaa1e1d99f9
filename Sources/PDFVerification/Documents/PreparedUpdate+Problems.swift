import Base
package import PDFCore
package import PDFSigning

extension PreparedUpdate {
    /// Reads the finished file without repair, as strict viewers do.
    ///
    /// - Returns: the problems of its structure.
    /// - Throws: ``PDFError`` or `malformedForm` if the file is unreadable or incomplete.
    package func problems(after document: PDFDocument) throws -> [String] {
        let revised = try document.revised(by: bytes, repair: .never)
        guard try isPresent(in: revised) else {
            throw PAdESError(
                .malformedForm,
                "viewers that do not repair the file would not find the signature or its field")
        }
        let count = try revised.pageCount()
        if count > 0 { _ = try revised.page(at: 0) }
        guard try count == document.pageCount() else {
            return ["viewers that do not repair the file would find only \(count) pages"]
        }
        return try DocumentStructure.doubts(
            about: revised, form: AcroForm(of: revised), effort: .thorough
        ).lines
    }

    /// Validates the existing signatures after this update, with the rules of ``DocumentVerifier``.
    ///
    /// - Returns: the findings that would make them indeterminate.
    /// - Throws: `forbiddenByEarlierSignature` if a signature that is valid so far would fail.
    package func doubtsAboutEarlierSignatures(
        in document: PDFDocument, form: AcroForm
    ) throws -> [String] {
        guard try !document.isRebuilt && form.hasSignature(in: document) else { return [] }
        // Without repair, as `verify` opens files. If that fails, no signature of the file passes.
        guard let known = try? document.revised(by: [], repair: .never),
            let knownForm = try? AcroForm(of: known)
        else { return [] }
        let revised = try document.revised(by: bytes, repair: .never)
        let later = try Self.problems(of: revised, form: AcroForm(of: revised))
        guard later.contains(where: { !$0.problems.isEmpty }) else { return [] }
        let earlier = Dictionary(
            try Self.problems(of: known, form: knownForm)
                .map { ($0.id, Set($0.problems.map(\.code))) },
            uniquingKeysWith: { first, _ in first })
        var doubts: [String] = []
        for signature in later {
            guard let known = earlier[signature.id] else { continue }
            for problem in signature.problems where !known.contains(problem.code) {
                guard problem.verdict == .failed else {
                    doubts.append(
                        "the earlier signature \(signature.field.inQuotes) will be indeterminate: "
                            + problem.message)
                    continue
                }
                throw PAdESError(
                    .forbiddenByEarlierSignature,
                    "the earlier signature \(signature.field.inQuotes) would fail: \(problem.message)"
                )
            }
        }
        return doubts
    }

    /// Problems of signed byte ranges and later changes.
    private static func problems(of document: PDFDocument, form: AcroForm) throws
        -> [JudgedSignature]
    {
        let candidates = try SignatureCandidate.all(in: form, of: document)
        let findings = try RevisionJudgement(of: document).findings(for: candidates)
        return zip(candidates, findings).compactMap { candidate, finding in
            candidate.value.map {
                JudgedSignature(
                    id: $0.id, field: candidate.field.fullName.text,
                    problems: finding.problems.filter { $0.verdict != nil })
            }
        }
    }
}

private struct JudgedSignature {
    let id: ObjectID
    let field: String
    let problems: [VerificationProblem]
}
