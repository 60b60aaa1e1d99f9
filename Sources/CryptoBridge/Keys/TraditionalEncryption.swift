internal import COpenSSL

/// The encryption of traditional PEM keys, `DEK-Info: AES-256-CBC,HEX` (RFC 1421 §4.6.1.3, with
/// OpenSSL's key derivation: one iteration of MD5).
struct TraditionalEncryption {
    private let cipherName: String
    private let iv: [UInt8]

    init(dekInfo: String) throws(CryptoError) {
        let parts = dekInfo.split(separator: ",")
        guard parts.count == 2, !parts[1].isEmpty, parts[1].utf8.count % 2 == 0,
            parts[1].utf8.count <= 32
        else { throw CryptoError(.malformedKey, "damaged DEK-Info") }
        var iv: [UInt8] = []
        var digits = parts[1].unicodeScalars.makeIterator()
        while let high = digits.next(), let low = digits.next() {
            guard let byte = UInt8("\(high)\(low)", radix: 16) else {
                throw CryptoError(.malformedKey, "damaged DEK-Info")
            }
            iv.append(byte)
        }
        cipherName = String(parts[0].filter { $0 != " " })
        self.iv = iv
    }

    func decrypt(_ data: SecretBytes, passphrase: SecretBytes) throws(CryptoError) -> SecretBytes {
        OpenSSL.prepare()
        let legacy = cipherName.uppercased().hasPrefix("DES-CBC") ? try LegacyContext() : nil
        let cipher = try unsafe OpenSSL.require(
            EVP_CIPHER_fetch(legacy?.pointer, cipherName, nil), "the cipher \(cipherName)",
            .unsupportedAlgorithm)
        defer { unsafe EVP_CIPHER_free(cipher) }
        guard Int(unsafe EVP_CIPHER_get_iv_length(cipher)) == iv.count, iv.count >= 8 else {
            throw CryptoError(.malformedKey, "an initialization vector with a wrong length")
        }
        let blockByteCount = Int(unsafe EVP_CIPHER_get_block_size(cipher))
        guard data.byteCount > 0, data.byteCount % max(blockByteCount, 1) == 0 else {
            throw CryptoError(.malformedKey, "a truncated encrypted key")
        }
        let key = SecretBytes(zeroedByteCount: Int(unsafe EVP_CIPHER_get_key_length(cipher)))
        // Pointers into these objects are used after their last reference.
        defer { withExtendedLifetime((key, legacy)) {} }
        let keyBytes = unsafe key.storage.bindMemory(to: UInt8.self).baseAddress
        let secret = unsafe passphrase.buffer.bindMemory(to: UInt8.self)
        let md5 = unsafe try Fetched.digest(.md5)
        // The salt is the first eight bytes of the initialisation vector.
        guard
            unsafe EVP_BytesToKey(
                cipher, md5, iv, secret.baseAddress, Int32(secret.count), 1, keyBytes, nil) > 0
        else { throw CryptoError.draining(.internalFailure, "no key can be derived") }
        let context = try unsafe OpenSSL.require(EVP_CIPHER_CTX_new(), "no cipher context")
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let output = SecretBytes(zeroedByteCount: data.byteCount + blockByteCount)
        let outputBytes = unsafe output.storage.bindMemory(to: UInt8.self).baseAddress
        let input = unsafe data.buffer.bindMemory(to: UInt8.self)
        var written: Int32 = 0
        guard unsafe EVP_DecryptInit_ex(context, cipher, nil, keyBytes, iv) == 1,
            unsafe EVP_DecryptUpdate(
                context, outputBytes, &written, input.baseAddress, Int32(input.count)) == 1
        else { throw CryptoError.draining(.internalFailure, "decryption did not start") }
        var rest: Int32 = 0
        guard
            unsafe EVP_DecryptFinal_ex(
                context, outputBytes.map { unsafe $0 + Int(written) }, &rest) == 1
        else {
            throw CryptoError.draining(.wrongPassphrase, "the passphrase of the key is wrong")
        }
        output.truncate(to: Int(written + rest))
        return output
    }
}
