import Base
import CodecBridge

package enum ObjectLocation: Hashable, Sendable {
    /// At this offset in the file.
    case offset(Int, generation: Int)
    /// In an object stream, at this index.
    case compressed(stream: Int, index: Int)
    case free
}

package struct CrossReferenceEntry: Hashable, Sendable {
    package let number: Int
    package let location: ObjectLocation

    package init(number: Int, location: ObjectLocation) {
        self.number = number
        self.location = location
    }
}

/// The entries of one section, read in place: in the file for a table, in packed rows for a stream.
/// A table needs no memory, a stream only its bytes.
struct CrossReferenceEntries {
    /// A run of consecutive object numbers.
    struct Subsection {
        let first: Int
        let count: Int
        /// Position of the first entry in the file (table), or index of the first row (stream).
        let start: Int
    }

    enum Storage {
        /// Entries of exactly 20 bytes in the file (ISO 32000-2 §7.5.4).
        case table(BlockCache)
        /// Rows of three big-endian numbers (ISO 32000-2 §7.5.8.3).
        case rows([UInt8], widths: RowWidths)
    }

    static let tableEntryByteCount = 20

    /// Sorted by first number, without overlap.
    private let subsections: [Subsection]
    private let storage: Storage
    /// Number added to every offset to get a position in the file.
    private let offsetBase: Int

    /// - Returns: `nil` if subsections overlap, because viewers would disagree about them.
    init?(subsections: [Subsection], storage: Storage, offsetBase: Int) {
        var sorted = subsections.filter { $0.count > 0 }
        let pairs = sorted.indices.dropFirst()
        if pairs.contains(where: { sorted[$0 - 1].first > sorted[$0].first }) {
            sorted.sort { $0.first < $1.first }
        }
        if pairs.contains(where: {
            sorted[$0 - 1].first + sorted[$0 - 1].count > sorted[$0].first
        }) {
            return nil
        }
        self.subsections = sorted
        self.storage = storage
        self.offsetBase = offsetBase
    }

    /// Approximate memory size of the entries; a table's entries stay in the file.
    var byteCount: Int {
        let rows =
            switch storage {
            case .table: 0
            case .rows(let bytes, _): bytes.count
            }
        return rows + subsections.count * MemoryLayout<Subsection>.stride
    }

    /// A property of a stream's rows that viewers interpret differently; nil for tables, or if
    /// there is none.
    ///
    /// - Parameter byteCount: size of the file. Some viewers search a file for its objects if an
    ///   entry is outside it.
    func irregularity(in byteCount: Int) -> String? {
        guard case .rows(let bytes, let widths) = storage else { return nil }
        let rowCount = subsections.reduce(0) { $0 + $1.count }
        guard bytes.count == rowCount * widths.total else {
            return "\(bytes.count) bytes for \(rowCount) entries"
        }
        let limit = byteCount - offsetBase
        for subsection in subsections {
            for index in 0..<subsection.count {
                let row = widths.row(subsection.start + index, of: bytes.span)
                guard Self.isRegular(row, limit: limit, isFirst: subsection.first + index == 0)
                else {
                    return "an entry without a target"
                }
            }
        }
        return nil
    }

    /// - Parameter isFirst: Whether the row is that of object number 0, which is always free.
    @inline(__always)
    private static func isRegular(_ row: Row?, limit: Int, isFirst: Bool) -> Bool {
        guard let row else { return false }
        switch row.type {
        case 0: return true
        case 1: return row.second > 0 && row.second < limit && row.third <= 65_535 && !isFirst
        case 2: return !isFirst
        default: return false
        }
    }

    /// The highest number in the section, -1 if there is none.
    var highestNumber: Int { subsections.last.map { $0.first + $0.count - 1 } ?? -1 }

    /// The numbers in the section, ascending.
    var numberRanges: [Range<Int>] { subsections.map { $0.first..<($0.first + $0.count) } }

    /// The location of an object; `nil` if the section has no entry for it.
    func location(of number: Int) throws(PDFError) -> ObjectLocation? {
        let next = subsections.partitioningIndex { $0.first > number }
        guard next > 0 else { return nil }
        let subsection = subsections[next - 1]
        let index = number - subsection.first
        guard index < subsection.count else { return nil }
        switch storage {
        case .rows(let bytes, let widths):
            return Self.location(
                widths.row(subsection.start + index, of: bytes.span), offsetBase: offsetBase)
        case .table(let cache):
            var window = BlockWindow(cache)
            return try Self.location(index, in: subsection, &window, offsetBase)
        }
    }

    /// The first entry, by ascending number, that `isWanted` accepts.
    func first(
        where isWanted: (CrossReferenceEntry) throws(PDFError) -> Bool
    ) throws(PDFError) -> CrossReferenceEntry? {
        switch storage {
        case .rows(let bytes, let widths):
            return try search(for: isWanted) { (subsection, index) throws(PDFError) in
                Self.location(
                    widths.row(subsection.start + index, of: bytes.span), offsetBase: offsetBase)
            }
        case .table(let cache):
            // One window for all entries, because most are in the same block as the previous entry.
            var window = BlockWindow(cache)
            return try search(for: isWanted) { (subsection, index) throws(PDFError) in
                try Self.location(index, in: subsection, &window, offsetBase)
            }
        }
    }

    @inline(__always)
    private func search(
        for isWanted: (CrossReferenceEntry) throws(PDFError) -> Bool,
        locatedBy location: (Subsection, Int) throws(PDFError) -> ObjectLocation
    ) throws(PDFError) -> CrossReferenceEntry? {
        for subsection in subsections {
            for index in 0..<subsection.count {
                let entry = CrossReferenceEntry(
                    number: subsection.first + index,
                    location: try location(subsection, index))
                if try isWanted(entry) { return entry }
            }
        }
        return nil
    }

