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
        try scheme.checkFit(key.algorithm)
        guard let algorithm = scheme.digest else {
            throw CryptoError(.invalidParameter, "\(scheme.name) signs messages, not digests")
        }
        let implementation = unsafe try Fetched.digest(algorithm)
        let context = try unsafe OpenSSL.require(
            EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), "no key context")
        unsafe pointer = context
        self.algorithm = algorithm
        self.key = key
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
        try OpenSSL.require(
            done == 1,
            "a key of type \(key.algorithm) refuses \(scheme.name) with \(algorithm.displayName)",
            .unsupportedAlgorithm)
    }

    func sign(_ digest: [UInt8]) throws(CryptoError) -> [UInt8] {
        try checkLength(digest)
        var signature = [UInt8](
            repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key.pointer)))
        var count = signature.count
        try OpenSSL.require(
            unsafe EVP_PKEY_sign(pointer, &signature, &count, digest, digest.count) == 1,
            "the key did not sign", .signatureFailed)
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

/// Signs hash after hash with one key: what need be said of key and padding is said once.
///
/// A fault while an RSA signature is made can give the key away (Boneh, DeMillo, Lipton 1997), and
/// verifying one costs little beside making it: each is verified. ECDSA and DSA draw a nonce that
/// nobody knows for every signature, so a faulty one says nothing of the key, but verifying takes
/// thrice as long as signing. There the first signature is verified, which shows that the halves of
/// the key belong together, then every so many, and with ``finish()`` the last: a key, a memory or a
/// library that is broken does not stay unnoticed. What a single fault of the processor may spoil is
/// one signature in between, which nobody will accept.
///
/// Not shared between tasks.
package final class DigestSigningSession {
    private let signing: SignatureContext
    private let verifying: SignatureContext
    private let interval: Int
    private var count = 0
    /// The last one, if it was not verified.
    private var unverified: (signature: [UInt8], digest: [UInt8])?

    /// Of so many signatures one is verified, where that is slow.
    private static let sampleInterval = 64

    package init(key: PrivateKey, scheme: SignatureScheme) throws(CryptoError) {
        signing = try SignatureContext(key.handle, scheme, .signing)
        verifying = try SignatureContext(key.handle, scheme, .verifying)
        interval =
            switch scheme {
            case .ecdsa, .dsa: Self.sampleInterval
            default: 1
            }
    }

    /// A signature over a message with this hash; the first one is verified.
    package func sign(_ digest: [UInt8]) throws(CryptoError) -> [UInt8] {
        let signature = try signing.sign(digest)
        unverified = (signature, digest)
        if count.isMultiple(of: interval) { try finish() }
        count += 1
        return signature
    }

    /// Verifies the last signature.
    package func finish() throws(CryptoError) {
        guard let (signature, digest) = unverified else { return }
        guard try verifying.verify(signature, digest) else { throw PrivateKey.wrongSignature }
        unverified = nil
    }
}
