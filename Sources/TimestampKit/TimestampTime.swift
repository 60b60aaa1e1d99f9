internal import ASN1Kit
package import ByteKit
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
        guard node.tag == ASN1Tag.generalizedTime,
            let parsed = TimestampTime(content: Array(node.content))
        else { throw CMSError(.malformed, "genTime is no GeneralizedTime in UTC") }
        self = parsed
    }

    private static let fractionDigitCount = 9

    /// Zeros at the end of a fraction, which DER leaves out, are read all the same.
    private init?(content: [UInt8]) {
        guard content.count >= 15, content.last == 0x5A,
            let moment = CalendarTime(
                rfc3339: Self.rfc3339(String(decoding: content.prefix(14), as: UTF8.self)))
        else { return nil }
        let rest = content[14..<content.count - 1]
        guard let point = rest.first else {
            self.init(moment)
            return
        }
        let digits = rest.dropFirst()
        guard point == 0x2E, (1...Self.fractionDigitCount).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        var nanoseconds = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        for _ in digits.count..<Self.fractionDigitCount { nanoseconds *= 10 }
        self.init(moment, nanoseconds: nanoseconds)
    }

    /// `20261121100000` with the separators that RFC 3339 wants.
    private static func rfc3339(_ digits: String) -> String {
        var text = ""
        for (index, character) in digits.enumerated() {
            switch index {
            case 4, 6: text += "-"
            case 8: text += "T"
            case 10, 12: text += ":"
            default: break
            }
            text.append(character)
        }
        return text + "Z"
    }

    var encoded: [UInt8] {
        let text = time.rfc3339.filter(\.isNumber) + fraction + "Z"
        return DERWriter.element(ASN1Tag.generalizedTime, Array(text.utf8))
    }

    /// `.25`, or nothing.
    private var fraction: String {
        let digits = String(1_000_000_000 + nanoseconds).dropFirst()
            .reversed().drop { $0 == "0" }.reversed()
        return digits.isEmpty ? "" : "." + String(digits)
    }

    /// `2026-11-21T10:00:00.25Z`.
    package var rfc3339: String { String(time.rfc3339.dropLast()) + fraction + "Z" }
}
