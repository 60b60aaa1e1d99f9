import Base

extension PDFDocument {
    /// Whether a section or an object is not exactly where it should be: readers repair that
    /// differently.
    package func hasInexactOffsets() throws(PDFError) -> Bool {
        let inexact: Set<PDFWarning.Code> = [.crossReferenceOffset, .objectOffset]
        if !reader.warnings.codes.isDisjoint(with: inexact) { return true }
        return try hasInexactEntries()
    }

    /// Whether an entry leads to where no object's header begins.
    func hasInexactEntries(skippingWhiteSpace: Bool = false) throws(PDFError) -> Bool {
        // Not the objects' own cache: it keeps what is read again.
        var window = BlockWindow(BlockCache(source))
        for section in sections where section.kind != .rebuilt {
            var places: [(offset: Int, number: Int)] = []
            try section.forEachEntry { (entry) throws(PDFError) in
                // Objects at byte 0 are how many programs write that there are none.
                guard case .offset(let offset, _) = entry.location, entry.number > 0, offset > 0
                else { return }
                places.append((offset, entry.number))
            }
            // In the order of the file each block is read once.
            for (offset, number) in places.sorted(by: { $0.offset < $1.offset }) {
                let place =
                    skippingWhiteSpace
                    ? try Self.skippingWhiteSpace(from: offset, &window) : offset
                guard try Self.stands(number, at: place, &window) else { return true }
            }
        }
        return false
    }

    private static func skippingWhiteSpace(
        from offset: Int, _ window: inout BlockWindow
    ) throws(PDFError) -> Int {
        var position = offset
        while position - offset < PDFLimits.nearbyByteCount,
            let byte = try window.byte(at: position), Characters.isWhiteSpace(Int(byte))
        {
            position += 1
        }
        return position
    }

    /// Whether an object's header stands exactly there: its number, its generation and `obj`, with
    /// nothing but white space between.
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
            else {
                return nil
            }
            value = value * 10 + Int(byte) - 48
            position += 1
        }
        return position > start ? value : nil
    }

    /// Whether there is white space at all, and not more than viewers look through.
    private static func skipSpace(
        at position: inout Int, _ window: inout BlockWindow
    ) throws(PDFError) -> Bool {
        let start = position
        while let byte = try window.byte(at: position),
            byte == 9 || byte == 10 || byte == 13 || byte == 32,
            position - start < PDFLimits.nearbyByteCount
        {
            position += 1
        }
        return position > start
    }
}
