/// Why data could not be decoded.
package struct CodecError: Error, Equatable, Sendable {
    /// What went wrong, for programs.
    package enum Code: Sendable {
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

    package let code: Code
    package let detail: String

    package init(_ code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Errors are equal when their codes are: the rest is prose.
    package static func == (left: CodecError, right: CodecError) -> Bool {
        left.code == right.code
    }
}
