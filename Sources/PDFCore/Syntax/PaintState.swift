/// What `q` of a content stream saves, as far as readers disagree about it: how text is raised and
/// stretched, and whether colours were set.
struct PaintState {
    struct Color {
        /// Whether any colour but the first one of a device's space, black, was set before.
        var isSet = false
        /// Whether its space was chosen after that, and no colour.
        var isInitial = false
        /// Whether nothing was set before that space was chosen, and no colour after: black, unless the
        /// space begins with another one.
        var isUnset = false
        /// Where the name of its space stands.
        var space = 0..<0
        /// How many numbers a colour of that space has; nil where that is not known.
        var count: Int?
        var isPattern = false
        /// Whether it is no ink of any of the four colours.
        var isBlankInk = false
    }

    /// Where the name of the graphics state stands that was taken last.
    var graphicsState = 0..<0

    /// Whether a soft mask is set, where that is followed.
    var isMasked = false

    /// Where the name of the font stands.
    var font = 0..<0
    var fill = Color()
    var stroke = Color()
    /// Dashes of which some readers draw nothing, others the ends or a thin line.
    enum Dots { case none, empty, tiny }

    /// How lines end, how wide they are, in millionths, whether they are dashed with next to nothing,
    /// and whether what is drawn is larger than its numbers say.
    var ends = StrokedPath.Ends.flat
    var lineWidth = unit
    var dots = Dots.none
    var isEnlarged = false
    /// Whether readers draw the same where lines are dashed.
    var areDashesAgreed: Bool {
        ends == .round || dots == .none || dots == .tiny && lineWidth < Self.unit
    }
    /// Whether a dot as wide as lines are is seen for one, as that in a number is.
    var hasPlainDots: Bool { isEnlarged || lineWidth >= Self.plainDot }

    private static let unit = 1_000_000
    private static let plainDot = 1_500_000
    /// How text is painted, or clipped to.
    var textMode = 0
    /// What was set here, and what of it to another value than everything begins with.
    private(set) var known: GraphicsParameters = []
    private(set) var changed: GraphicsParameters = []
    private var isRaised = false
    private var isStretched = false
    private(set) var setsRise = false
    private(set) var setsScale = false

    /// What `Tz` is where nobody sets it.
    private static let usualScale = 100

    var hasPattern: Bool { fill.isPattern || stroke.isPattern }

    /// Whether text is elsewhere or wider than it would be.
    var isTextShifted: Bool { isRaised || isStretched }

    mutating func setRise(isZero: Bool) { (isRaised, setsRise) = (!isZero, true) }

    mutating func setScale(_ whole: Int, isNegative: Bool) {
        (isStretched, setsScale) = (whole != Self.usualScale || isNegative, true)
    }

    mutating func set(_ parameters: GraphicsParameters, isUsual: Bool) {
        known.formUnion(parameters)
        if isUsual {
            changed.subtract(parameters)
        } else {
            changed.formUnion(parameters)
        }
    }

    /// Takes the colour for one that is set here.
    mutating func setColor(isFill: Bool) {
        set(
            isFill ? .fillColor : .strokeColor, isUsual: !(isFill ? fill : stroke).isSet)
    }

    /// - Parameters:
    ///   - space: where its name stands.
    ///   - count: of the components in a device's space; nil for others.
    ///   - isPattern: whether it is that of patterns.
    mutating func chooseSpace(
        _ space: Range<Int>, isFill: Bool, ofDevice count: Int?, isPattern: Bool
    ) {
        var color = isFill ? fill : stroke
        color.isInitial = color.isSet && !isPattern
        color.isUnset = !color.isSet && count == nil && !isPattern
        (color.space, color.count, color.isPattern) = (space, count, false)
        if isFill { fill = color } else { stroke = color }
    }

    /// - Parameters:
    ///   - isZero: whether all its numbers are 0.
    ///   - isPattern: whether it has a name.
    /// - Returns: whether the colour has as many components as its space, and a name only where that
    ///   is not a device's.
    mutating func takeColor(
        isFill: Bool, componentCount: Int, isZero: Bool, isPattern: Bool
    ) -> Bool {
        let (space, count) = isFill ? (fill.space, fill.count) : (stroke.space, stroke.count)
        let isBlack = isZero && (count == 1 || count == 3)
        let color = Color(isSet: !isBlack, space: space, count: count, isPattern: isPattern)
        if isFill { fill = color } else { stroke = color }
        return isPattern ? count == nil : count == nil || count == componentCount
    }
}
