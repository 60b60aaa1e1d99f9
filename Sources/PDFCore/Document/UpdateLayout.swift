import Base

/// All bytes of a file after the end of a revision: objects listed by later sections, these
/// sections, revision ends, and padding. Other bytes can mislead viewers that repair files (ISO
/// 32000-2 §7.5.6).
package struct UpdateLayout {
    package struct Finding: Hashable, Sendable {
        package enum Severity: Sendable {
            /// Some viewers may display something else.
            case failure
            /// Viewers may disagree about listed objects.
            case doubt
        }

        package let severity: Severity
        package let range: Range<Int>
        package let text: String
    }

    /// The first position of the layout.
    package let start: Int
    package private(set) var findings: [Finding] = []
    /// The recognized ranges in ascending order, after the analysis.
    private(set) var tiles: [Range<Int>] = []

    /// Maximum number of findings kept.
    private static let findingLimit = 64

    init(from start: Int) { self.start = start }

    mutating func note(_ severity: Finding.Severity, _ range: Range<Int>, _ text: String) {
        // Less severe findings must not displace a failure.
        guard findings.count < Self.findingLimit || severity == .failure && !hasFailure else {
            return
        }
        findings.append(Finding(severity: severity, range: range, text: text))
    }

    private var hasFailure: Bool { findings.contains { $0.severity == .failure } }

    mutating func take(_ tiles: [Range<Int>]) {
        self.tiles = tiles.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The most severe finding for a signature whose signed bytes end at `end`; the first of equal
    /// severity.
    package func summary(behind end: Int) -> Finding? {
        let all = findings(behind: end)
        let failures = all.filter { $0.severity == .failure }
        let grave = failures.isEmpty ? all : failures
        return grave.first.map { first in
            let others = grave.count > 1 ? " (and \(grave.count - 1) more of this kind)" : ""
            return Finding(severity: first.severity, range: first.range, text: first.text + others)
        }
    }

    private func findings(behind end: Int) -> [Finding] {
        var found = findings.filter { $0.range.upperBound > end }
        if let tile = tile(around: end) {
            found.append(
                Finding(
                    severity: .failure, range: tile,
                    text: "the signed bytes end inside an object (byte \(tile.lowerBound))"))
        }
        return found
    }

    private func tile(around end: Int) -> Range<Int>? {
        let next = tiles.partitioningIndex { $0.lowerBound >= end }
        guard next > 0, tiles[next - 1].upperBound > end else { return nil }
        return tiles[next - 1]
    }
}

extension PDFDocument {
    /// Analyzes all bytes after `start` with the newest `count` sections.
    package func layout(from start: Int, sections count: Int) throws(PDFError) -> UpdateLayout {
        var reader = UpdateLayoutReader(self, from: start)
        return try reader.read(count)
    }
}

/// Builds an ``UpdateLayout`` in linear time.
private struct UpdateLayoutReader {
    private struct Tile {
        let end: Int
        /// The identifier, if it is an object.
        var id: ObjectID?
        /// Whether it is the `%%EOF` marker of a revision, which is a comment.
        var isMarker = false
        /// The object without its keywords and data, or the trailer's dictionary.
        var syntax: Range<Int>?
        /// A stream's data.
        var data: Range<Int>?
    }

    private let document: PDFDocument
    private var layout: UpdateLayout
    /// Ranges by their start.
    private var tiles: [Int: Tile] = [:]
    /// Objects at the offsets of entries: each offset is read only once.
    private var found: [Int: ObjectID] = [:]
    /// Object streams that the current section refers to.
    private var containers: Set<Int> = []
    /// Position of the last revision's `startxref`.
    private var lastKeyword = 0

    private static let chunkByteCount = 64 * 1024

    init(_ document: PDFDocument, from start: Int) {
        self.document = document
        layout = UpdateLayout(from: start)
    }

    mutating func read(_ count: Int) throws(PDFError) -> UpdateLayout {
        for index in 0..<count { try section(index) }
        try fill()
        try findKeywords()
        layout.take(tiles.map { $0.key..<$0.value.end })
        return layout
    }

    /// Runs `body`; reports unreadable data as a finding.
    private mutating func attempt<Result>(
        _ what: String, at offset: Int, _ body: (inout Self) throws(PDFError) -> Result
    ) throws(PDFError) -> Result? {
        do throws(PDFError) {
            return try body(&self)
        } catch {
            guard error.code != .readFailed else { throw error }
            let place = error.offset ?? offset
            layout.note(
                .failure, offset..<max(offset + 1, place + 1),
                "\(what) at byte \(offset) cannot be read: \(error.detail)"
                    + (place == offset ? "" : " at byte \(place)"))
            return nil
        }
    }

    // MARK: Sections

    private mutating func section(_ index: Int) throws(PDFError) {
        let section = document.sections[index]
        let name = "the cross-reference section"
        let end = try attempt(name, at: section.offset) { (reader) throws(PDFError) -> Int? in
            guard section.kind != .stream else {
                let id = section.container ?? ObjectID(number: 0)
                return try reader.object(id, at: section.offset, index)
            }
            var syntax = SectionSyntax(reader.document.reader.cache, at: section.offset)
            let (trailer, end, isEmpty) = try syntax.table()
            if isEmpty {
                reader.layout.note(
                    .doubt, section.offset..<end,
                    "the cross-reference section of the update is empty (byte \(section.offset)): some viewers "
                        + "cannot open the file")
            }
            reader.tiles[section.offset] = Tile(
                end: end, syntax: (trailer + Keyword.Spelling.trailer.count)..<end)
            return end
        }
        try checkTrailer(index)
        if let supplement = section.supplementOffset {
            _ = try attempt("the cross-reference stream", at: supplement) {
                (reader) throws(PDFError) in try reader.object(nil, at: supplement, index)
            }
        }
        guard let end = end ?? nil else { return }
        try attempt("the end of the revision", at: end) { (reader) throws(PDFError) in
            try reader.revisionEnd(of: section, behind: end)
        }
        try objects(index, upTo: section.offset)
    }

    private mutating func revisionEnd(
        of section: CrossReferenceSection, behind end: Int
    ) throws(PDFError) {
        var syntax = SectionSyntax(document.reader.cache, at: end)
        let (offset, keyword, range) = try syntax.end()
        lastKeyword = max(lastKeyword, keyword)
        tiles[range.lowerBound] = Tile(end: range.upperBound, isMarker: true)
        let named = offset.addingChecked(document.offsetBase) ?? -1
        guard try isWhiteSpace(from: named, to: section.offset) else {
            layout.note(
                .failure, range,
                "startxref at byte \(range.lowerBound) is \(offset), not the offset of the section before it"
            )
            return
        }
    }

    /// Viewers skip white space before a table.
    private func isWhiteSpace(from start: Int, to end: Int) throws(PDFError) -> Bool {
        guard start >= 0, start <= end, end - start <= PDFLimits.nearbyByteCount else {
            return false
        }
        return try document.reader.bytes(at: start, count: end - start)
            .allSatisfy { Characters.isWhiteSpace(Int($0)) }
    }

    private mutating func checkTrailer(_ index: Int) throws(PDFError) {
        let section = document.sections[index]
        let range = section.offset..<max(section.endOffset, section.offset + 1)
        func note(_ severity: UpdateLayout.Finding.Severity, _ words: String) {
            layout.note(severity, range, "the update's section at byte \(section.offset) \(words)")
        }
        if let supplement = section.supplementOffset, supplement < layout.start {
            note(.failure, "lists objects by a stream of the signed revision")
        }
        if section.highestNumber >= section.size || section.size > PDFLimits.objectNumber + 1 {
            note(
                .doubt,
                "lists numbers up to \(section.highestNumber), but its Size is \(section.size)")
        }
        if section.trailer["Root"]?.referenceValue == nil { note(.failure, "names no catalog") }
        let previous = document.sections.first { $0.offset == section.previous }
        if let previous, (previous.kind == .stream) != (section.kind == .stream),
            let signed = document.sections.firstIndex(where: { $0.offset < layout.start }),
            try document.isCompressedObjectReplaced(from: signed)
        {
            note(
                .doubt,
                "is a table and the one before a stream, or the reverse: some viewers then show "
                    + "older objects")
        }
        let streams = [section.kind == .stream ? section.trailer : nil, section.supplementTrailer]
        if !streams.compactMap(\.self).allSatisfy(CrossReferenceStream.hasUsualForm) {
            note(.doubt, "has unusual field widths or filters: some viewers cannot read it")
        }
        if section.trailer.entries.contains(where: { $0.value == .null }) {
            note(.doubt, "has a null entry in its trailer")
        }
        let byteCount = document.source.byteCount
        if let text = section.trailerIrregularity() ?? section.entryIrregularity(in: byteCount) {
            note(.failure, "is malformed: \(text)")
        }
    }

    // MARK: Objects

    private mutating func objects(_ index: Int, upTo end: Int) throws(PDFError) {
        let section = document.sections[index]
        let start = layout.start
        containers = []
        try section.forEachEntry { (entry) throws(PDFError) in
            if case .compressed(let stream, _) = entry.location { containers.insert(stream) }
        }
        let highest = document.sections[(index + 1)...].map(\.highestNumber).max() ?? 0
        try section.forEachEntry { (entry) throws(PDFError) in
            if entry.location == .free, entry.number > highest {
                layout.note(
                    .doubt, section.offset..<section.endOffset,
                    "the update's section at byte \(section.offset) frees object "
                        + "\(entry.number), which never existed")
            }
            guard case .offset(let offset, let generation) = entry.location, entry.number > 0,
                offset >= start
            else { return }
            let id = ObjectID(number: entry.number, generation: generation)
            guard offset <= end else {
                layout.note(
                    .failure, offset..<(offset + 1),
                    "object \(id.number) at byte \(offset) follows the section that lists it")
                return
            }
            _ = try attempt("object \(id.number)", at: offset) { (reader) throws(PDFError) in
                try reader.object(id, at: offset, index)
            }
        }
    }

    /// - Parameter id: `nil` for any object.
    /// - Returns: The end of the object.
    private mutating func object(
        _ id: ObjectID?, at offset: Int, _ index: Int
    ) throws(PDFError) -> Int {
        if let known = tiles[offset], let id, known.id == id { return known.end }
        if let id, let other = found[offset], other != id {
            throw PDFError(.wrongObject, "the object does not start here", offset: offset)
        }
        let document = document
        let parsed = try document.reader.read(at: offset) { (length) throws(PDFError) in
            try document.view(newestSection: index).resolve(.reference(length)).integerValue
        }
        found[offset] = parsed.id
        // White space before an object is reported by PDFDocument.hasInexactOffsets().
        guard try isWhiteSpace(from: offset, to: parsed.range.lowerBound),
            id == nil || parsed.id == id
        else { throw PDFError(.wrongObject, "the object does not start here", offset: offset) }
        let range = parsed.range
        var data: Range<Int>?
        if case .file(let place) = parsed.object.streamValue?.content { data = place }
        tiles[range.lowerBound] = Tile(
            end: range.upperBound, id: parsed.id, syntax: parsed.bodyRange, data: data)
        let name = "object \(parsed.id.number) at byte \(offset) of the update"
        if try !hasExactKeywords(parsed, data) {
            layout.note(.doubt, range, "\(name) has wrong keywords")
        }
        if let deviation = parsed.deviation { layout.note(.doubt, range, "\(name): \(deviation)") }
        if parsed.reach > range.upperBound {
            layout.note(.doubt, range.lowerBound..<parsed.reach, "\(name) reaches beyond its end")
        }
        if let key = parsed.object.firstDifferingKey {
            layout.note(.doubt, range, "\(name) has the entry /\(key) twice")
        }
        guard let stream = parsed.object.streamValue else { return range.upperBound }
        let view = document.view(newestSection: index)
        if let text = try view.filterIrregularity(stream.dictionary) {
            layout.note(.doubt, range, "\(name) has \(text)")
        }
        // Sections decide the purpose of a stream, whatever its /Type is.
        let type = try view.value(stream.dictionary, "Type").nameValue
        let isNamed = type == "ObjStm"
        if isNamed, !view.isOnlyDeflated(stream.dictionary) {
            layout.note(.doubt, range, "\(name) is an object stream with unusual filters")
        } else if isNamed || type == "XRef", try view.isCompressionAmbiguous(of: stream) {
            layout.note(.doubt, range, "\(name) has data that some viewers decompress differently")
        }
        if !isNamed, containers.contains(parsed.id.number) {
            layout.note(.failure, range, "\(name) is an object stream without its Type")
        } else if isNamed {
            if let text = try irregularity(of: stream, parsed.id, index) {
                layout.note(.failure, range, "the object stream at byte \(offset): \(text)")
            }
        }
        return range.upperBound
    }

    /// A part of an object stream that other viewers may read differently, as text.
    private func irregularity(
        of stream: PDFStream, _ id: ObjectID, _ index: Int
    ) throws(PDFError) -> String? {
        let view = document.view(newestSection: index)
        let content = try ObjectStream(stream, number: id.number, reader: document.reader) {
            (object) throws(PDFError) in try view.resolve(object)
        }
        if let text = content.irregularity() { return text }
        for (place, number) in content.numbers.enumerated() {
            let listed = try document.sections[index].location(of: number)
            guard listed == .compressed(stream: id.number, index: place) else {
                return "its object \(number) is not listed"
            }
        }
        return nil
    }

    // MARK: Gaps

    /// Checks the bytes outside all recognized ranges.
    private mutating func fill() throws(PDFError) {
        var position = layout.start
        // The bytes before may be the %%EOF of a revision, a comment that continues to the end of
        // its line.
        var isInComment = true
        for (start, tile) in tiles.sorted(by: { $0.key < $1.key }) where start >= layout.start {
            if start < position {
                layout.note(
                    .failure, start..<position,
                    "the data at byte \(start) of the update overlaps the data before it")
            }
            if start > position || isInComment {
                try gap(position..<max(start, position), followsLine: isInComment)
            }
            position = max(position, tile.end)
            isInComment = tile.isMarker
        }
        let size = document.source.byteCount
        if lastKeyword > 0, size - lastKeyword > PDFDocument.endByteCount {
            layout.note(
                .failure, lastKeyword..<size,
                "startxref is \(size - lastKeyword) bytes before the end of the file, where many "
                    + "viewers do not find it")
        }
        if try !document.isPadding(from: min(position, size)) {
            layout.note(
                .failure, position..<size,
                "\(size - position) bytes after the last revision belong to no revision")
        }
    }

    private mutating func gap(_ range: Range<Int>, followsLine: Bool) throws(PDFError) {
        let before = try document.reader.bytes(at: max(0, range.lowerBound - 1), count: 1)
        let isInLine = followsLine && before.first != 10 && before.first != 13
        guard !range.isEmpty else { return }
        var filling = Filling(followsLine: isInLine)
        var position = range.lowerBound
        while position < range.upperBound {
            let count = min(Self.chunkByteCount, range.upperBound - position)
            for byte in try document.reader.bytes(at: position, count: count) {
                guard filling.take(byte) else { return unaccounted(range) }
            }
            position += count
        }
        guard filling.isEnded else { return unaccounted(range) }
        if filling.hasControlCharacter {
            layout.note(
                .doubt, range,
                "the \(range.count) bytes at byte \(range.lowerBound) contain control characters in "
                    + "the update")
        }
    }

    private mutating func unaccounted(_ range: Range<Int>) {
        layout.note(
            .failure, range.lowerBound..<max(range.upperBound, range.lowerBound + 1),
            "\(range.count) bytes at byte \(range.lowerBound), after the signed revision, "
                + "belong to no object of a later revision")
    }

    // MARK: Keywords

    /// Whether the object has exactly the keywords `n g obj`, `stream`, `endstream` and `endobj`,
    /// separated only by white space.
    private func hasExactKeywords(
        _ parsed: ParsedObject, _ data: Range<Int>?
    ) throws(PDFError) -> Bool {
        let (range, body) = (parsed.range, parsed.bodyRange)
        let head = try text(range.lowerBound..<body.lowerBound)
        let keywords = "\(parsed.id.number) \(parsed.id.generation) obj"
        guard let head, head.starts(with: keywords.utf8),
            isSpace(head.dropFirst(keywords.utf8.count)),
            let next = try document.reader.bytes(at: range.upperBound, count: 1).first,
            isSpace([next])
        else { return false }
        guard let data else {
            return try has("endobj", between: body.upperBound, and: range.upperBound)
        }
        guard try has("stream", between: body.upperBound, and: data.lowerBound) else {
            return false
        }
        return try has("endstreamendobj", between: data.upperBound, and: range.upperBound)
    }

    private func has(
        _ keywords: String, between start: Int, and end: Int
    ) throws(PDFError) -> Bool {
        guard start <= end, let bytes = try text(start..<end) else { return false }
        return bytes.filter { !isSpace([$0]) } == Array(keywords.utf8)
    }

    /// The bytes of a range; `nil` if it is longer than keywords with some white space.
    private func text(_ range: Range<Int>) throws(PDFError) -> [UInt8]? {
        guard range.count <= PDFLimits.nearbyByteCount else { return nil }
        return try document.reader.bytes(at: range.lowerBound, count: range.count)
    }

    private func isSpace(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == 9 || $0 == 10 || $0 == 13 || $0 == 32 }
    }

    /// Searches for text that viewers would read as objects or trailers when they search the file.
    private mutating func findKeywords() throws(PDFError) {
        let catalogs = Set(document.sections.compactMap { $0.trailer["Root"]?.referenceValue })
        for (start, tile) in tiles.sorted(by: { $0.key < $1.key }) where start >= layout.start {
            guard let syntax = tile.syntax else { continue }
            var search = KeywordSearch(document.reader)
            let isCatalog = tile.id.map(catalogs.contains) ?? false
            try search.searchSyntax(syntax, catalogCount: isCatalog ? 1 : 0)
            if let data = tile.data { try search.searchData(data) }
            guard let hit = search.hit else { continue }
            layout.note(
                .doubt, start..<tile.end,
                "byte \(hit) of the update has a keyword, comment or control character where the "
                    + "syntax permits none")
        }
    }
}

extension PDFObject {
    /// A key that a nested dictionary contains more than once, with different values.
    package var firstDifferingKey: PDFName? {
        var stack = [self]
        while let next = stack.popLast() {
            switch next {
            case .array(let elements): stack += elements.filter(\.isContainer)
            case .dictionary(let dictionary):
                if let key = dictionary.differingKeys.first { return key }
                stack += dictionary.entries.map(\.value).filter(\.isContainer)
            case .stream(let stream): stack.append(.dictionary(stream.dictionary))
            default: break
            }
        }
        return nil
    }

    private var isContainer: Bool {
        switch self {
        case .array, .dictionary: true
        default: false
        }
    }

    /// Whether it is, or may hold, a reference.
    package var mayRefer: Bool {
        switch self {
        case .array, .dictionary, .stream, .reference: true
        default: false
        }
    }
}
