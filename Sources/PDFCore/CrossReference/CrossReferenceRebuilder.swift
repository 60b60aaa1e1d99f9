import Base

/// Reconstructs the cross-reference section of a damaged file by searching for objects.
///
/// The last definition of an object in the file is used. The trailer is the last dictionary with a
/// usable `Root`, from a trailer or cross-reference stream. Different choices of viewers are
/// recorded in ``disagreement``.
struct CrossReferenceRebuilder {
    /// Maximum number of objects in a reconstructed section, because all of them are in memory.
    private static let objectLimit = 2_000_000

    private let source: any ByteSource
    private let headerOffset: Int
    /// A separate reader, so that its warnings are not the document's.
    private let objects: IndirectObjectReader
    private var locations: [Int: ObjectLocation] = [:]
    /// Known after ``section()``.
    private(set) var choices = RebuildChoices()
    private var hasTrailer = false
    private var hasOddTrailer = false
    /// The last catalog found, for files without a trailer.
    private var catalog: ObjectID?
    private var otherCatalog: ObjectID?
    /// End of the last complete object.
    private var end: Int

    init(_ source: any ByteSource, headerOffset: Int, encryption: PDFEncryption? = nil) {
        self.source = source
        self.headerOffset = headerOffset
        objects = IndirectObjectReader(source)
        objects.encryption = encryption
        objects.isLenient = true
        end = headerOffset + PDFDocument.headerByteCount
    }

    /// Searches the whole file.
    mutating func section() throws(PDFError) -> CrossReferenceSection {
        var scanner = ObjectScanner(source, from: headerOffset)
        while let hit = try scanner.next() {
            switch hit {
            case .object(let offset):
                if offset < end {
                    takeNested(at: offset)
                } else if try !isInComment(offset), let end = try object(at: offset) {
                    self.end = end
                }
            case .trailer(let offset):
                if offset < end {
                    try nestedTrailer(at: offset)
                } else if try !isInComment(offset) {
                    trailer(at: offset)
                }
            }
            guard locations.count <= Self.objectLimit else {
                throw PDFError(
                    .limitExceeded, "more than \(Self.objectLimit) objects in a damaged file")
            }
        }
        guard var trailer = try chosenTrailer() else {
            throw PDFError(
                .damagedCrossReference, "the file is damaged or cut off: it contains no catalog")
        }
        // Both entries refer to sections that could not be read.
        for key: PDFName in ["Prev", "XRefStm"] { trailer[key] = nil }
        // Objects that were not found may still be referenced, so new objects must not use their
        // numbers.
        let size = (locations.keys.max() ?? 0) + 1
        let declared = trailer["Size"]?.integerValue ?? 0
        let isPlausible = declared <= PDFLimits.objectNumber / 2
        trailer["Size"] = .integer(isPlausible ? max(size, declared) : size)
        return CrossReferenceSection(
            offset: source.byteCount, kind: .rebuilt, trailer: trailer, previous: nil,
            endOffset: source.byteCount, container: nil, supplementOffset: nil,
            hasOddTrailer: hasOddTrailer, entries: try entries(), supplement: nil)
    }

    private mutating func chosenTrailer() throws(PDFError) -> PDFDictionary? {
        let (objects, locations) = (objects, locations)
        let trailer = try choices.trailer { (root) throws(PDFError) in
            switch locations[root.number] {
            case .offset(let offset, _):
                let object = try? objects.read(at: offset) { _ in nil }.object
                return object?.dictionaryValue?["Pages"] != nil
            case .compressed: return true
            case .free, nil: return false
            }
        }
        if let trailer { return trailer }
        if let catalog, let otherCatalog {
            choices.note("there are several catalogs: objects \(otherCatalog) and \(catalog)")
        }
        return catalog.map { ["Root": .reference($0)] }
    }

    private mutating func trailer(at offset: Int) {
        var parser = ObjectParser(Lexer(objects.cache, at: offset))
        guard let first = try? parser.lexer.next() else { return }
        var strict = parser
        let isWhole = (try? strict.parse(startingWith: first)) != nil
        guard
            case .dictionary(let dictionary)? = try? objects.parse(
                &parser, startingWith: first, in: nil)
        else { return takeUnreadableTrailer(at: offset) }
        if !isWhole { choices.note("the trailer at byte \(offset) is damaged") }
        take(dictionary)
        if parser.lexer.hasOddWords { hasOddTrailer = true }
    }

