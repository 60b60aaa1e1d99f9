internal import COpenSSL

/// AES in CBC mode over whole blocks: who pads, and how, is the caller's business.
package enum AESCBC {
    package enum Direction: Sendable {
        case encrypt
        case decrypt
    }

    package static let blockByteCount = 16

    /// - Parameters:
    ///   - key: 16 or 32 bytes.
    ///   - initialVector: one block.
    ///   - data: whole blocks.
    package static func apply(
        _ direction: Direction, key: [UInt8], initialVector: [UInt8], data: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard initialVector.count == blockByteCount, data.count % blockByteCount == 0,
            data.count <= Int(Int32.max)
        else { throw CryptoError(.invalidParameter, "\(data.count) bytes for AES in CBC mode") }
        let cipher = unsafe try FetchedCipher.get(keyByteCount: key.count)
        guard let context = unsafe EVP_CIPHER_CTX_new() else {
            throw CryptoError.draining(.internalFailure, "no cipher context")
        }
        // Wipes the expanded key.
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: data.count)
        var count: Int32 = 0
        guard
            unsafe EVP_CipherInit_ex(
                context, cipher, nil, key, initialVector, direction == .encrypt ? 1 : 0) == 1,
            unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            unsafe EVP_CipherUpdate(context, &output, &count, data, Int32(data.count)) == 1,
            Int(count) == data.count
        else { throw CryptoError.draining(.internalFailure, "AES failed") }
        return output
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

    private static let aes128 = FetchedCipher("AES-128-CBC")
    private static let aes256 = FetchedCipher("AES-256-CBC")

    /// The implementation, borrowed.
    static func get(keyByteCount: Int) throws(CryptoError) -> OpaquePointer {
        let fetched: FetchedCipher
        switch keyByteCount {
        case 16: fetched = aes128
        case 32: fetched = aes256
        default: throw CryptoError(.invalidParameter, "an AES key of \(keyByteCount) bytes")
        }
        guard let pointer = unsafe fetched.pointer else {
            throw CryptoError.draining(.unsupportedAlgorithm, "AES is not available")
        }
        return unsafe pointer
    }
}
