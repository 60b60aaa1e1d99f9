extension CalendarTime {
    /// `2026-11-21T10:00:00Z` (RFC 3339 §5.6).
    package var rfc3339: String {
        "\(year.padded(to: 4))-\(month.padded())-\(day.padded())"
            + "T\(hour.padded()):\(minute.padded()):\(second.padded())Z"
    }

    /// `2026-11-21 10:00:00 UTC`, for people.
    package var text: String { moment.text }

    /// `D:20261121100000Z` (ISO 32000-2 §7.9.4).
    package var pdfDate: String {
        "D:\(year.padded(to: 4))\(month.padded())\(day.padded())"
            + "\(hour.padded())\(minute.padded())\(second.padded())Z"
    }

    /// Reads `2026-11-21T10:00:00Z`. Also accepts an offset instead of `Z`, fractions of a second
    /// (dropped), and a space or `t` for `T`. A date alone means midnight UTC.
    package init?(rfc3339 text: String) {
        var scanner = DigitScanner(Array(text.utf8))
        guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
            scanner.skip("-"), let day = scanner.number(2)
        else { return nil }
        if scanner.isAtEnd {
            self.init(year: year, month: month, day: day)
            return
        }
        guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2),
            scanner.skip(":"), let second = scanner.number(2)
        else { return nil }
        if scanner.skip(".") {
            guard scanner.number(1) != nil else { return nil }
            while scanner.number(1) != nil {}
        }
        guard let offset = scanner.utcOffset(separator: ":"), scanner.isAtEnd else { return nil }
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second,
            utcOffsetMinutes: offset)
    }

    /// Reads a PDF date, `D:YYYYMMDDHHmmSSOHH'mm'`. Everything after the year may be missing. The
    /// prefix and the apostrophes may be missing too, since older producers omit them.
    ///
    /// - Parameter bytes: The value of the string object. A date without an offset is read as UTC.
    package init?(pdfDate bytes: [UInt8]) {
        var scanner = DigitScanner(bytes)
        if scanner.skip("D") { guard scanner.skip(":") else { return nil } }
        guard let year = scanner.number(4) else { return nil }
        let month = scanner.number(2)
        let day = month == nil ? nil : scanner.number(2)
        let hour = day == nil ? nil : scanner.number(2)
        let minute = hour == nil ? nil : scanner.number(2)
        let second = minute == nil ? nil : scanner.number(2)
        var offset = 0
        if !scanner.isAtEnd {
            guard let value = scanner.utcOffset(separator: "'") else { return nil }
            _ = scanner.skip("'")
            guard scanner.isAtEnd else { return nil }
            offset = value
        }
        self.init(
            year: year, month: month ?? 1, day: day ?? 1, hour: hour ?? 0, minute: minute ?? 0,
            second: second ?? 0, utcOffsetMinutes: offset)
    }
}

extension Int {
    /// The decimal digits, with leading zeros up to a number of digits.
    package func padded(to width: Int = 2) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}

/// Reads fixed numbers of digits from a short text.
private struct DigitScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let byte = bytes.byte(at: index), UInt32(byte) == character.value else {
            return false
        }
        index += 1
        return true
    }

    mutating func number(_ digitCount: Int) -> Int? {
        var value = 0
        for position in index..<(index + digitCount) {
            guard let byte = bytes.byte(at: position), (48...57).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        index += digitCount
        return value
    }

    /// `Z`, or a sign, hours and minutes; PDF dates write `Z00'00'` as well.
    mutating func utcOffset(separator: Unicode.Scalar) -> Int? {
        let sign: Int
        if skip("+") {
            sign = 1
        } else if skip("-") {
            sign = -1
        } else if skip("Z") || skip("z") {
            guard !isAtEnd else { return 0 }
            sign = 0
        } else {
            return nil
        }
        guard let hours = number(2), hours < 24 else { return nil }
        _ = skip(separator)
        let minutes = number(2) ?? 0
        guard minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
