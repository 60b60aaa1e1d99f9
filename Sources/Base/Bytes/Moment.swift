/// A UTC time in the years 0 to 9999, with fractions of a second if a timestamp contains them.
///
/// JSON and messages show it as RFC 3339 text: `2026-11-21T10:00:00.25Z`.
public struct Moment: Hashable, Comparable, Sendable, Encodable, CustomStringConvertible {
    /// The whole seconds.
    package let time: CalendarTime
    /// Nanoseconds after the whole second: 0 to 999,999,999.
    public let nanoseconds: Int

    /// Whole seconds since 1970-01-01T00:00:00Z.
    public var secondsSinceEpoch: Int { time.secondsSinceEpoch }
    /// `2026-11-21T10:00:00.25Z` (RFC 3339 §5.6), without a fraction if it is zero.
    public var description: String { String(time.rfc3339.dropLast()) + fraction + "Z" }

    /// `2026-11-21 10:00:00.25 UTC`, for people.
    public var text: String {
        description.replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    /// `.25`, or empty.
    private var fraction: String {
        let digits = String(1_000_000_000 + nanoseconds).dropFirst()
            .reversed().drop { $0 == "0" }.reversed()
        return digits.isEmpty ? "" : "." + String(digits)
    }

    /// The day in UTC: `2026-11-21`.
    public var day: String { String(description.prefix(10)) }

    package init(_ time: CalendarTime, nanoseconds: Int = 0) {
        self.time = time
        self.nanoseconds = min(max(nanoseconds, 0), 999_999_999)
    }

    /// The time `secondsSinceEpoch` after 1970-01-01 UTC, clamped to the years 0 to 9999.
    public init(secondsSinceEpoch: Int) {
        self.init(CalendarTime(secondsSinceEpoch: secondsSinceEpoch))
    }

    /// Reads `2026-11-21T10:00:00Z` (RFC 3339 §5.6). Also accepts an offset instead of `Z`,
    /// fractions of a second (dropped), and a space or `t` for `T`. A date alone means midnight
    /// UTC.
    ///
    /// - Returns: nil if `text` is not such a time.
    public init?(rfc3339 text: String) {
        guard let time = CalendarTime(rfc3339: text) else { return nil }
        self.init(time)
    }

    /// The time a duration later, or earlier if negative, clamped to the years 0 to 9999.
    /// Fractions of a second in the duration are ignored.
    public func adding(_ duration: Duration) -> Moment {
        Moment(time.adding(duration), nanoseconds: nanoseconds)
    }

    public static func < (left: Moment, right: Moment) -> Bool {
        (left.time, left.nanoseconds) < (right.time, right.nanoseconds)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension CalendarTime { package var moment: Moment { Moment(self) } }
