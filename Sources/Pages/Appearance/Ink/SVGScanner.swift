/// Reads numbers and letters of SVG attributes (SVG 1.1 §4.2, §8.3.9).
struct SVGScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { index >= bytes.count }
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { index += 1 }
    }

    /// White space with at most one comma.
    mutating func skipSeparator() {
        skipSpace()
        if next == 0x2C {
            index += 1
            skipSpace()
        }
    }

    /// The next byte, when it is a letter.
    mutating func letter() -> UInt8? {
        guard let byte = next, isLetter(byte) else { return nil }
        index += 1
        return byte
    }

    mutating func word() -> String {
        let start = index
        while let byte = next, isLetter(byte) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    /// `0` or `1`, which need not be separated from what follows.
    mutating func flag() -> Bool? {
        skipSeparator()
        guard let byte = next, byte == 0x30 || byte == 0x31 else { return nil }
        index += 1
        return byte == 0x31
    }

    /// A number; nil leaves the position where it was.
    mutating func number() -> Double? {
        skipSeparator()
        let start = index
        if next == 0x2B || next == 0x2D { index += 1 }
        let digits = skipDigits()
        var decimals = 0
        if next == 0x2E {
            index += 1
            decimals = skipDigits()
        }
        guard digits + decimals > 0 else {
            index = start
            return nil
        }
        let mantissaEnd = index
        if next == 0x65 || next == 0x45 {
            index += 1
            if next == 0x2B || next == 0x2D { index += 1 }
            // `em` is a unit, not an exponent.
            if skipDigits() == 0 { index = mantissaEnd }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let value = Double(text), value.isFinite, abs(value) <= InkLimits.coordinate else {
            index = start
            return nil
        }
        return value
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
        return index - start
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
