package import Base

/// Why a photo cannot become a page.
package typealias PhotoError = CodedError<PhotoErrorCode>

/// The codes of ``PhotoError``.
package enum PhotoErrorCode: Sendable {
    /// Another kind of file, known or not.
    case notAPhoto
    /// The file ends before the picture does.
    case truncated
    /// The file contradicts itself.
    case malformed
    /// A variant of JPEG that neither Signet nor PDF viewers can show.
    case unsupported
    /// More pixels, or more of anything else, than is permitted.
    case tooLarge
    /// PDF/A does not permit the content of the photo.
    case notArchivable
}
