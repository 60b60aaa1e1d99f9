import FileBridge
import PAdES
import PDFCore

/// What is to be appended to one reading of a document.
protocol LaidOutUpdate {
    associatedtype Update: PreparedUpdate
    var prepared: Update { get }
}

/// The ways to read a file to which an update is appended, one after the other until one can stand.
/// Only an update that was laid out shows whether that is so: laying it out reads what matters.
///
///     var readings = try UpdateReadings<Layout>(of: file, password: password)
///     while true {
///         let document = try readings.next()
///         if let layout = try readings.judge(Result { try layOut(document) }) { return layout }
///     }
///
/// First the document is read as it is found. With all its objects searched for where it cannot be
/// read otherwise, or where its sections lead readers apart, as when objects are only near the places
/// that they name: one complete section leads all readers to the same. And where some objects do not
/// follow the syntax, all such are written anew. Not where others have signed, whose signatures that
/// would hide or touch: there only the catalogue.
struct UpdateReadings<Layout: LaidOutUpdate> {
    private enum Way {
        /// Repaired only where nothing can be read otherwise.
        case asFound
        /// With all its objects searched for, for what was found leads readers apart.
        case searched(insteadOf: PDFDocument)
        /// Where the search finds no better, and readers need not search.
        case asFoundAfterAll
        /// With all its objects searched for, after this damage.
        case damaged(PDFError)
    }

    private let file: InputFile
    private let password: DocumentPassword?
    private var way = Way.asFound
    /// Nil where the way has not been tried yet.
    private var document: PDFDocument?
    /// What was laid out before the document's objects were mended.
    private var unmended: Layout?

    init(of file: InputFile, password: DocumentPassword?) throws {
        guard file.byteCount > 0 else {
            throw SignetError(.malformedInput, file: file.path, "the file is empty")
        }
        self.file = file
        self.password = password
    }

    /// The document for which the update is to be laid out now.
    mutating func next() throws -> PDFDocument {
        while true {
            if let document { return document }
            do {
                document = try open()
            } catch let error as PDFError {
                try goOn(after: error)
            }
        }
    }

    /// - Parameter layout: for the document that ``next()`` gave.
    /// - Returns: what can stand; nil when the update is to be laid out for the next reading.
    mutating func judge(_ layout: Result<Layout, any Error>) throws -> Layout? {
        guard let document else { return nil }
        do {
            return try accept(layout, for: document)
        } catch let error as PDFError {
            try goOn(after: error)
            return nil
        }
    }

    private mutating func accept(
        _ layout: Result<Layout, any Error>, for document: PDFDocument
    ) throws -> Layout? {
        if let unmended { return try checked((try? layout.get()) ?? unmended, of: document) }
        let layout = try layout.get()
        let isMisleading = try self.isMisleading(document)
        guard isMisleading || document.hasDamagedObjects else {
            return try checked(layout, of: document)
        }
        try document.requireHybridAgreementUnlessRebuilt()
        let isSigned = try AcroForm(of: document).hasSignature(in: document)
        if isMisleading, !isSigned {
            way = .searched(insteadOf: document)
            try document.requireObjectsFoundInSearch()
            self.document = nil
            return nil
        }
        if isMisleading { try document.requireAgreement() }
        guard document.hasDamagedObjects else { return try checked(layout, of: document) }
        try document.requireWholeObjects()
        try isSigned ? document.mendCatalog() : document.mendObjects()
        unmended = layout
        return nil
    }

    /// Whether a search for the objects may lead all readers to the same.
    private func isMisleading(_ document: PDFDocument) throws(PDFError) -> Bool {
        guard case .asFound = way else { return false }
        let leadsApart = try document.leadsReadersApart()
        let disagreement = try document.readersDisagreement()
        return leadsApart || disagreement != nil
    }

    /// Turns to the next way.
    ///
    /// - Throws: where there is none.
    private mutating func goOn(after error: PDFError) throws {
        let isDamage = error.code.isDamage
        unmended = nil
        document = nil
        switch way {
        case .asFound, .asFoundAfterAll:
            guard isDamage else { throw error }
            way = .damaged(error)
        case .searched(insteadOf: let found):
            guard isDamage || error.code == .readersDisagree else { throw error }
            guard try !found.makesReadersSearch() else {
                guard isDamage else { throw error }
                throw PDFError(
                    .readersDisagree,
                    "the file is damaged, and readers that repair it may not show what would be "
                        + "signed: \(error)")
            }
            found.warnOfDisagreement(isDamage ? error.description : error.detail)
            (way, document) = (.asFoundAfterAll, found)
        case .damaged(let first):
            throw error.code == .readersDisagree ? error : first
        }
    }

    private func open() throws -> PDFDocument {
        let repair: PDFOptions.Repair =
            switch way {
            case .asFound, .asFoundAfterAll: .whenNeeded
            case .searched, .damaged: .always
            }
        let document = try PDFDocument.open(
            file, path: file.path, password: password, options: PDFOptions(repair: repair))
        if document.firstWarning(.encryptionMissing) != nil {
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

    /// What was laid out is read again as `verify` will read it, where anything was repaired.
    private func checked(_ layout: Layout, of document: PDFDocument) throws -> Layout {
        try document.requirePagesOfOneKind()
        if try !document.isRebuilt
            && (!document.warnings.isEmpty || document.sectionIrregularity() != nil)
        {
            try document.requireListedObjects()
        }
        try document.requireHybridAgreementUnlessRebuilt()
        try document.requireAgreementOnReferences()
        try document.requireAgreement(on: layout.prepared.changedObjects)
        try layout.prepared.requireReadable(after: document)
        return layout
    }
}

extension PDFDocument {
    /// - Throws: `readersDisagree` when readers that search the file do not all find the same.
    fileprivate func requireObjectsFoundInSearch() throws(PDFError) {
        guard let lost = try objectLostInSearch() else { return }
        throw PDFError(
            .readersDisagree,
            "the file is damaged, and readers that search it for its objects do not all find "
                + "object \(lost)")
    }

    /// - Throws: `readersDisagree` when a hybrid section hides something shown from some readers.
    fileprivate func requireHybridAgreementUnlessRebuilt() throws(PDFError) {
        guard !isRebuilt, let reason = try objectHiddenByHybrid() else { return }
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
