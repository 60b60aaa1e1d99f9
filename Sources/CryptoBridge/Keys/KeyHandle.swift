internal import COpenSSL

/// The owner of an EVP_PKEY.
@safe
final class KeyHandle: @unchecked Sendable {
    // Sendable: an EVP_PKEY is not changed after loading; OpenSSL guards its caches with locks
    // and its count is atomic.
    let pointer: OpaquePointer
    let algorithm: KeyAlgorithm

    /// Checks and keeps the key; frees it if it is rejected.
    init(takingOwnership pointer: OpaquePointer) throws(CryptoError) {
        do throws(CryptoError) {
            algorithm = unsafe try KeyHandle.algorithm(of: pointer)
            try unsafe DegenerateKey.refuse(pointer, algorithm: algorithm)
        } catch {
            unsafe EVP_PKEY_free(pointer)
            throw error
        }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// Largest RSA modulus accepted; OpenSSL's limit for verification.
    static let rsaBitLimit = 16_384
    /// Largest public exponent, so that verifying stays fast; smaller for moduli over 4096 bits.
    static let rsaExponentBitLimit = 64
    static let largeRSAExponentBitLimit = 32
    static let largeRSABitCount = 4096
    /// Longest DSA prime: FIPS 186-4 §4.2 defines no longer ones. The cost of a check grows with
    /// the square of the length.
    static let dsaBitLimit = 3072

    private static func algorithm(of key: OpaquePointer) throws(CryptoError) -> KeyAlgorithm {
        let bits = Int(unsafe EVP_PKEY_get_bits(key))
        switch unsafe EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA:
            try unsafe checkRSA(key, bits: bits)
            return .rsa(bits: bits)
        case EVP_PKEY_RSA_PSS:
            try unsafe checkRSA(key, bits: bits)
            return .rsaPSS(bits: bits)
        case EVP_PKEY_EC: return .ec(curve: try unsafe curveName(of: key))
        case EVP_PKEY_ED25519: return .ed25519
        case EVP_PKEY_ED448: return .ed448
        case EVP_PKEY_DSA:
            guard bits <= dsaBitLimit else {
                throw CryptoError(.limitExceeded, "a DSA key of \(bits) bits, over \(dsaBitLimit)")
            }
            return .dsa(bits: bits)
        default:
            guard let name = unsafe EVP_PKEY_get0_type_name(key) else { return .other("unknown") }
            let known = unsafe String(cString: name)
            return QuantumSafeAlgorithm(rawValue: known).map(KeyAlgorithm.quantumSafe)
                ?? .other(known)
        }
    }

    private static func checkRSA(_ key: OpaquePointer, bits: Int) throws(CryptoError) {
        guard bits <= rsaBitLimit else {
            throw CryptoError(.limitExceeded, "an RSA key of \(bits) bits, over \(rsaBitLimit)")
        }
        var exponent: OpaquePointer?
        try OpenSSL.require(
            unsafe EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1,
            "an RSA key without exponent", .malformedKey)
        defer { unsafe BN_free(exponent) }
        let exponentBits = Int(unsafe BN_num_bits(exponent))
        let limit = bits > largeRSABitCount ? largeRSAExponentBitLimit : rsaExponentBitLimit
        guard exponentBits <= limit else {
            throw CryptoError(
                .limitExceeded, "an RSA exponent of \(exponentBits) bits, over \(limit)")
        }
        guard exponentBits >= 2, unsafe BN_is_odd(exponent) == 1 else {
            throw CryptoError(.malformedKey, "an RSA exponent that is even or 1")
        }
    }

    private static func curveName(of key: OpaquePointer) throws(CryptoError) -> String {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1,
            (1..<name.count).contains(count)
        else {
            throw CryptoError.draining(
                .unsupportedAlgorithm,
                "an elliptic curve with explicit parameters instead of a name")
        }
        let text = String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return NamedCurve(name: text)?.rawValue ?? text
    }
}
