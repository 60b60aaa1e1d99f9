package import Base

/// A PDF document, read lazily: opening reads the cross-reference sections, everything else is
/// parsed when asked for and forgotten again.
///
/// Memory does not grow with the size of the file. Not safe for use by several threads at once.
package final class PDFDocument {
    /// The bytes of the file.
    package let source: any ByteSource
    /// Where `%PDF-` begins.
    package let headerOffset: Int
    /// What the header says; see ``version``.
    package let headerVersion: PDFVersion
    /// What is added to the offsets in the file to get positions: 0, or ``headerOffset`` in files
    /// that count from there.
    package var offsetBase: Int { found.offsetBase }
    /// The cross-reference sections, the newest first. Never empty.
    package var sections: SectionList { found.sections }
    private(set) var found: FoundSections

    let reader: IndirectObjectReader
    let options: PDFOptions

    /// By number.
    var objects = ObjectCache<Int>()
    /// Those that are not shared with other revisions, by number.
    var objectStreams = ObjectStreamCache()
    /// Objects being loaded, to notice those that need themselves.
    var loading: Set<Int> = []
    /// See ``newNumbers``.
    private var knownNewNumbers: Range<Int>?
    /// Object streams whose chain of `Extends` is known to end.
    var checkedExtends: Set<Int> = []
    var pageTree: PageTree?
    /// Which sections speak of a number; made on first use where there are many. See
    /// ``firstDefinition(of:)``.
    var sectionIndex: SectionIndex?

    /// See ``entryExactness()``.
    var knownExactness: EntryExactness?

    /// Opens a document.
    ///
    /// - Throws: ``PDFError``, `.encrypted` when it is encrypted and the options do not say how to
    ///   decrypt it, `.passwordNeeded` or `.wrongPassword` when they do.
    package convenience init(
        source: any ByteSource, options: PDFOptions = PDFOptions()
    ) throws(PDFError) {
        try self.init(source: source, options: options, sharing: nil)
    }

    /// - Parameter encryption: What opened another revision of the file.
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
                reader, headerOffset, because: "the sections do not lead to the pages",
                offset: sections.first?.offset)
            if isRootDirect {
                found.disagreement =
                    "a trailer holds the catalogue itself, which some viewers take and others search"
            }
            forgetObjects()
            try unlock(sharing: self.encryption ?? encryption)
        }
        if isRebuilt, let encryption = self.encryption {
            // What is in object streams can be found only now that they can be read.
            found = try Self.rebuilt(reader, headerOffset, encryption)
            forgetObjects()
        }
    }

    /// - Returns: Whether the document can be read. When it cannot, a repair may help: the
    ///   encryption dictionary is found by the sections too.
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

    /// The document as it was when `document.sections[newestSection]` was the newest section: the
    /// later ones are passed over.
    ///
    /// - Parameter prefix: reads the file as far as it went then; nil for the whole file.
    init(
        _ document: PDFDocument, newestSection index: Int, prefix: IndirectObjectReader? = nil
    ) {
        reader = prefix ?? document.reader
        source = reader.cache.source
        options = document.options
        headerOffset = document.headerOffset
        headerVersion = document.headerVersion
        found = FoundSections(
            sections: document.sections.older(than: index), offsetBase: document.offsetBase)
        sectionIndex = document.knownSectionIndex
    }

    /// Whether the sections lead to the first page. Sections with wrong offsets do not, as a rule.
    private var hasUsablePages: Bool {
        guard let root = try? catalog(), let pages = try? value(root, "Pages"),
            pages.dictionaryValue != nil, let count = try? pageCount()
        else { return false }
        // A count that no page stands for says that pages are lost.
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

    /// Defects that were tolerated so far. More may come as more objects are read.
    package var warnings: [PDFWarning] { reader.warnings.warnings }

    /// The first defect of a kind, also of those that were too many to keep.
    package func firstWarning(_ code: PDFWarning.Code) -> PDFWarning? {
        reader.warnings.first[code]
    }

    /// The newest trailer.
    package var trailer: PDFDictionary { sections.first?.trailer ?? PDFDictionary() }

    /// One more than the highest number an object may have, says the newest trailer.
    package var size: Int {
        min(max(0, trailer["Size"]?.integerValue ?? 0), PDFLimits.objectNumber + 1)
    }

    /// Numbers that new objects may have, unless something refers to them.
    var newNumbers: Range<Int> {
        if let knownNewNumbers { return knownNewNumbers }
        let numbers = findNewNumbers()
        knownNewNumbers = numbers
        return numbers
    }

    /// Whether the sections were made by searching the file; see ``PDFOptions/Repair``.
    package var isRebuilt: Bool { sections.first?.kind == .rebuilt }

    /// Whether any trailer names an encryption dictionary.
    package var isEncrypted: Bool { sections.isEncrypted }

    /// The higher one of the header's version and the catalogue's (ISO 32000-2 §7.5.2).
    package var version: PDFVersion {
        guard let root = try? catalog(), let value = try? value(root, "Version"),
            let version = value.nameValue.flatMap({ PDFVersion($0.bytes) })
        else { return headerVersion }
        return max(headerVersion, version)
    }

    /// The catalogue's reference in the newest trailer that has one.
    package var catalogID: ObjectID {
        get throws(PDFError) {
            for section in sections {
                guard let root = section.trailer["Root"] else { continue }
                guard case .reference(let id) = root else { break }
                if section.offset != sections.first?.offset {
                    reader.warnings.add(
                        .rootInOlderTrailer, "the newest trailer has no Root",
                        offset: sections.first?.offset)
                }
                return id
            }
            throw PDFError(
                .missingCatalog, "no trailer refers to a catalogue", offset: sections.first?.offset)
        }
    }

    /// The document catalogue (ISO 32000-2 §7.7.2).
    package func catalog() throws(PDFError) -> PDFDictionary {
        let id = try catalogID
        guard case .dictionary(let dictionary) = try resolve(.reference(id)) else {
            throw PDFError(.missingCatalog, "the catalogue is no dictionary", object: id)
        }
        return dictionary
    }

    // MARK: Where objects are

    /// Where an object is and which section says so.
    package struct Definition: Hashable, Sendable {
        package let location: ObjectLocation
        /// Index in ``PDFDocument/sections``.
        package let section: Int
    }

    /// The newest entry for an object number; `nil` when no section mentions it.
    package func definition(of number: Int) throws(PDFError) -> Definition? {
        guard number > 0 else { return nil }
        // Also beyond Size, which other readers pass over: see objectBeyondSize().
        return try firstDefinition(of: number)
    }

    /// Where an object is; `nil` when it is missing or has another generation.
    package func location(of id: ObjectID) throws(PDFError) -> ObjectLocation? {
        guard let location = try definition(of: id.number)?.location else { return nil }
        switch location {
        case .offset(_, let generation): return generation == id.generation ? location : nil
        case .compressed: return id.generation == 0 ? location : nil
        case .free: return location
        }
    }
}
