import Base
import CodecBridge

/// Possible ends of revisions that the newest revision does not build on.
///
/// A revision ends with `startxref`, the offset of its section and `%%EOF`. Other data may contain
/// the same keywords, such as attached documents. Their offsets are relative to their own start and
/// point to no section of this file. ``PDFDocument/revisions(of:)`` excludes them.
package struct UnreferencedSections: Sendable {
    /// By section offset, the end of the last marker that refers to it.
    private(set) var endsBySection: [Int: Int] = [:]
    /// Ends of markers that no section offset precedes.
    private(set) var otherEnds: [Int] = []
    /// Whether all were recorded within the limits.
    private(set) var isComplete = true
    /// Offsets of the sections that the newest revision builds on, as written in the file.
    package private(set) var sections: Set<Int>

    /// Maximum numbers of sections and of other ends that are kept.
    private static let maximumSectionCount = 1 << 16
    private static let maximumOtherCount = 1 << 12
    private static let marker = Array("%%EOF".utf8)
    private static let keyword = Array("startxref".utf8)
    /// Maximum number of bytes of white space and digits between `startxref` and the marker.
    private static let tailByteCount = 64
    private static let digitLimit = 18

    /// The number of scanned bytes, and the last of them.
    private var byteCount = 0
    private var carried: [UInt8] = []

    /// - Parameter sections: offsets of the sections that the newest revision builds on; empty before
    ///   the document is open.
    package init(buildingOn sections: Set<Int> = []) { self.sections = sections }

    /// A copy without the sections that a document builds on.
    package func leavingOut(_ document: PDFDocument) -> UnreferencedSections {
        var unreferencedSections = self
        unreferencedSections.sections = Self.sections(of: document)
        for section in unreferencedSections.sections {
            unreferencedSections.endsBySection[section] = nil
        }
        return unreferencedSections
    }

    /// Scans a document.
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

    /// Scans the next bytes of the document.
    package mutating func scan(_ bytes: Span<UInt8>) {
        // Markers that began in the previous bytes.
        for place in (1 - Self.marker.count)..<0 { look(at: place, bytes) }
        ByteSearch.forEach([Self.marker[0], Self.marker[0]], in: bytes) { look(at: $0, bytes) }
        let wanted = Self.tailByteCount + Self.marker.count
        let kept = max(-carried.count, bytes.count - wanted)
        carried = (kept..<bytes.count).compactMap { byte($0, bytes) }
        byteCount += bytes.count
    }

    /// The byte at a position; positions below 0 are in ``carried``.
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

    /// The offset between `startxref` and the marker at `place`; `nil` if other bytes are there.
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
    /// Maximum number of revisions that are returned. Their sections may have a fixed number of bytes
    /// plus a multiple of the file size.
    private static let revisionLimit = 64
    private static let unreferencedSectionAllowance = 1 << 20
    private static let unreferencedSectionRatio = 2

    /// The revisions among `unreferencedSections`, and whether all were found.
    package func revisions(
        of unreferencedSections: UnreferencedSections
    ) throws(PDFError) -> (found: [PDFDocument], isComplete: Bool) {
        var known = Set(sections.map(\.offset))
        var found: [PDFDocument] = []
        var budget = PDFLimits.allowance(
            Self.unreferencedSectionAllowance, Self.unreferencedSectionRatio, for: source.byteCount)
        for end
            in (Array(unreferencedSections.endsBySection.values) + unreferencedSections.otherEnds)
            .sorted()
        {
            guard let offset = try newestSection(upTo: end), known.insert(offset).inserted
            else { continue }
            guard found.count < Self.revisionLimit, budget > 0 else { return (found, false) }
            // Bytes that cannot be opened were never a signable document.
            guard let view = try? view(atRevisionEndingAt: end) else { continue }
            budget -= view.sections.reduce(0) { $0 + $1.endOffset - $1.offset + $1.entryByteCount }
            if (try? view.catalog()) != nil { found.append(view) }
        }
        return (found, unreferencedSections.isComplete)
    }

    /// Position of the newest section of the file up to `end`; `nil` if these bytes are not a
    /// revision.
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

/// The start of a section: `xref`, or `n g obj`.
enum SectionBeginning {
    /// Maximum number of bytes read. A longer beginning counts as plausible.
    private static let byteCount = 256

    /// Whether a section may begin at an offset, after optional white space and comments. A fast
    /// check for arbitrary offsets.
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
            // The characters that a number may begin with.
            guard let first = word.first, first < 58, first > 42 else { return false }
        }
        return true
    }

    /// The next word, empty before a delimiter; `nil` at the end of `bytes`.
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
