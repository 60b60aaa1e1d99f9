internal import COpenSSL

/// An EVP_PKEY_CTX prepared to sign or verify one digest.
@safe
final class SignatureContext {
    enum Direction { case signing, verifying }

    let pointer: OpaquePointer

    /// Sets padding and signature_md: without the latter RSA would sign bare bytes without
    /// DigestInfo, and ECDSA a digest of any length.
    init(
        _ key: KeyHandle, _ scheme: SignatureScheme, _ digest: [UInt8], _ direction: Direction
    ) throws(CryptoError) {
        guard let algorithm = scheme.digest else {
            throw CryptoError(.invalidParameter, "\(scheme.name) signs messages, not digests")
        }
        guard digest.count == algorithm.byteCount else {
            throw CryptoError(
                .digestLength,
                "a digest of \(digest.count) bytes, \(algorithm.displayName) has "
                    + "\(algorithm.byteCount)")
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
                done = unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(
                    context, Int32(clamping: max(0, saltByteCount)))
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
    }

    deinit { unsafe EVP_PKEY_CTX_free(pointer) }
}
