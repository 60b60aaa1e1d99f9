import ByteKit

/// Where an object is.
package enum ObjectLocation: Hashable, Sendable {
    /// At this byte of the file.
    case offset(Int, generation: Int)
    /// In an object stream, at this index.
    case compressed(stream: Int, index: Int)
    /// Nowhere: the number is free.
    case free
}

/// One object that a cross-reference section speaks of.
package struct CrossReferenceEntry: Hashable, Sendable {
    package let number: Int
    package let location: ObjectLocation

    package init(number: Int, location: ObjectLocation) {
        self.number = number
        self.location = location
    }
}

/// The entries of one section, looked up where they are: in the file for a table, in packed rows
/// for a stream. A section of a million objects costs no more than its bytes, a table nothing.
struct CrossReferenceEntries {
    /// A run of consecutive object numbers.
    struct Subsection {
        let first: Int
        let count: Int
        /// Where the first entry is: a position in the file, or the index of a row.
        let start: Int
    }

    enum Storage {
        /// Entries of exactly 20 bytes in the file (ISO 32000-2 §7.5.4).
        case table(BlockCache)
        /// Rows of three big-endian numbers (ISO 32000-2 §7.5.8.3).
        case rows([UInt8], widths: RowWidths)
    }

    struct RowWidths {
        let type: Int
        let second: Int
        let third: Int
        var total: Int { type + second + third }
    }

    /// The bytes of an entry in a table.
    static let tableEntryByteCount = 20

    /// Sorted by first number, without overlap.
    private let subsections: [Subsection]
    private let storage: Storage
    /// What is added to every offset to get a position in the file.
    private let offsetBase: Int

    /// - Returns: `nil` when subsections overlap: no two readers would agree about such a section.
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

    /// How much memory the entries take, about: a table's stay in the file.
    var byteCount: Int {
        let rows =
            switch storage {
            case .table: 0
            case .rows(let bytes, _): bytes.count
            }
        return rows + subsections.count * MemoryLayout<Subsection>.stride
    }

    /// What in the rows of a stream readers take differently; nil when there is nothing, and for
    /// tables.
    ///
    /// - Parameter byteCount: of the file. Some readers search a file for its objects when any entry
    ///   leads out of it.
    func irregularity(in byteCount: Int) -> String? {
        guard case .rows(let bytes, let widths) = storage else { return nil }
        let rowCount = subsections.reduce(0) { $0 + $1.count }
        guard bytes.count == rowCount * widths.total else {
            return "\(bytes.count) bytes for \(rowCount) entries"
        }
        for subsection in subsections {
            for row in 0..<subsection.count {
                let start = (subsection.start + row) * widths.total
                let isFirst = subsection.first + row == 0
                guard Self.isRegular(bytes, start, widths, byteCount - offsetBase, isFirst) else {
                    return "an entry that leads nowhere"
                }
            }
        }
        return nil
    }

    /// - Parameter isFirst: whether the row is that of number 0, which no object has.
    private static func isRegular(
        _ bytes: [UInt8], _ start: Int, _ widths: RowWidths, _ limit: Int, _ isFirst: Bool
    ) -> Bool {
        let type = widths.type == 0 ? 1 : field(bytes, start, widths.type)
        if widths.second < MemoryLayout<Int>.size, widths.third < MemoryLayout<Int>.size {
            // Such numbers always fit. Most entries are of objects in object streams.
            switch type {
            case 0: return true
            case 2: return !isFirst
            default: break
            }
        }
        let second = field(bytes, start + widths.type, widths.second)
        let third = field(bytes, start + widths.type + widths.second, widths.third)
        switch (type, second, third) {
        case (0, .some, .some): return true
        case (1, let offset?, let generation?):
            return offset > 0 && offset < limit && generation <= 65_535 && !isFirst
        case (2, .some, .some): return !isFirst
        default: return false
        }
    }

    /// The highest number the section speaks of, -1 when there is none.
    var highestNumber: Int {
        subsections.last.map { $0.first + $0.count - 1 } ?? -1
    }

    /// The numbers the section speaks of, ascending.
    var numberRanges: [Range<Int>] { subsections.map { $0.first..<($0.first + $0.count) } }

