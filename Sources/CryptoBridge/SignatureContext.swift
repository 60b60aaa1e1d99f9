internal import COpenSSL

/// An EVP_PKEY_CTX prepared to sign or verify digests, one or many.
@safe
final class SignatureContext {
    enum Direction { case signing, verifying }

    private let pointer: OpaquePointer
    private let algorithm: DigestAlgorithm
    private let key: KeyHandle
    /// Salt lengths to try one after the other: with a key that demands a least length OpenSSL
    /// does not find out by itself.
    private var saltByteCounts: [Int32] = []
    /// Enough for RSA-4096.
    private static let saltSearchLimit = 512

    /// Sets padding and signature_md: without the latter RSA would sign bare bytes without
    /// DigestInfo, and ECDSA a digest of any length.
    init(
        _ key: KeyHandle, _ scheme: SignatureScheme, _ direction: Direction
    ) throws(CryptoError) {
        OpenSSL.prepare()
        guard scheme.fits(key.algorithm) else {
            throw CryptoError(
                .invalidParameter,
                "a key of type \(key.algorithm) makes no \(scheme.name) signature")
        }
        guard let algorithm = scheme.digest else {
            throw CryptoError(.invalidParameter, "\(scheme.name) signs messages, not digests")
        }
        let implementation = unsafe try FetchedDigest.get(algorithm)
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
            throw CryptoError.draining(.internalFailure, "no key context")
        }
        var done =
            unsafe direction == .signing
            ? EVP_PKEY_sign_init(context) : EVP_PKEY_verify_init(context)
        switch scheme {
        case .rsaPKCS1 where done == 1:
            done = unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING)
        case .rsaPSS where done == 1:
            done = unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING)
        default: break
        }
        if done == 1 { done = unsafe EVP_PKEY_CTX_set_signature_md(context, implementation) }
        if done == 1, case .rsaPSS(_, let saltByteCount) = scheme {
            done = unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(context, implementation)
            if done == 1 {
                let isAny = direction == .verifying && saltByteCount == SignatureScheme.anySalt
                done = unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(
                    context,
                    isAny ? RSA_PSS_SALTLEN_AUTO : Int32(clamping: max(0, saltByteCount)))
                if isAny, done != 1 {
                    // RFC 8017 §9.1.1: what the modulus leaves room for.
                    let usual = Int32(algorithm.byteCount)
                    let most = max(0, unsafe EVP_PKEY_get_size(key.pointer) - usual - 2)
                    saltByteCounts = [usual] + (0...most).prefix(Self.saltSearchLimit)
                    done = 1
                }
            }
        }
        guard done == 1 else {
            unsafe EVP_PKEY_CTX_free(context)
            throw CryptoError.draining(
                .unsupportedAlgorithm,
                "a key of type \(key.algorithm) refuses \(scheme.name) with "
                    + algorithm.displayName)
        }
        unsafe pointer = context
        self.algorithm = algorithm
        self.key = key
    }

    func sign(_ digest: [UInt8]) throws(CryptoError) -> [UInt8] {
        try checkLength(digest)
        var signature = [UInt8](
            repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key.pointer)))
        var count = signature.count
        guard unsafe EVP_PKEY_sign(pointer, &signature, &count, digest, digest.count) == 1 else {
            throw CryptoError.draining(.signatureFailed, "the key did not sign")
        }
        signature.removeSubrange(count...)
        return signature
    }

    /// A malformed signature is a wrong one.
    func verify(_ signature: [UInt8], _ digest: [UInt8]) throws(CryptoError) -> Bool {
        try checkLength(digest)
        // 0: wrong; negative: not even a signature. Neither is an error of ours.
        defer { ERR_clear_error() }
        guard !saltByteCounts.isEmpty else { return verifyOnce(signature, digest) }
        return saltByteCounts.contains { count in
            unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(pointer, count) == 1
                && verifyOnce(signature, digest)
        }
    }

    private func verifyOnce(_ signature: [UInt8], _ digest: [UInt8]) -> Bool {
        unsafe EVP_PKEY_verify(pointer, signature, signature.count, digest, digest.count) == 1
    }

    private func checkLength(_ digest: [UInt8]) throws(CryptoError) {
        guard digest.count == algorithm.byteCount else {
            throw CryptoError(
                .digestLength,
                "a hash of \(digest.count) bytes, \(algorithm.displayName) has "
                    + "\(algorithm.byteCount)")
        }
    }

    deinit { unsafe EVP_PKEY_CTX_free(pointer) }
}

/// Signs hash after hash with one key: what need be said of key and padding is said once. Each
/// signature is verified before it is handed out.
///
/// Not shared between tasks.
package final class DigestSigningSession {
    private let signing: SignatureContext
    private let verifying: SignatureContext

    package init(key: PrivateKey, scheme: SignatureScheme) throws(CryptoError) {
        signing = try SignatureContext(key.handle, scheme, .signing)
        verifying = try SignatureContext(key.handle, scheme, .verifying)
    }

    /// A signature over a message with this hash.
    package func sign(_ digest: [UInt8]) throws(CryptoError) -> [UInt8] {
        let signature = try signing.sign(digest)
        guard try verifying.verify(signature, digest) else { throw PrivateKey.wrongSignature }
        return signature
    }
}
