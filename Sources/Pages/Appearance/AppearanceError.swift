/// Why a stamp cannot be drawn.
package struct AppearanceError: Error, Equatable {
    package enum Code: String, Sendable {
        /// The box leaves the page as a viewer shows it.
        case boxOffPage
        /// Readers disagree which part of the page is shown, or how it is turned.
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

    package let code: Code
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
