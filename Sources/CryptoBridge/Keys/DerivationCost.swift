internal import COpenSSL

/// The cost of deriving the keys of one file from a passphrase, added up before each derivation.
///
/// The unit is one iteration of PBKDF2 or of the PKCS#12 derivation, or one of scrypt's N·r·p (RFC
/// 7914): at most about half a microsecond each, so the limit is a few seconds.
struct DerivationCost {
    /// A higher cost is treated as a denial-of-service attack.
    static let limit = 5_000_000

    private var rounds = 0

    /// - Throws: `limitExceeded` if the file would exceed the limit.
    mutating func add(rounds more: UInt64) throws(CryptoError) {
        // Both are below the limit, so the sum cannot overflow.
        guard more <= UInt64(Self.limit), rounds + Int(more) <= Self.limit else {
            throw CryptoError(
                .limitExceeded,
                "the file requires more than \(Self.limit) rounds of key derivation (the limit)")
        }
        rounds += Int(more)
    }

    mutating func add(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(CryptoError) {
        guard let algorithm = unsafe algorithm else { return }
        try add(rounds: unsafe COpenSSL_derivation_rounds(algorithm))
    }

    /// - Parameter encrypted: an X509_SIG.
    mutating func add(_ encrypted: OpaquePointer) throws(CryptoError) {
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(encrypted, &algorithm, nil)
        try unsafe add(algorithm)
    }
}
