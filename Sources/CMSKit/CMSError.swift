/// Why a message could not be read or made. Equality compares codes alone.
package struct CMSError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// No ASN.1, or not the structure expected.
        case malformed
        /// BER that is not DER: indefinite lengths, long forms where short ones do.
        case notDER
        /// Bytes after the message.
        case trailingData
        /// Well-formed, but no SignedData.
        case notSignedData
        case limitExceeded
        case unsupportedAlgorithm
        case invalidParameter
        /// The key does not belong to the certificate.
        case keyMismatch
        /// The signature returned does not verify with the certificate's key.
        case signatureDoesNotVerify
        /// The signing itself failed; `cause` says why.
        case signingFailed
    }

    package let code: Code
    /// What failed, in lower case without a full stop.
    package let detail: String
    package let cause: (any Error)?

    package init(_ code: Code, _ detail: String, cause: (any Error)? = nil) {
        self.code = code
        self.detail = detail
        self.cause = cause
    }

    package static func == (a: CMSError, b: CMSError) -> Bool { a.code == b.code }

    package var description: String { cause.map { "\(detail): \($0)" } ?? detail }
}