    /// Maximum number of bytes of an unreadable trailer that are searched for /Encrypt.
    private static let trailerByteCount = 64 * 1024

    /// Other viewers may read more of the trailer and decrypt the file.
    private mutating func takeUnreadableTrailer(at offset: Int) {
        let count = min(Self.trailerByteCount, source.byteCount - offset)
        guard let bytes = try? objects.bytes(at: offset, count: count),
            // A name may contain `#xx` escapes.
            bytes.contains(UInt8(ascii: "#"))
                || bytes.indices.contains(where: { bytes[$0...].starts(with: Self.encryptKey) })
        else { return }
        choices.takeEncryptionTrace("the trailer at byte \(offset) is damaged")
    }

    private static let encryptKey = Array("Encrypt".utf8)

    private mutating func nestedTrailer(at offset: Int) throws(PDFError) {
        let next = try objects.bytes(at: offset, count: PDFLimits.nearbyByteCount)
            .drop { Characters.isWhiteSpace(Int($0)) }
        guard next.prefix(2).elementsEqual([60, 60]),
            try beginsLine(offset - Keyword.Spelling.trailer.count)
        else { return }
        choices.hasNestedTrailer = true
    }

    private mutating func take(_ dictionary: PDFDictionary) {
        choices.take(dictionary)
        if case .reference? = dictionary["Root"] { hasTrailer = true }
    }

    /// Some viewers examine every line, including those inside objects.
    private mutating func takeNested(at offset: Int) {
        var lexer = Lexer(objects.cache, at: offset)
        guard case .integer(let number)? = try? lexer.next(),
            case .integer(let generation)? = try? lexer.next(), (try? beginsLine(offset)) ?? true
        else { return }
        choices.takeNested(ObjectID(number: number, generation: generation))
    }

    /// Maximum number of bytes searched backward for the start of a line.
    private static let lineByteCount = 256

    /// The bytes before `offset` in its line.
    private func lineStart(_ offset: Int) throws(PDFError) -> [UInt8] {
        let start = max(0, offset - Self.lineByteCount)
        let before = try objects.bytes(at: start, count: offset - start)
        let lineEnd = before.lastIndex { $0 == 10 || $0 == 13 } ?? -1
        return Array(before[(lineEnd + 1)...])
    }

    /// Whether the object begins its line, or follows only an `endobj` in it.
    private func beginsLine(_ offset: Int) throws(PDFError) -> Bool {
        var line = try lineStart(offset)[...]
        while let last = line.last, Characters.isWhiteSpace(Int(last)) { line.removeLast() }
        return line.isEmpty || line.suffix(6).elementsEqual(Keyword.Spelling.endobj)
    }

    /// Viewers ignore comments.
    private func isInComment(_ offset: Int) throws(PDFError) -> Bool {
        try lineStart(offset).suffix(max(0, offset - end)).contains(UInt8(ascii: "%"))
    }

    /// Records an object. Returns its end, or `nil` if it is damaged.
    private mutating func object(at offset: Int) throws(PDFError) -> Int? {
        let parsed: ParsedObject
        do {
            parsed = try objects.read(at: offset) { (id) throws(PDFError) in
                // A /Length object further on in the file is not known yet; `endstream` is searched
                // for instead.
                guard case .offset(let position, _)? = locations[id.number] else { return nil }
                return try? objects.read(at: position) { _ in nil }.object.integerValue
            }
        } catch {
            guard error.code == .malformedObject || error.code == .malformedStream else {
                throw error
            }
            passOver(error.object, at: offset)
            return nil
        }
        // Truncated directly after `obj`: an integer without endobj is the number of the next
        // object.
        if case .integer = parsed.object, parsed.range.upperBound == parsed.bodyRange.upperBound {
            passOver(parsed.id, at: offset)
            return nil
        }
        let isFragment = try hasEndOfAnother(parsed)
        let former = locations[parsed.id.number]
        // A fragment does not replace a complete object.
        if isFragment, former != nil {
            passOver(parsed.id, at: offset)
            return nil
        }
        let beginsLine = former == nil ? true : try beginsLine(offset)
        choices.take(parsed.id, at: offset, replacing: former, beginsLine: beginsLine)
        locations[parsed.id.number] = .offset(offset, generation: parsed.id.generation)
        switch parsed.object {
        case .dictionary(let dictionary):
            if dictionary["Type"]?.nameValue == "Catalog" { takeCatalog(parsed.id) }
            if dictionary.looksLikeEncryption {
                choices.takeEncryptionTrace("object \(parsed.id) is an encryption dictionary")
            }
        case .stream(let stream):
            switch stream.dictionary["Type"]?.nameValue {
            case "XRef":
                take(stream.dictionary)
                if objects.oddObjects.contains(parsed.id) { hasOddTrailer = true }
                if objects.damagedObjects.contains(parsed.id) {
                    choices.note("the cross-reference stream \(parsed.id) is damaged")
                }
            case "ObjStm": try noteObjects(in: stream, number: parsed.id.number)
            default: break
            }
        default: break
        }
        // Other objects may begin inside fragments and damaged objects.
        return isFragment || objects.damagedObjects.contains(parsed.id)
            ? nil : parsed.range.upperBound
    }

