import CLoaded

/// The direction of each part of a line with mixed directions (UAX #9), computed by FriBidi.
package struct BidiText {
    /// Even levels run from left to right, odd ones from right to left.
    package let levels: [UInt8]
    /// The direction of the line; `nil` if no character outside isolates has one.
    package let isRightToLeft: Bool?

    /// Loads FriBidi on first use.
    ///
    /// - Parameter isRightToLeft: The direction; `nil` derives it from the first character with a
    ///   direction.
    /// - Returns: `nil` if FriBidi is not installed.
    package init?(_ text: [Unicode.Scalar], isRightToLeft: Bool? = nil) {
        var levels = [UInt8](repeating: 0, count: text.count)
        let base = isRightToLeft.map { $0 ? CTEXT_RIGHT_TO_LEFT : CTEXT_LEFT_TO_RIGHT }
        let found = unsafe CText_levels(
            text.map(\.value), text.count, CInt(base ?? CTEXT_NO_DIRECTION), &levels)
        guard found != CTEXT_NO_BIDI else { return nil }
        self.levels = levels
        self.isRightToLeft = found == CTEXT_NO_DIRECTION ? nil : found == CTEXT_RIGHT_TO_LEFT
    }

    /// The drawing order from left to right for embedding levels by position in the line (rule L2).
    package static func visualOrder(_ levels: [UInt8]) -> [Int] {
        var order = Array(levels.indices)
        guard let highest = levels.max(), highest > 0 else { return order }
        for level in stride(from: highest, to: 0, by: -1) {
            var start = 0
            while start < order.count {
                guard levels[order[start]] >= level else {
                    start += 1
                    continue
                }
                let end = order[start...].firstIndex { levels[$0] < level } ?? order.count
                order[start..<end].reverse()
                start = end
            }
        }
        return order
    }
}
