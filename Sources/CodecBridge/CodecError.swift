package import Base

/// Why data could not be decoded.
package typealias CodecError = CodedError<CodecErrorCode>

/// The codes of ``CodecError``.
package enum CodecErrorCode: Sendable {
    /// The data is not in the format.
    case malformed
    /// The data ends too early.
    case truncated
    /// The data decodes, but not to what its checksum says.
    case checksumMismatch
    /// The decoded data would be larger than permitted.
    case limitExceeded
    /// A library that is loaded on first use is not installed.
    case libraryMissing
    /// The format is known, this variant of it is not supported.
    case unsupported
}
