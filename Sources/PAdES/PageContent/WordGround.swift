import PDFCore

/// Whether words in a box can be seen: painted in another colour than what lies below them, and not
/// painted over afterwards.
///
/// What nobody can tell, such as a pattern, lets them be seen.
struct WordGround {
    /// What was painted in the box over its ground, the newest last; its colour nil when not known.
    private var patches: [(area: PDFRectangle, ink: Ink?)] = []
    private var ink: Ink? = .white
    /// Whether there were more of them than are kept.
    private var isCrowded = false
    private(set) var showsText = false

    private static let patchLimit = 256
    /// The part of a word that a patch has to lie under.
    private static let share = 0.5
    /// Opaque enough to hide what lies below, and too thin to be seen, of 1.
    private static let (cover, trace) = (0.9, 0.1)

    /// Takes something that is painted.
    ///
    /// - Parameter isWhole: whether it is painted all over the box.
    mutating func take(_ area: PDFRectangle, _ paint: PaintedGround.Paint, isWhole: Bool) {
        guard paint.opacity > Self.trace else { return }
        let hides =
            paint.opacity >= Self.cover && !paint.isBlended && !paint.isMasked && !paint.hasPattern
        let ink = hides ? paint.ink : nil
        guard isWhole else {
            guard patches.count < Self.patchLimit else {
                isCrowded = true
                return
            }
            patches.append((area, ink))
            return
        }
        self.ink = ink
        (patches, isCrowded) = ([], false)
        if hides { showsText = false }
    }

    /// Takes a glyph.
    mutating func takeText(_ area: PDFRectangle, _ paint: PaintedGround.Paint) {
        guard paint.opacity > Self.trace, paint.clip.meets(area) else { return }
        guard let own = paint.ink, !isCrowded, let ground = ground(of: area) else {
            showsText = true
            return
        }
        if !own.isLike(ground) { showsText = true }
    }

    private func ground(of area: PDFRectangle) -> Ink? {
        let wanted = Self.share * area.width * area.height
        let patch = patches.last { patch in
            patch.area.intersection(area).map { $0.width * $0.height >= wanted } ?? false
        }
        return patch.map(\.ink) ?? ink
    }
}
