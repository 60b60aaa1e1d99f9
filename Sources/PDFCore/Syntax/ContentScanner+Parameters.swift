/// What content takes over from what draws it, and what it leaves to what it draws.
struct ParameterUse {
    /// What may have been set before.
    let foreign: GraphicsParameters
    /// What was painted by without being set.
    fileprivate(set) var inherited: GraphicsParameters = []
    /// What was ever set to an unusual value, and what was so where text of the font was shown.
    fileprivate(set) var changed: GraphicsParameters = []
    var shown: GraphicsParameters = []
    /// Of a glyph, what it says of itself, and whether it sets colours though it has a shape alone.
    fileprivate(set) var glyphKind: GlyphKind?
    fileprivate(set) var colorsShape = false
    fileprivate(set) var setsColors = false
    /// Of a glyph, whether it says twice what it is, or not first.
    fileprivate(set) var repeatsGlyphKind = false
    fileprivate(set) var hasBegun = false
    /// Of a glyph, how wide it says to be, in millionths.
    fileprivate(set) var glyphWidth: Int?
    /// Images in the content that are JPEGs.
    fileprivate(set) var pictures: [InlinePicture] = []
    /// Whether a pattern is painted in one of the ways in which not all readers follow it.
    var paintsOddPattern = false

    init(isInner: Bool) { foreign = isInner ? .all : [] }
}

extension ContentScanner {
    /// What is not as everything begins with, or may be so because it was not set here.
    var changes: GraphicsParameters {
        state.changed.union(parameters.foreign.subtracting(state.known))
    }

    /// What counts for many dots.
    private static let manyDots = 1000

    /// Notes what is stroked of no length: with plain dots something may be written, with others only
    /// where there are many.
    mutating func checkDots() {
        let isDot = !path.isAgreed(state.ends)
        guard isDot || hasPath && !state.areDashesAgreed else { return }
        let isPlain =
            isDot ? state.hasPlainDots || path.hasEmptyBoxes : state.ends == .square
        dotCount += isPlain ? Self.manyDots : 1
    }

    /// Notes an image in the content itself: one that is no mask has colours.
    mutating func note(_ image: InlineImage) {
        if let picture = image.picture { parameters.pictures.append(picture) }
        guard !image.isMask else { return use(.fillColor) }
        parameters.setsColors = true
        if parameters.glyphKind == .shape { parameters.colorsShape = true }
    }

    /// Notes what something is painted by.
    mutating func use(_ used: GraphicsParameters) {
        parameters.inherited.formUnion(used.subtracting(state.known))
    }

    /// - Parameter isBelow: whether it begins a line.
    mutating func useText(isBelow: Bool) {
        var used: GraphicsParameters = [.textMode, .spacing, .wordSpacing]
        if font.isEmpty { used.insert(.font) }
        if isBelow { used.insert(.leading) }
        if Self.filledModes.contains(state.textMode) { used.insert(.fillColor) }
        if Self.strokedModes.contains(state.textMode) {
            used.formUnion(.line)
            if state.stroke.isPattern { parameters.paintsOddPattern = true }
        }
        use(used)
        parameters.shown.formUnion(changes)
        if state.textMode >= Self.clipMode { parameters.shown.insert(.clipsToText) }
        if Self.strokedModes.contains(state.textMode) { parameters.shown.insert(.outlinesText) }
        if state.fill.isPattern, Self.filledModes.contains(state.textMode) {
            parameters.shown.insert(.patternsText)
            if state.textMode >= Self.clipMode { parameters.paintsOddPattern = true }
        }
        // Letters of lines alone, which have no width.
        if Self.outlineModes.contains(state.textMode), state.lineWidth == 0 {
            dotCount += Self.manyDots
        }
        if state.textMode == Self.hiddenMode { parameters.shown.insert(.hidesText) }
    }

    mutating func noteColor(isFill: Bool) {
        state.setColor(isFill: isFill)
        parameters.changed.formUnion(state.changed)
        parameters.setsColors = true
        if parameters.glyphKind == .shape { parameters.colorsShape = true }
    }

    private static let filledModes: Set<Int> = [0, 2, 4, 6]
    private static let strokedModes: Set<Int> = [1, 2, 5, 6]
    private static let outlineModes: Set<Int> = [1, 5]
    private static let hiddenMode = 3
    /// The first rendering mode in which text is clipped to.
    static let clipMode = 4

    /// Takes an operator that sets a parameter.
    ///
    /// - Parameters:
    ///   - whole: of the last number.
    ///   - isZero: whether that is 0.
    mutating func takeParameter(_ code: Int, _ whole: Int, isZero: Bool, _ values: OperandValues) {
        defer { parameters.hasBegun = true }
        switch code {
        // w
        case 0x77: state.set(.lineWidth, isUsual: whole == 1)
        // d
        case 0x64: state.set(.dash, isUsual: !values.hasElements)
        // Tc Tw
        case 0x5463: state.set(.spacing, isUsual: isZero)
        case 0x5477: state.set(.wordSpacing, isUsual: isZero)
        // TL TD
        case 0x544C, 0x5444: state.set(.leading, isUsual: isZero)
        // Tr Tf
        case 0x5472: state.set(.textMode, isUsual: values.mode == 0)
        case 0x5466: state.set(.font, isUsual: false)
        // T*
        case 0x542A: use(.leading)
        // d0 d1
        case 0x6430: setGlyphKind(.colored, values)
        case 0x6431: setGlyphKind(.shape, values)
        default: return
        }
        parameters.changed.formUnion(state.changed)
    }

    private mutating func setGlyphKind(_ kind: GlyphKind, _ values: OperandValues) {
        if parameters.hasBegun { parameters.repeatsGlyphKind = true }
        (parameters.glyphKind, parameters.glyphWidth) = (kind, values.length)
    }
}
