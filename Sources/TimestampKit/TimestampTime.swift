package import Base
internal import CMSKit

/// A GeneralizedTime as RFC 3161 §2.4.2 has it: `20261121100000.25Z`, the fraction optional.
package struct TimestampTime: Sendable, Hashable, Comparable {
    package let time: CalendarTime
    /// 0 to 999,999,999.
    package let nanoseconds: Int

    package init(_ time: CalendarTime, nanoseconds: Int = 0) {
        self.time = time
        self.nanoseconds = min(max(nanoseconds, 0), 999_999_999)
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.time, left.nanoseconds) < (right.time, right.nanoseconds)
    }

    init(_ node: ASN1Node) throws(CMSError) {
        guard let (time, nanoseconds) = node.generalizedTime else {
            throw CMSError(.malformed, "genTime is no GeneralizedTime in UTC")
        }
        self.init(time, nanoseconds: nanoseconds)
    }

    var encoded: [UInt8] { ASN1Time.generalized(time, nanoseconds: nanoseconds) }

    /// `.25`, or nothing.
    private var fraction: String {
        let digits = String(1_000_000_000 + nanoseconds).dropFirst()
            .reversed().drop { $0 == "0" }.reversed()
        return digits.isEmpty ? "" : "." + String(digits)
    }

    /// `2026-11-21T10:00:00.25Z`.
    package var rfc3339: String { String(time.rfc3339.dropLast()) + fraction + "Z" }
}
