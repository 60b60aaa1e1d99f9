package import ByteKit

/// The version of the PDF language.
package struct PDFVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let major: Int
    package let minor: Int

    package init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads `1.7`.
    package init?(_ text: some Collection<UInt8>) {
        let digits = Array(text)
        guard digits.count >= 3, digits[1] == 46, (48...57).contains(digits[0]),
            (48...57).contains(digits[2])
        else { return nil }
        self.init(major: Int(digits[0] - 48), minor: Int(digits[2] - 48))
    }

    package static func < (left: PDFVersion, right: PDFVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    package var description: String { "\(major).\(minor)" }
}

/// How a document is opened.
package struct PDFOptions: Sendable {
    /// What to do about a file whose cross-reference sections are damaged.
    package enum Repair: Sendable {
        /// Refuse it. Only this is safe for verifying: who repairs sees another document than
        /// who does not.
        case never
        /// Look for sections near where they should be, and for all objects when there are none
        /// or when the catalogue is not where they say. Objects that do not follow the syntax are
        /// read as other readers do. Every repair gives a warning.
        case whenNeeded
        /// Look for all objects, whatever the sections say.
        case always
    }

    /// Open encrypted documents too: strings and streams stay encrypted.
    package var permitsEncryption = false
    /// How to decrypt encrypted documents; `nil` refuses them.
    package var decryption: PDFDecryption?
    package var repair = Repair.never

    package init(repair: Repair = .never, decryption: PDFDecryption? = nil) {
        self.repair = repair
        self.decryption = decryption
    }
}

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
    private var objects = ObjectCache()
    private var objectStreams: [Int: ObjectStream] = [:]
    private var objectStreamByteCount = 0
    /// Objects being loaded, to notice those that need themselves.
    private var loading: Set<Int> = []
    /// See ``newNumbers``.
    private var knownNewNumbers: Range<Int>?
    /// Object streams whose chain of `Extends` is known to end.
    private var checkedExtends: Set<Int> = []
    var pageTree: PageTree?
    /// Which sections speak of a number; made on first use where there are many. See
    /// ``firstDefinition(of:)``.
    var sectionIndex: SectionIndex?

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
    private init(
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
                    "a trailer holds the catalogue itself, which some readers take and others search"
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
    private init(
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

    /// The document as an earlier section left it, by the bytes of the whole file.
    ///
    /// - Parameter index: an index of ``sections``.
    package func view(newestSection index: Int) -> PDFDocument {
        index == 0 ? self : PDFDocument(self, newestSection: index)
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
        reader.unusableObjectStreams = [:]
        objectStreams = [:]
        objectStreamByteCount = 0
        checkedExtends = []
        knownNewNumbers = nil
        pageTree = nil
        sectionIndex = nil
    }

    // MARK: What the file says about itself

    /// Defects that were tolerated so far. More may come as more objects are read.
    package var warnings: [PDFWarning] { reader.warnings.warnings }

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
        if let found = try firstDefinition(of: number) { return found }
        return nil
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

    /// Every entry of a section, for comparing revisions.
    package func objectNumbers(
        definedIn section: CrossReferenceSection
    ) throws(PDFError) -> [CrossReferenceEntry] {
        var entries: [CrossReferenceEntry] = []
        try section.forEachEntry { (entry) throws(PDFError) in entries.append(entry) }
        return entries
    }

    /// The document as it will be when `update` stands behind the file.
    package func revised(
        by update: [UInt8], repair: PDFOptions.Repair? = nil
    ) throws(PDFError) -> PDFDocument {
        var options = options
        options.decryption = nil
        if options.repair == .always { options.repair = .whenNeeded }
        if let repair { options.repair = repair }
        return try PDFDocument(
            source: AppendedSource(source, update), options: options, sharing: encryption)
    }

    /// The document as it was when the file ended at `endOffset`.
    ///
    /// - Returns: `nil` when these bytes alone are no document.
    package func view(atRevisionEndingAt endOffset: Int) throws(PDFError) -> PDFDocument? {
        guard endOffset > 0, endOffset <= source.byteCount else { return nil }
        if let known = try knownRevision(endingAt: endOffset) { return known }
        // What is repaired is not the revision that somebody has signed.
        var options = options
        options.repair = .never
        options.decryption = nil
        do {
            return try PDFDocument(
                source: PrefixSource(source, byteCount: endOffset), options: options,
                sharing: encryption)
        } catch {
            // A revision encrypted otherwise is none of this document.
            let unusable: [PDFErrorCode] = [
                .notAPDF, .damagedCrossReference, .encrypted, .malformedEncryption,
            ]
            guard unusable.contains(error.code) else { throw error }
            return nil
        }
    }

    /// As above, when the revision ends with a section that is known already. To read its chain
    /// once more for each of many revisions would cost the square of their number.
    private func knownRevision(endingAt endOffset: Int) throws(PDFError) -> PDFDocument? {
        guard !isEncrypted, endOffset >= headerOffset + Self.headerByteCount else { return nil }
        let prefix = IndirectObjectReader(PrefixSource(source, byteCount: endOffset))
        var crossReferences = CrossReferenceReader(objects: prefix, headerOffset: headerOffset)
        guard let newest = try? crossReferences.newestOffset(),
            crossReferences.offsetBase == offsetBase,
            let index = sections.index(at: newest),
            sections.arePlain(from: index, before: endOffset)
        else { return nil }
        return PDFDocument(self, newestSection: index, prefix: prefix)
    }

    // MARK: Objects

    /// An object; null when it is free or missing (ISO 32000-2 §7.3.10).
    package func object(_ id: ObjectID) throws(PDFError) -> PDFObject {
        if let known = objects[id.number], known.id == id { return known.object }
        guard let location = try location(of: id) else {
            try warnOfOtherGeneration(id)
            return .null
        }
        let item: ObjectCache.Item
        switch location {
        case .free:
            return .null
        case .offset(let offset, _):
            item = try object(id, at: offset)
        case .compressed(let stream, let index):
            let (object, byteCount) = try objectStream(stream).object(id, at: index)
            item = ObjectCache.Item(id: id, object: object, byteCount: byteCount)
        }
        objects.insert(item, for: id.number)
        return item.object
    }

    /// The views of all revisions share what stands in the file. Not streams: the end of one may
    /// be told by another object, which may differ between them. And nothing that is repaired:
    /// each document has to notice that.
    private func object(
        _ id: ObjectID, at offset: Int
    ) throws(PDFError) -> ObjectCache.Item {
        if let known = reader.objects[offset], known.id == id { return known }
        let parsed = try load(id.number) { () throws(PDFError) in
            try self.parsedObject(id, at: offset)
        }
        let item = ObjectCache.Item(
            id: id, object: parsed.object, byteCount: parsed.bodyRange.count)
        if options.repair == .never, parsed.object.streamValue == nil {
            reader.objects.insert(item, for: offset)
        }
        return item
    }

    func parsedObject(
        _ id: ObjectID, at offset: Int
    ) throws(PDFError) -> ParsedObject {
        do throws(PDFError) {
            let parsed = try readObject(at: offset, recordsRanges: false)
            guard parsed.id == id else {
                throw PDFError(
                    .wrongObject, "object \(parsed.id) where \(id) should be", offset: offset,
                    object: id)
            }
            return parsed
        } catch {
            guard error.code == .wrongObject, options.repair != .never,
                let nearby = try reader.position(of: id, near: offset)
            else { throw error.within(id) }
            reader.warnings.add(
                .objectOffset, "the object begins at \(nearby)", offset: offset, object: id)
            return try readObject(at: nearby, recordsRanges: false)
        }
    }

    private func readObject(
        at offset: Int, recordsRanges: Bool
    ) throws(PDFError) -> ParsedObject {
        try reader.read(at: offset, recordsRanges: recordsRanges) { (length) throws(PDFError) in
            try self.resolve(.reference(length)).integerValue
        }
    }

    /// Follows references until there is something else.
    package func resolve(_ object: PDFObject) throws(PDFError) -> PDFObject {
        var current = object
        for _ in 0..<PDFLimits.referenceHops {
            guard case .reference(let id) = current else { return current }
            current = try self.object(id)
            noteChain(id, current)
        }
        throw PDFError(
            .limitExceeded, "more than \(PDFLimits.referenceHops) references in a row",
            object: object.referenceValue)
    }

    /// The value of a key with references followed; null when the key is absent.
    package func value(
        _ dictionary: PDFDictionary, _ key: PDFName
    ) throws(PDFError) -> PDFObject {
        guard let value = dictionary[key] else { return .null }
        return try resolve(value)
    }

    /// The object whose number stands at `offset`, with the places of its parts.
    package func parsedObject(
        at offset: Int, recordsRanges: Bool = true
    ) throws(PDFError) -> ParsedObject {
        try readObject(at: offset, recordsRanges: recordsRanges)
    }

    /// The bytes of a stream after all filters.
    package func decodedData(
        of stream: PDFStream, upTo byteLimit: Int = .max
    ) throws(PDFError) -> [UInt8] {
        try reader.decodedData(of: stream, upTo: byteLimit) { (object) throws(PDFError) in
            try self.resolve(object)
        }
    }

    /// The bytes of a stream as they are stored, decrypted.
    package func rawData(of stream: PDFStream) throws(PDFError) -> [UInt8] {
        try reader.rawData(of: stream) { (object) throws(PDFError) in try self.resolve(object) }
    }

    /// Runs `body` unless it is running for the same object already. Objects that need others
    /// that need others cost stack, so their number is limited too.
    private func load<Result>(
        _ number: Int, _ body: () throws(PDFError) -> Result
    ) throws(PDFError) -> Result {
        let id = ObjectID(number: number)
        guard loading.count < PDFLimits.referenceHops else {
            throw PDFError(.limitExceeded, "objects that depend on too many others", object: id)
        }
        guard loading.insert(number).inserted else {
            throw PDFError(.referenceLoop, "the object depends on itself", object: id)
        }
        defer { loading.remove(number) }
        return try body()
    }

    // MARK: Object streams

    private func objectStream(_ number: Int) throws(PDFError) -> ObjectStream {
        if let known = objectStreams[number] { return known }
        let id = ObjectID(number: number)
        guard case .offset? = try location(of: id), case .stream(let stream) = try object(id) else {
            throw PDFError(.malformedObjectStream, "there is no such object stream", object: id)
        }
        let loaded = try load(number) { () throws(PDFError) in
            // What Extends refers to may be in this very stream.
            try checkExtends(stream.dictionary, of: number)
            return try reader.objectStream(stream, number: number, resolve: self.resolve)
        }
        if objectStreamByteCount + loaded.byteCount > PDFLimits.objectStreamCacheByteCount {
            objectStreams.removeAll()
            objectStreamByteCount = 0
        }
        objectStreams[number] = loaded
        objectStreamByteCount += loaded.byteCount
        return loaded
    }

    /// Chains of `Extends` must end (ISO 32000-2 §7.5.7). Nothing is looked up along them, but
    /// a loop shows that the file was made to harm.
    private func checkExtends(_ dictionary: PDFDictionary, of number: Int) throws(PDFError) {
        var chain: Set<Int> = [number]
        var current = dictionary
        while case .reference(let id)? = current["Extends"], !checkedExtends.contains(id.number) {
            guard chain.insert(id.number).inserted else {
                throw PDFError(
                    .referenceLoop, "object streams extend one another in a circle", object: id)
            }
            guard case .stream(let next) = try object(id) else { break }
            current = next.dictionary
        }
        checkedExtends.formUnion(chain)
    }
}
