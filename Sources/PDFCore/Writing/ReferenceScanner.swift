import CodecBridge

/// Finds the numbers that bytes may refer to, whatever the bytes are: objects, what stands between
/// them, or data of streams.
///
/// A reference is a number, another one, and `R`, with white space or comments between them
/// (ISO 32000-2 §7.3.10). Three cases are all: a comment follows the first number, a comment
/// follows the second one, or there is none. So it is enough to look at what stands before every
/// `R` and every `%`, and nothing need be known of where strings, comments and streams begin. More
/// numbers are found than there are references; that costs nothing but gaps.
package struct ReferenceScanner {
    package private(set) var numbers = ObjectNumberSet()
    /// The last two numbers of what was scanned, if something may follow them: as text, shortened.
    private var carried: [UInt8] = []

    /// What stands before those of them that a number may stand before: not what words end with.
    private static let ends = ByteSearch.ByteSet { byte in
        !Characters.isRegular(Int(byte)) || isNumeric(byte)
    }

    /// Characters of a number, leading zeros aside, beyond which it is none of an object.
    private static let longestSpelling = 64

    package init() {}

    /// Takes the next bytes of a whole.
    package mutating func scan(_ bytes: Span<UInt8>) {
        ByteSearch.forEach(
            UInt8(ascii: "R"), or: UInt8(ascii: "%"), behind: Self.ends, in: bytes
        ) { hit in
            note(before: hit, in: bytes)
        }
        carry(bytes)
    }

    /// Ends a whole: what comes next has nothing to do with it.
    package mutating func end() { carried = [] }

    private mutating func note(before hit: Int, in bytes: Span<UInt8>) {
        if noteUsual(before: hit, in: bytes) { return }
        let isComment = bytes[hit] == UInt8(ascii: "%")
        var cursor = hit
        skipWhiteSpace(before: &cursor, bytes)
        let last = number(before: &cursor, bytes)
        guard cursor < last else { return }
        if isComment { insert(cursor..<last, bytes) }
        guard skipWhiteSpace(before: &cursor, bytes) else { return }
        let first = number(before: &cursor, bytes)
        if cursor < first { insert(cursor..<first, bytes) }
    }

    /// What stands behind the number of nearly all references, ` 0 R`, the first byte lowest.
    private static let usualEnd: UInt64 = 0x5220_3020

    /// Does the same for what stands before nearly every hit: a number of at most seven digits and
    /// generation 0 with one space behind each.
    ///
    /// - Returns: Whether that was all.
    private mutating func noteUsual(before hit: Int, in bytes: Span<UInt8>) -> Bool {
        let end = hit - 3
        guard end >= 8, bytes.eightBytes(at: end - 4) >> 32 == Self.usualEnd else { return false }
        let text = EightDigits(bytes, at: end - 8)
        let count = text.trailingCount
        guard (1...7).contains(count), !Self.isNumeric(text[7 - count]) else { return false }
        numbers.insert(text.number(ofLast: count))
        return true
    }

    /// What stands at a place; places below 0 are in ``carried``.
    private func byte(_ place: Int, _ bytes: Span<UInt8>) -> UInt8? {
        if place >= 0 { return bytes[place] }
        let index = carried.count + place
        return index >= 0 ? carried[index] : nil
    }

    /// Steps over white space, and over delimiters: in damaged objects readers pass over those.
    @discardableResult
    private func skipWhiteSpace(before cursor: inout Int, _ bytes: Span<UInt8>) -> Bool {
        let end = cursor
        while let byte = byte(cursor - 1, bytes), !Characters.isRegular(Int(byte)),
            byte != UInt8(ascii: "%")
        {
            cursor -= 1
        }
        return cursor < end
    }

    /// Steps to the beginning of a number, as any reader may spell it.
    ///
    /// - Returns: where it ends.
    private func number(before cursor: inout Int, _ bytes: Span<UInt8>) -> Int {
        let end = cursor
        while let byte = byte(cursor - 1, bytes), Self.isNumeric(byte) { cursor -= 1 }
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

    /// Notes the number at a place: all of its digits, and where there is more than digits, what
    /// lenient readers may make of it.
    private mutating func insert(_ range: Range<Int>, _ bytes: Span<UInt8>) {
        var value: Int?
        var isPlain = true
        for place in range {
            guard let byte = byte(place, bytes) else { return }
            if (48...57).contains(byte) {
                value = min((value ?? 0) * 10 + Int(byte) - 48, PDFLimits.objectNumber + 1)
            } else {
                if let value { numbers.insert(value) }
                value = nil
                isPlain = false
            }
        }
        if let value { numbers.insert(value) }
        guard !isPlain else { return }
        let signs: [UInt8] = [UInt8(ascii: "+"), UInt8(ascii: "-")]
        let spelling = range.prefix(Self.longestSpelling).compactMap { byte($0, bytes) }
            .drop { signs.contains($0) }
        if let real = Double(String(decoding: spelling, as: UTF8.self)),
            real.magnitude <= Double(PDFLimits.objectNumber)
        {
            numbers.insert(Int(real.magnitude.rounded(.down)))
            numbers.insert(Int(real.magnitude.rounded(.up)))
        }
    }

    /// Keeps what the next bytes may go on with: two numbers, the space between them, and behind.
    private mutating func carry(_ bytes: Span<UInt8>) {
        var cursor = bytes.count
        let space: [UInt8] = [32]
        let tail = skipWhiteSpace(before: &cursor, bytes) ? space : []
        let last = shortened(number(before: &cursor, bytes), from: cursor, bytes)
        let between = skipWhiteSpace(before: &cursor, bytes) ? space : []
        let first = shortened(number(before: &cursor, bytes), from: cursor, bytes)
        carried = first + between + last + tail
    }

    /// What a number begins and ends with, with a point between them where there is more: zeros may
    /// stand anywhere in it.
    private func shortened(_ end: Int, from start: Int, _ bytes: Span<UInt8>) -> [UInt8] {
        let most = Self.longestSpelling
        func part(_ range: Range<Int>) -> [UInt8] { range.compactMap { byte($0, bytes) } }
        guard end - start > 2 * most else { return part(start..<end) }
        return part(start..<(start + most)) + [UInt8(ascii: ".")] + part((end - most)..<end)
    }
}
