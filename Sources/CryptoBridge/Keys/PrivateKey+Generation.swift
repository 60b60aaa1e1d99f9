internal import COpenSSL

extension PrivateKey {
    /// RSA sizes allowed for generation.
    package static let rsaBits = 2048...16_384

    /// A new key: RSA with exponent 65537, EC on a named curve, Ed25519, Ed448, ML-DSA, or DSA
    /// with a 256-bit subgroup.
    package static func generate(_ type: KeyType) throws(CryptoError) -> PrivateKey {
        SecretBytes.protectProcess()
        OpenSSL.prepare()
        switch type {
        case .rsa(let bits):
            guard rsaBits.contains(bits) else {
                throw CryptoError(.invalidParameter, "RSA keys have 2048 to 16384 bits")
            }
            return try unsafe generate("RSA") {
                unsafe EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits))
            }
        case .ec(let curve):
            return try unsafe generate("EC") {
                unsafe EVP_PKEY_CTX_set_group_name($0, curve.rawValue)
            }
        case .ed25519:
            return try unsafe generate("ED25519") { _ in 1 }
        case .ed448:
            return try unsafe generate("ED448") { _ in 1 }
        case .quantumSafe(let algorithm):
            return try unsafe generate(algorithm.rawValue) { _ in 1 }
        case .dsa(let bits):
            return try generateDSA(bits: bits)
        }
    }

    private static func generate(
        _ name: String, _ configure: (OpaquePointer) -> Int32
    ) throws(CryptoError) -> PrivateKey {
        let context = try unsafe OpenSSL.require(
            EVP_PKEY_CTX_new_from_name(nil, name, nil),
            QuantumSafeAlgorithm(rawValue: name).flatMap {
                QuantumSafeAlgorithm.unavailabilityReason(of: $0.oid)
            }
                ?? "\(name) keys are not available", .unsupportedAlgorithm)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return try unsafe generate(in: context, configure)
    }

    private static func generate(
        in context: OpaquePointer, _ configure: (OpaquePointer) -> Int32
    ) throws(CryptoError) -> PrivateKey {
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe configure(context) == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key
        else { throw CryptoError.draining(.internalFailure, "the key cannot be generated") }
        return PrivateKey(unsafe try KeyHandle(takingOwnership: key))
    }

    private static func generateDSA(bits: Int) throws(CryptoError) -> PrivateKey {
        guard bits == 2048 || bits == 3072 else {
            throw CryptoError(.invalidParameter, "DSA keys have 2048 or 3072 bits")
        }
        let parameterContext = try unsafe OpenSSL.require(
            EVP_PKEY_CTX_new_from_name(nil, "DSA", nil), "DSA keys are not available",
            .unsupportedAlgorithm)
        defer { unsafe EVP_PKEY_CTX_free(parameterContext) }
        var parameters: OpaquePointer?
        guard unsafe EVP_PKEY_paramgen_init(parameterContext) == 1,
            unsafe EVP_PKEY_CTX_set_dsa_paramgen_bits(parameterContext, Int32(bits)) == 1,
            unsafe EVP_PKEY_CTX_set_dsa_paramgen_q_bits(parameterContext, 256) == 1,
            unsafe EVP_PKEY_generate(parameterContext, &parameters) == 1
        else { throw CryptoError.draining(.internalFailure, "DSA parameters cannot be generated") }
        defer { unsafe EVP_PKEY_free(parameters) }
        let context = try unsafe OpenSSL.require(
            EVP_PKEY_CTX_new_from_pkey(nil, parameters, nil), "no key context")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return try unsafe generate(in: context) { _ in 1 }
    }
}
