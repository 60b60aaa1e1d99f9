internal import COpenSSL

package final class PrivateKey: Sendable {
    let handle: KeyHandle
    package let publicKey: PublicKey

    init(_ handle: KeyHandle) {
        self.handle = handle
        // The handle holds both parts, so the public key needs no second handle.
        publicKey = PublicKey(handle)
    }

    package var algorithm: KeyAlgorithm { handle.algorithm }

    package var maximumSignatureByteCount: Int { publicKey.maximumSignatureByteCount }

    /// A verified signature over `message`.
    package func sign(message: [UInt8], scheme: SignatureScheme) throws(CryptoError) -> [UInt8] {
        if let digest = scheme.digest {
            return try sign(digest: digest.hash(message), scheme: scheme)
        }
        OpenSSL.prepare()
        try scheme.checkFit(algorithm)
        let context = try unsafe OpenSSL.require(EVP_MD_CTX_new(), "no digest context")
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: maximumSignatureByteCount)
        var count = signature.count
        guard unsafe EVP_DigestSignInit(context, nil, nil, nil, handle.pointer) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { throw CryptoError.draining(.signatureFailed, "the key cannot sign") }
        signature.removeSubrange(count...)
        guard try publicKey.verify(signature: signature, scheme: scheme, message: message) else {
            throw Self.wrongSignature
        }
        return signature
    }

    /// A verified signature over a message with this hash. Not for EdDSA.
    package func sign(digest: [UInt8], scheme: SignatureScheme) throws(CryptoError) -> [UInt8] {
        let session = try DigestSigningSession(key: self, scheme: scheme)
        return try session.sign(digest)
    }

    /// A fault of the memory or the key. Such a signature must not be returned.
    static let wrongSignature = CryptoError(
        .signatureFailed, "the key created an invalid signature")

}
