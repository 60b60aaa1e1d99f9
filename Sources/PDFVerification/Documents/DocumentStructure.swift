import Base
package import PDFCore
package import PDFSigning

struct StructureFinding {
    let problems: [VerificationProblem]
    let warnings: [String]
}

/// Structural defects that affect all signatures, because viewers may interpret the document
/// differently.
package enum DocumentStructure {
    /// Findings that `verify` will report for every signature of the document, one line each, and
    /// whether the search was complete.
    ///
    /// - Throws: the error that also prevents `verify` from reading the displayed content.
    package static func doubts(
        about document: PDFDocument, form: AcroForm, effort: DynamicContent.Effort
    ) throws -> (lines: [String], isComplete: Bool) {
        let found = try finding(of: document, form: form, effort)
        let lines = found.problems.filter { $0.verdict != nil }.map(\.message)
        return (lines, !found.warnings.contains(moreContent))
    }

    private static let moreContent = "the document has more objects than were checked"

    /// Some defects are detected while objects are read. Defects detected before this call are
    /// included.
    static func finding(
        of document: PDFDocument, form: AcroForm, _ effort: DynamicContent.Effort = .thorough
    ) throws -> StructureFinding {
        var problems: [VerificationProblem] = []
        var warnings: [String] = []
        let catalog = try document.catalog()
        problems += try duplicateKeyProblems(of: document, catalog, form)
        if effort.checksCrossReferences(of: document) {
            problems += try crossReferenceProblems(of: document)
        }
        if let words = try document.linearizationDisagreement() {
            problems.append(.doubt(.documentDamaged, words + ": viewers may display either"))
        }
        let shown = try ShownObjects.problems(in: document, form: form, effort)
        problems += shown.problems
        if document.encryption?.hasWrongPadding == true {
            problems.append(.doubt(.objectUnreadable, DynamicContent.foreignString))
        }
        if document.encryption?.hasOtherKey == true {
            problems.append(
                .doubt(
                    .objectUnreadable,
                    "the password is valid as owner and user password with different keys: viewers may "
                        + "use either"))
        }
        if !shown.isComplete { warnings.append(moreContent) }
        problems += readingProblems(of: document)
        problems += formProblems(form)
        return StructureFinding(
            problems: problems,
            warnings: try warnings + permissionWarnings(catalog, document, form))
    }

    /// Problems found while the displayed objects were read.
    private static func readingProblems(of document: PDFDocument) -> [VerificationProblem] {
        let codes: [(PDFWarning.Code, ProblemCode)] = [
            (.referenceBeyondLimit, .objectUnreadable), (.referenceChain, .objectUnreadable),
            (.objectStreamOrder, .objectStreamAmbiguous),
            (.objectStreamType, .objectStreamAmbiguous),
            (.objectStreamFilter, .objectStreamAmbiguous),
        ]
        return codes.compactMap { code, problem in
            document.firstWarning(code).map { .doubt(problem, $0.description) }
        }
    }

    /// Duplicate keys in the dictionaries that viewers start from.
    private static func duplicateKeyProblems(
        of document: PDFDocument, _ catalog: PDFDictionary, _ form: AcroForm
    ) throws -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        let store = try document.value(catalog, "DSS").dictionaryValue
        let newest = document.sections.first?.trailer ?? [:]
        let parts: [(name: String, dictionary: PDFDictionary)] =
            [("catalog", catalog), ("form", form.dictionary)]
            + (store.map { [("validation data", $0)] } ?? [])
            + document.sections.map { ("trailer", $0.trailer) }
        for part in parts {
            // The newest trailer decides, except for the entries that describe each trailer's own
            // section.
            let isOlder = part.name == "trailer" && part.dictionary != newest
            let differing = part.dictionary.differingKeys
            guard
                let key = part.dictionary.duplicateKeys.first(where: {
                    !isOlder || newest[$0] == nil
                        || sectionKeys.contains($0) && differing.contains($0)
                })
            else { continue }
            let problem = VerificationProblem.failure(
                .duplicateKey,
                "viewers may display different content (the entry /\(key) occurs twice in the \(part.name))"
            )
            if !problems.contains(problem) { problems.append(problem) }
        }
        return problems
    }

    private static func formProblems(_ form: AcroForm) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        if !form.isComplete {
            problems.append(
                .doubt(
                    .formTooLarge,
                    "not all form fields were checked: more than \(AcroForm.maximumFieldCount) fields "
                        + "or \(AcroForm.maximumDepth) levels"))
        }
        if let id = form.circle {
            problems.append(
                .doubt(
                    .documentDamaged,
                    "viewers may find different form fields: one contains itself, or its /Kids is "
                        + "malformed (object \(id.number))"))
        }
        return problems
    }

    /// Trailer entries about its own section and the position of the previous one.
    private static let sectionKeys: Set<PDFName> = [
        "Prev", "XRefStm", "Type", "Size", "W", "Index", "Length", "Filter", "DecodeParms",
    ]

    private static func permissionWarnings(
        _ catalog: PDFDictionary, _ document: PDFDocument, _ form: AcroForm
    ) throws -> [String] {
        let permissions = try document.value(catalog, "Perms").dictionaryValue
        guard let target = permissions?["DocMDP"]?.referenceValue,
            !form.signatureFields.contains(where: { $0.value?.referenceValue == target })
        else { return [] }
        return [
            "the certification signature was removed, or its field (/Perms, object "
                + "\(target.number))"
        ]
    }

    /// Defects of the cross-reference sections that lead viewers to different objects.
    private static func crossReferenceProblems(
        of document: PDFDocument
    ) throws -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        if let number = try document.hybridDisagreement() {
            problems.append(
                .doubt(
                    .hybridDisagreement,
                    "viewers may display different content (the cross-reference table and stream differ in "
                        + "object \(number))"))
        }
        if let text = document.sections.lazy.compactMap({ $0.trailerIrregularity() }).first {
            problems.append(.doubt(.trailersDiffer, text))
        }
        if try document.hasInexactOffsets() {
            problems.append(
                .doubt(
                    .offsetsWrong,
                    "viewers may display different content (wrong offsets in the cross-references)")
            )
        }
        if let difference = try document.differenceWhenRebuilt() {
            problems.append(.doubt(.rebuiltDifferently, difference))
        }
        if let number = try document.objectBeyondSize() {
            // ISO 32000-2 Table 15 treats such an object as missing. Most viewers show it anyway.
            problems.append(
                .doubt(
                    .beyondSize,
                    "viewers may ignore an object (the number of object \(number) is not below /Size)"
                ))
        }
        if document.firstWarning(.objectStreamNumber) != nil {
            problems.append(
                .doubt(
                    .objectStreamAmbiguous,
                    "viewers may display different content (an object stream contains two objects of "
                        + "the same number)"))
        }
        return problems
    }
}
