/// Sub-indications of ETSI EN 319 102-1 §5 that Signet reports.
public enum SubIndication: String, Sendable, CaseIterable, Codable {
    // Sub-indications of TOTAL-FAILED.
    case formatFailure = "FORMAT_FAILURE"
    case hashFailure = "HASH_FAILURE"
    case signatureCryptoFailure = "SIG_CRYPTO_FAILURE"
    case revoked = "REVOKED"
    case expired = "EXPIRED"
    case notYetValid = "NOT_YET_VALID"
    // Sub-indications of INDETERMINATE.
    case noSigningCertificateFound = "NO_SIGNING_CERTIFICATE_FOUND"
    case noCertificateChainFound = "NO_CERTIFICATE_CHAIN_FOUND"
    case certificateChainGeneralFailure = "CERTIFICATE_CHAIN_GENERAL_FAILURE"
    case chainConstraintsFailure = "CHAIN_CONSTRAINTS_FAILURE"
    case signatureConstraintsFailure = "SIG_CONSTRAINTS_FAILURE"
    case cryptoConstraintsFailureNoPOE = "CRYPTO_CONSTRAINTS_FAILURE_NO_POE"
    case revokedNoPOE = "REVOKED_NO_POE"
    case revokedCANoPOE = "REVOKED_CA_NO_POE"
    case outOfBoundsNoPOE = "OUT_OF_BOUNDS_NO_POE"
    case timestampOrderFailure = "TIMESTAMP_ORDER_FAILURE"
    case noPOE = "NO_POE"
    case signedDataNotFound = "SIGNED_DATA_NOT_FOUND"
    case tryLater = "TRY_LATER"
}
