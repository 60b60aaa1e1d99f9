package import Base

/// A PDF document, read lazily: opening reads the cross-reference sections, and objects are parsed
/// on demand into bounded caches.
///
/// Memory does not grow with the size of the file. Not safe for use by several threads at once.
package final class PDFDocument {
    package let source: any ByteSource
    /// Position of `%PDF-`.
    package let headerOffset: Int
    /// The version in the header; see ``version``.
    package let headerVersion: PDFVersion
    /// Number added to the offsets in the file to get positions: 0, or ``headerOffset`` if offsets
    /// are relative to the header.
    package var offsetBase: Int { found.offsetBase }
    /// The cross-reference sections, the newest first. Never empty.
    package var sections: SectionList { found.sections }
    private(set) var found: FoundSections

    let reader: IndirectObjectReader
    let options: PDFOptions

    var objects = ObjectCache<Int>()
    /// Cached object streams not shared with other revisions, by number.
    var objectStreams = ObjectStreamCache()
    /// Objects being loaded, to detect cycles.
    var loading: Set<Int> = []
    /// See ``newNumbers``.
    private var knownNewNumbers: Range<Int>?
    /// Object streams whose chain of `Extends` ends.
    var checkedExtends: Set<Int> = []
    var pageTree: PageTree?
    /// Index from numbers to sections, built at first use if there are many sections. See
    /// ``firstDefinition(of:where:)``.
    var sectionIndex: SectionIndex?

    /// See ``entryExactness()``.
    var knownExactness: EntryExactness?
    /// See ``linearization()``.
    var knownLinearization: PDFDictionary??

    /// Opens a document.
    ///
    /// - Throws: ``PDFError``: `.encrypted` if the document is encrypted and the options contain no
    ///   decryption; `.passwordNeeded` or `.wrongPassword` if they do.
    package convenience init(
        source: any ByteSource, options: PDFOptions = PDFOptions()
    ) throws(PDFError) {
        try self.init(source: source, options: options, sharing: nil)
    }

    /// - Parameter encryption: The encryption of another revision of the file, if already unlocked.
    init(
        source: any ByteSource, options: PDFOptions, sharing encryption: PDFEncryption?
    ) throws(PDFError) {
        self.source = source
        self.options = options
        reader = IndirectObjectReader(source)
        (headerOffset, headerVersion) = try Self.header(reader)
        if headerOffset > 0 {
            reader.warnings.add(.headerNotAtStart, "\(headerOffset) bytes before the header")
        }
        found = try Self.sections(reader, headerOffset, options.repair)
        reader.isLenient = options.repair != .never
        let isUnlocked = try unlockIfIntact(sharing: encryption)
        if options.repair == .whenNeeded, sections.first?.kind != .rebuilt,
            !isUnlocked || !hasUsablePages
        {
            let isRootDirect = sections.contains { $0.trailer["Root"]?.dictionaryValue != nil }
            found = try Self.rebuilt(
                reader, headerOffset, because: "the cross-references do not lead to the pages",
                offset: sections.first?.offset)
            if isRootDirect {
                found.disagreement =
                    "a trailer contains the catalog itself, which some viewers use and others do not"
            }
            forgetObjects()
            try unlock(sharing: self.encryption ?? encryption)
        }
        if isRebuilt, let encryption = self.encryption {
            // Objects in object streams can be found only after decryption.
            found = try Self.rebuilt(reader, headerOffset, encryption)
            forgetObjects()
        }
    }

    /// - Returns: Whether the document is readable. If not, a repair may find the encryption
    ///   dictionary.
    private func unlockIfIntact(sharing encryption: PDFEncryption?) throws(PDFError) -> Bool {
        do {
            try unlock(sharing: encryption)
            return true
        } catch {
            guard error.code == .malformedEncryption, options.repair == .whenNeeded,
                sections.first?.kind != .rebuilt
            else { throw error }
            return false
        }
    }

    /// The document with `document.sections[newestSection]` as its newest section, without the
    /// later ones.
    ///
    /// - Parameter prefix: Reads the file up to its length at that time; `nil` for the whole file.
    init(_ document: PDFDocument, newestSection index: Int, prefix: IndirectObjectReader? = nil) {
        reader = prefix ?? document.reader
        source = reader.cache.source
        options = document.options
        headerOffset = document.headerOffset
        headerVersion = document.headerVersion
        found = FoundSections(
            sections: document.sections.older(than: index), offsetBase: document.offsetBase)
        sectionIndex = document.knownSectionIndex
    }

    /// Whether the sections lead to the first page. Sections with wrong offsets usually do not.
    private var hasUsablePages: Bool {
        guard let root = try? catalog(), let pages = try? value(root, "Pages"),
            pages.dictionaryValue != nil, let count = try? pageCount()
        else { return false }
        // A page count without pages means that pages are lost.
        guard count > 0 else { return pages.dictionaryValue?["Count"]?.integerValue ?? 0 <= 0 }
        return (try? page(at: 0)) != nil
    }

    func forgetObjects() {
        objects = ObjectCache()
        reader.objects = ObjectCache()
        reader.objectStreams = ObjectStreamCache()
        reader.unusableObjectStreams = [:]
        objectStreams = ObjectStreamCache()
        checkedExtends = []
        knownNewNumbers = nil
        pageTree = nil
        sectionIndex = nil
    }

    // MARK: What the file says about itself

    /// Defects tolerated so far. More may follow as more objects are read.
    package var warnings: [PDFWarning] { reader.warnings.warnings }

    /// The first defect of a kind, even if the list of warnings is full.
    package func firstWarning(_ code: PDFWarning.Code) -> PDFWarning? {
        reader.warnings.first[code]
    }

    package var trailer: PDFDictionary { sections.first?.trailer ?? PDFDictionary() }

    /// One more than the highest permitted object number, from the newest trailer.
    package var size: Int {
        min(max(0, trailer["Size"]?.integerValue ?? 0), PDFLimits.objectNumber + 1)
    }

    /// Numbers for new objects that are not referenced.
    var newNumbers: Range<Int> {
        if let knownNewNumbers { return knownNewNumbers }
        let numbers = findNewNumbers()
        knownNewNumbers = numbers
        return numbers
    }

    /// Whether the sections were reconstructed; see ``PDFOptions/Repair``.
    package var isRebuilt: Bool { sections.first?.kind == .rebuilt }

    /// Whether any trailer names an encryption dictionary.
    package var isEncrypted: Bool { sections.isEncrypted }

    /// The higher one of the header's and the catalog's version (ISO 32000-2 §7.5.2).
    package var version: PDFVersion {
        guard let root = try? catalog(), let value = try? value(root, "Version"),
            let version = value.nameValue.flatMap({ PDFVersion($0.bytes) })
        else { return headerVersion }
        return max(headerVersion, version)
    }

    /// The catalog's reference in the newest trailer that has one.
    package var catalogID: ObjectID {
        get throws(PDFError) {
            for index in sections.indices {
                guard let root = sections.trailer(of: index)["Root"] else { continue }
                guard case .reference(let id) = root else { break }
                if index > 0 {
                    reader.warnings.add(
                        .rootInOlderTrailer, "the newest trailer has no Root",
                        offset: sections.first?.offset)
                }
                return id
            }
            throw PDFError(
                .missingCatalog, "no trailer refers to a catalog", offset: sections.first?.offset)
        }
    }

    /// The document catalog (ISO 32000-2 §7.7.2).
    package func catalog() throws(PDFError) -> PDFDictionary {
        let id = try catalogID
        guard case .dictionary(let dictionary) = try resolve(.reference(id)) else {
            throw PDFError(.missingCatalog, "the catalog is not a dictionary", object: id)
        }
        return dictionary
    }

    // MARK: Where objects are

    /// The location of an object and the section that defines it.
    package struct Definition: Hashable, Sendable {
        package let location: ObjectLocation
        /// Index in ``PDFDocument/sections``.
        package let section: Int
    }

    /// The newest entry for an object number; `nil` if no section has one.
    package func definition(of number: Int) throws(PDFError) -> Definition? {
        guard number > 0 else { return nil }
        // Includes numbers beyond /Size, which some viewers ignore: see objectBeyondSize().
        return try firstDefinition(of: number) { _ in true }
    }

    /// The location of an object; `nil` if it is missing or has another generation.
    package func location(of id: ObjectID) throws(PDFError) -> ObjectLocation? {
        guard let location = try definition(of: id.number)?.location else { return nil }
        switch location {
        case .offset(_, let generation): return generation == id.generation ? location : nil
        case .compressed: return id.generation == 0 ? location : nil
        case .free: return location
        }
    }
}
