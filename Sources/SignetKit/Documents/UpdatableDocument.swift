import PDFCore
import PDFSigning
import PDFVerification
import SystemBridge

/// A document for an incremental update, with the chosen interpretation of a damaged file.
struct UpdatableDocument {
    let document: PDFDocument
    let form: AcroForm
    /// Why viewers may display another document; nil if all display the same.
    let damage: String?
    /// Why the file seems to be cut off; nil if it is complete.
    private let truncation: String?

    /// Opens a file and chooses how it is read before the update is created.
    ///
    /// Normally the file is read as it is. If that fails, or if viewers may find different objects
    /// and the file is not signed, the file is searched for objects; the update then lists all of
    /// them.
    ///
    /// - Parameter allowsDamaged: whether a file is accepted that viewers may display differently.
    /// - Throws: ``SignetError`` for such a file otherwise, and always for one that ends inside a
    ///   signature, which would be lost.
    init(_ file: InputFile, password: DocumentPassword?, allowsDamaged: Bool) throws {
        guard file.byteCount > 0 else {
            throw SignetError(.malformedInput, file: file.path, "the file is empty")
        }
        func open(_ repair: PDFOptions.Repair) throws -> (PDFDocument, AcroForm) {
            let document = try PDFDocument.open(
                file, path: file.path, password: password, options: PDFOptions(repair: repair))
            return (document, try document.checkedForm())
        }
        let (found, form): (PDFDocument, AcroForm)
        do {
            (found, form) = try open(.whenNeeded)
        } catch let error as PDFError where error.code.isDamage {
            guard let searched = try? open(.always) else { throw error }
            (found, form) = searched
        }
        truncation = try found.truncation()
        if truncation != nil, try !form.hasSignature(in: found) {
            try found.refuseUnfinishedSignature(file.path)
        }
        let damage = try found.disagreement()
        if try damage != nil || found.hasAmbiguousXref(), try !form.hasSignature(in: found),
            let (searched, searchedForm) = try? open(.always), try searched.agrees(with: found)
        {
            (document, self.form, self.damage) = (searched, searchedForm, nil)
        } else {
            (document, self.form, self.damage) = (found, form, damage)
        }
        if !allowsDamaged { try requireUndamaged(self.damage, file: file) }
    }

    /// - Parameter damage: why viewers may display another document; nil for none.
    /// - Throws: ``SignetError`` with the option that accepts the damage.
    func requireUndamaged(_ damage: String?, file: InputFile) throws(SignetError) {
        if let truncation {
            throw SignetError(
                .malformedInput, file: file.path, "the file is damaged or cut off: \(truncation)",
                hint: Sentence(.allowDamaged))
        }
        guard let damage else { return }
        throw SignetError(
            .malformedInput, file: file.path,
            "the file is damaged, and viewers may display it differently: \(damage)",
            hint: Sentence(.allowDamaged))
    }

    /// Reason why viewers may display another document, including malformed displayed objects.
    /// Complete only after all displayed objects were parsed.
    var damageOfShownObjects: String? {
        get throws {
            if let damage { return damage }
            guard document.hasDamagedObjects, let id = try ShownObjects.damaged(in: document) else {
                return nil
            }
            return "a displayed object does not follow the PDF syntax (object \(id.number))"
        }
    }

    /// Makes the update rewrite malformed objects and list missing ones. In a signed document, only
    /// the catalog is rewritten.
    ///
    /// - Parameter known: the problems of the document.
    func mend(known: [String] = []) throws {
        guard !document.warnings.isEmpty || !known.isEmpty else { return }
        guard try !form.hasSignature(in: document) else { return try document.mendCatalog() }
        try document.mendObjects(missing: ShownObjects.missingNumbers(in: document))
    }

    /// The problems that `verify` would find in the updated document.
    ///
    /// - Parameter known: problems found before the update.
    func problems(after update: some PreparedUpdate, known: [String]) throws -> [String] {
        if let damage { return [damage] }
        guard !known.isEmpty || !document.warnings.isEmpty else { return [] }
        return try update.problems(after: document)
    }
}

extension PDFDocument {
    /// - Throws: ``SignetError`` if the file ends inside a signature.
    func refuseUnfinishedSignature(_ path: String) throws {
        guard let place = try unfinishedSignature() else { return }
        throw SignetError(
            .malformedInput, file: path,
            "the file is truncated inside a signature (which starts after byte \(place)): the end "
                + "is missing", hint: Sentence(.askForWhole))
    }

    /// Checks that the catalog, the form and the first page can be read.
    ///
    /// - Returns: the form.
    /// - Throws: ``PDFError``; `readersDisagree` if the encryption dictionary is missing.
    fileprivate func checkedForm() throws -> AcroForm {
        _ = try catalog()
        let form = try AcroForm(of: self)
        if try pageCount() > 0 { _ = try page(at: 0) }
        guard firstWarning(.encryptionMissing) == nil else {
            throw PDFError(
                .readersDisagree,
                "the encryption dictionary in the trailer is missing")
        }
        return form
    }

    /// Why viewers that reconstruct the cross-reference table, or follow another one, may display
    /// another document; nil if all display the same.
    fileprivate func disagreement() throws -> String? {
        if let reason = try readersDisagreement() { return reason }
        if try isRebuilt || !warnings.isEmpty || sectionIrregularity() != nil,
            let reason = try objectReplacedInSearch()
        {
            return reason
        }
        if isRebuilt, let id = try ShownObjects.damaged(in: self) {
            return
                "an object is damaged or not found by viewers that search the file (object \(id.number))"
        }
        if !isRebuilt, let reason = try objectHiddenByHybrid() {
            return "the cross-reference table and stream of the hybrid file differ: \(reason)"
        }
        if try pageCount() == 0, let count = try lostPageCount() {
            return "the page tree declares \(count) pages, but contains none"
        }
        return try linearizationDisagreement(isGrowing: true)
    }

    /// Whether a search of the file finds the same document as its cross-reference table.
    fileprivate func agrees(with found: PDFDocument) throws -> Bool {
        try disagreement() == nil && found.objectLostInSearch() == nil
            && found.objectReplacedInSearch() == nil
            && (try? pageCount()) == (try? found.pageCount())
    }
}
