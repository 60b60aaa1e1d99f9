/// What `q` of a content stream saves, as far as readers disagree about it: how text is raised and
/// stretched, and whether colours were set.
struct PaintState {
    struct Color {
        /// Whether any colour but the first one of a device's space, black, was set before.
        var isSet = false
        /// Whether its space was chosen after that, and no colour.
        var isInitial = false
        /// How many numbers a colour of that space has; nil where that is not known.
        var count: Int?
    }

    /// Where the name of the font stands.
    var font = 0..<0
    var fill = Color()
    var stroke = Color()
    /// How text is painted, or clipped to.
    var textMode = 0
    private var isRaised = false
    private var isStretched = false
    private(set) var setsRise = false
    private(set) var setsScale = false

    /// What `Tz` is where nobody sets it.
    private static let usualScale = 100

    /// Whether text is elsewhere or wider than it would be.
    var isTextShifted: Bool { isRaised || isStretched }

    mutating func setRise(isZero: Bool) { (isRaised, setsRise) = (!isZero, true) }

    mutating func setScale(_ whole: Int, isNegative: Bool) {
        (isStretched, setsScale) = (whole != Self.usualScale || isNegative, true)
    }

    /// - Parameter count: of the components in a device's space; nil for others.
    mutating func chooseSpace(isFill: Bool, ofDevice count: Int?) {
        var color = isFill ? fill : stroke
        color.isInitial = color.isSet && count != nil
        color.count = count
        if isFill { fill = color } else { stroke = color }
    }

    /// - Parameter isZero: whether all its numbers are 0.
    /// - Returns: whether the colour has as many components as its space.
    mutating func takeColor(isFill: Bool, componentCount: Int, isZero: Bool) -> Bool {
        let count = (isFill ? fill : stroke).count
        let isBlack = isZero && (count == 1 || count == 3)
        let color = Color(isSet: !isBlack, count: count)
        if isFill { fill = color } else { stroke = color }
        return count == nil || count == componentCount
    }
}
