package import Base

/// An error in reading or creating a message.
package typealias CMSError = CodedError<CMSErrorCode>

/// The codes of ``CMSError``.
package enum CMSErrorCode: String, Sendable {
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
