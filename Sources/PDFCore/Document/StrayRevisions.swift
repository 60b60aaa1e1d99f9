import ByteKit
import CodecBridge

/// Places in a document's bytes that end like revisions that the newest one does not build on.
package struct StrayRevisions: Sendable {
    /// Where the end-of-file markers end, as far as they are looked at.
    package private(set) var ends: [Int] = []
    /// Whether there are no more of them.
    package private(set) var isComplete = true
    /// Offsets of the sections that the newest revision builds on.
    package let sections: Set<Int>

    /// Most that are looked at.
    private static let maximumCount = 64
    private static let marker = Array("%%EOF".utf8)
    private static let keyword = Array("startxref".utf8)
    /// How far before the marker `startxref` stands.
    private static let tailByteCount = 64

    /// Bytes that were scanned, and the last of them.
    private var byteCount = 0
    private var carried: [UInt8] = []

    package init(buildingOn sections: Set<Int>) { self.sections = sections }

    /// Looks for them in a document.
    package init(in document: PDFDocument) throws {
        self.init(buildingOn: Self.sections(of: document))
        var strays = self
        try document.source.stream(range: 0..<document.source.byteCount) { strays.scan($0) }
        self = strays
    }

    package static func sections(of document: PDFDocument) -> Set<Int> {
        Set(document.sections.map { $0.offset - document.headerOffset })
    }

    /// Takes the next bytes of the document.
    package mutating func scan(_ bytes: Span<UInt8>) {
        // Markers that began in the bytes before.
        for place in (1 - Self.marker.count)..<0 { look(at: place, bytes) }
        ByteSearch.forEach(Self.marker[0], in: bytes) { look(at: $0, bytes) }
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
        for index in Self.marker.indices
        where byte(place + index, bytes) != Self.marker[index] { return }
        let tail = ((place - Self.tailByteCount)..<place).compactMap { byte($0, bytes) }
        if let section = Self.section(in: tail), section == 0 || sections.contains(section) {
            return
        }
        guard ends.count < Self.maximumCount else {
            isComplete = false
            return
        }
        ends.append(byteCount + place + Self.marker.count)
    }

    /// The offset that stands behind `startxref`; nil when it stands otherwise.
    private static func section(in tail: [UInt8]) -> Int? {
        guard let found = tail.lastRange(of: keyword) else { return nil }
        let digits = tail[found.upperBound...].filter { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
