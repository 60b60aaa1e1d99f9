/// Whether the values before an operator of a content stream are such as it takes (ISO 32000-2 §8.4.3,
/// §9.3.6, §9.4.3): for others one reader takes the nearest one, another one none, a third stops.
struct OperandValues {
    /// Of the last number: its whole part without a sign, and what else counts.
    private var whole = 0
    private var isBelowZero = false
    /// Of the numbers in the last array.
    private var hasNegative = false
    private var hasMore = false
    /// Whether one that says how long a dash is says that it has no length.
    private var hasEmptyDash = false
    private var count = 0
    /// Whether anything else than numbers and strings is in it.
    private var hasOther = false

    private static let renderingModes = 7
    private static let lineStyles = 2
    private static let squareEnds = 2
    /// How many dashes all readers take, and how far into them a line may begin.
    private static let dashLimit = 32
    private static let phaseLimit = 1 << 20
    /// How many hundredths wider letters may be drawn.
    private static let scaleLimit = 5000
    private static let miterLimit = 1000
    /// From where on readers cut numbers of paths.
    private static let placeLimit = 1 << 24
    /// From where on readers move points.
    private static let farPlace = 20_000

    /// The whole part of the largest number outside arrays.
    private var largest = 0
    /// For each number, the newest lowest, whether it is next to nothing, or not much more.
    private var (tiny, small): (UInt8, UInt8) = (0, 0)
    private(set) var hasOnlyZeros = true

    /// How small numbers are, as far as it matters.
    enum Tininess { case none, belowTenth, belowHundredth }

    /// Pairs of the first four of six numbers: what becomes of a side, and how wide and high.
    private static let pairs: [UInt8] = [0b110000, 0b001100, 0b101000, 0b010100]

    /// Whether a matrix may turn what is drawn to a line or a dot, or neither keep nor turn its axes.
    var mayDistort: Bool {
        (small & 0b111100).nonzeroBitCount < 2 || Self.pairs.contains { small & $0 == $0 }
    }

    /// Whether a point may be so far away that some readers move it.
    var isFar: Bool { largest >= Self.farPlace }
    /// Whether a rectangle has no area to speak of.
    var isThin: Bool { tiny & 3 != 0 }
    /// Whether it is a point.
    var isPoint: Bool { tiny & 3 == 3 }
    var mode: Int { whole }

    /// What comes next belongs to another operator.
    mutating func restart() { (largest, tiny, small, hasOnlyZeros) = (0, 0, 0, true) }

    /// Whether the number says that lines end in squares.
    var isSquareEnd: Bool { whole == Self.squareEnds }
    /// Whether the array has dashes without length.
    var hasDots: Bool { hasMore && hasEmptyDash }

    /// Whether the array has anything.
    var hasElements: Bool { count > 0 }

    mutating func beginArray() {
        (hasNegative, hasMore, hasOther, hasEmptyDash, count) = (false, false, false, false, 0)
    }

    /// Takes the kind of an element of an array, or of what is in it.
    mutating func takeElement(_ kind: ContentOperands.Kind) {
        count += 1
        switch kind {
        case .integer, .real, .string: break
        default: hasOther = true
        }
    }

    mutating func take(
        _ whole: Int, isZero: Bool, isNegative: Bool, tininess: Tininess, inArray: Bool
    ) {
        guard inArray else {
            (self.whole, isBelowZero) = (whole, isNegative && !isZero)
            largest = max(largest, whole)
            tiny = tiny << 1 | (tininess == .belowHundredth ? 1 : 0)
            small = small << 1 | (tininess == .none ? 0 : 1)
            if !isZero { hasOnlyZeros = false }
            return
        }
        if isNegative, !isZero { hasNegative = true }
        if !isZero { hasMore = true }
        // It is counted already.
        if isZero, count % 2 == 1 { hasEmptyDash = true }
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
        case 0x64:
            !hasNegative && (count == 0 || hasMore) && count <= Self.dashLimit && !isBelowZero
                && whole <= Self.phaseLimit
        // Tz
        case 0x547A: whole <= Self.scaleLimit
        // TJ
        case 0x544A: !hasOther
        // M
        case 0x4D: whole <= Self.miterLimit
        // m l c v y re
        case 0x6D, 0x6C, 0x63, 0x76, 0x79, 0x7265: largest < Self.placeLimit
        default: true
        }
    }
}
