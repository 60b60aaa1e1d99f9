import Base
import CodecBridge

/// Places in a document's bytes that end like revisions that the newest one does not build on.
///
/// A revision ends with `startxref`, the offset of its section and `%%EOF`. Whatever else has such
/// words in it, as attached documents do, is none: their offsets count from their own beginning and
/// lead to no section of this file. ``PDFDocument/revisions(of:)`` sorts them out.
package struct UnreferencedSections: Sendable {
    /// Just past the last end of those that name the same section: what of a revision stands in
    /// more bytes holds all that stands in fewer.
    private(set) var endsBySection: [Int: Int] = [:]
    /// Ends of markers without a section's offset before them.
    private(set) var otherEnds: [Int] = []
    /// Whether there are no more of them.
    private(set) var isComplete = true
    /// Offsets of the sections that the newest revision builds on, as the file names them.
    package private(set) var sections: Set<Int>

    /// Most sections that are remembered, and most other ends.
    private static let maximumSectionCount = 1 << 16
    private static let maximumOtherCount = 1 << 12
    private static let marker = Array("%%EOF".utf8)
    private static let keyword = Array("startxref".utf8)
    /// How far before the marker `startxref` may begin to be right before it.
    private static let tailByteCount = 64
    private static let digitLimit = 18

    /// Bytes that were scanned, and the last of them.
    private var byteCount = 0
    private var carried: [UInt8] = []

    /// - Parameter sections: see ``sections(of:)``; none while the document is not open yet.
    package init(buildingOn sections: Set<Int> = []) { self.sections = sections }

    /// Without the revisions that a document builds on.
    package func leavingOut(_ document: PDFDocument) -> UnreferencedSections {
        var unreferencedSections = self
        unreferencedSections.sections = Self.sections(of: document)
        for section in unreferencedSections.sections {
            unreferencedSections.endsBySection[section] = nil
        }
        return unreferencedSections
    }

    /// Looks for them in a document.
    package init(in document: PDFDocument) throws {
        self.init(buildingOn: Self.sections(of: document))
        var unreferencedSections = self
        try document.source.stream(range: 0..<document.source.byteCount) {
            unreferencedSections.scan($0)
        }
        self = unreferencedSections
    }

    package static func sections(of document: PDFDocument) -> Set<Int> {
        Set(document.sections.map { $0.offset - document.offsetBase })
    }

    /// Takes the next bytes of the document.
    package mutating func scan(_ bytes: Span<UInt8>) {
        // Markers that began in the bytes before.
        for place in (1 - Self.marker.count)..<0 { look(at: place, bytes) }
        ByteSearch.forEach([Self.marker[0], Self.marker[0]], in: bytes) { look(at: $0, bytes) }
        let wanted = Self.tailByteCount + Self.marker.count
        let kept = max(-carried.count, bytes.count - wanted)
        carried = (kept..<bytes.count).compactMap { byte($0, bytes) }
        byteCount += bytes.count
    }

    /// What stands at a place; places below 0 are in ``carried``.
    private func byte(_ place: Int, _ bytes: Span<UInt8>) -> UInt8? {
        if place >= 0 { return place < bytes.count ? bytes[place] : nil }
        let index = carried.count + place
        return index >= 0 ? carried[index] : nil
    }

    private mutating func look(at place: Int, _ bytes: Span<UInt8>) {
        guard isComplete else { return }
        for index in Self.marker.indices
        where byte(place + index, bytes) != Self.marker[index] { return }
        let end = byteCount + place + Self.marker.count
        if let section = section(before: place, bytes) {
            guard section > 0, !sections.contains(section) else { return }
            endsBySection[section] = end
        } else {
            otherEnds.append(end)
        }
        isComplete =
            endsBySection.count <= Self.maximumSectionCount
            && otherEnds.count <= Self.maximumOtherCount
    }

    /// The offset between `startxref` and the marker at `place`; nil when anything else stands
    /// there.
    private func section(before place: Int, _ bytes: Span<UInt8>) -> Int? {
        var cursor = place - 1
        let limit = place - Self.tailByteCount
        func skipWhiteSpace() {
            while cursor >= limit, let byte = byte(cursor, bytes),
                Characters.isWhiteSpace(Int(byte))
            { cursor -= 1 }
        }
        skipWhiteSpace()
        var (value, scale, count) = (0, 1, 0)
        while count < Self.digitLimit, let byte = byte(cursor, bytes), Characters.isDigit(Int(byte))
        {
            value += Int(byte - 48) * scale
            scale *= 10
            count += 1
            cursor -= 1
        }
        let digitsStart = cursor
        skipWhiteSpace()
        guard count > 0, cursor < digitsStart else { return nil }
        let start = cursor + 1 - Self.keyword.count
        for index in Self.keyword.indices
        where byte(start + index, bytes) != Self.keyword[index] { return nil }
        return value
    }
}

