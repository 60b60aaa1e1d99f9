import PDFCore

extension CoveredContent {
    struct Line: Hashable {
        let isHorizontal: Bool
        let place: Int
    }

    /// Glyphs of one kind, one after the other.
    struct Row {
        var code = -1
        var isRule = false
        var isAfterBlank = false
        var count = 0
        /// The texts of those in the box.
        var covered: [String?] = []
    }

    struct State {
        var matrix = Transform.identity
        var font = ContentFont.fallback
        var size = 0.0
        var leading = 0.0
        var characterSpacing = 0.0
        var wordSpacing = 0.0
        var scale = 1.0
        var rise = 0.0
        var hasPattern = false
        /// Text is neither filled nor stroked.
        var isInvisible = false
        /// What is painted is seen inside of this; nil for all of the page.
        var clip: Clip?
    }

    /// As far as it matters: the box around it, and whether it is more than a box.
    struct Clip {
        var area: PDFRectangle
        var isShape: Bool
    }

    /// One stream with what it has set so far.
    struct Run {
        let resources: PDFDictionary
        var state = State()
        var saved: [State] = []
        var textMatrix = Transform.identity
        var lineMatrix = Transform.identity
        /// Direct dictionaries have no number to know them by.
        var fonts: [PDFName: ContentFont] = [:]
        var path: [ContentSubpath] = []
        var isOnNewLine = false
        /// Whether the path is to be clipped to.
        var clips = false

        init(resources: PDFDictionary) { self.resources = resources }

        mutating func nextLine(_ x: Double, _ y: Double) {
            if y != 0 { isOnNewLine = true }
            lineMatrix = Transform(e: x, f: y).followed(by: lineMatrix)
            textMatrix = lineMatrix
        }
    }
}
