package import Base

/// Why a trusted list does not count.
package typealias TrustListError = CodedError<TrustListErrorCode>

/// The codes of ``TrustListError``.
package enum TrustListErrorCode: String, Sendable {
    /// No trusted list, or one that breaks its format.
    case malformed
    /// Not signed in the form that trusted lists have (ETSI TS 119 612).
    case signatureForm = "signature-form"
    /// Not what was signed, or by another key.
    case signatureInvalid = "signature-invalid"
    /// Signed by nobody who may.
    case signerUnknown = "signer-unknown"
    /// The list of lists names no Official Journal whose certificates are known.
    case anchorOutdated = "anchor-outdated"
    /// A list is missing that is needed to believe another.
    case missing
    case expired
    /// Older than one that was seen.
    case rollback
    /// Of another territory or type than was asked for.
    case otherList = "other-list"
    /// Larger than any list.
    case limitExceeded = "limit-exceeded"
    /// The library that reads XML is not installed.
    case parserMissing = "parser-missing"
}

/// What is accepted of lists. Real ones have up to 2.5 MB, 44 pointers and 8 pivots.
package enum TrustListLimits {
    package static let byteCount = 32 << 20
    package static let pointerCount = 100
    package static let pivotCount = 20
    /// Of one list; the largest has 700.
    package static let serviceCount = 20_000
    /// Criteria within criteria.
    static let criteriaDepth = 8
}
