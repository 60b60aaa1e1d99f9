import Base

/// Splits bytes into tokens (ISO 32000-2 §7.2 and §7.3).
///
/// Works on a window, a block of the file that is shared with the cache, and moves it when needed.
/// The inner loops access one array and one index.
struct Lexer {
    /// Provides the windows; `nil` if all bytes are in the first one.
    private let cache: BlockCache?
    private var window: [UInt8]
    /// The position of the window's first byte.
    private var windowStart: Int
    private var index: Int
    /// Start of the token that was read last.
    private(set) var tokenStart: Int
    /// Whether some viewers may read one of the tokens until here differently. Such tokens are numbers
    /// and names of unusual length, numbers without a digit, names with bytes at which some viewers
    /// end them, references other than `n g R` with single spaces, strings with a raw CR, an octal
    /// number above 377 or an odd number of hexadecimal digits, null entries, and containers that are
    /// nested too deeply.
    var hasOddSpelling: Bool { hasOddWords || hasOddStrings || hasNullEntries }
    var hasOddWords = false
    /// Null entries are absent by ISO 32000-2 §7.3.7, but some viewers take them for values.
    var hasNullEntries = false
    private(set) var hasOddStrings = false

    /// Maximum lengths of numbers and names that all viewers read completely (ISO 32000-2 Annex C).
    private static let usualNumberByteCount = 40
    private static let usualNameByteCount = 127

    /// Reads a file from a position on.
    init(_ cache: BlockCache, at position: Int) {
        self.cache = cache
        window = []
        windowStart = position
        index = 0
        tokenStart = position
    }

    /// Reads bytes in memory; positions are relative to their start.
    init(_ bytes: [UInt8], at position: Int = 0) {
        cache = nil
        window = bytes
        windowStart = 0
        index = max(0, position)
        tokenStart = position
    }

    /// The position of the next byte.
    var position: Int { windowStart + index }

    /// Continues at another position.
    mutating func seek(to position: Int) {
        if position >= windowStart, position - windowStart <= window.count {
            index = position - windowStart
        } else if cache != nil {
            window = []
            windowStart = max(0, position)
            index = 0
        } else {
            index = max(0, min(position, window.count))
        }
    }

    /// The next byte, not consumed; -1 at the end.
    @inline(__always) mutating func peek() throws(PDFError) -> Int {
        if index < window.count { return Int(window[index]) }
        return try peekPastWindow()
    }

    /// Consumes the byte that ``peek()`` returned.
    @inline(__always) mutating func advance() { index += 1 }

    @inline(never)
    private mutating func peekPastWindow() throws(PDFError) -> Int {
        guard let cache else { return -1 }
        let position = windowStart + index
        guard position < cache.byteCount else { return -1 }
        (windowStart, window) = try reading(cache.block(containing: position))
        index = position - windowStart
        guard index < window.count else { return -1 }
        return Int(window[index])
    }

