package import Base

/// Why a stamp cannot be drawn.
package typealias AppearanceError = CodedError<AppearanceErrorCode>

/// The codes of ``AppearanceError``.
package enum AppearanceErrorCode: String, Sendable {
    /// The box leaves the page as a viewer shows it.
    case boxOffPage
    /// Viewers disagree which part of the page is shown, or how it is turned.
    case pageDisputed
    /// The page's units are so large that nothing of the stamp would be seen.
    case stampCollapses
    /// Width or height is zero, negative, or beyond what a PDF page can hold.
    case badSize
    /// The text holds a character that the font lacks.
    case characterNotInFont
    /// The text cannot be made small enough for the box.
    case textDoesNotFit
    /// A file of ink cannot be understood.
    case badInk
    /// There is nothing to draw.
    case noInk
    /// A picture that cannot be understood.
    case badPicture
    /// PDF/A does not permit the picture's colours.
    case colorsNotPermitted
    /// A library that is loaded on first use is not installed.
    case libraryMissing
}
