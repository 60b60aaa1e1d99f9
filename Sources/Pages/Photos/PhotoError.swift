package import Base

/// An error that prevents using a photo as a page.
package typealias PhotoError = CodedError<PhotoErrorCode>

/// The codes of ``PhotoError``.
package enum PhotoErrorCode: Sendable {
    /// The file has another format, known or unknown.
    case notAPhoto
    /// The file ends before the image does.
    case truncated
    /// The file is inconsistent.
    case malformed
    /// A variant of JPEG that neither Signet nor PDF viewers can show.
    case unsupported
    /// The photo exceeds the limit for pixels, or another limit.
    case tooLarge
    /// PDF/A does not permit the content of the photo.
    case notArchivable
}
