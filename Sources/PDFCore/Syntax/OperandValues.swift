/// Whether the values before an operator of a content stream are such as it takes (ISO 32000-2 §8.4.3,
/// §9.3.6, §9.4.3): for others one reader takes the nearest one, another one none, a third stops.
struct OperandValues {
    /// Of the last number: its whole part without a sign, and what else counts.
    private var whole = 0
    private var isBelowZero = false
    /// Of the numbers in the last array.
    private var hasNegative = false
    private var hasMore = false
    /// Whether one that says how long a dash is says that it has no length, or next to none.
    private var hasEmptyDash = false
    private var hasTinyDash = false
    /// The first numbers outside arrays, in millionths.
    private var places = SIMD8<Int>()
    private var placeCount = 0
    private var count = 0
    /// Whether anything else than numbers and strings is in it.
    private var hasOther = false

    private static let renderingModes = 7
    private static let lineStyles = 2
    /// How many dashes all readers take, and how far into them a line may begin.
    private static let dashLimit = 32
    private static let phaseLimit = 1 << 20
    /// How many hundredths wider letters may be drawn.
    private static let scaleLimit = 5000
    /// By how much, in millionths.
    private static let enlarged = 1_500_000
    private static let miterLimit = 1000
    /// From where on readers cut numbers of paths.
    private static let placeLimit = 1 << 24
    /// From where on readers move points.
    private static let farPlace = 20_000

    /// The whole part of the largest number outside arrays.
    private var largest = 0
    /// For each number, the newest lowest, whether it is next to nothing, or not much more.
    private var (tiny, small): (UInt8, UInt8) = (0, 0)
    /// The same for those below a half, and below one.
    private var (halves, parts): (UInt8, UInt8) = (0, 0)
    private(set) var hasOnlyZeros = true
    /// Whether a number is beyond those that tints have, from 0 to 1.
    private(set) var isBeyondTints = false
    /// These, rounded as programs do, in millionths.
    private static let tints = -10_000...1_010_000

    /// How small numbers are, as far as it matters.
    enum Tininess: Int { case none, belowOne, belowHalf, belowTenth, belowHundredth }

    /// Pairs of the first four of six numbers: what becomes of a side, and how wide and high.
    private static let pairs: [UInt8] = [0b110000, 0b001100, 0b101000, 0b010100]

    /// Whether a matrix may turn what is drawn to a line or a dot, or neither keep nor turn its axes.
    var mayDistort: Bool {
        (small & 0b111100).nonzeroBitCount < 2 || Self.pairs.contains { small & $0 == $0 }
    }

    /// How much smaller a matrix may make what is drawn: 4 for less than about a half, 1 for a
    /// little, or where it turns it.
    var shrinkage: Int {
        if Self.pairs.prefix(2).contains(where: { halves & $0 == $0 }) { return 4 }
        return parts & 0b111100 == 0b111100 ? 1 : 0
    }

    /// Whether a point may be so far away that some readers move it.
    var isFar: Bool { largest >= Self.farPlace }
    /// Whether a rectangle has no area to speak of.
    var isThin: Bool { tiny & 3 != 0 }
    /// Whether it is a point.
    var isPoint: Bool { tiny & 3 == 3 }
    var mode: Int { whole }

    /// What comes next belongs to another operator.
    mutating func restart() {
        (largest, tiny, small, hasOnlyZeros, placeCount) = (0, 0, 0, true, 0)
        (halves, parts, isBeyondTints) = (0, 0, false)
    }

    /// How many points the numbers are, up to as many as curves have.
    var pointCount: Int { placeCount / 2 }

    func point(_ index: Int) -> SIMD2<Int> { SIMD2(places[2 * index], places[2 * index + 1]) }

    /// How lines end.
    var ends: StrokedPath.Ends { StrokedPath.Ends(rawValue: whole) ?? .flat }
    /// The first number, in millionths.
    var length: Int { places[0] }
    /// Whether the numbers are a matrix that makes what is drawn larger.
    var isEnlarging: Bool { (0..<4).contains { places[$0].magnitude >= Self.enlarged } }
    /// Whether the array has dashes without length, or next to none.
    var dots: PaintState.Dots {
        !hasMore ? .none : hasEmptyDash ? .empty : hasTinyDash ? .tiny : .none
    }

    /// Whether the array has anything.
    var hasElements: Bool { count > 0 }

    mutating func beginArray() {
        (hasNegative, hasMore, hasOther, count) = (false, false, false, 0)
        (hasEmptyDash, hasTinyDash) = (false, false)
    }

    /// Takes the kind of an element of an array, or of what is in it.
    mutating func takeElement(_ kind: ContentOperands.Kind) {
        count += 1
        switch kind {
        case .integer, .real, .string: break
        default: hasOther = true
        }
    }

    /// A number as far as it matters.
    struct Number {
        let whole: Int
        let isZero: Bool
        let isNegative: Bool
        let tininess: Tininess
        /// In millionths.
        let place: Int
    }

    mutating func take(_ number: Number, inArray: Bool) {
        let (whole, isZero) = (number.whole, number.isZero)
        guard inArray else {
            if placeCount < places.scalarCount {
                places[placeCount] = number.place
                placeCount += 1
            }
            (self.whole, isBelowZero) = (whole, number.isNegative && !isZero)
            largest = max(largest, whole)
            let tininess = number.tininess
            tiny = tiny << 1 | (tininess == .belowHundredth ? 1 : 0)
            small = small << 1 | (tininess.rawValue < Tininess.belowTenth.rawValue ? 0 : 1)
            halves = halves << 1 | (tininess.rawValue < Tininess.belowHalf.rawValue ? 0 : 1)
            parts = parts << 1 | (tininess == .none ? 0 : 1)
            if !isZero { hasOnlyZeros = false }
            if !Self.tints.contains(number.place) { isBeyondTints = true }
            return
        }
        if number.isNegative, !isZero { hasNegative = true }
        if !isZero { hasMore = true }
        // It is counted already.
        guard count % 2 == 1 else { return }
        if isZero { hasEmptyDash = true }
        if number.tininess == .belowHundredth { hasTinyDash = true }
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
        // k K: some readers take what is beyond for the nearest ink, others for more or less than that.
        case 0x6B, 0x4B: !isBeyondTints
        // M
        case 0x4D: whole <= Self.miterLimit
        // m l c v y re
        case 0x6D, 0x6C, 0x63, 0x76, 0x79, 0x7265: largest < Self.placeLimit
        default: true
        }
    }
}
