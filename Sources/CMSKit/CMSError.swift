/// An error in reading or creating a message. Equality compares only the codes.
package struct CMSError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// Not ASN.1, or not the expected structure.
        case malformed
        /// BER instead of DER, such as indefinite lengths or non-minimal lengths.
        case notDER
        /// Bytes after the message.
        case trailingData
        /// Valid ASN.1, but not a SignedData.
        case notSignedData
        case limitExceeded
        case unsupportedAlgorithm
        case invalidParameter
        /// The key does not match the certificate.
        case keyMismatch
        /// The signature returned does not verify with the certificate's key.
        case signatureDoesNotVerify
        /// Signing failed; `cause` contains the reason.
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
