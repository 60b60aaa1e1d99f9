/// UTCTime or GeneralizedTime in CMS, certificates and timestamps: in UTC, with seconds (X.690
/// §11.7 and §11.8; RFC 5280 §4.1.2.5; RFC 5652 §11.3; RFC 3161 §2.4.2).
package enum ASN1Time {
    /// Treatment of fractions of a second in a GeneralizedTime.
    package enum Fraction: Sendable {
        /// Rejected (RFC 5280 §4.1.2.5.2, RFC 5652 §11.3).
        case refused
        /// Dropped, whatever its length: some OCSP responders write one although it is forbidden.
        case dropped
        /// One to nine digits. Trailing zeros are accepted too, although DER omits them (RFC 3161
        /// §2.4.2).
        case kept
    }

    static func isTime(_ tag: UInt8) -> Bool {
        tag == ASN1Tag.utcTime || tag == ASN1Tag.generalizedTime
    }

    /// The time to the second.
    ///
    /// - Returns: nil for another tag or form, and for a date or time that does not exist.
    package static func read(
        _ tag: UInt8, _ content: ArraySlice<UInt8>, fraction: Fraction = .refused
    ) -> CalendarTime? { readExactly(tag, content: content, fraction: fraction)?.time }

    /// The time, and the nanoseconds of a kept fraction.
    ///
    /// - Returns: nil as for ``read(_:_:fraction:)``.
    static func readExactly(
        _ tag: UInt8, content: ArraySlice<UInt8>, fraction: Fraction
    ) -> (time: CalendarTime, nanoseconds: Int)? {
        guard isTime(tag), content.last == zulu else { return nil }
        let yearDigits = tag == ASN1Tag.utcTime ? 2 : 4
        let whole = content.prefix(yearDigits + 10)
        guard whole.count == yearDigits + 10, content.count > whole.count,
            let year = number(whole.prefix(yearDigits))
        else { return nil }
        var position = whole.startIndex + yearDigits
        func next() -> Int? {
            defer { position += 2 }
            return number(whole[position..<position + 2])
        }
        guard let month = next(), let day = next(), let hour = next(), let minute = next(),
            let second = next(),
            let time = CalendarTime(
                year: yearDigits == 4 ? year : year < centuryTurn ? 2000 + year : 1900 + year,
                month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        let rest = content[whole.endIndex..<content.endIndex - 1]
        guard let point = rest.first else { return (time, 0) }
        let digits = rest.dropFirst()
        guard point == UInt8(ascii: "."), tag == ASN1Tag.generalizedTime, !digits.isEmpty else {
            return nil
        }
        switch fraction {
        case .refused: return nil
        case .dropped: return digits.allSatisfy(isDigit) ? (time, 0) : nil
        case .kept:
            guard digits.count <= fractionDigitCount, var nanoseconds = number(digits) else {
                return nil
            }
            for _ in digits.count..<fractionDigitCount { nanoseconds *= 10 }
            return (time, nanoseconds)
        }
    }

    /// A time with an offset from UTC, such as `+0100`, which BER permits and DER forbids (X.690
    /// §11.7, §11.8).
    ///
    /// - Returns: the time in UTC; nil for another form.
    package static func readOffset(_ tag: UInt8, content: ArraySlice<UInt8>) -> CalendarTime? {
        let offset = content.suffix(5)
        guard offset.count == 5, let sign = offset.first, sign == 0x2B || sign == 0x2D,
            let hours = number(offset.dropFirst().prefix(2)),
            let minutes = number(offset.suffix(2)),
            hours < 24, minutes < 60,
            let time = read(tag, content.dropLast(5) + [zulu])
        else { return nil }
        return time.adding(seconds: (sign == 0x2B ? -1 : 1) * (hours * 3600 + minutes * 60))
    }

    /// Time ::= CHOICE { utcTime, generalTime }: UTCTime from 1950 to 2049, GeneralizedTime otherwise
    /// (RFC 5280 §4.1, RFC 5652 §11.3).
    package static func encode(_ time: CalendarTime) -> [UInt8] {
        guard (1900 + centuryTurn..<2000 + centuryTurn).contains(time.year) else {
            return generalized(time)
        }
        return DERWriter.element(ASN1Tag.utcTime, two(time.year % 100) + afterYear(time) + [zulu])
    }

    /// A GeneralizedTime, with a fraction if `nanoseconds` is not 0 (RFC 3161 §2.4.2).
    ///
    /// - Parameter nanoseconds: 0 to 999,999,999.
    package static func generalized(_ time: CalendarTime, nanoseconds: Int = 0) -> [UInt8] {
        var fraction = Array(String(1_000_000_000 + nanoseconds).utf8.dropFirst())
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        if !fraction.isEmpty { fraction.insert(UInt8(ascii: "."), at: 0) }
        return DERWriter.element(
            ASN1Tag.generalizedTime,
            two(time.year / 100) + two(time.year % 100) + afterYear(time) + fraction + [zulu])
    }

    private static let zulu = UInt8(ascii: "Z")
    private static let fractionDigitCount = 9
    /// Two-digit years below this are 2000 to 2049 (RFC 5280 §4.1.2.5.1).
    private static let centuryTurn = 50

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// - Parameter digits: nine at most.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in digits {
            guard isDigit(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }

    private static func two(_ value: Int) -> [UInt8] {
        [UInt8(0x30 + value / 10 % 10), UInt8(0x30 + value % 10)]
    }

    private static func afterYear(_ time: CalendarTime) -> [UInt8] {
        [time.month, time.day, time.hour, time.minute, time.second].flatMap(two)
    }
}

extension ASN1Element where Bytes == ArraySlice<UInt8> {
    /// A UTCTime or GeneralizedTime to the second; nil for anything else.
    package func time(fraction: ASN1Time.Fraction = .refused) -> CalendarTime? {
        ASN1Time.read(tag, content, fraction: fraction)
    }

    /// A GeneralizedTime with its fraction, in nanoseconds; nil for anything else.
    package var generalizedTime: (time: CalendarTime, nanoseconds: Int)? {
        tag == ASN1Tag.generalizedTime
            ? ASN1Time.readExactly(tag, content: content, fraction: .kept) : nil
    }
}

extension ASN1Reader where Bytes == ArraySlice<UInt8> {
    /// The next element if it is a time, readable or not; otherwise nothing is read.
    package mutating func nextTime() -> ASN1Node? {
        rest.first.map(ASN1Time.isTime) == true ? next() : nil
    }
}
