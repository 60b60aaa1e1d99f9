internal import COpenSSL

/// Writes PKCS#12 (RFC 7292): PBES2 with AES-256-CBC, and an HMAC-SHA-256 over the contents.
package enum PKCS12Writer {
    /// A file with the key, its certificate and the CA certificates, encrypted with one password.
    package static func write(
        key: PrivateKey, certificate: Certificate, chain: [Certificate] = [],
        friendlyName: String? = nil, password: SecretBytes,
        iterations: Int = PrivateKey.defaultIterations
    ) throws(CryptoError) -> SecretBytes {
        OpenSSL.prepare()
        guard try certificate.publicKey == key.publicKey else {
            throw CryptoError(.keyMismatch, "the key does not match the certificate")
        }
        // The MAC, the certificates and the key each need this many iterations.
        guard (1000...DerivationCost.limit / 3).contains(iterations) else {
            throw CryptoError(.invalidParameter, "\(iterations) rounds of key derivation")
        }
        let secret = try PKCS12Password(password)
        defer { withExtendedLifetime(secret) {} }
        let others = try unsafe OpenSSL.require(COpenSSL_sk_X509_new(), "no certificate list")
        defer { unsafe COpenSSL_sk_X509_pop_free(others) }
        for other in chain where other != certificate {
            // The stack takes its own reference.
            let pointer = unsafe try other.x509()
            guard unsafe X509_up_ref(pointer) == 1 else { continue }
            if unsafe COpenSSL_sk_X509_push(others, pointer) <= 0 { unsafe X509_free(pointer) }
        }
        let bundle = try unsafe OpenSSL.require(
            PKCS12_create(
                secret.pointer, friendlyName, key.handle.pointer, try certificate.x509(), others,
                NID_aes_256_cbc, NID_aes_256_cbc, Int32(iterations), Int32(iterations), 0),
            "the PKCS#12 file cannot be created")
        defer { unsafe PKCS12_free(bundle) }
        return try unsafe OpenSSL.require(
            OpenSSL.encodeSecret { unsafe i2d_PKCS12(bundle, $0) },
            "the PKCS#12 file cannot be encoded")
    }
}
