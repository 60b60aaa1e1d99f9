package import Base

/// The reason why a trusted list is rejected.
package typealias TrustListError = CodedError<TrustListErrorCode>

/// The codes of ``TrustListError``.
package enum TrustListErrorCode: String, Sendable {
    /// Not a trusted list, or a malformed one.
    case malformed
    /// The signature does not have the form for trusted lists (ETSI TS 119 612).
    case signatureForm = "signature-form"
    /// Modified after signing, or signed with another key.
    case signatureInvalid = "signature-invalid"
    /// The signer is not permitted.
    case signerUnknown = "signer-unknown"
    /// The list of lists refers to no known issue of the Official Journal.
    case anchorOutdated = "anchor-outdated"
    /// A list that is needed to verify another one is missing.
    case missing
    case expired
    /// Older than a list seen before.
    case rollback
    /// The territory or type differs from the requested one.
    case otherList = "other-list"
    case limitExceeded = "limit-exceeded"
    /// Expat, the XML library, is not installed.
    case parserMissing = "parser-missing"
}
