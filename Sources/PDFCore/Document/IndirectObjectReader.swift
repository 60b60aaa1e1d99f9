import Base

/// Reads indirect objects at known positions of the file (ISO 32000-2 §7.3.10).
final class IndirectObjectReader {
    let cache: BlockCache
    let warnings = WarningLog()
    /// Parsed objects and the contents of object streams, shared by the views of all revisions.
    var objects = ObjectCache<ObjectPlace>()
    var objectStreams = ObjectStreamCache()
    /// The errors of unusable object streams, by the position of their data.
    var unusableObjectStreams: [Int: PDFError] = [:]
    /// Decrypts objects; `nil` for unencrypted documents and before the key is known.
    var encryption: PDFEncryption?
    /// Whether objects with syntax errors are read as far as other viewers read them.
    var isLenient = false
    /// The objects that only the lenient parser could read.
    private(set) var damagedObjects: Set<ObjectID> = []
    /// The objects with a name or number that viewers read differently.
    private(set) var oddObjects: Set<ObjectID> = []
    /// Damaged objects that an update rewrites.
    var objectsToMend: Set<ObjectID> = []
    /// Numbers without an object, which an update lists as null.
    var numbersToList: [Int] = []
    /// Positions of cross-reference sections; known for encrypted documents.
    var sectionOffsets: Set<Int> = []
    /// Numbers of the objects that form the encryption dictionary.
    var encryptionParts: Set<Int> = []
    /// Remaining bytes of damaged objects that may be read, because an update may have to write all
    /// of them.
    private var damageBudget = PDFLimits.damagedByteCount
    /// Remaining bytes that filters may produce.
    private(set) var decodingBudget: Int
    /// Remaining bytes that may be parsed without success, or for objects too large for the cache.
    private var wasteBudget: Int
    /// Positions of `endstream` and `endobj`, to find the ends of damaged streams and objects.
    private var streamEnds: WordIndex
    private var objectEnds: WordIndex

    init(_ source: any ByteSource) {
        cache = BlockCache(source)
        let byteCount = source.byteCount
        streamEnds = WordIndex(of: Keyword.Spelling.endstream, byteCount: byteCount)
        objectEnds = WordIndex(of: Keyword.Spelling.endobj, byteCount: byteCount)
        decodingBudget = PDFLimits.allowance(
            PDFLimits.decodedTotalAllowance, ratio: PDFLimits.decodedTotalRatio, for: byteCount)
        wasteBudget = PDFLimits.allowance(
            PDFLimits.wastedAllowance, ratio: PDFLimits.wastedRatio, for: byteCount)
    }

    /// Bytes of the file; fewer at its end.
    func bytes(at offset: Int, count: Int) throws(PDFError) -> [UInt8] {
        return try reading(cache.bytes(at: offset, count: count))
    }

    /// Reads the object whose number is at `offset`.
    ///
    /// - Parameters:
    ///   - recordsRanges: Whether to fill ``ParsedObject/valueRanges``.
    ///   - lengthOf: Returns a stream's length that is an indirect object.
    func read(
        at offset: Int, recordsRanges: Bool = false, lengthOf: (ObjectID) throws(PDFError) -> Int?
    ) throws(PDFError) -> ParsedObject {
        guard offset >= 0, offset < cache.byteCount else {
            throw PDFError(.wrongObject, "beyond the end of the file", offset: offset)
        }
        var lexer = Lexer(cache, at: offset)
        guard case .integer(let number) = try lexer.next(), number > 0,
            number <= PDFLimits.objectNumber
        else { throw PDFError(.wrongObject, "no object begins here", offset: offset) }
        let start = lexer.tokenStart
        guard case .integer(let generation) = try lexer.next(), (0...65_535).contains(generation),
            case .keyword(.obj) = try lexer.next()
        else { throw PDFError(.wrongObject, "no object begins here", offset: offset) }
        let id = ObjectID(number: number, generation: generation)
        if start != offset {
            warnings.add(.objectOffset, "white space before the object", offset: offset, object: id)
        }

        var parser = ObjectParser(lexer, recordsRanges: recordsRanges)
        do {
            var parsed = try body(of: id, &parser, from: start, lengthOf)
            if start != offset { parsed.deviation = "white space before the object" }
            return parsed
        } catch {
            try waste(parser.lexer.position - start)
            throw error.within(id)
        }
    }

