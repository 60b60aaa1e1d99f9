internal import ASN1Kit
internal import COpenSSL

extension EnvelopedData {
    /// Most recipients whose keys are tried.
    private static let agreementLimit = 100
    private static let pointByteCount = 32

    /// The content with an X25519 key, which OpenSSL's CMS cannot use (RFC 8418, RFC 5753 §3.1).
    ///
    /// Wrapped keys prove that they are unwrapped with the right one: to try all tells nothing.
    ///
    /// - Returns: nil when the key opens none.
    func open(agreeingWith key: PrivateKey) throws(CryptoError) -> [UInt8]? {
        guard let parts = try parts() else { return nil }
        let agreements = parts.agreements.filter {
            $0.curve == .x25519 && $0.publicKey.count == Self.pointByteCount
        }
        for agreement in agreements.prefix(Self.agreementLimit) {
            guard let scheme = agreement.scheme,
                var secret = try Self.secret(key, agreement.publicKey)
            else { continue }
            defer { SecretBytes.wipe(&secret) }
            for wrapped in agreement.wrappedKeys.prefix(Self.agreementLimit) {
                guard var content = try scheme.unwrap(wrapped.key, secret) else { continue }
                defer { SecretBytes.wipe(&content) }
                return try parts.cipher().decrypt(parts, key: content)
            }
        }
        return nil
    }

    /// What both sides know and nobody else; nil for a public key that makes no secret.
    private static func secret(
        _ key: PrivateKey, _ publicKey: [UInt8]
    ) throws(CryptoError) -> [UInt8]? {
        OpenSSL.prepare()
        guard
            let peer = unsafe EVP_PKEY_new_raw_public_key(
                EVP_PKEY_X25519, nil, publicKey, publicKey.count)
        else {
            OpenSSL.prepare()
            return nil
        }
        defer { unsafe EVP_PKEY_free(peer) }
        guard let context = unsafe EVP_PKEY_CTX_new(key.handle.pointer, nil) else {
            throw CryptoError.draining(.internalFailure, "no context for a key agreement")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: pointByteCount)
        var count = secret.count
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_derive_set_peer(context, peer) == 1,
            unsafe EVP_PKEY_derive(context, &secret, &count) == 1, count == secret.count
        else {
            OpenSSL.prepare()
            return nil
        }
        return secret
    }
}
