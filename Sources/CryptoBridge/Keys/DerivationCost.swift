internal import COpenSSL

/// What it costs to turn a passphrase into the keys of one file, added up before each derivation.
///
/// Its unit is a round of PBKDF2 or of PKCS#12's derivation, or one of scrypt's N·r·p (RFC 7914):
/// each at most about half a microsecond, so the limit is some seconds.
struct DerivationCost {
    /// Beyond this it is a trap, not protection.
    static let limit = 5_000_000

    private var rounds = 0

    /// - Throws: `limitExceeded` when the file would cost more than the limit.
    mutating func add(rounds more: UInt64) throws(CryptoError) {
        // Both below the limit: the sum fits.
        guard more <= UInt64(Self.limit), rounds + Int(more) <= Self.limit else {
            throw CryptoError(
                .limitExceeded,
                "key derivations of more than \(Self.limit) rounds (of scrypt: N·r·p) in all")
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