    @inline(__always)
    private static func location(
        _ index: Int, in subsection: Subsection, _ window: inout BlockWindow, _ offsetBase: Int
    ) throws(PDFError) -> ObjectLocation {
        let offset = subsection.start + index * tableEntryByteCount
        let entry = try window.withBytes(at: offset, count: tableEntryByteCount) {
            TableEntry($0.span, at: $1)
        }
        guard let entry else {
            throw PDFError(.damagedCrossReference, "malformed table entry", offset: offset)
        }
        return entry.location(offsetBase: offsetBase)
    }

    @inline(__always)
    private static func location(_ row: Row?, offsetBase: Int) -> ObjectLocation {
        guard let row else { return .free }
        switch row.type {
        case 1:
            // Offset 0 is the header: producers write it for objects that do not exist.
            guard row.second > 0, row.third <= 65_535,
                let position = row.second.addingChecked(offsetBase)
            else { return .free }
            return .offset(position, generation: row.third)
        case 2: return .compressed(stream: row.second, index: row.third)
        default:
            // Unknown types are references to null (ISO 32000-2 §7.5.8.3).
            return .free
        }
    }
}

/// A row of a cross-reference stream (ISO 32000-2 §7.5.8.3).
private struct Row {
    let type: Int
    let second: Int
    let third: Int
}

/// The byte widths of the three numbers of a row, each at most 8.
struct RowWidths {
    let type: Int
    let second: Int
    let third: Int
    let total: Int
    /// Shifts and masks of the numbers in the eight bytes that start at a row. `nil` if a row is
    /// longer than eight bytes, or if a number may exceed `Int`.
    private let parts: (type: Part, second: Part, third: Part)?

    private struct Part {
        let shift: UInt64
        let mask: UInt64

        init(width: Int, endingAt end: Int) {
            // `&>>` by 64 would shift by 0; the mask makes the value 0 in any case.
            shift = width == 0 ? 0 : UInt64(UInt64.bitWidth - 8 * end)
            mask = (1 << UInt64(8 * width)) - 1
        }

        @inline(__always)
        func value(_ bytes: UInt64) -> Int { Int(truncatingIfNeeded: (bytes &>> shift) & mask) }
    }

    init(type: Int, second: Int, third: Int) {
        (self.type, self.second, self.third) = (type, second, third)
        total = type + second + third
        let size = MemoryLayout<UInt64>.size
        guard total <= size, max(type, second, third) < size else {
            parts = nil
            return
        }
        parts = (
            Part(width: type, endingAt: type), Part(width: second, endingAt: type + second),
            Part(width: third, endingAt: total)
        )
    }

    /// - Returns: `nil` if the row does not exist or one of its numbers exceeds `Int`.
    @inline(__always) fileprivate func row(_ index: Int, of bytes: Span<UInt8>) -> Row? {
        let start = index * total
        // Fewer than eight bytes may follow the start of the last rows.
        guard let parts, start >= 0, start + MemoryLayout<UInt64>.size <= bytes.count else {
            return rowByBytes(start, of: bytes)
        }
        let next = bytes.eightBytes(at: start).byteSwapped
        return Row(
            type: type == 0 ? 1 : parts.type.value(next),
            second: parts.second.value(next), third: parts.third.value(next))
    }

    private func rowByBytes(_ start: Int, of bytes: Span<UInt8>) -> Row? {
        guard start >= 0, start + total <= bytes.count,
            let kind = type == 0 ? 1 : field(start, width: type, in: bytes),
            let middle = field(start + type, width: second, in: bytes),
            let last = field(start + type + second, width: third, in: bytes)
        else { return nil }
        return Row(type: kind, second: middle, third: last)
    }

    /// A big-endian number; `nil` if it exceeds `Int`.
    private func field(_ start: Int, width: Int, in bytes: Span<UInt8>) -> Int? {
        var value: UInt64 = 0
        for position in start..<(start + width) { value = value << 8 | UInt64(bytes[position]) }
        return Int(exactly: value)
    }
}

/// An entry of a cross-reference table (ISO 32000-2 §7.5.4).
struct TableEntry {
    let offset: Int
    let generation: Int
    let isInUse: Bool

    /// Reads `nnnnnnnnnn ggggg n` and the two-byte end of line.
    @inline(__always) init?(_ bytes: Span<UInt8>, at start: Int) {
        guard start >= 0, start + CrossReferenceEntries.tableEntryByteCount <= bytes.count else {
            return nil
        }
        let first = EightDigits(bytes, at: start)
        // The last two digits of the offset, a space, and the five digits of the generation number.
        let next = EightDigits(bytes, at: start + 8)
        // The last four bytes, the first of them lowest.
        let end = bytes.eightBytes(at: start + 12) >> 32
        guard first.nonDigits == 0, next.nonDigits == 0x80_0000, next[2] == 32 else { return nil }
        switch end & 0xFFFF {
        case 0x6E20: isInUse = true
        case 0x6620: isInUse = false
        default: return nil
        }
        switch end >> 16 {
        // A space and one end of line, or both of its characters.
        case 0x0A20, 0x0D20, 0x0A0D: break
        default: return nil
        }
        offset = first.number(ofLast: 8) * 100 + Int(next[0] - 48) * 10 + Int(next[1] - 48)
        generation = next.number(ofLast: 5)
    }

    /// Offset 0 is the header: producers write it for objects that do not exist.
    func location(offsetBase: Int) -> ObjectLocation {
        guard isInUse, offset > 0 else { return .free }
        return .offset(offset + offsetBase, generation: generation)
    }
}