    /// Reads the rest of an object after `obj`.
    private func body(
        of id: ObjectID, _ parser: inout ObjectParser, from start: Int,
        _ lengthOf: (ObjectID) throws(PDFError) -> Int?
    ) throws(PDFError) -> ParsedObject {
        let first = try parser.lexer.next()
        let bodyStart = parser.lexer.tokenStart
        // An empty object is null, as in other viewers.
        if first == .keyword(.endobj) {
            let end = parser.lexer.position
            return ParsedObject(
                id: id, object: .null, range: start..<end, bodyRange: bodyStart..<bodyStart,
                valueRanges: [:], deviation: "an object without a value", reach: end)
        }
        var object = try parse(&parser, startingWith: first, in: id)
        let bodyEnd = parser.lexer.position
        var extent = Extent(end: bodyEnd)
        if parser.lexer.hasOddSpelling {
            extent.deviation = "some viewers read a string, number, name or reference differently"
        }
        if object == .null { extent.deviation = "a null object" }
        var lexer = parser.lexer
        var token = try nextKeyword(&lexer)
        if token == .stream, case .dictionary(let dictionary) = object {
            let range = try dataRange(dictionary, &lexer, id, lengthOf, &extent)
            object = .stream(PDFStream(dictionary: dictionary, content: .file(range)))
            extent.end = lexer.position
            token = try nextKeyword(&lexer)
        }
        if token == .endobj {
            extent.end = lexer.position
        } else {
            warnings.add(.missingEndOfObject, "no endobj", offset: extent.end, object: id)
            extent.deviation = extent.deviation ?? "no endobj"
        }
        var valueRanges: [PDFName: Range<Int>] = [:]
        for (key, range) in parser.valueRanges { valueRanges[key] = range }
        if let encryption, !isSection(object, at: start) {
            object = try encryption.decrypted(object, of: id)
        }
        if bodyEnd - bodyStart > PDFLimits.objectCacheByteCount { try waste(bodyEnd - bodyStart) }
        return ParsedObject(
            id: id, object: object, range: start..<extent.end, bodyRange: bodyStart..<bodyEnd,
            valueRanges: valueRanges, deviation: extent.deviation,
            hasDoubtfulLength: extent.isLengthDoubtful,
            reach: max(extent.end, extent.declaredEnd ?? 0))
    }

    /// Whether an object is a cross-reference stream, which is never encrypted (ISO 32000-2
    /// §7.5.8.2). A stream with /Type /XRef elsewhere in the file is decrypted.
    private func isSection(_ object: PDFObject, at offset: Int) -> Bool {
        object.streamValue?.dictionary["Type"]?.nameValue == "XRef"
            && (isLenient || sectionOffsets.contains(offset))
    }

    /// The end of an object, and whether viewers may differ on it.
    private struct Extent {
        var end: Int
        /// The end of a stream according to its /Length, if it differs from `end`.
        var declaredEnd: Int?
        var deviation: String?
        var isLengthDoubtful = false
    }

    /// Parses an object strictly. If that fails and ``isLenient`` is set, parses it again
    /// leniently.
    ///
    /// - Parameter parser: After the token `first`; moved to the end of the object.
    func parse(
        _ parser: inout ObjectParser, startingWith first: Token, in id: ObjectID?
    ) throws(PDFError) -> PDFObject {
        let start = parser.lexer.position
        defer {
            if let number = parser.numberBeyondLimit {
                warnings.add(
                    .referenceBeyondLimit,
                    "it refers to object \(number), an invalid number: some viewers "
                        + "use another object", object: id)
            }
            if parser.lexer.hasOddWords, let id { oddObjects.insert(id) }
        }
        do {
            return try parser.parse(startingWith: first)
        } catch {
            guard isLenient, error.code == .malformedObject, damageBudget > 0,
                damagedObjects.count < PDFLimits.damagedObjectCount
            else { throw error }
            try waste(parser.lexer.position - start)
            parser.retryLeniently(from: start)
            let object = try parser.parse(startingWith: first)
            damageBudget -= parser.lexer.position - start
            warnings.add(.damagedObject, error.detail, offset: error.offset, object: id)
            if let id { damagedObjects.insert(id) }
            return object
        }
    }

