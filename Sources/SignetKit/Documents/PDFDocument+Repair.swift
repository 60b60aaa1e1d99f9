import FileBridge
import PAdES
import PDFCore

extension PDFDocument {
    /// Opens the document of `file` to append to it. A damaged one is opened once more with all its
    /// objects searched for, when the damage shows only in `body`.
    ///
    /// So is one whose sections lead readers apart, as when objects are only near the places that
    /// they name: one complete section leads all readers to the same. And where some objects do not
    /// follow the syntax, all such are written anew. Not where others have signed, whose signatures
    /// that would hide or touch: there only the catalogue.
    ///
    /// What was laid out is read again as `verify` will read it, where anything was repaired.
    ///
    /// - Parameter prepared: what `body` laid out.
    static func update<Result, Update: PreparedUpdate>(
        _ file: InputFile, password: DocumentPassword?,
        laidOut prepared: @escaping (Result) -> Update,
        _ body: @escaping (PDFDocument) throws -> Result
    ) throws -> Result {
        guard file.byteCount > 0 else {
            throw SignetError(.malformedInput, file: file.path, "the file is empty")
        }
        let attempts = UpdateAttempts(
            file: file, password: password, prepared: prepared, body: body)
        do {
            return try attempts.attempt(.whenNeeded)
        } catch let error as PDFError where error.code.isDamage {
            do {
                return try attempts.attempt(.always)
            } catch let second as PDFError {
                throw second.code == .readersDisagree ? second : error
            }
        }
    }
}

/// Attempts to lay an update out: with the document as it is, and repaired.
private struct UpdateAttempts<Result, Update: PreparedUpdate> {
    let file: InputFile
    let password: DocumentPassword?
    let prepared: (Result) -> Update
    let body: (PDFDocument) throws -> Result

    func attempt(_ repair: PDFOptions.Repair) throws -> Result {
        let document = try open(repair)
        let result = try body(document)
        guard repair == .whenNeeded || document.hasDamagedObjects else {
            return try checked(result, of: document)
        }
        let leadsApart = try repair == .whenNeeded && document.leadsReadersApart()
        let disagreement = try repair == .whenNeeded ? document.readersDisagreement() : nil
        guard leadsApart || disagreement != nil || document.hasDamagedObjects else {
            return try checked(result, of: document)
        }
        if !document.isRebuilt { try document.requireHybridAgreement() }
        let isSigned = try AcroForm(of: document).hasSignature(in: document)
        if disagreement != nil, isSigned { try document.requireAgreement() }
        if leadsApart || disagreement != nil, !isSigned {
            if let repaired = try repaired(document) { return repaired }
            return try mended(document, body(document), isSigned: isSigned)
        }
        return try mended(document, result, isSigned: isSigned)
    }

    private func open(_ repair: PDFOptions.Repair) throws -> PDFDocument {
        let document = try PDFDocument.open(
            file, path: file.path, password: password, options: PDFOptions(repair: repair))
        if document.warnings.contains(where: { $0.code == .encryptionMissing }) {
            throw PDFError(
                .readersDisagree,
                "the file says that it is encrypted, and how that was done is missing")
        }
        guard document.isRebuilt else { return document }
        try document.requireAgreement()
        try document.requireWholeObjects()
        let listed =
            repair == .whenNeeded
            ? document
            : try? PDFDocument.open(
                file, path: file.path, password: password, options: PDFOptions())
        try listed?.requireListedObjects()
        return document
    }

    /// With one complete section; nil where that is not possible and readers need not search.
    private func repaired(_ document: PDFDocument) throws -> Result? {
        do {
            if let lost = try document.objectLostInSearch() {
                throw PDFError(
                    .readersDisagree,
                    "the file is damaged, and readers that search it for its objects do not all "
                        + "find object \(lost)")
            }
            return try attempt(.always)
        } catch let error as PDFError where error.code.isDamage {
            guard try !document.makesReadersSearch() else {
                throw PDFError(
                    .readersDisagree,
                    "the file is damaged, and readers that repair it may not show what would be "
                        + "signed: \(error)")
            }
            document.warnOfDisagreement(error.description)
        } catch let error as PDFError where error.code == .readersDisagree {
            guard try !document.makesReadersSearch() else { throw error }
            document.warnOfDisagreement(error.detail)
        }
        return nil
    }

    /// With the objects written anew that do not follow the syntax.
    private func mended(
        _ document: PDFDocument, _ result: Result, isSigned: Bool
    ) throws -> Result {
        guard document.hasDamagedObjects else { return try checked(result, of: document) }
        try document.requireWholeObjects()
        try isSigned ? document.mendCatalog() : document.mendObjects()
        return try checked((try? body(document)) ?? result, of: document)
    }

    private func checked(_ result: Result, of document: PDFDocument) throws -> Result {
        try document.requirePagesOfOneKind()
        if try !document.isRebuilt
            && (!document.warnings.isEmpty || document.sectionIrregularity() != nil)
        {
            try document.requireListedObjects()
        }
        if !document.isRebuilt { try document.requireHybridAgreement() }
        try document.requireAgreementOnReferences()
        try document.requireAgreement(on: prepared(result).changedObjects)
        try prepared(result).requireReadable(after: document)
        return result
    }
}

extension PDFDocument {
    /// - Throws: `readersDisagree` when a hybrid section hides something shown from some readers.
    fileprivate func requireHybridAgreement() throws(PDFError) {
        guard let reason = try objectHiddenByHybrid() else { return }
        throw PDFError(
            .readersDisagree,
            "readers do not agree what the hybrid cross-references list: \(reason)")
    }

    /// - Throws: `readersDisagree` when the file speaks of other pages than its page tree to those who
    ///   take it for linearized, before or after it grows.
    fileprivate func requirePagesOfOneKind() throws(PDFError) {
        if try pageCount() == 0, let count = try lostPageCount() {
            throw PDFError(
                .readersDisagree, "the page tree speaks of \(count) pages, and none can be found")
        }
        guard let words = try linearizationDisagreement(isGrowing: true) else { return }
        throw PDFError(.readersDisagree, "readers do not agree what the pages are: \(words)")
    }

    /// - Throws: `readersDisagree` when something shown is damaged.
    fileprivate func requireWholeObjects() throws(PDFError) {
        guard let id = try ShownObjects.damaged(in: self) else { return }
        throw PDFError(
            .readersDisagree,
            isDamaged(id)
                ? "it is shown and damaged, and readers do not agree what it says"
                : "the file is damaged, and not all readers that repair it find what is shown in "
                    + "object streams", object: id)
    }

    /// - Throws: `readersDisagree` when those that search the document find other objects than those
    ///   that need not.
    fileprivate func requireListedObjects() throws(PDFError) {
        guard let reason = try objectReplacedInSearch() else { return }
        throw PDFError(
            .readersDisagree,
            "the file is damaged, and readers do not agree what it shows: \(reason)")
    }

    /// - Throws: `readersDisagree` when those that repair the document do not show what would be
    ///   signed.
    fileprivate func requireAgreement() throws(PDFError) {
        guard let reason = try readersDisagreement() else { return }
        throw PDFError(
            .readersDisagree,
            "the file is damaged, and readers do not agree what it shows: \(reason)")
    }
}
