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
    /// Whether words are certainly seen, or perhaps: in colours or ways that are not followed.
    private(set) var showsText = false
    private(set) var mayShowText = false

    private static let patchLimit = 256
    /// The part of a word that a patch has to lie under, and of the box that one has to lie over.
    private static let (share, coverShare) = (0.5, 0.3)
    /// Opaque enough to hide what lies below, and too thin to be seen, of 1.
    private static let (cover, trace) = (0.9, 0.1)

    /// Takes something that is painted.
    ///
    /// - Parameters:
    ///   - isWhole: whether it is painted all over the box.
    ///   - share: of the box on which it is painted.
    mutating func take(
        _ area: PDFRectangle, _ paint: PaintedGround.Paint, isWhole: Bool, share: Double
    ) {
        guard paint.opacity > Self.trace else { return }
        let hides =
            paint.opacity >= Self.cover && !paint.isBlended && !paint.isMasked && !paint.hasPattern
        let ink = hides ? paint.ink : nil
        if isWhole || share >= Self.coverShare, showsText {
            (showsText, mayShowText) = (false, !isWhole || !hides)
        }
        guard isWhole else {
            guard patches.count < Self.patchLimit else {
                isCrowded = true
                return
            }
            patches.append((area, ink))
            return
        }
        if hides { mayShowText = false }
        self.ink = ink
        (patches, isCrowded) = ([], false)
    }

    /// Takes a picture, which may hide what lies below it.
    mutating func takePicture(share: Double) {
        if share >= Self.coverShare, showsText { (showsText, mayShowText) = (false, true) }
    }

    /// Takes a glyph.
    ///
    /// - Parameter isFramed: whether its outline is drawn too, by lines that may hide it.
    mutating func takeText(_ area: PDFRectangle, _ paint: PaintedGround.Paint, isFramed: Bool) {
        guard paint.opacity > Self.trace, paint.clip.meets(area) else { return }
        var isCertain =
            paint.opacity > Self.share && !paint.isBlended && !paint.isMasked && !paint.hasPattern
            && !isCrowded
        if case .shaped = paint.clip { isCertain = false }
        guard let own = paint.ink, let ground = ground(of: area) else {
            mayShowText = true
            return
        }
        guard !own.isLike(ground) else { return }
        if isFramed { isCertain = isCertain && !(paint.strokeInk?.isLike(ground) ?? true) }
        if isCertain { showsText = true } else { mayShowText = true }
    }

    private func ground(of area: PDFRectangle) -> Ink? {
        let wanted = Self.share * area.width * area.height
        let patch = patches.last { patch in
            patch.area.intersection(area).map { $0.width * $0.height >= wanted } ?? false
        }
        return patch.map(\.ink) ?? ink
    }
}