    /// What the section says about an object; `nil` when it does not mention it.
    func location(of number: Int) throws(PDFError) -> ObjectLocation? {
        var low = 0
        var high = subsections.count
        while low < high {
            let middle = (low + high) / 2
            if subsections[middle].first <= number { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let subsection = subsections[low - 1]
        let index = number - subsection.first
        guard index < subsection.count else { return nil }
        var window = tableWindow
        return try location(index, in: subsection, &window)
    }

    /// The first entry, by ascending number, that `isWanted` accepts.
    func first(
        where isWanted: (CrossReferenceEntry) throws(PDFError) -> Bool
    ) throws(PDFError) -> CrossReferenceEntry? {
        // One for all entries: most stand in the same block as the one before.
        var window = tableWindow
        for subsection in subsections {
            for index in 0..<subsection.count {
                let entry = CrossReferenceEntry(
                    number: subsection.first + index,
                    location: try location(index, in: subsection, &window))
                if try isWanted(entry) { return entry }
            }
        }
        return nil
    }

    private var tableWindow: BlockWindow? {
        if case .table(let cache) = storage { BlockWindow(cache) } else { nil }
    }

    private func location(
        _ index: Int, in subsection: Subsection, _ window: inout BlockWindow?
    ) throws(PDFError) -> ObjectLocation {
        switch storage {
        case .table:
            let offset = subsection.start + index * Self.tableEntryByteCount
            let entry = try window?.withBytes(at: offset, count: Self.tableEntryByteCount) {
                TableEntry($0, at: $1)
            }
            guard let entry = entry ?? nil else {
                throw PDFError(.damagedCrossReference, "malformed table entry", offset: offset)
            }
            return entry.location(offsetBase: offsetBase)
        case .rows(let bytes, let widths):
            return Self.row(subsection.start + index, bytes, widths, offsetBase)
        }
    }

    private static func row(
        _ index: Int, _ bytes: [UInt8], _ widths: RowWidths, _ offsetBase: Int
    ) -> ObjectLocation {
        let start = index * widths.total
        guard start >= 0, start + widths.total <= bytes.count else { return .free }
        let type = widths.type == 0 ? 1 : field(bytes, start, widths.type)
        let second = field(bytes, start + widths.type, widths.second)
        let third = field(bytes, start + widths.type + widths.second, widths.third)
        switch (type, second, third) {
        case (1, let offset?, let generation?):
            // Offset 0 holds the header: producers write it for objects that do not exist.
            guard offset > 0, generation <= 65_535,
                let position = offset.addingChecked(offsetBase)
            else { return .free }
            return .offset(position, generation: generation)
        case (2, let stream?, let index?):
            return .compressed(stream: stream, index: index)
        default:
            // Unknown types are references to null (ISO 32000-2 §7.5.8.3).
            return .free
        }
    }

    /// A big-endian number, `nil` when it does not fit.
    @inline(__always)
    private static func field(_ bytes: [UInt8], _ start: Int, _ width: Int) -> Int? {
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

    /// Reads `nnnnnnnnnn ggggg n` and two more bytes.
    init?(_ bytes: [UInt8], at start: Int) {
        guard start >= 0, start + CrossReferenceEntries.tableEntryByteCount <= bytes.count,
            let offset = Self.number(bytes, start, 10),
            let generation = Self.number(bytes, start + 11, 5),
            bytes[start + 10] == 32, bytes[start + 16] == 32
        else { return nil }
        switch bytes[start + 17] {
        case 110: isInUse = true
        case 102: isInUse = false
        default: return nil
        }
        switch (bytes[start + 18], bytes[start + 19]) {
        case (32, 10), (32, 13), (13, 10): break
        default: return nil
        }
        self.offset = offset
        self.generation = generation
    }

    /// Offset 0 holds the header: producers write it for objects that do not exist.
    func location(offsetBase: Int) -> ObjectLocation {
        guard isInUse, offset > 0 else { return .free }
        return .offset(offset + offsetBase, generation: generation)
    }

    @inline(__always)
    private static func number(_ bytes: [UInt8], _ start: Int, _ digitCount: Int) -> Int? {
        var value = 0
        for position in start..<(start + digitCount) {
            let digit = Int(bytes[position]) - 48
            guard digit >= 0, digit <= 9 else { return nil }
            value = value * 10 + digit
        }
        return value
    }
}
