/// A moment in UTC with the precision of a second, on the proleptic Gregorian calendar.
///
/// Covers the years 0 to 9999; leap seconds are read as the second before.
package struct CalendarTime: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    package let secondsSinceEpoch: Int

    /// Tolerated difference between the clocks of signer, TSA and verifier.
    package static let clockTolerance = Duration.seconds(300)

    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let representable = -62_167_219_200...253_402_300_799

    /// The time `secondsSinceEpoch` after 1970-01-01 UTC, clamped to the years 0 to 9999.
    package init(secondsSinceEpoch: Int) {
        self.secondsSinceEpoch = min(
            max(secondsSinceEpoch, Self.representable.lowerBound), Self.representable.upperBound)
    }

    /// The moment with these fields.
    ///
    /// - Parameter utcOffsetMinutes: How far the fields are ahead of UTC.
    /// - Returns: `nil` when a field is out of range or the day does not exist.
    package init?(
        year: Int, month: Int = 1, day: Int = 1, hour: Int = 0, minute: Int = 0, second: Int = 0,
        utcOffsetMinutes: Int = 0
    ) {
        guard (0...9999).contains(year), (1...12).contains(month),
            (1...Self.dayCount(year: year, month: month)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
            (-1439...1439).contains(utcOffsetMinutes)
        else { return nil }
        let days = Self.dayNumber(year: year, month: month, day: day)
        let seconds =
            days * 86_400 + hour * 3600 + minute * 60 + min(second, 59) - utcOffsetMinutes * 60
        guard Self.representable.contains(seconds) else { return nil }
        secondsSinceEpoch = seconds
    }

    package static func < (left: CalendarTime, right: CalendarTime) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }

    /// The moment `seconds` later, or earlier when negative.
    package func adding(seconds: Int) -> CalendarTime {
        let (sum, overflow) = secondsSinceEpoch.addingReportingOverflow(seconds)
        return CalendarTime(secondsSinceEpoch: overflow ? (seconds < 0 ? .min : .max) : sum)
    }

    /// The time a duration later, or earlier if negative. Fractions of a second are ignored.
    package func adding(_ duration: Duration) -> CalendarTime {
        adding(seconds: Int(clamping: duration.components.seconds))
    }

    package var year: Int { date.year }
    package var month: Int { date.month }
    package var day: Int { date.day }
    package var hour: Int { secondOfDay / 3600 }
    package var minute: Int { secondOfDay / 60 % 60 }
    package var second: Int { secondOfDay % 60 }

    private var secondOfDay: Int {
        let remainder = secondsSinceEpoch % 86_400
        return remainder < 0 ? remainder + 86_400 : remainder
    }

    /// The civil date of a day number. Years begin in March, so the leap day comes last and
    /// months have a regular pattern (153 days in five months).
    private var date: (year: Int, month: Int, day: Int) {
        let shifted = (secondsSinceEpoch - secondOfDay) / 86_400 + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func dayCount(year: Int, month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
