import Base
package import PDFCore
package import TextBridge

package enum StampFace {
    /// A standard font, which every viewer has; not embedded.
    case standard(StandardFont)
    case embedded(TextFont)

    func isSame(as other: StampFace) -> Bool {
        switch (self, other) {
        case (.standard(let one), .standard(let two)): one.baseName == two.baseName
        case (.embedded(let one), .embedded(let two)): one === two
        default: false
        }
    }
}

/// Finds fonts for a stamp's text.
package protocol StampFonts: AnyObject {
    /// Shapes text. With `nil`, only Latin letters and the standard fonts are available.
    var engine: TextEngine? { get }

    /// The font for a character and its combining marks.
    ///
    /// - Throws: An error with a hint, if there is no such font.
    func face(
        for character: ArraySlice<Unicode.Scalar>, script: Script, isBold: Bool
    ) throws -> StampFace
}

package final class StandardStampFonts: StampFonts {
    package let engine: TextEngine? = nil

    package init() {}

    package func face(
        for character: ArraySlice<Unicode.Scalar>, script: Script, isBold: Bool
    ) throws -> StampFace {
        let font = isBold ? StandardFont.bold : .regular
        for scalar in character where font.width(of: scalar) == nil {
            throw AppearanceError(
                .characterNotInFont,
                "the font of the visible signature has no character \(scalar.codePoint)")
        }
        return .standard(font)
    }
}

extension Unicode.Scalar {
    /// The form `U+01F0`.
    package var codePoint: String {
        let code = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
    }
}
