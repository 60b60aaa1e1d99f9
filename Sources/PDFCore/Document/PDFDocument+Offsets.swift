import Base
import CodecBridge

extension PDFDocument {
    /// Whether a section or an object is not exactly at its listed offset. Viewers repair that
    /// differently.
    package func hasInexactOffsets() throws(PDFError) -> Bool {
        let inexact: Set<PDFWarning.Code> = [.crossReferenceOffset, .objectOffset]
        if !reader.warnings.codes.isDisjoint(with: inexact) { return true }
        return try entryExactness() != .exact
    }

    /// Whether cross-reference entries have the exact offsets of object headers.
    enum EntryExactness: Int, Comparable {
        case exact
        /// White space precedes the header.
        case beforeWhiteSpace
        case elsewhere

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    func entryExactness() throws(PDFError) -> EntryExactness {
        if let known = knownExactness { return known }
        var window = BlockWindow(reader.cache.forReadingAll)
        var least = EntryExactness.exact
        for section in sections where section.kind != .rebuilt {
            // Entries are read in file order, so that each block is read once.
            var highest = 0
            var behind: [(offset: Int, number: Int)] = []
            let elsewhere = try section.firstEntry { (entry) throws(PDFError) in
                // Many producers write offset 0 for objects that do not exist.
                guard case .offset(let offset, _) = entry.location, entry.number > 0, offset > 0
                else { return false }
                guard offset > highest else {
                    behind.append((offset, entry.number))
                    return false
                }
                highest = offset
                least = max(least, try Self.exactness(of: entry.number, at: offset, &window))
                return least == .elsewhere
            }
            if elsewhere != nil { break }
            for (offset, number) in behind.sorted(by: { $0.offset < $1.offset })
            where least != .elsewhere {
                least = max(least, try Self.exactness(of: number, at: offset, &window))
            }
        }
        knownExactness = least
        return least
    }

    @inline(__always)
    private static func exactness(
        of number: Int, at offset: Int, _ window: inout BlockWindow
    ) throws(PDFError) -> EntryExactness {
        if try isUsualHeader(of: number, at: offset, &window) { return .exact }
        if try stands(number, at: offset, &window) { return .exact }
        let place = try skippingWhiteSpace(from: offset, &window)
        return try stands(number, at: place, &window) ? .beforeWhiteSpace : .elsewhere
    }

    /// Whether the offset has `number 0 obj`, as nearly all programs write it.
    @inline(__always)
    private static func isUsualHeader(
        of number: Int, at offset: Int, _ window: inout BlockWindow
    ) throws(PDFError) -> Bool {
        try window.withBytes(at: offset - 1, count: usualHeaderByteCount) { (block, start) in
            let bytes = block.span
            guard start + usualHeaderByteCount <= bytes.count,
                !Characters.isDigit(Int(bytes[start]))
            else { return false }
            let digits = EightDigits(bytes, at: start + 1)
            let count = digits.leadingCount
            guard (1..<8).contains(count), digits.number(ofFirst: count) == number else {
                return false
            }
            return bytes.eightBytes(at: start + 1 + count) & 0xFFFF_FFFF_FFFF == behindUsualNumber
        }
    }

    /// ` 0 obj` as a little-endian number.
    private static let behindUsualNumber: UInt64 = 0x6A62_6F20_3020
    /// Number of bytes read for a usual header: the one before it, and sixteen that are compared
    /// eight at a time.
    private static let usualHeaderByteCount = 17

    private static func skippingWhiteSpace(
        from offset: Int, _ window: inout BlockWindow
    ) throws(PDFError) -> Int {
        var position = offset
        while position - offset < PDFLimits.nearbyByteCount,
            let byte = try window.byte(at: position), Characters.isWhiteSpace(Int(byte))
        { position += 1 }
        return position
    }

    /// Whether an object header is exactly at the offset: number, generation and `obj`, separated
    /// only by white space.
    private static func stands(
        _ number: Int, at offset: Int, _ window: inout BlockWindow
    ) throws(PDFError) -> Bool {
        if let byte = try window.byte(at: offset - 1), Characters.isDigit(Int(byte)) {
            return false
        }
        var position = offset
        guard try Self.number(at: &position, &window) == number,
            try skipSpace(at: &position, &window), try Self.number(at: &position, &window) != nil,
            try skipSpace(at: &position, &window)
        else { return false }
        for letter in Keyword.Spelling.obj {
            guard try window.byte(at: position) == letter else { return false }
            position += 1
        }
        return true
    }

    private static func number(
        at position: inout Int, _ window: inout BlockWindow
    ) throws(PDFError) -> Int? {
        let start = position
        var value = 0
        while let byte = try window.byte(at: position), Characters.isDigit(Int(byte)) {
            guard value <= PDFLimits.objectNumber, position - start < PDFLimits.nearbyByteCount
            else { return nil }
            value = value * 10 + Int(byte) - 48
            position += 1
        }
        return position > start ? value : nil
    }

    /// Skips white space, at most as much as viewers skip. Returns false if there is none.
    private static func skipSpace(
        at position: inout Int, _ window: inout BlockWindow
    ) throws(PDFError) -> Bool {
        let start = position
        while let byte = try window.byte(at: position),
            byte == 9 || byte == 10 || byte == 13 || byte == 32,
            position - start < PDFLimits.nearbyByteCount
        { position += 1 }
        return position > start
    }
}