extension PDFDocument {
    /// Most revisions that are opened, and bytes of their sections: so many, and so many for each
    /// of the file.
    private static let strayLimit = 64
    private static let straySectionAllowance = 1 << 20
    private static let straySectionRatio = 2

    /// The revisions among `unreferencedSections`, and whether these are all.
    package func revisions(
        of unreferencedSections: UnreferencedSections
    ) throws(PDFError) -> (found: [PDFDocument], isComplete: Bool) {
        var known = Set(sections.map(\.offset))
        var found: [PDFDocument] = []
        var budget = PDFLimits.allowance(
            Self.straySectionAllowance, Self.straySectionRatio, for: source.byteCount)
        for end
            in (Array(unreferencedSections.endsBySection.values) + unreferencedSections.otherEnds)
            .sorted()
        {
            guard let offset = try newestSection(upTo: end), known.insert(offset).inserted
            else { continue }
            guard found.count < Self.strayLimit, budget > 0 else { return (found, false) }
            // What cannot be opened was no revision of a document that anybody could sign.
            guard let view = try? view(atRevisionEndingAt: end) else { continue }
            budget -= view.sections.reduce(0) { $0 + $1.endOffset - $1.offset + $1.entryByteCount }
            if (try? view.catalog()) != nil { found.append(view) }
        }
        return (found, unreferencedSections.isComplete)
    }

    /// Where the newest section begins of what ends there; nil when that is no revision.
    private func newestSection(upTo end: Int) throws(PDFError) -> Int? {
        let prefix = IndirectObjectReader(PrefixSource(source, byteCount: end))
        var sections = CrossReferenceReader(objects: prefix, headerOffset: headerOffset)
        guard let start = try? sections.startOffset() else { return nil }
        for base in Set([0, headerOffset]) {
            guard let offset = start.addingChecked(base),
                try SectionBeginning.isPlausibleSection(at: offset, prefix)
            else { continue }
            return try? sections.firstSectionOffset(start)
        }
        return nil
    }
}

/// How sections begin: `xref`, or `n g obj`.
enum SectionBeginning {
    /// Most bytes that are read. A longer beginning may be a section.
    private static let byteCount = 256

    /// Whether a section may begin at an offset or behind white space and comments there: quickly
    /// answered, for offsets that may lead anywhere.
    static func isPlausibleSection(at offset: Int, _ reader: IndirectObjectReader) throws(PDFError)
        -> Bool
    {
        guard offset >= 0, offset < reader.cache.byteCount else { return false }
        let bytes = try reader.bytes(at: offset, count: byteCount)
        var position = 0
        for index in 0..<3 {
            guard let word = word(in: bytes, &position) else { return bytes.count == byteCount }
            if index == 0, word.starts(with: Keyword.Spelling.xref) { return true }
            if index == 2 { return word.starts(with: Keyword.Spelling.obj) }
            // Whatever a number may begin with.
            guard let first = word.first, first < 58, first > 42 else { return false }
        }
        return true
    }

    /// The next word, empty before a delimiter; nil where `bytes` end.
    private static func word(in bytes: [UInt8], _ position: inout Int) -> ArraySlice<UInt8>? {
        var isComment = false
        while position < bytes.count {
            let byte = Int(bytes[position])
            if isComment {
                isComment = byte != 10 && byte != 13
            } else if byte == 37 {
                isComment = true
            } else if !Characters.isWhiteSpace(byte) {
                break
            }
            position += 1
        }
        let start = position
        while position < bytes.count, Characters.isRegular(Int(bytes[position])) { position += 1 }
        return position == bytes.count ? nil : bytes[start..<position]
    }
}