    /// Deducts bytes that may be parsed again from the budget.
    func waste(_ byteCount: Int) throws(PDFError) {
        wasteBudget -= byteCount
        guard wasteBudget > 0 else {
            throw PDFError(.limitExceeded, "too many large or damaged objects")
        }
    }

    /// The keyword after an object; `nil` on any error, without affecting the object.
    private func nextKeyword(_ lexer: inout Lexer) throws(PDFError) -> Keyword? {
        guard case .keyword(let keyword)? = try? lexer.next() else { return nil }
        return keyword
    }

    // MARK: Streams

    /// The range of a stream's data (ISO 32000-2 §7.3.8).
    ///
    /// - Parameter lexer: After `stream`; moved past `endstream`.
    private func dataRange(
        _ dictionary: PDFDictionary, _ lexer: inout Lexer, _ id: ObjectID,
        _ lengthOf: (ObjectID) throws(PDFError) -> Int?, _ extent: inout Extent
    ) throws(PDFError) -> Range<Int> {
        if try lexer.peek() == 13 {
            lexer.advance()
            if try lexer.peek() == 10 {
                lexer.advance()
            } else {
                warnings.add(
                    .streamKeywordLineEnd, "lone carriage return after 'stream'",
                    offset: lexer.position, object: id)
                extent.deviation = "a lone carriage return after 'stream'"
            }
        } else if try lexer.peek() == 10 {
            lexer.advance()
        } else {
            extent.deviation = "no end of line after 'stream'"
        }
        let start = lexer.position
        if dictionary.differingKeys.contains("Length") {
            extent.deviation = "it has several entries /Length"
            extent.isLengthDoubtful = true
            let others = dictionary.entries.filter { $0.key == "Length" }
                .compactMap { start.addingChecked($0.value.integerValue ?? 0) }
            extent.declaredEnd = others.max()
        }
        var length: Int?
        switch dictionary["Length"] {
        case .integer(let value): length = value
        case .reference(let reference): length = try lengthOf(reference)
        default: break
        }
        if let length, length >= 0, let end = start.addingChecked(length) {
            extent.declaredEnd = max(end, extent.declaredEnd ?? 0)
            if end <= cache.byteCount {
                lexer.seek(to: end)
                if try nextKeyword(&lexer) == .endstream { return start..<end }
            }
        }
        guard var end = try streamEnds.firstPosition(from: start, in: cache) else {
            throw PDFError(.malformedStream, "no endstream", offset: start, object: id)
        }
        warnings.add(.streamLength, "Length is wrong or missing", offset: start, object: id)
        lexer.seek(to: end + Keyword.Spelling.endstream.count)
        // The end of line before the keyword does not belong to the data.
        let before = try bytes(at: max(start, end - 2), count: min(2, end - start))
        if before.last == 10 {
            end -= before.count == 2 && before[0] == 13 ? 2 : 1
        } else if before.last == 13 {
            end -= 1
        }
        extent.isLengthDoubtful =
            extent.isLengthDoubtful || length.map { !Self.isAbout($0, end - start) } ?? false
        extent.deviation =
            extent.deviation
            ?? "its /Length is \(length.map(String.init) ?? "missing"), not \(end - start)"
        return start..<end
    }

    /// Whether two lengths differ by at most two bytes, the length of an end of line.
    private static func isAbout(_ length: Int, _ found: Int) -> Bool {
        length >= found - 2 && length <= found + 2
    }

    /// The position of an object that begins a few bytes away from its listed offset.
    func position(of id: ObjectID, near offset: Int) throws(PDFError) -> Int? {
        let reach = PDFLimits.nearbyByteCount
        guard offset >= 0, offset < cache.byteCount else { return nil }
        let start = max(0, offset - reach)
        var scanner = ObjectScanner(
            PrefixSource(cache.source, byteCount: offset + reach + 32), from: start)
        while let hit = try scanner.next() {
            if case .object(let position) = hit, begins(id, at: position) { return position }
        }
        return nil
    }

    /// Whether an object begins at a position, after optional white space and comments.
    func begins(_ id: ObjectID, at position: Int) -> Bool {
        beginning(of: id, behind: position) != nil
    }

