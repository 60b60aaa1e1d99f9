/// How far a character paints above and below its line in usual fonts, in units of the size.
struct LetterExtent {
    let bottom: Double
    let top: Double

    private static let low = Set("acemnorsuvwxz+-=~<>*")
    private static let tailed = Set("gpqy")
    private static let points = Set(".…")
    private static let commas = Set(",‚„")
    private static let deep = Set("jQ;()[]{}|@$/\\§çÇ_ﬀ")

    /// Of characters of which a row is a line.
    init(ofRule text: String?) {
        switch text {
        case ".", "…": (bottom, top) = (0, 0.12)
        case "_": (bottom, top) = (-0.2, 0)
        default: (bottom, top) = (0.2, 0.4)
        }
    }

    /// - Parameter text: nil where it is not known.
    init(of text: String?) {
        guard let text, let first = text.first, text.count == 1 else {
            (bottom, top) = (-0.25, 0.95)
            return
        }
        (bottom, top) =
            if Self.points.contains(first) {
                (0, 0.12)
            } else if Self.commas.contains(first) {
                (-0.16, 0.12)
            } else if Self.low.contains(first) {
                (0, 0.54)
            } else if Self.tailed.contains(first) {
                (-0.22, 0.54)
            } else if Self.deep.contains(first) {
                (-0.22, 0.74)
            } else if first.isASCII {
                (0, 0.72)
            } else {
                // With accents above or below, or of any script.
                (-0.22, 0.95)
            }
    }
}
