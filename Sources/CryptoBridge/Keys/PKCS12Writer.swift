internal import COpenSSL

/// Writes PKCS#12 (RFC 7292): PBES2 with AES-256-CBC, and an HMAC-SHA-256 over the contents; or the
/// legacy form with 3DES and SHA-1, the only one that older programs import.
package enum PKCS12Writer {
    /// OpenSSL's number; old programs do not accept many more.
    private static let legacyIterations: Int32 = 2048

    /// A file with the key, its certificate and the CA certificates, encrypted with one password.
    package static func write(
        key: PrivateKey, certificate: Certificate, chain: [Certificate] = [],
        friendlyName: String? = nil, password: SecretBytes, isLegacy: Bool = false,
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
            // The stack owns a reference, which is added here.
            let pointer = unsafe try other.x509()
            guard unsafe X509_up_ref(pointer) == 1 else { continue }
            if unsafe COpenSSL_sk_X509_push(others, pointer) <= 0 { unsafe X509_free(pointer) }
        }
        let cipher = isLegacy ? NID_pbe_WithSHA1And3_Key_TripleDES_CBC : NID_aes_256_cbc
        let rounds = isLegacy ? Self.legacyIterations : Int32(iterations)
        // -1 omits the MAC, which is added below with the chosen hash.
        let bundle = try unsafe OpenSSL.require(
            PKCS12_create(
                secret.pointer, friendlyName, key.handle.pointer, try certificate.x509(), others,
                cipher, cipher, rounds, -1, 0),
            "the PKCS#12 file cannot be created")
        defer { unsafe PKCS12_free(bundle) }
        try OpenSSL.require(
            unsafe PKCS12_set_mac(
                bundle, secret.pointer, -1, nil, 0, rounds,
                isLegacy ? EVP_sha1() : EVP_sha256()) == 1,
            "the MAC of the PKCS#12 file cannot be created")
        return try unsafe OpenSSL.require(
            OpenSSL.encodeSecret { unsafe i2d_PKCS12(bundle, $0) },
            "the PKCS#12 file cannot be encoded")
    }
}
