/// Whether the values before an operator of a content stream are such as it takes (ISO 32000-2 §8.4.3,
/// §9.3.6, §9.4.3): for others one reader takes the nearest one, another one none, a third stops.
struct OperandValues {
    /// Of the last number: its whole part without a sign, and what else counts.
    private var whole = 0
    private var isBelowZero = false
    /// Of the numbers in the last array.
    private var hasNegative = false
    private var hasMore = false
    private var count = 0
    /// Whether anything else than numbers and strings is in it.
    private var hasOther = false

    private static let renderingModes = 7
    private static let lineStyles = 2

    mutating func beginArray() {
        (hasNegative, hasMore, hasOther, count) = (false, false, false, 0)
    }

    /// Takes the kind of an element of an array, or of what is in it.
    mutating func takeElement(_ kind: ContentOperands.Kind) {
        count += 1
        switch kind {
        case .integer, .real, .string: break
        default: hasOther = true
        }
    }

    mutating func take(_ whole: Int, isZero: Bool, isNegative: Bool, inArray: Bool) {
        guard inArray else {
            (self.whole, isBelowZero) = (whole, isNegative && !isZero)
            return
        }
        if isNegative, !isZero { hasNegative = true }
        if !isZero { hasMore = true }
    }

    /// - Parameter code: The operator's bytes as a big-endian number.
    func suit(_ code: Int) -> Bool {
        switch code {
        // Tr
        case 0x5472: !isBelowZero && whole <= Self.renderingModes
        // J j
        case 0x4A, 0x6A: !isBelowZero && whole <= Self.lineStyles
        // w
        case 0x77: !isBelowZero
        // d
        case 0x64: !hasNegative && (count == 0 || hasMore)
        // TJ
        case 0x544A: !hasOther
        default: true
        }
    }
}
