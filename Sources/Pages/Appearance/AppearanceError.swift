package import Base

/// An error that prevents drawing a stamp.
package typealias AppearanceError = CodedError<AppearanceErrorCode>

/// The codes of ``AppearanceError``.
package enum AppearanceErrorCode: String, Sendable {
    /// The box extends beyond the visible page.
    case boxOffPage
    /// Viewers may show another part of the page or rotate it differently.
    case pageDisputed
    /// The page's user unit is so large that the stamp would not be visible.
    case stampCollapses
    /// The width or height is zero, negative, or larger than a PDF page can be.
    case badSize
    /// The text contains a character that the font lacks.
    case characterNotInFont
    /// The text does not fit in the box even at the smallest size.
    case textDoesNotFit
    /// The modules of a QR code would be too small for scanners.
    case codeTooSmall
    /// An ink file is malformed.
    case badInk
    /// There is nothing to draw.
    case noInk
    /// A picture is malformed or not supported.
    case badPicture
    /// PDF/A does not permit the picture's color space.
    case colorsNotPermitted
    /// A library that is loaded on first use is not installed.
    case libraryMissing
}
