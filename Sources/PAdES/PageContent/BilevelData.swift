import PDFCore

/// What JBIG2 data in a document say of themselves (ITU-T T.88 §7, ISO 32000-2 §7.4.7), and what about
/// that readers take in different ways.
struct JBIG2Header {
    private(set) var width = 0
    /// Nil where only its stripes say it, of which the last one ends there.
    private(set) var height: Int?
    private(set) var stripeEnd: Int?
    /// What readers do not agree about, in words.
    private(set) var doubt: String?

    private struct Segment {
        let kind: Int
        let page: Int
        let data: Range<Int>
    }

    private static let segmentLimit = 10_000
    private static let (pageKind, genericKinds) = (48, 38...39)
    /// Symbols and patterns, which other images may share.
    private static let dictionaries: Set<Int> = [0, 16]
    /// Texts, halftones, bitmaps and refinements that are drawn at once.
    private static let regions: Set<Int> = [6, 7, 22, 23, 38, 39, 42, 43]
    /// The end of a page, of a stripe, and of all.
    private static let ends = 49...51
    private static let stripeKind = 50
    private static let operators = 4
    /// A height that is not known yet.
    private static let unknown = 0xFFFF_FFFF
    /// What arithmetic coding ends with.
    private static let endOfCode = 0xFFAC

    /// - Parameter shared: the segments that several images share.
    init(_ data: ImageData, shared: ImageData?) throws {
        if let shared {
            for segment in try segments(of: shared)
            where !Self.dictionaries.contains(segment.kind) || segment.page != 0 {
                doubt = "its JBIG2 data share what is drawn"
            }
        }
        for segment in try segments(of: data) where doubt == nil { try take(segment, data) }
        if doubt == nil, width == 0 { doubt = "its JBIG2 data have no page" }
    }

    private mutating func segments(of data: ImageData) throws -> [Segment] {
        var found: [Segment] = []
        var position = 0
        // White space may follow the last one.
        while position + Self.leastByteCount <= data.count {
            guard found.count < Self.segmentLimit,
                let segment = try segment(at: position, in: data),
                segment.data.upperBound <= data.count
            else {
                doubt = "its JBIG2 data are cut off"
                return found
            }
            found.append(segment)
            position = segment.data.upperBound
        }
        return found
    }

    /// Of a segment without data.
    private static let leastByteCount = 11

    private func segment(at start: Int, in data: ImageData) throws -> Segment? {
        guard let number = try data.number(at: start, 4),
            let flags = try data.number(at: start + 4, 1),
            let short = try data.number(at: start + 5, 1)
        else { return nil }
        var (count, position) = (short >> 5, start + 6)
        if count == 7 {
            guard let long = try data.number(at: start + 5, 4) else { return nil }
            count = long & 0x1FFF_FFFF
            position = start + 9 + (count + 8) / 8
        }
        position += count * (number <= 256 ? 1 : number <= 65_536 ? 2 : 4)
        let size = flags & 64 == 0 ? 1 : 4
        guard position < data.count, let page = try data.number(at: position, size),
            let length = try data.number(at: position + size, 4)
        else { return nil }
        let begin = position + size + 4
        return Segment(kind: flags & 63, page: page, data: begin..<(begin + length))
    }

    private mutating func take(_ segment: Segment, _ data: ImageData) throws {
        let start = segment.data.lowerBound
        guard segment.page <= 1 else {
            doubt = "its JBIG2 data have more than one page"
            return
        }
        switch segment.kind {
        case Self.stripeKind: stripeEnd = try data.number(at: start, 4).map { $0 + 1 }
        case let kind where Self.dictionaries.contains(kind) || Self.ends.contains(kind): return
        case Self.pageKind:
            guard width == 0, segment.page == 1, let width = try data.number(at: start, 4),
                width > 0,
                let height = try data.number(at: start + 4, 4)
            else {
                doubt = "its JBIG2 data have more than one page, or one without a size"
                return
            }
            self.width = width
            self.height = height == Self.unknown ? nil : height
        case let kind where Self.regions.contains(kind) && width > 0: try takeRegion(segment, data)
        default: doubt = "its JBIG2 data have parts that not all readers know"
        }
    }

    private mutating func takeRegion(_ segment: Segment, _ data: ImageData) throws {
        let start = segment.data.lowerBound
        let sides = try [0, 4, 8, 12].compactMap { try data.number(at: start + $0, 4) }
        guard sides.count == 4, let flags = try data.number(at: start + 16, 1),
            flags & 7 <= Self.operators, sides[0] + sides[2] <= width,
            height.map({ sides[1] + sides[3] <= $0 }) ?? true
        else {
            doubt = "its JBIG2 data draw beyond their page"
            return
        }
        guard Self.genericKinds.contains(segment.kind) else { return }
        let coding = try data.number(at: start + 17, 1) ?? 0
        // Coded for fax, or as a number that comes to an end.
        if coding & 1 == 0, try data.number(at: segment.data.upperBound - 2, 2) != Self.endOfCode {
            doubt = "its JBIG2 data have a part that does not end"
        }
    }
}

/// What the data of a fax begin and end with (ITU-T T.4 and T.6), as far as it tells whether they are
/// written as their parameters say.
enum FaxData {
    /// How many zeros there are at least before the one of an end of line, and in the data of a line.
    private static let endOfLine: UInt64 = 0x001
    private static let endOfBlock: UInt64 = 0x00_1001
    private static let tailByteCount = 16
    static let endBitCount = 24

    /// - Parameter scheme: below 0 for two dimensions alone.
    /// - Returns: What departs, in words; nil for nothing.
    static func doubt(about data: ImageData, scheme: Int) throws -> String? {
        let tail = try data.bytes(at: max(0, data.count - tailByteCount), count: tailByteCount)
        guard scheme < 0 else {
            // Data of lines end with six ends of line, or with none.
            return endsBlock(tail) && !endsBlock(tail, after: endOfLine)
                ? "its data for fax are of another scheme" : nil
        }
        guard let head = try data.number(at: 0, 3) else { return "its data for fax are cut off" }
        if head >> 12 == endOfLine { return "its data for fax are of another scheme" }
        return nil
    }

    /// Whether the end is marked, which programs may leave out where the height is said.
    static func hasEnd(_ data: ImageData) throws -> Bool {
        endsBlock(try data.bytes(at: max(0, data.count - tailByteCount), count: tailByteCount))
    }

    /// - Parameter last: the twelve bits before the end, where they matter.
    private static func endsBlock(_ tail: [UInt8], after last: UInt64? = nil) -> Bool {
        var bits: UInt64 = 0
        var count = 0
        for byte in tail {
            for index in 0..<8 {
                bits = bits << 1 | UInt64(byte >> UInt8(7 - index) & 1)
                count += 1
                guard count >= endBitCount, bits & 0xFF_FFFF == endOfBlock else { continue }
                if last == nil || bits >> 24 & 0xFFF == last { return true }
            }
        }
        return false
    }
}
