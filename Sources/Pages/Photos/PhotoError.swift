package import Base

/// Why a photo cannot become a page.
package struct PhotoError: Error, Equatable, Sendable {
    /// What went wrong, for programs.
    package enum Code: Sendable {
        /// Another kind of file, known or not.
        case notAPhoto
        /// The file ends before the picture does.
        case truncated
        /// The file contradicts itself.
        case malformed
        /// A variant of JPEG that nothing here or in a PDF reader can show.
        case unsupported
        /// More pixels, or more of anything else, than is permitted.
        case tooLarge
        /// PDF/A does not permit what is in the photo.
        case notArchivable
    }

    package let code: Code
    /// One line, lower case, no full stop.
    package let detail: String
    /// What to try instead.
    package let hint: Sentence?

    package init(_ code: Code, _ detail: String, hint: Sentence? = nil) {
        self.code = code
        self.detail = detail
        self.hint = hint
    }

    /// Errors are equal when their codes are: the rest is prose.
    package static func == (left: PhotoError, right: PhotoError) -> Bool {
        left.code == right.code
    }
}
