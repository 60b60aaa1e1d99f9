package import Base

/// An error that prevents decoding.
package typealias CodecError = CodedError<CodecErrorCode>

/// The codes of ``CodecError``.
package enum CodecErrorCode: Sendable {
    /// The data does not have the format.
    case malformed
    /// The data ends too early.
    case truncated
    /// The decoded data does not match its checksum.
    case checksumMismatch
    /// The decoded data would be larger than permitted.
    case limitExceeded
    /// A library that is loaded on first use is not installed.
    case libraryMissing
    /// The format is supported, but not this variant of it.
    case unsupported
}
