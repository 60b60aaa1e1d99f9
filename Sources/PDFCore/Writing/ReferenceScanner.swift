import CodecBridge

/// Finds the numbers that bytes may refer to. The bytes may be objects, bytes between objects, or
/// stream data.
///
/// A reference is a number, another number and `R`, separated by white space or comments (ISO
/// 32000-2 §7.3.10). There are three cases: a comment follows the first number, a comment follows
/// the second one, or there is no comment. So it suffices to examine the bytes before every `R` and
/// `%`, without tracking strings, comments and streams. Some of the numbers found are not
/// referenced. They only leave gaps in the numbering.
package struct ReferenceScanner {
    package private(set) var numbers = ObjectNumberSet()
    /// The last two numbers of the scanned bytes, if a reference may continue with them: as text,
    /// shortened.
    private var carried: [UInt8] = []

    /// Length in characters, without leading zeros, above which a number is not that of an object.
    private static let longestSpelling = 64

    package init() {}

    /// Scans the next part of the data.
    package mutating func scan(_ bytes: Span<UInt8>) {
        ByteSearch.forEach(UInt8(ascii: "R"), or: UInt8(ascii: "%"), in: bytes) { hit in
            // An `R` at the end of a word is not a reference.
            if hit == 0 || !Characters.isRegular(Int(bytes[hit - 1]))
                || Self.isNumeric(bytes[hit - 1])
            {
                note(before: hit, in: bytes)
            }
        }
        carry(bytes)
    }

    /// Ends the data: bytes scanned later do not continue it.
    package mutating func end() { carried = [] }

    private mutating func note(before hit: Int, in bytes: Span<UInt8>) {
        if noteUsual(before: hit, in: bytes) { return }
        let isComment = bytes[hit] == UInt8(ascii: "%")
        var cursor = hit
        skipWhiteSpace(before: &cursor, bytes)
        let last = number(before: &cursor, bytes)
        guard cursor < last else { return }
        if isComment { insert(cursor..<last, of: bytes) }
        guard skipWhiteSpace(before: &cursor, bytes) else { return }
        let first = number(before: &cursor, bytes)
        if cursor < first { insert(cursor..<first, of: bytes) }
    }

    /// The end of almost all references, ` 0 R`, with the first byte lowest.
    private static let usualEnd: UInt64 = 0x5220_3020

    /// Fast path for the usual bytes before a hit: a number of at most seven digits and generation
    /// 0, each followed by one space.
    ///
    /// - Returns: Whether the bytes had this form.
    private mutating func noteUsual(before hit: Int, in bytes: Span<UInt8>) -> Bool {
        let end = hit - 3
        guard end >= 8, bytes.eightBytes(at: end - 4) >> 32 == Self.usualEnd else { return false }
        let text = EightDigits(bytes, at: end - 8)
        let count = text.trailingCount
        guard (1...7).contains(count), !Self.isNumeric(text[7 - count]) else { return false }
        numbers.insert(text.number(ofLast: count))
        return true
    }

    /// The byte at a position; positions below 0 are in ``carried``.
    private func byte(_ place: Int, in bytes: Span<UInt8>) -> UInt8? {
        if place >= 0 { return bytes[place] }
        let index = carried.count + place
        return index >= 0 ? carried[index] : nil
    }

    /// Skips white space and delimiters, because viewers ignore delimiters in damaged objects.
    @discardableResult
    private func skipWhiteSpace(before cursor: inout Int, _ bytes: Span<UInt8>) -> Bool {
        let end = cursor
        while let byte = byte(cursor - 1, in: bytes), !Characters.isRegular(Int(byte)),
            byte != UInt8(ascii: "%")
        { cursor -= 1 }
        return cursor < end
    }

    /// Moves to the beginning of a number, in any notation that a viewer accepts.
    ///
    /// - Returns: The end of the number.
    private func number(before cursor: inout Int, _ bytes: Span<UInt8>) -> Int {
        let end = cursor
        while let byte = byte(cursor - 1, in: bytes), Self.isNumeric(byte) { cursor -= 1 }
        return end
    }

    private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"),
            UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// Records the number at a position with all of its digits, and other values that lenient
    /// viewers may read. Some viewers ignore a minus sign among digits.
    private mutating func insert(_ range: Range<Int>, of bytes: Span<UInt8>) {
        var (value, joined): (Int?, Int?)
        var isPlain = true
        func next(_ value: Int?, byte: UInt8) -> Int {
            min((value ?? 0) * 10 + Int(byte) - 48, PDFLimits.objectNumber + 1)
        }
        for place in range {
            guard let byte = byte(place, in: bytes) else { return }
            if (48...57).contains(byte) {
                (value, joined) = (next(value, byte: byte), next(joined, byte: byte))
                continue
            }
            isPlain = false
            if let value { numbers.insert(value) }
            value = nil
            guard byte != UInt8(ascii: "-") else { continue }
            if let joined { numbers.insert(joined) }
            joined = nil
        }
        if let value { numbers.insert(value) }
        guard !isPlain else { return }
        if let joined { numbers.insert(joined) }
        let spelling = text(withoutLead(range, in: bytes).prefix(Self.longestSpelling), bytes)
        if let real = Double("0" + String(decoding: spelling, as: UTF8.self)),
            real.magnitude <= Double(PDFLimits.objectNumber)
        {
            numbers.insert(Int(real.magnitude.rounded(.down)))
            numbers.insert(Int(real.magnitude.rounded(.up)))
        }
    }

    /// Keeps the end of the bytes that a reference may continue: two numbers and the white space
    /// between and after them.
    private mutating func carry(_ bytes: Span<UInt8>) {
        var cursor = bytes.count
        let space: [UInt8] = [32]
        let tail = skipWhiteSpace(before: &cursor, bytes) ? space : []
        let last = shortened(number(before: &cursor, bytes), from: cursor, bytes)
        let between = skipWhiteSpace(before: &cursor, bytes) ? space : []
        let first = shortened(number(before: &cursor, bytes), from: cursor, bytes)
        carried = first + between + last + tail
    }

    /// A number that may continue, shortened so that the recorded values are the same.
    private mutating func shortened(_ end: Int, from start: Int, _ bytes: Span<UInt8>) -> [UInt8] {
        guard start < end else { return [] }
        let range = withoutLead(start..<end, in: bytes)
        let most = Self.longestSpelling
        guard range.count > 2 * most else { return [48] + text(range, bytes) }
        insert(range, of: bytes)
        return text(range.prefix(most), bytes) + [UInt8(ascii: "+")] + tail(of: range, bytes)
    }

    /// A number of digits that exceeds that of every object number.
    private static let tooManyDigits = 10

    /// The end of a number: digits with at most one minus sign among them.
    private func tail(of range: Range<Int>, _ bytes: Span<UInt8>) -> [UInt8] {
        let minus = UInt8(ascii: "-")
        var (before, last): ([UInt8], [UInt8]) = ([], [])
        var hasMinus = false
        for place in range {
            guard let byte = byte(place, in: bytes) else { continue }
            if (48...57).contains(byte) {
                // Leading zeros are reduced to one.
                if last == [48], before.isEmpty { last = [] }
                if last.count < 2 * Self.tooManyDigits { last.append(byte) }
            } else if byte == minus {
                before += last
                before = Array(before.drop { $0 == 48 }.prefix(Self.tooManyDigits))
                (last, hasMinus) = ([], true)
            } else {
                (before, last, hasMinus) = ([], [], false)
            }
        }
        return before + (hasMinus ? [minus] : []) + last
    }

    private static let lead: [UInt8] = [48, UInt8(ascii: "+"), UInt8(ascii: "-")]

    private func withoutLead(_ range: Range<Int>, in bytes: Span<UInt8>) -> Range<Int> {
        let start = range.first { place in
            byte(place, in: bytes).map { !Self.lead.contains($0) } ?? false
        }
        return (start ?? range.upperBound)..<range.upperBound
    }

    private func text(_ range: Range<Int>, _ bytes: Span<UInt8>) -> [UInt8] {
        range.compactMap { byte($0, in: bytes) }
    }
}
