internal import COpenSSL

/// AES in the modes that documents are encrypted with.
package enum AES {
    package enum Direction: Sendable {
        case encrypt
        case decrypt
    }

    package static let blockByteCount = 16
    /// Length of the nonce and of the tag in Galois/Counter mode.
    package static let nonceByteCount = 12
    package static let tagByteCount = 16

    /// AES in CBC mode over whole blocks: who pads, and how, is the caller's business.
    ///
    /// - Parameters:
    ///   - initialVector: one block.
    ///   - data: whole blocks.
    package static func cbc(
        _ direction: Direction, key: [UInt8], initialVector: [UInt8], data: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard initialVector.count == blockByteCount, data.count % blockByteCount == 0,
            data.count <= Int(Int32.max)
        else { throw CryptoError(.invalidParameter, "\(data.count) bytes for AES in CBC mode") }
        let context = try unsafe context(.cbc, direction, key, initialVector)
        // Wipes the expanded key.
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: data.count)
        var count: Int32 = 0
        guard
            unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            unsafe EVP_CipherUpdate(context, &output, &count, data, Int32(data.count)) == 1,
            Int(count) == data.count
        else { throw CryptoError.draining(.internalFailure, "AES failed") }
        return output
    }

    /// Encrypts in Galois/Counter mode, without additional data (NIST SP 800-38D).
    ///
    /// - Parameter nonce: ``nonceByteCount`` bytes, never the same twice under one key.
    /// - Returns: as many bytes as there are data, then the tag.
    package static func sealGCM(
        key: [UInt8], nonce: [UInt8], data: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard nonce.count == nonceByteCount, data.count <= Int(Int32.max) else {
            throw CryptoError(.invalidParameter, "\(data.count) bytes for AES-GCM")
        }
        let context = try unsafe context(.gcm, .encrypt, key, nonce)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: data.count)
        var tag = [UInt8](repeating: 0, count: tagByteCount)
        var (count, last): (Int32, Int32) = (0, 0)
        guard
            unsafe EVP_CipherUpdate(context, &output, &count, data, Int32(data.count)) == 1,
            Int(count) == data.count,
            unsafe EVP_CipherFinal_ex(context, nil, &last) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_GET_TAG, Int32(tagByteCount), &tag) == 1
        else { throw CryptoError.draining(.internalFailure, "AES-GCM failed") }
        return output + tag
    }

    /// Decrypts what ``sealGCM(key:nonce:data:)`` gives.
    ///
    /// - Parameter sealed: the encrypted data and the tag behind them.
    /// - Returns: nil when the tag is wrong: then nothing of the data counts.
    package static func openGCM(
        key: [UInt8], nonce: [UInt8], sealed: [UInt8]
    ) throws(CryptoError) -> [UInt8]? {
        let byteCount = sealed.count - tagByteCount
        guard nonce.count == nonceByteCount, byteCount <= Int(Int32.max) else {
            throw CryptoError(.invalidParameter, "\(sealed.count) bytes for AES-GCM")
        }
        guard byteCount >= 0 else { return nil }
        var tag = Array(sealed.suffix(tagByteCount))
        let context = try unsafe context(.gcm, .decrypt, key, nonce)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: byteCount)
        var (count, last): (Int32, Int32) = (0, 0)
        guard
            unsafe EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32(tagByteCount), &tag) == 1,
            unsafe EVP_CipherUpdate(context, &output, &count, sealed, Int32(byteCount)) == 1,
            Int(count) == byteCount
        else { throw CryptoError.draining(.internalFailure, "AES-GCM failed") }
        guard unsafe EVP_CipherFinal_ex(context, nil, &last) == 1 else {
            OpenSSL.prepare()
            return nil
        }
        return output
    }

    /// Wraps or unwraps a key (RFC 3394).
    ///
    /// - Parameters:
    ///   - key: 16, 24 or 32 bytes, that the other is wrapped with.
    ///   - data: whole halves of blocks.
    /// - Returns: nil when what is to be unwrapped is not intact.
    package static func wrap(
        _ direction: Direction, key: [UInt8], data: [UInt8]
    ) throws(CryptoError) -> [UInt8]? {
        guard [16, 24, 32].contains(key.count), data.count % 8 == 0, (24...256).contains(data.count)
        else {
            throw CryptoError(.invalidParameter, "\(data.count) bytes for AES key wrap")
        }
        let context = try unsafe context(.wrap, direction, key, nil)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: data.count + blockByteCount)
        var count: Int32 = 0
        guard
            unsafe EVP_CipherUpdate(context, &output, &count, data, Int32(data.count)) == 1,
            (1...output.count).contains(Int(count))
        else {
            OpenSSL.prepare()
            return nil
        }
        let result = Array(output.prefix(Int(count)))
        SecretBytes.wipe(&output)
        return result
    }

    /// A context ready for data, owned by the caller.
    private static func context(
        _ mode: FetchedCipher.Mode, _ direction: Direction, _ key: [UInt8],
        _ initialVector: [UInt8]?
    ) throws(CryptoError) -> OpaquePointer {
        let cipher = unsafe try FetchedCipher.get(mode, keyByteCount: key.count)
        guard let context = unsafe EVP_CIPHER_CTX_new() else {
            throw CryptoError.draining(.internalFailure, "no cipher context")
        }
        if mode == .wrap {
            unsafe EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
        }
        let isReady =
            unsafe EVP_CipherInit_ex(
                context, cipher, nil, key, initialVector, direction == .encrypt ? 1 : 0) == 1
        guard isReady else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw CryptoError.draining(.internalFailure, "AES failed")
        }
        return unsafe context
    }
}

/// OpenSSL's AES, fetched once: fetching takes longer than encrypting a short string.
@safe
private struct FetchedCipher: @unchecked Sendable {
    // Sendable: an EVP_CIPHER is immutable and reference counted; this one is never freed.
    let pointer: OpaquePointer?

    private init(_ name: String) {
        OpenSSL.prepare()
        unsafe pointer = EVP_CIPHER_fetch(nil, name, nil)
    }

    enum Mode {
        case cbc
        case gcm
        case wrap
    }

    private static let cbc128 = FetchedCipher("AES-128-CBC")
    private static let cbc256 = FetchedCipher("AES-256-CBC")
    private static let gcm256 = FetchedCipher("AES-256-GCM")
    private static let wrap128 = FetchedCipher("AES-128-WRAP")
    private static let wrap192 = FetchedCipher("AES-192-WRAP")
    private static let wrap256 = FetchedCipher("AES-256-WRAP")

    /// The implementation, borrowed.
    static func get(
        _ mode: Mode, keyByteCount: Int
    ) throws(CryptoError) -> OpaquePointer {
        let fetched: FetchedCipher
        switch (mode, keyByteCount) {
        case (.cbc, 16): fetched = cbc128
        case (.cbc, 32): fetched = cbc256
        case (.gcm, 32): fetched = gcm256
        case (.wrap, 16): fetched = wrap128
        case (.wrap, 24): fetched = wrap192
        case (.wrap, 32): fetched = wrap256
        default: throw CryptoError(.invalidParameter, "an AES key of \(keyByteCount) bytes")
        }
        guard let pointer = unsafe fetched.pointer else {
            throw CryptoError.draining(.unsupportedAlgorithm, "AES is not available")
        }
        return unsafe pointer
    }
}
