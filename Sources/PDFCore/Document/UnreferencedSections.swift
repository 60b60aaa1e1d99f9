import Base
import CodecBridge

/// Cross-reference sections in the file that are not among the sections of the newest revision, found by the ends
/// of their revisions: `startxref`, the offset of the section and `%%EOF`.
///
/// Other data may contain the same keywords, such as attached documents. Their offsets are relative to their own
/// start, so that they refer to no section of this file; ``PDFDocument/revisions(of:)`` excludes them.
package struct UnreferencedSections: Sendable {
    /// The end of the last `%%EOF` marker for each section, by the offset of the section.
    private(set) var endsBySection: [Int: Int] = [:]
    /// Ends of markers without a section offset.
    private(set) var endsWithoutSection: [Int] = []
    /// Whether all markers are recorded: false if a limit was reached.
    private(set) var isComplete = true
    /// Offsets of the sections of the newest revision, as written in the file.
    package private(set) var sections: Set<Int>

    private static let maximumSectionCount = 1 << 16
    private static let maximumOtherCount = 1 << 12
    private static let marker = Array("%%EOF".utf8)
    private static let keyword = Array("startxref".utf8)
    /// Maximum number of bytes from `startxref` to the marker.
    private static let tailByteCount = 64
    private static let digitLimit = 18

    /// Number of bytes scanned before the current ones.
    private var byteCount = 0
    /// The last of the bytes scanned before the current ones.
    private var previous: [UInt8] = []

    /// - Parameter sections: offsets of the sections of the newest revision; empty if not yet known.
    package init(newest sections: Set<Int> = []) { self.sections = sections }

    /// A copy without the sections of the document.
    package func excludingSections(of document: PDFDocument) -> UnreferencedSections {
        var copy = self
        copy.sections = Self.sections(of: document)
        for section in copy.sections { copy.endsBySection[section] = nil }
        return copy
    }

    package init(in document: PDFDocument) throws {
        var scanned = Self(newest: Self.sections(of: document))
        try document.source.stream(range: 0..<document.source.byteCount) { scanned.scan($0) }
        self = scanned
    }

    /// Offsets of the document's sections, as written in the file.
    package static func sections(of document: PDFDocument) -> Set<Int> {
        Set(document.sections.map { $0.offset - document.offsetBase })
    }

    package mutating func scan(_ bytes: Span<UInt8>) {
        // Markers that began in the previous bytes.
        for place in (1 - Self.marker.count)..<0 { recordMarker(at: place, in: bytes) }
        ByteSearch.forEach([Self.marker[0], Self.marker[0]], in: bytes) {
            recordMarker(at: $0, in: bytes)
        }
        let wanted = Self.tailByteCount + Self.marker.count
        let start = max(-previous.count, bytes.count - wanted)
        previous = (start..<bytes.count).compactMap { byte(at: $0, in: bytes) }
        byteCount += bytes.count
    }

    /// The byte at a position; negative positions are in ``previous``.
    private func byte(at place: Int, in bytes: Span<UInt8>) -> UInt8? {
        if place >= 0 { return place < bytes.count ? bytes[place] : nil }
        let index = previous.count + place
        return index >= 0 ? previous[index] : nil
    }

    private mutating func recordMarker(at place: Int, in bytes: Span<UInt8>) {
        guard isComplete else { return }
        for index in Self.marker.indices
        where byte(at: place + index, in: bytes) != Self.marker[index] { return }
        let end = byteCount + place + Self.marker.count
        if let section = section(before: place, in: bytes) {
            guard section > 0, !sections.contains(section) else { return }
            endsBySection[section] = end
        } else {
            endsWithoutSection.append(end)
        }
        isComplete =
            endsBySection.count <= Self.maximumSectionCount
            && endsWithoutSection.count <= Self.maximumOtherCount
    }

    /// The offset between `startxref` and the marker at `place`; `nil` if other bytes are there.
    private func section(before place: Int, in bytes: Span<UInt8>) -> Int? {
        var cursor = place - 1
        let limit = place - Self.tailByteCount
        func skipWhiteSpace() {
            while cursor >= limit, let byte = byte(at: cursor, in: bytes),
                Characters.isWhiteSpace(Int(byte))
            { cursor -= 1 }
        }
        skipWhiteSpace()
        var (value, scale, count) = (0, 1, 0)
        while count < Self.digitLimit, let byte = byte(at: cursor, in: bytes),
            Characters.isDigit(Int(byte))
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
        where byte(at: start + index, in: bytes) != Self.keyword[index] { return nil }
        return value
    }
}

extension PDFDocument {
    /// Maximum number of revisions that are returned.
    private static let revisionLimit = 64
    /// Maximum size of the sections of all returned revisions: a fixed number of bytes plus a multiple of the file size.
    private static let unreferencedSectionAllowance = 1 << 20
    private static let unreferencedSectionRatio = 2

    package func revisions(
        of unreferencedSections: UnreferencedSections
    ) throws(PDFError) -> (found: [PDFDocument], isComplete: Bool) {
        var known = Set(sections.map(\.offset))
        var found: [PDFDocument] = []
        var budget = PDFLimits.allowance(
            Self.unreferencedSectionAllowance, ratio: Self.unreferencedSectionRatio,
            for: source.byteCount)
        for end
            in (Array(unreferencedSections.endsBySection.values)
            + unreferencedSections.endsWithoutSection)
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

    /// Offset of the newest section if the file ended at `end`; `nil` if these bytes are not a revision.
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
    /// Maximum number of bytes read. A longer start of a section is accepted.
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
            // A number begins with one of `+,-./0123456789`.
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
