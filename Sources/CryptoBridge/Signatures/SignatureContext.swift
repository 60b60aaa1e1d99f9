internal import COpenSSL

/// An EVP_PKEY_CTX prepared to sign or verify digests, one or many.
@safe
final class SignatureContext {
    enum Direction { case signing, verifying }

    private let pointer: OpaquePointer
    private let algorithm: DigestAlgorithm
    private let key: KeyHandle
    /// Salt lengths to try one after the other: OpenSSL does not detect the length for a key with a
    /// minimum salt length.
    private var saltByteCounts: [Int32] = []
    /// Long enough for RSA-4096.
    private static let saltSearchLimit = 512

    /// Sets padding and signature_md: without the latter RSA would sign bytes without DigestInfo,
    /// and ECDSA a digest of any length.
    init(_ key: KeyHandle, _ scheme: SignatureScheme, _ direction: Direction) throws(CryptoError) {
        OpenSSL.prepare()
        try scheme.checkFit(key.algorithm)
        guard let algorithm = scheme.digest else {
            throw CryptoError(.invalidParameter, "\(scheme.name) signs data, not hashes")
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
        if done == 1, case .rsaPSS(_, let saltByteCount, let mask) = scheme {
            let maskDigest = unsafe try Fetched.digest(mask ?? algorithm)
            done = unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(context, maskDigest)
            if done == 1 {
                let isAny = direction == .verifying && saltByteCount == SignatureScheme.anySalt
                done = unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(
                    context, isAny ? RSA_PSS_SALTLEN_AUTO : Int32(clamping: max(0, saltByteCount)))
                if isAny, done != 1 {
                    // RFC 8017 §9.1.1: the longest salt for this modulus.
                    let usual = Int32(algorithm.byteCount)
                    let most = max(0, unsafe EVP_PKEY_get_size(key.pointer) - usual - 2)
                    saltByteCounts = [usual] + (0...most).prefix(Self.saltSearchLimit)
                    done = 1
                }
            }
        }
        try OpenSSL.require(
            done == 1,
            "a key of type \(key.algorithm) does not support \(scheme.name) with \(algorithm.displayName)",
            .unsupportedAlgorithm)
    }

    func sign(_ digest: [UInt8]) throws(CryptoError) -> [UInt8] {
        try checkLength(digest)
        var signature = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key.pointer)))
        var count = signature.count
        try OpenSSL.require(
            unsafe EVP_PKEY_sign(pointer, &signature, &count, digest, digest.count) == 1,
            "the key cannot sign", .signatureFailed)
        signature.removeSubrange(count...)
        return signature
    }

    func verify(_ signature: [UInt8], digest: [UInt8]) throws(CryptoError) -> Bool {
        try checkLength(digest)
        // 0: wrong signature; negative: malformed signature. Neither is an internal error.
        defer { ERR_clear_error() }
        guard !saltByteCounts.isEmpty else { return verifyOnce(signature, digest: digest) }
        return saltByteCounts.contains { count in
            unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(pointer, count) == 1
                && verifyOnce(signature, digest: digest)
        }
    }

    private func verifyOnce(_ signature: [UInt8], digest: [UInt8]) -> Bool {
        unsafe EVP_PKEY_verify(pointer, signature, signature.count, digest, digest.count) == 1
    }

    private func checkLength(_ digest: [UInt8]) throws(CryptoError) {
        guard digest.count == algorithm.byteCount else {
            throw CryptoError(
                .digestLength,
                "the hash has \(digest.count) bytes, but \(algorithm.displayName) has "
                    + "\(algorithm.byteCount)")
        }
    }

    deinit { unsafe EVP_PKEY_CTX_free(pointer) }
}

/// Signs many hashes with one key; key and padding are set up once.
///
/// A fault in an RSA signature can reveal the key (Boneh, DeMillo, Lipton 1997), and verifying is
/// fast compared with signing, so each RSA signature is verified. ECDSA and DSA use a secret nonce
/// for every signature, so a fault does not reveal the key, but verifying takes three times as long
/// as signing. For them the first signature is verified, which shows that both parts of the key
/// match, then one in ``sampleInterval``, and with ``finish()`` the last. A persistent fault is
/// therefore found; a single fault may give one invalid signature in between.
///
/// Not shared between tasks.
package final class DigestSigningSession {
    private let signing: SignatureContext
    private let verifying: SignatureContext
    private let interval: Int
    private var count = 0
    /// The last signature if it was not verified.
    private var unverified: (signature: [UInt8], digest: [UInt8])?

    /// One signature in this number is verified if verifying is slow.
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

    /// A signature over a message with this hash.
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
        guard try verifying.verify(signature, digest: digest) else {
            throw PrivateKey.wrongSignature
        }
        unverified = nil
    }
}
