internal import COpenSSL
internal import Synchronization

/// A private key in memory.
package final class PrivateKey: Sendable {
    let handle: KeyHandle
    /// What was made ready for a signature and is not in use now: as many as threads have signed at
    /// once.
    private let idle = Mutex<[IdleSession]>([])
    /// The public half.
    package let publicKey: PublicKey

    init(_ handle: KeyHandle) {
        self.handle = handle
        // The handle holds both halves; a public view needs no second key.
        publicKey = PublicKey(handle)
    }

    package var algorithm: KeyAlgorithm { handle.algorithm }

    package var maximumSignatureByteCount: Int { publicKey.maximumSignatureByteCount }

    /// A signature over `message`, verified.
    package func sign(
        message: [UInt8], scheme: SignatureScheme
    ) throws(CryptoError) -> [UInt8] {
        if let digest = scheme.digest {
            return try sign(digest: digest.hash(message), scheme: scheme)
        }
        try checkFit(scheme)
        guard let context = unsafe EVP_MD_CTX_new() else {
            throw CryptoError.draining(.internalFailure, "no digest context")
        }
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: maximumSignatureByteCount)
        var count = signature.count
        guard unsafe EVP_DigestSignInit(context, nil, nil, nil, handle.pointer) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { throw CryptoError.draining(.signatureFailed, "the key did not sign") }
        signature.removeSubrange(count...)
        guard try publicKey.verify(signature: signature, scheme: scheme, message: message) else {
            throw Self.wrongSignature
        }
        return signature
    }

    /// A signature over a message of which only the hash is at hand, verified. Not for EdDSA.
    package func sign(
        digest: [UInt8], scheme: SignatureScheme
    ) throws(CryptoError) -> [UInt8] {
        let known = idle.withLock { idle in
            idle.lastIndex { $0.scheme == scheme }.map { idle.remove(at: $0).session }
        }
        let session =
            if let known { known } else {
                try DigestSigningSession(key: self, scheme: scheme)
            }
        let signature = try session.sign(digest)
        try session.finish()
        idle.withLock { $0.append(IdleSession(session: session, scheme: scheme)) }
        return signature
    }

    /// One that nobody uses.
    private struct IdleSession: @unchecked Sendable {
        // Sendable: it is taken out of the list by the one who uses it.
        let session: DigestSigningSession
        let scheme: SignatureScheme
    }

    /// A fault of memory or of the key: nothing that may leave the program.
    static let wrongSignature = CryptoError(
        .signatureFailed, "the key made a signature that does not verify")

    private func checkFit(_ scheme: SignatureScheme) throws(CryptoError) {
        OpenSSL.prepare()
        guard scheme.fits(algorithm) else {
            throw CryptoError(
                .invalidParameter, "a key of type \(algorithm) makes no \(scheme.name) signature")
        }
    }
}
