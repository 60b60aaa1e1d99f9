internal import COpenSSL

extension PrivateKey {
    /// PBKDF2 rounds for new keys (OWASP, 2023, for HMAC-SHA-256).
    package static let defaultIterations = 600_000
    private static let saltByteCount = 16

    /// PKCS#8 in DER (RFC 5958). With a passphrase: PBES2 with AES-256-CBC and
    /// PBKDF2-HMAC-SHA256 (RFC 8018).
    package func pkcs8DER(
        passphrase: SecretBytes?, iterations: Int = defaultIterations
    ) throws(CryptoError) -> SecretBytes {
        OpenSSL.prepare()
        let info = try unsafe OpenSSL.require(
            COpenSSL_pkcs8(handle.pointer), "the key cannot be encoded")
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        guard let passphrase else {
            return try unsafe OpenSSL.require(
                OpenSSL.encodeSecret { unsafe i2d_PKCS8_PRIV_KEY_INFO(info, $0) },
                "the key cannot be encoded")
        }
        guard (1000...10_000_000).contains(iterations) else {
            throw CryptoError(.invalidParameter, "\(iterations) rounds of PBKDF2")
        }
        var salt = try RandomBytes.generate(PrivateKey.saltByteCount)
        // Not PEM_write_bio_PKCS8PrivateKey, which fixes 2048 rounds.
        let encrypted = try unsafe OpenSSL.require(
            PKCS8_encrypt(
                -1, EVP_aes_256_cbc(), passphrase.buffer.bindMemory(to: CChar.self).baseAddress,
                Int32(passphrase.byteCount), &salt, Int32(salt.count), Int32(iterations), info),
            "the key cannot be encrypted")
        defer { unsafe X509_SIG_free(encrypted) }
        return try unsafe OpenSSL.require(
            OpenSSL.encodeSecret { unsafe i2d_X509_SIG(encrypted, $0) }, "the key cannot be encoded"
        )
    }

    /// The PEM text of ``pkcs8DER(passphrase:iterations:)``.
    package func pkcs8PEM(
        passphrase: SecretBytes?, iterations: Int = defaultIterations
    ) throws(CryptoError) -> SecretBytes {
        let der = try pkcs8DER(passphrase: passphrase, iterations: iterations)
        return PEMWriter.write(
            passphrase == nil ? "PRIVATE KEY" : "ENCRYPTED PRIVATE KEY", secret: der)
    }
}
