internal import Base
internal import COpenSSL

/// A key in memory that decrypts envelopes.
package struct PrivateEnvelopeKey: EnvelopeKey {
    private let key: PrivateKey

    /// Nil for key types without a supported encryption scheme.
    package init?(_ key: PrivateKey) {
        guard EnvelopeShare.opens(key.algorithm) else { return nil }
        self.key = key
    }

    /// The parts of a message that may be for the key, each to be tried separately. In OpenSSL's
    /// CMS the last part decrypted with RSA wins, so an added part could show whether its padding
    /// is valid (RFC 3218).
    ///
    /// - Parameter certificates: the key's certificates; if empty, all parts of the matching kind.
    package func shares(
        of message: EnvelopedData, certificates: [Certificate]
    ) throws(CryptoError) -> [EnvelopeShare] {
        try message.shares(for: key.publicKey, certificates: certificates)
    }

    package func agree(with point: [UInt8], byteCount: Int) throws -> [[UInt8]] {
        guard let peer = try? key.publicKey.peer(at: point) else { return [] }
        OpenSSL.prepare()
        let context = try unsafe OpenSSL.require(
            EVP_PKEY_CTX_new(key.handle.pointer, nil), "no context for a key agreement")
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            OpenSSL.prepare()
        }
        var secret = [UInt8](repeating: 0, count: byteCount)
        var count = secret.count
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_derive_set_peer(context, peer.handle.pointer) == 1,
            unsafe EVP_PKEY_derive(context, &secret, &count) == 1, count == byteCount
        else {
            SecretBytes.wipe(&secret)
            return []
        }
        return [secret]
    }

    package func decrypt(_ data: [UInt8], _ transport: KeyTransport) throws -> [UInt8]? {
        OpenSSL.prepare()
        let context = try unsafe OpenSSL.require(
            EVP_PKEY_CTX_new(key.handle.pointer, nil), "no context for a decryption")
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            // The kind of error must not be revealed.
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
                try Fetched.digest(padding.hash), try Fetched.digest(padding.mask)
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

extension PublicKey {
    /// Another party's point as a public key on this key's curve.
    ///
    /// - Throws: ``CryptoError`` for a point that is not on it: its use would reveal the private
    ///   key.
    func peer(at point: [UInt8]) throws(CryptoError) -> PublicKey {
        // Some tokens do not support the hybrid forms (SEC 1 §2.3.3).
        let isPlain =
            if case .ec = algorithm { point.count % 2 == 1 && (2...4).contains(point[0]) } else {
                true
            }
        guard isPlain, var reader = ASN1Reader.single(spkiDER[...], .definite)?.reader,
            let kind = reader.next(ASN1Tag.sequence)
        else { throw CryptoError(.malformedKey, "a point that is not on the curve of the key") }
        return try PublicKey(
            spkiDER: DERWriter.sequence([
                kind.bytes, DERWriter.element(ASN1Tag.bitString, [0] + point),
            ]))
    }
}
