internal import COpenSSL

/// HMAC with SHA-256, and HKDF.
package enum MessageAuthentication {
    private static let byteCount = 32

    /// HMAC-SHA-256 (RFC 2104), 32 bytes.
    package static func hmacSHA256(key: [UInt8], data: [UInt8]) throws(CryptoError) -> [UInt8] {
        OpenSSL.prepare()
        var code = [UInt8](repeating: 0, count: byteCount)
        var count = 0
        guard
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, "SHA256", nil, key, key.count, data, data.count, &code,
                code.count, &count) != nil, count == byteCount
        else { throw CryptoError.draining(.internalFailure, "HMAC failed") }
        return code
    }

    /// HKDF with SHA-256 (RFC 5869).
    ///
    /// - Returns: 32 bytes, which the caller wipes.
    package static func hkdfSHA256(
        key: [UInt8], salt: [UInt8], info: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        OpenSSL.prepare()
        let context = try unsafe OpenSSL.require(
            EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil), "HKDF is not available", .unsupportedAlgorithm)
        // EVP_PKEY_CTX_free wipes the key.
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var derived = [UInt8](repeating: 0, count: byteCount)
        var count = byteCount
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1,
            unsafe EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(clamping: salt.count)) == 1,
            unsafe EVP_PKEY_CTX_set1_hkdf_key(context, key, Int32(clamping: key.count)) == 1,
            unsafe EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(clamping: info.count)) == 1,
            unsafe EVP_PKEY_derive(context, &derived, &count) == 1, count == byteCount
        else { throw CryptoError.draining(.internalFailure, "HKDF failed") }
        return derived
    }
}
