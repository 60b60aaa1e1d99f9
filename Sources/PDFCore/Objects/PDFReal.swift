/// A real number that keeps its original text, so that rewriting does not change it.
package struct PDFReal: Hashable, Sendable, ExpressibleByFloatLiteral {
    package let value: Double
    /// The text, written unchanged.
    package let text: [UInt8]

    /// A number to write: at most six decimals, no exponent (ISO 32000-2 §7.3.3).
    package init(_ value: Double) {
        let finite = value.isFinite ? min(max(value, -1e15), 1e15) : 0
        self.value = finite
        text = Array(Self.format(finite).utf8)
    }

    package init(floatLiteral value: Double) { self.init(value) }

    /// A number with its original text.
    ///
    /// - Returns: `nil` unless the text is an optional sign, then digits with at most one decimal
    ///   point.
    init?(text: [UInt8]) {
        var mantissa: UInt64 = 0
        var digitCount = 0
        var decimals: Int?
        var isNegative = false
        for (index, byte) in text.enumerated() {
            switch byte {
            case 48...57:
                digitCount += 1
                decimals? += 1
                // Further digits exceed the precision of a Double.
                if digitCount <= 18 { mantissa = mantissa * 10 + UInt64(byte - 48) }
            case 46 where decimals == nil:
                decimals = 0
            case 43 where index == 0:
                break
            case 45 where index == 0:
                isNegative = true
            default:
                return nil
            }
        }
        guard digitCount > 0 || decimals != nil else { return nil }
        var magnitude: Double
        if digitCount <= 18 {
            magnitude = Double(mantissa)
            for _ in 0..<(decimals ?? 0) { magnitude /= 10 }
            if digitCount <= 15, let decimals, decimals > 1 {
                // A single division rounds once; the loop above rounds for every decimal.
                var power = 1.0
                for _ in 0..<decimals { power *= 10 }
                magnitude = Double(mantissa) / power
            }
        } else {
            let digits = text.filter { $0 != 43 && $0 != 45 }
            magnitude = Double(String(decoding: digits, as: UTF8.self)) ?? 0
        }
        value = isNegative ? -magnitude : magnitude
        self.text = text
    }

    private static func format(_ value: Double) -> String {
        let scaled = (value.magnitude * 1_000_000).rounded()
        // 1e15 * 1e6 exceeds Int64: numbers that large have no decimals.
        guard scaled < 9e18 else { return String(Int64(value)) }
        let number = Int64(scaled)
        guard number != 0 else { return "0" }
        let sign = value < 0 ? "-" : ""
        var fraction = String(number % 1_000_000)
        guard fraction != "0" else { return "\(sign)\(number / 1_000_000)" }
        fraction = String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(sign)\(number / 1_000_000).\(fraction)"
    }
}
