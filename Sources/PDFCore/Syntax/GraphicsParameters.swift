/// Parameters of the graphics state that content may take over from what draws it (ISO 32000-2 §8.4.1,
/// §9.3.1): readers agree about that for forms, and not for all else that is content.
package struct GraphicsParameters: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// For `[]` the runtime looks a type up among all there are.
    package init() { rawValue = 0 }

    package static let fillColor = GraphicsParameters(rawValue: 1 << 0)
    package static let strokeColor = GraphicsParameters(rawValue: 1 << 1)
    package static let strokeOpacity = GraphicsParameters(rawValue: 1 << 2)
    package static let lineWidth = GraphicsParameters(rawValue: 1 << 3)
    package static let dash = GraphicsParameters(rawValue: 1 << 4)
    package static let font = GraphicsParameters(rawValue: 1 << 5)
    package static let textMode = GraphicsParameters(rawValue: 1 << 6)
    package static let spacing = GraphicsParameters(rawValue: 1 << 7)
    package static let wordSpacing = GraphicsParameters(rawValue: 1 << 8)
    package static let leading = GraphicsParameters(rawValue: 1 << 9)
    /// That text is clipped to, which content never takes over.
    package static let clipsToText = GraphicsParameters(rawValue: 1 << 10)
    /// That letters are lines, or nothing, or in a pattern, which is known only where it is set.
    package static let outlinesText = GraphicsParameters(rawValue: 1 << 11)
    package static let hidesText = GraphicsParameters(rawValue: 1 << 12)
    package static let patternsText = GraphicsParameters(rawValue: 1 << 13)
    /// That letters are next to nothing.
    package static let fadesText = GraphicsParameters(rawValue: 1 << 14)

    package static let colors: GraphicsParameters = [.fillColor, .strokeColor]
    package static let all = GraphicsParameters(rawValue: 1 << 10 - 1)
    /// What lines are drawn by.
    static let line: GraphicsParameters = [.strokeColor, .strokeOpacity, .lineWidth, .dash]
}

/// What a glyph that is content says of itself (ISO 32000-2 Table 111).
package enum GlyphKind: Sendable {
    /// That it has colours of its own (`d0`).
    case colored
    /// That it has a shape alone, and in which box (`d1`).
    case shape
}