    private mutating func passOver(_ id: ObjectID?, at offset: Int) {
        if let id, locations[id.number] != nil {
            choices.note("the last object \(id.number), at byte \(offset), is damaged")
        }
    }

    private mutating func takeCatalog(_ id: ObjectID) {
        if catalog != id { otherCatalog = catalog }
        catalog = id
    }

    /// Whether a stream has no end of its own and probably includes the end of another object.
    private func hasEndOfAnother(_ parsed: ParsedObject) throws(PDFError) -> Bool {
        guard let stream = parsed.object.streamValue, let data = stream.dataRange,
            stream.dictionary["Length"]?.integerValue != data.count
        else { return false }
        return try objects.hasObjectEnd(in: data)
    }

    private mutating func noteObjects(in stream: PDFStream, number: Int) throws(PDFError) {
        // An encrypted object stream cannot be listed before the key is known, a damaged one never.
        guard let content = try? ObjectStream(stream, number: number, reader: objects) else {
            return
        }
        for (index, inner) in content.numbers.enumerated()
        where inner > 0 && inner <= PDFLimits.objectNumber {
            choices.take(inner, inStream: number, replacing: locations[inner])
            locations[inner] = .compressed(stream: number, index: index)
            // Without a trailer, the catalog is searched for in object streams too.
            guard !hasTrailer else { continue }
            let id = ObjectID(number: inner)
            if case .dictionary(let dictionary)? = try? content.object(id, at: index, by: objects).0,
                dictionary["Type"]?.nameValue == "Catalog"
            {
                takeCatalog(id)
            }
        }
    }

    /// The objects as rows of a section.
    private func entries() throws(PDFError) -> CrossReferenceEntries {
        let widths = RowWidths(type: 1, second: 8, third: 4)
        var rows: [UInt8] = []
        rows.reserveCapacity(locations.count * widths.total)
        var subsections: [CrossReferenceEntries.Subsection] = []
        for (index, number) in locations.keys.sorted().enumerated() {
            let (type, second, third): (UInt8, Int, Int) =
                switch locations[number] {
                case .offset(let offset, let generation): (1, offset, generation)
                case .compressed(let stream, let index): (2, stream, index)
                case .free, nil: (0, 0, 0)
                }
            rows.append(type)
            for shift in stride(from: 56, through: 0, by: -8) {
                rows.append(UInt8(truncatingIfNeeded: second >> shift))
            }
            for shift in stride(from: 24, through: 0, by: -8) {
                rows.append(UInt8(truncatingIfNeeded: third >> shift))
            }
            if let last = subsections.last, last.first + last.count == number {
                subsections[subsections.count - 1] = .init(
                    first: last.first, count: last.count + 1, start: last.start)
            } else {
                subsections.append(.init(first: number, count: 1, start: index))
            }
        }
        // Rows contain positions in the file, so the offset base is 0.
        guard
            let entries = CrossReferenceEntries(
                subsections: subsections, storage: .rows(rows, widths: widths), offsetBase: 0)
        else { throw PDFError(.damagedCrossReference, "objects overlap") }
        return entries
    }
}

extension PDFDictionary {
    /// Whether the dictionary has the entries of an encryption dictionary of a known security
    /// handler (ISO 32000-2 §7.6).
    fileprivate var looksLikeEncryption: Bool {
        switch self["Filter"]?.nameValue {
        case "Standard": self["V"] != nil || self["O"] != nil
        case "Adobe.PubSec": self["V"] != nil || self["SubFilter"] != nil
        default: false
        }
    }
}
