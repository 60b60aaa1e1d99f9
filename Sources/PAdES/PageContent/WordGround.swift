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
    /// The characters of what is seen, as they are painted one after the other; nil for one that
    /// only its font knows.
    private(set) var seen: [String?] = []
    /// Whether there are words that are not painted, say those that a scanned page was read to be.
    private(set) var hasUnpainted = false
    /// Whether other words are said to stand for what is seen.
    private(set) var isReplaced = false

    private static let (patchLimit, seenLimit) = (256, 400)
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
            if isWhole, hides { (seen, isReplaced) = ([], false) }
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
    /// - Parameters:
    ///   - glyph: what is drawn, and whether other words stand for it.
    ///   - isFramed: whether its outline is drawn too, by lines that may hide it.
    mutating func takeText(
        _ area: PDFRectangle, _ paint: PaintedGround.Paint?,
        _ glyph: (text: String?, isReplaced: Bool), isFramed: Bool
    ) {
        guard let paint, paint.opacity > Self.trace, paint.clip.meets(area) else {
            hasUnpainted = true
            return
        }
        var isCertain =
            paint.opacity > Self.share && !paint.isBlended && !paint.isMasked && !paint.hasPattern
            && !isCrowded
        if case .shaped = paint.clip { isCertain = false }
        guard let own = paint.ink, let ground = ground(of: area) else {
            mayShowText = true
            return
        }
        guard !own.isLike(ground) else {
            hasUnpainted = true
            return
        }
        if glyph.isReplaced { isReplaced = true }
        if seen.count < Self.seenLimit { seen.append(glyph.text) }
        if isFramed { isCertain = isCertain && !(paint.strokeInk?.isLike(ground) ?? true) }
        if isCertain { showsText = true } else { mayShowText = true }
    }

    /// Whether what is seen may be these words: half of them at least, for where the part of a word
    /// stands is not exactly known. Nil where that cannot be told.
    func shows(_ words: [String]) -> Bool? {
        let painted: [Character] = seen.compactMap(\.self).joined().filter { !$0.isWhitespace }
        guard !seen.contains(nil), seen.count < Self.seenLimit else {
            return hasUnpainted ? false : nil
        }
        let wanted = Array(words.joined().prefix(Self.seenLimit))
        // How long a run of letters both have in common, ending at each letter that is painted.
        var lengths = [Int](repeating: 0, count: painted.count + 1)
        var longest = 0
        for letter in wanted {
            for index in painted.indices.reversed() {
                lengths[index + 1] = painted[index] == letter ? lengths[index] + 1 : 0
                longest = max(longest, lengths[index + 1])
            }
        }
        return 2 * longest >= min(wanted.count, Self.seenLimit)
    }

    private func ground(of area: PDFRectangle) -> Ink? {
        let wanted = Self.share * area.width * area.height
        let patch = patches.last { patch in
            patch.area.intersection(area).map { $0.width * $0.height >= wanted } ?? false
        }
        return patch.map(\.ink) ?? ink
    }
}