    /// The position of an object's number, if only white space and comments precede it.
    func beginning(of id: ObjectID, behind position: Int) -> Int? {
        guard position >= 0, position < cache.byteCount else { return nil }
        var lexer = Lexer(cache, at: position)
        guard (try? lexer.next()) == .integer(id.number) else { return nil }
        let start = lexer.tokenStart
        return (try? lexer.next()) == .integer(id.generation)
            && (try? lexer.next()) == .keyword(.obj) ? start : nil
    }

    /// Whether the keyword `endobj` occurs in a range.
    func hasObjectEnd(in range: Range<Int>) throws(PDFError) -> Bool {
        guard let place = try objectEnds.firstPosition(from: range.lowerBound, in: cache) else {
            return false
        }
        return place < range.upperBound
    }

    /// `endstream` or `endobj`, if either occurs in a range.
    func endKeyword(in range: Range<Int>) throws(PDFError) -> String? {
        let end = try streamEnds.firstPosition(from: range.lowerBound, in: cache)
        if let end, end < range.upperBound { return "endstream" }
        return try hasObjectEnd(in: range) ? "endobj" : nil
    }

    // MARK: Data

    /// The decrypted bytes of a stream, before its filters.
    func rawData(
        of stream: PDFStream,
        resolve: (PDFObject) throws(PDFError) -> PDFObject = { (object) throws(PDFError) in object }
    ) throws(PDFError) -> [UInt8] {
        switch stream.content {
        case .data(let bytes): return bytes
        case .file(let range):
            guard range.count <= PDFLimits.decodedStreamByteCount else {
                throw PDFError(
                    .limitExceeded,
                    "stream of \(range.count) bytes, at most "
                        + "\(PDFLimits.decodedStreamByteCount) are read", offset: range.lowerBound)
            }
            let stored = try bytes(at: range.lowerBound, count: range.count)
            guard let encryption, let id = stream.encryptedAs else { return stored }
            return try encryption.decrypted(stored, of: stream.dictionary, id, resolve: resolve)
        }
    }

    /// The stored bytes of a stream whose only filter is FlateDecode without parameters, and the
    /// limit of its decoded length. Such data can be decompressed in parts, in half the time of
    /// ``decodedData(of:upTo:resolve:)``. `nil` for all other streams.
    func plainFlateData(of stream: PDFStream) throws(PDFError) -> (data: [UInt8], limit: Int)? {
        let parameters = stream.dictionary["DecodeParms"] ?? .null
        guard stream.dictionary["Filter"] == .name("FlateDecode"), parameters == .null,
            stream.dictionary["F"] == nil, stream.encryptedAs == nil
        else { return nil }
        let raw = try rawData(of: stream)
        return (raw, decodedLimit(raw.count))
    }

    /// Deducts bytes decoded elsewhere from the budget.
    func noteDecoded(_ byteCount: Int) { decodingBudget -= byteCount }

    /// Maximum decoded length of a stream with this many stored bytes.
    private func decodedLimit(_ rawCount: Int) -> Int {
        let allowance = PDFLimits.allowance(
            PDFLimits.decodedStreamAllowance, ratio: PDFLimits.decodedStreamRatio, for: rawCount)
        return min(PDFLimits.decodedStreamByteCount, allowance, decodingBudget)
    }

    /// The bytes of a stream after its filters, whose parameters must be direct objects.
    func decodedData(
        of stream: PDFStream, upTo byteLimit: Int = .max, toleratesDamage: Bool = true,
        endsAtPicture: Bool = false,
        resolve: (PDFObject) throws(PDFError) -> PDFObject = { (object) throws(PDFError) in object }
    ) throws(PDFError) -> [UInt8] {
        let filters = try FilterChain(
            stream.dictionary, endsAtPicture: endsAtPicture, resolve: resolve)
        let raw = try rawData(of: stream, resolve: resolve)
        // Some producers write an empty stream with a filter.
        guard !raw.isEmpty else { return [] }
        // The caller's remaining budget may be negative.
        let limit = max(0, min(decodedLimit(raw.count), byteLimit))
        let decoded = try filters.decode(
            raw, limit: limit, warnings: toleratesDamage ? warnings : nil)
        decodingBudget -= decoded.count
        // Unfiltered data is limited only by the caller.
        guard decoded.count <= max(0, byteLimit) else {
            throw PDFError(.limitExceeded, "a stream of \(decoded.count) bytes")
        }
        return decoded
    }
}
