internal import COpenSSL

/// AES in the modes used for encrypted documents.
package enum AES {
    package enum Direction: Sendable {
        case encrypt
        case decrypt
    }

    package static let blockByteCount = 16
    /// Length of the nonce and of the tag in Galois/Counter mode.
    package static let nonceByteCount = 12
    package static let tagByteCount = 16

    /// AES in CBC mode over whole blocks: the caller adds and removes the padding.
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
        let cipher = try cipher("CBC", [16, 32], direction, key, initialVector)
        return try cipher.update(data, count: data.count)
    }

    /// Encrypts in Galois/Counter mode, without additional data (NIST SP 800-38D).
    ///
    /// - Parameter nonce: ``nonceByteCount`` bytes, never used twice with one key.
    /// - Returns: as many bytes as there are data, then the tag.
    package static func sealGCM(
        key: [UInt8], nonce: [UInt8], data: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard nonce.count == nonceByteCount, data.count <= Int(Int32.max) else {
            throw CryptoError(.invalidParameter, "\(data.count) bytes for AES-GCM")
        }
        let cipher = try cipher("GCM", [32], .encrypt, key, nonce)
        let output = try cipher.update(data, count: data.count)
        var tag = [UInt8](repeating: 0, count: tagByteCount)
        try OpenSSL.require(
            cipher.finish() != nil && cipher.exchangeTag(EVP_CTRL_AEAD_GET_TAG, tag: &tag),
            "AES-GCM failed")
        return output + tag
    }

    /// Decrypts the output of ``sealGCM(key:nonce:data:)``.
    ///
    /// - Parameter sealed: the encrypted data, followed by the tag.
    /// - Returns: nil if the tag is wrong.
    package static func openGCM(
        key: [UInt8], nonce: [UInt8], sealed: [UInt8]
    ) throws(CryptoError) -> [UInt8]? {
        let byteCount = sealed.count - tagByteCount
        guard nonce.count == nonceByteCount, byteCount <= Int(Int32.max) else {
            throw CryptoError(.invalidParameter, "\(sealed.count) bytes for AES-GCM")
        }
        guard byteCount >= 0 else { return nil }
        var tag = Array(sealed.suffix(tagByteCount))
        let cipher = try cipher("GCM", [32], .decrypt, key, nonce)
        try OpenSSL.require(cipher.exchangeTag(EVP_CTRL_AEAD_SET_TAG, tag: &tag), "AES-GCM failed")
        let output = try cipher.update(sealed, count: byteCount)
        return cipher.finish() == nil ? nil : output
    }

    /// Wraps or unwraps a key (RFC 3394).
    ///
    /// - Parameters:
    ///   - key: the wrapping key, 16, 24 or 32 bytes.
    ///   - data: a multiple of 8 bytes.
    /// - Returns: nil if the integrity check fails on unwrapping.
    package static func wrap(
        _ direction: Direction, key: [UInt8], data: [UInt8]
    ) throws(CryptoError) -> [UInt8]? {
        guard data.count % 8 == 0, (24...256).contains(data.count) else {
            throw CryptoError(.invalidParameter, "\(data.count) bytes for AES key wrap")
        }
        let cipher = try cipher("WRAP", [16, 24, 32], direction, key, nil)
        return try? cipher.update(data, count: data.count)
    }

    private static func cipher(
        _ mode: String, _ keyByteCounts: [Int], _ direction: Direction, _ key: [UInt8],
        _ initialVector: [UInt8]?
    ) throws(CryptoError) -> CipherContext {
        guard keyByteCounts.contains(key.count) else {
            throw CryptoError(.invalidParameter, "an AES key of \(key.count) bytes")
        }
        return try CipherContext(
            "AES-\(key.count * 8)-\(mode)", direction, key: key, initialVector: initialVector)
    }
}

/// A running cipher operation. The expanded key is wiped at the end.
@safe
final class CipherContext {
    private let context: OpaquePointer
    private let name: String

    /// Larger than a block of any cipher.
    private static let roomByteCount = 32

    /// - Parameter isPadded: whether OpenSSL adds and removes the padding.
    init(
        _ name: String, _ direction: AES.Direction, key: [UInt8], initialVector: [UInt8]?,
        isPadded: Bool = false
    ) throws(CryptoError) {
        let cipher = try unsafe Fetched.cipher(name)
        unsafe context = try OpenSSL.require(EVP_CIPHER_CTX_new(), "no cipher context")
        self.name = name
        unsafe EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
        try OpenSSL.require(
            unsafe EVP_CipherInit_ex(
                context, cipher, nil, key, initialVector, direction == .encrypt ? 1 : 0) == 1,
            "\(name) failed")
        if !isPadded { unsafe EVP_CIPHER_CTX_set_padding(context, 0) }
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// The output for the first `count` bytes, at most `Int32.max`.
    func update(_ data: [UInt8], count: Int) throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: count + Self.roomByteCount)
        var written: Int32 = 0
        try OpenSSL.require(
            unsafe EVP_CipherUpdate(context, &output, &written, data, Int32(count)) == 1,
            "\(name) failed")
        output.removeLast(output.count - Int(written))
        return output
    }

    /// The remaining plaintext; nil if the tag or padding is wrong.
    func finish() -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: Self.roomByteCount)
        var written: Int32 = 0
        let isRight = unsafe EVP_CipherFinal_ex(context, &output, &written) == 1
        OpenSSL.prepare()
        return isRight ? Array(output.prefix(Int(written))) : nil
    }

    /// Gets or sets the tag of Galois/Counter mode.
    func exchangeTag(_ command: Int32, tag: inout [UInt8]) -> Bool {
        unsafe EVP_CIPHER_CTX_ctrl(context, command, Int32(tag.count), &tag) == 1
    }
}
