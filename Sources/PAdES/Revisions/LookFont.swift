import PDFCore

/// How the strings of a look are read: by a simple font, which shows the same in all viewers, or by
/// what another font says of itself.
struct LookFont {
    struct Glyph {
        /// Nil where the font does not say.
        let text: String?
        /// In thousandths of the size; nil when viewers may differ.
        let width: Double?
        /// Whether it is a code of one byte for a blank (ISO 32000-2 §9.3.3).
        let isWordBreak: Bool

        init(text: String?, width: Double?, isWordBreak: Bool) {
            (self.text, self.isWordBreak) = (text, isWordBreak)
            self.width = width.flatMap { AppearanceMeasure.areBounded([$0]) ? $0 : nil }
        }

        var isBlank: Bool { text?.unicodeScalars.allSatisfy(\.properties.isWhitespace) ?? false }
    }

    /// Where there is no font.
    static let unknownGlyph = Glyph(text: nil, width: nil, isWordBreak: false)

    private let simple: SimpleFont?
    private let other: ContentFont?

    private static let blank: UInt8 = 32

    /// Whether all readers draw it alike, and read what it draws.
    var isPlain: Bool { simple?.isPlain ?? false }
    /// What it took to read its map to characters, as if that were content, in bytes.
    let cost: Int

    init(_ font: PDFDictionary, in document: PDFDocument) throws(PDFError) {
        let simple = try SimpleFont(font, in: document, isForSight: true)
        // What readers draw by a font of their own does not depend on what the document says of it.
        let saysCharacters: Bool
        if try SimpleFont.isOfReader(font, in: document) {
            let hasUsualCodes = try SimpleFont.hasUsualCodes(font, in: document)
            saysCharacters = simple == nil && hasUsualCodes
        } else {
            saysCharacters = try document.value(font, "ToUnicode") != .null
        }
        let content = saysCharacters ? try ContentFont(font, in: document) : nil
        cost = content?.cost ?? 0
        if let simple, let content, !simple.agrees(with: content) {
            (self.simple, other) = (nil, nil)
        } else {
            let isReadable = content.map { $0.isReadable && !$0.isVertical } ?? false
            (self.simple, other) = (simple, simple == nil && isReadable ? content : nil)
        }
    }

    func glyphs(of codes: [UInt8]) -> [Glyph] {
        if let other {
            return other.glyphs(of: codes, nil).map { glyph in
                let isKnown = glyph.before == 0 && glyph.after == 0
                let isDrawn = !other.isOfReader || glyph.painted == glyph.text
                let isSaid = glyph.text?.contains(AppearanceText.unreadable) == false
                return Glyph(
                    text: isDrawn && isSaid ? glyph.text : nil,
                    width: isKnown ? glyph.advance * 1000 : nil,
                    isWordBreak: glyph.isWordBreak)
            }
        }
        return codes.map { code in
            let glyph = simple?.glyph(code)
            return Glyph(
                text: glyph.map { String($0.scalar) }, width: glyph?.width,
                isWordBreak: code == Self.blank)
        }
    }
}

/// The fonts of a document that looks share.
final class LookFonts {
    var known: [ObjectID: LookFont] = [:]
}
