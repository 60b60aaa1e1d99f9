internal import COpenSSL

/// An RSA key in memory, as the reader of an envelope uses it.
package struct RSAEnvelopeKey: EnvelopeKey {
    private let key: PrivateKey

    /// Nil for keys of other types.
    package init?(_ key: PrivateKey) {
        guard case .rsa = key.algorithm else { return nil }
        self.key = key
    }

    /// The parts of a message that may be for the key, each to be tried for itself: OpenSSL's CMS lets
    /// the last one that decrypts win, and so tells by a good part and a guess behind it whether the
    /// guess has a padding (RFC 3218).
    ///
    /// - Parameter certificates: what names the recipient; without any of the key all parts of the
    ///   right length may be meant.
    package func shares(
        of message: EnvelopedData, certificates: [Certificate]
    ) throws(CryptoError) -> [EnvelopeShare] {
        let own = certificates.filter { $0.certifies(key.publicKey) }
        return try message.shares(for: own, modulusByteCount: key.maximumSignatureByteCount)
    }

    package func check(_: EnvelopeScheme) {}
    package func agree(with _: [UInt8], byteCount _: Int) -> [[UInt8]] { [] }

    package func decrypt(_ data: [UInt8], _ transport: KeyTransport) throws -> [UInt8]? {
        OpenSSL.prepare()
        guard let context = unsafe EVP_PKEY_CTX_new(key.handle.pointer, nil) else {
            throw CryptoError.draining(.internalFailure, "no context for a decryption")
        }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            // What kind of wrong the data are must not show.
            OpenSSL.prepare()
        }
        guard unsafe EVP_PKEY_decrypt_init(context) == 1 else { return nil }
        switch transport {
        case .pkcs1:
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 else {
                return nil
            }
        case .oaep(let padding):
            let (hash, mask) = unsafe (
                try FetchedDigest.get(padding.hash), try FetchedDigest.get(padding.mask)
            )
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_oaep_md(context, hash) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(context, mask) == 1
            else { return nil }
        }
        var output = [UInt8](repeating: 0, count: key.maximumSignatureByteCount)
        defer { SecretBytes.wipe(&output) }
        var count = output.count
        guard unsafe EVP_PKEY_decrypt(context, &output, &count, data, data.count) == 1 else {
            return nil
        }
        return Array(output.prefix(count))
    }
}