    mutating func skipWhiteSpace() throws(PDFError) {
        while true {
            let byte = try peek()
            if Characters.isWhiteSpace(byte) {
                advance()
            } else if byte == 37 {
                try skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(PDFError) {
        while true {
            let byte = try peek()
            if byte < 0 || byte == 10 || byte == 13 { return }
            advance()
        }
    }

    /// The next token; ``Token/end`` at the end of the bytes.
    mutating func next() throws(PDFError) -> Token {
        try skipWhiteSpace()
        tokenStart = position
        let byte = try peek()
        switch byte {
        case -1:
            return .end
        case 48...57, 43, 45, 46:
            return try number()
        case 47:
            advance()
            return .name(try name())
        case 40:
            advance()
            return .string(try literalString())
        case 60:
            advance()
            guard try peek() == 60 else { return .string(try hexadecimalString()) }
            advance()
            return .dictionaryStart
        case 62:
            advance()
            guard try peek() == 62 else { return .keyword(.other([62])) }
            advance()
            return .dictionaryEnd
        case 91:
            advance()
            return .arrayStart
        case 93:
            advance()
            return .arrayEnd
        case 41, 123, 125:
            advance()
            return .keyword(.other([UInt8(byte)]))
        case 82:
            // `R` is by far the most frequent keyword.
            advance()
            if !Characters.isRegular(try peek()) { return .keyword(.reference) }
            seek(to: tokenStart)
            return .keyword(try keyword())
        default: return .keyword(try keyword())
        }
    }

    private mutating func keyword() throws(PDFError) -> Keyword {
        let word = if let plain = plainName() { plain } else { PDFName(bytes: try regularRun()) }
        return Keyword(word)
    }

    /// The characters up to the next delimiter or white space.
    private mutating func regularRun() throws(PDFError) -> [UInt8] {
        var run: [UInt8] = []
        while true {
            let byte = try peek()
            guard Characters.isRegular(byte) else { return run }
            run.append(UInt8(byte))
            advance()
            try checkLength(run.count, limit: PDFLimits.tokenByteCount)
        }
    }

    private func checkLength(_ count: Int, limit: Int) throws(PDFError) {
        guard count <= limit else {
            throw PDFError(.limitExceeded, "token of more than \(limit) bytes", offset: tokenStart)
        }
    }

    // MARK: Numbers

    private mutating func number() throws(PDFError) -> Token {
        var value = 0
        var digitCount = 0
        var isNegative = false
        let first = try peek()
        if first == 43 || first == 45 {
            isNegative = first == 45
            advance()
        }
        // 18 digits always fit in an `Int`; longer numbers are parsed below.
        while digitCount <= 18 {
            let byte = try peek()
            if Characters.isDigit(byte) {
                value = value &* 10 &+ (byte - 48)
                digitCount += 1
                advance()
            } else if digitCount > 0, !Characters.isRegular(byte) {
                return .integer(isNegative ? -value : value)
            } else {
                break
            }
        }
        seek(to: tokenStart)
        let run = try regularRun()
        if run.count > Self.usualNumberByteCount || !run.contains(where: { (48...57).contains($0) })
        {
            hasOddWords = true
        }
        if let integer = Self.integer(run) { return .integer(integer) }
        if let real = PDFReal(text: run) { return .real(real) }
        return .keyword(.other(run))
    }

    /// An integer that fits in an `Int`; others become reals.
    private static func integer(_ run: [UInt8]) -> Int? {
        guard !run.contains(46) else { return nil }
        return Int(String(decoding: run, as: UTF8.self))
    }

    // MARK: Names

    private mutating func name() throws(PDFError) -> PDFName {
        if let name = plainName() { return name }
        var bytes: [UInt8] = []
        while true {
            let byte = try peek()
            guard Characters.isRegular(byte) else {
                // Some viewers apply the limit to the length before decoding.
                if position - tokenStart > Self.usualNameByteCount + 1 { hasOddWords = true }
                return PDFName(bytes: bytes)
            }
            advance()
            if byte == 35 {
                let decoded = try escapedCharacter()
                // A name must not contain a zero byte (ISO 32000-2 §7.3.5); some viewers end it
                // there.
                if decoded ?? 0 == 0 { hasOddWords = true }
                bytes.append(decoded ?? UInt8(byte))
            } else {
                if Self.isOddInName(UInt8(byte)) { hasOddWords = true }
                bytes.append(UInt8(byte))
            }
            try checkLength(bytes.count, limit: PDFLimits.tokenByteCount)
        }
    }

    /// A short name without escapes that ends in the window. Otherwise `nil`, with the position
    /// unchanged.
    private mutating func plainName() -> PDFName? {
        for end in index..<min(window.count, index + PDFName.shortByteCount + 1) {
            let byte = window[end]
            if !Characters.isRegular(Int(byte)) {
                defer { index = end }
                return PDFName(window.span.extracting(index..<end))
            }
            guard byte != 35, !Self.isOddInName(byte) else { return nil }
        }
        return nil
    }

    /// Bytes that some viewers treat as white space in a name, number or operator.
    @inline(__always)
    static func isOddInName(_ byte: UInt8) -> Bool { byte == 0x80 || byte == 0xFF }

    /// The byte of the two digits after a number sign. Consumes nothing if they are missing,
    /// because the sign is an ordinary character in names of PDF 1.1.
    private mutating func escapedCharacter() throws(PDFError) -> UInt8? {
        let start = position
        if let high = Self.hexadecimalDigit(try peek()) {
            advance()
            if let low = Self.hexadecimalDigit(try peek()) {
                advance()
                return high << 4 | low
            }
        }
        seek(to: start)
        return nil
    }

    @inline(__always)
    private static func hexadecimalDigit(_ byte: Int) -> UInt8? {
        byte < 0 ? nil : Hex.value(of: UInt8(byte))
    }

    // MARK: Strings

    private mutating func hexadecimalString() throws(PDFError) -> PDFString {
        var bytes: [UInt8] = []
        var high: UInt8?
        while true {
            if high == nil {
                takeHexadecimalPairs(&bytes)
                try checkLength(bytes.count, limit: PDFLimits.stringByteCount)
            }
            let byte = try peek()
            if let digit = Self.hexadecimalDigit(byte) {
                if let first = high {
                    bytes.append(first << 4 | digit)
                    high = nil
                } else {
                    high = digit
                }
            } else if byte == 62 {
                advance()
                if let high {
                    // A zero is missing (ISO 32000-2 §7.3.4.3), but some viewers drop the digit.
                    bytes.append(high << 4)
                    hasOddStrings = true
                }
                return PDFString(bytes: bytes, isHexadecimal: true)
            } else if !Characters.isWhiteSpace(byte) {
                throw PDFError(
                    .malformedObject,
                    byte < 0 ? "string without end" : "not a hexadecimal digit in a string",
                    offset: position)
            }
            advance()
        }
    }

    /// Fast path for the pairs of digits in the window, because signature values have thousands.
    private mutating func takeHexadecimalPairs(_ bytes: inout [UInt8]) {
        let last = window.count - 1
        while index < last, let high = Hex.value(of: window[index]),
            let low = Hex.value(of: window[index + 1])
        {
            bytes.append(high << 4 | low)
            index += 2
        }
    }

    private mutating func literalString() throws(PDFError) -> PDFString {
        var bytes: [UInt8] = []
        var depth = 1
        var isOdd = false
        while true {
            let byte = try peek()
            advance()
            switch byte {
            case -1: throw PDFError(.malformedObject, "string without end", offset: tokenStart)
            case 92:
                if let escaped = try escapeSequence() {
                    bytes.append(escaped)
                } else {
                    // After a line continuation, some viewers skip all following ends of lines.
                    isOdd = true
                }
                continue
            case 40: depth += 1
            case 41:
                depth -= 1
                if depth == 0 { return PDFString(bytes: bytes, isOddlySpelled: isOdd) }
            case 13:
                // Any end of line is read as a line feed (ISO 32000-2 §7.3.4.2), but only by a few
                // viewers.
                hasOddStrings = true
                isOdd = true
                if try peek() == 10 { advance() }
                bytes.append(10)
                continue
            default: break
            }
            bytes.append(UInt8(byte))
            try checkLength(bytes.count, limit: PDFLimits.stringByteCount)
        }
    }

    /// The byte of an escape sequence; `nil` for a line continuation.
    private mutating func escapeSequence() throws(PDFError) -> UInt8? {
        let byte = try peek()
        guard byte >= 0 else { return nil }
        advance()
        switch byte {
        case 110: return 10
        case 114: return 13
        case 116: return 9
        case 98: return 8
        case 102: return 12
        case 10: return nil
        case 13:
            if try peek() == 10 { advance() }
            return nil
        case 48...55:
            var value = byte - 48
            for _ in 0..<2 {
                let digit = try peek()
                guard digit >= 48, digit <= 55 else { break }
                value = value * 8 + digit - 48
                advance()
            }
            // High-order overflow is ignored (ISO 32000-2 §7.3.4.2), but not by all viewers.
            if value > 0xFF { hasOddStrings = true }
            return UInt8(value & 0xFF)
        default: return UInt8(byte)
        }
    }
}
