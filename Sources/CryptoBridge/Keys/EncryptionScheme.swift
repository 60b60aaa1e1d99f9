internal import Base
internal import COpenSSL

/// The encryption of an EncryptedPrivateKeyInfo, checked before a passphrase is requested.
///
///     EncryptedPrivateKeyInfo ::= SEQUENCE { encryptionAlgorithm, encryptedData OCTET STRING }
struct EncryptionScheme {
    private let needsLegacy: Bool

    /// PBES1 schemes that need the legacy provider: all with DES or RC2.
    private static let legacySchemes: Set<OID> = [
        .pbeWithMD2AndDES, .pbeWithMD5AndDES, .pbeWithMD2AndRC2,
        .pbeWithMD5AndRC2, .pbeWithSHA1AndDES, .pbeWithSHA1AndRC2,
        .pbeWithSHA1And128BitRC4, .pbeWithSHA1And40BitRC4, .pbeWithSHA1And128BitRC2,
        .pbeWithSHA1And40BitRC2,
    ]
    private static let legacyCiphers: Set<OID> = [
        .desCBC, .rc2CBC, .rc4,
    ]

    /// - Parameter cost: the cost of the file so far; this key is added.
    init(_ view: SecretView, _ cost: inout DerivationCost) throws(CryptoError) {
        guard var reader = ASN1Reader.single(view, .definite)?.reader,
            var algorithm = reader.next(ASN1Tag.sequence)?.reader,
            let scheme = algorithm.next()?.objectIdentifier,
            let data = reader.next(ASN1Tag.octetString)?.content, reader.isAtEnd, !data.isEmpty
        else { throw CryptoError(.malformedKey, "not an encrypted key") }
        try unsafe EncryptionScheme.withParsed(view) { encrypted throws(CryptoError) in
            try unsafe cost.add(encrypted)
        }
        guard scheme == .pbes2 else {
            needsLegacy = EncryptionScheme.legacySchemes.contains(scheme)
            return
        }
        guard var parameters = algorithm.next(ASN1Tag.sequence)?.reader,
            parameters.next(ASN1Tag.sequence) != nil,
            var cipher = parameters.next(ASN1Tag.sequence)?.reader,
            let cipherID = cipher.next()?.objectIdentifier
        else { throw CryptoError(.malformedKey, "damaged PBES2 parameters") }
        needsLegacy = EncryptionScheme.legacyCiphers.contains(cipherID)
    }

    /// Provides the X509_SIG of the bytes for one call.
    private static func withParsed<Result>(
        _ view: SecretView, _ body: (OpaquePointer) throws(CryptoError) -> Result
    ) throws(CryptoError) -> Result {
        let bytes = unsafe view.buffer.bindMemory(to: UInt8.self)
        var cursor = bytes.baseAddress
        let encrypted = try unsafe OpenSSL.require(
            d2i_X509_SIG(nil, &cursor, bytes.count), "not an encrypted key", .malformedKey)
        defer { unsafe X509_SIG_free(encrypted) }
        return try unsafe body(encrypted)
    }

    /// The decrypted PKCS#8; throws `wrongPassphrase` if decryption fails.
    func decrypt(_ view: SecretView, passphrase: SecretBytes) throws(CryptoError) -> SecretBytes {
        let legacy = needsLegacy ? try LegacyContext() : nil
        defer { withExtendedLifetime(legacy) {} }
        return try unsafe EncryptionScheme.withParsed(view) { encrypted throws(CryptoError) in
            var algorithm: UnsafePointer<X509_ALGOR>?
            var data: UnsafePointer<ASN1_OCTET_STRING>?
            unsafe X509_SIG_get0(encrypted, &algorithm, &data)
            var output: UnsafeMutablePointer<UInt8>?
            var count: Int32 = 0
            let secret = unsafe passphrase.buffer.bindMemory(to: CChar.self)
            let done = unsafe PKCS12_pbe_crypt_ex(
                algorithm, secret.baseAddress, Int32(secret.count), ASN1_STRING_get0_data(data),
                ASN1_STRING_length(data), &output, &count, 0, legacy?.pointer, nil)
            guard unsafe done != nil, let output = unsafe output else {
                throw EncryptionScheme.decryptionError()
            }
            defer { unsafe COpenSSL_clear_free(output, Int(count)) }
            return unsafe SecretBytes(
                copying: UnsafeRawBufferPointer(start: output, count: Int(count)))
        }
    }

    /// The error after a failed decryption: only bad padding means a wrong passphrase.
    static func decryptionError() -> CryptoError {
        let reasons = OpenSSL.drainErrors()
        let texts = reasons.map(\.text)
        let isBadDecrypt = reasons.contains {
            $0.reason == EVP_R_BAD_DECRYPT
                && ($0.library == ERR_LIB_EVP || $0.library == ERR_LIB_PROV)
        }
        if isBadDecrypt {
            return CryptoError(
                .wrongPassphrase, "the passphrase of the key is wrong", reasons: texts)
        }
        let isUnsupported = reasons.contains {
            $0.reason == ERR_R_UNSUPPORTED
                || $0.library == ERR_LIB_EVP
                    && [
                        EVP_R_UNKNOWN_PBE_ALGORITHM, EVP_R_UNSUPPORTED_CIPHER,
                        EVP_R_UNSUPPORTED_KEYLENGTH, EVP_R_UNSUPPORTED_PRF, EVP_R_UNKNOWN_CIPHER,
                        EVP_R_UNSUPPORTED_KEY_DERIVATION_FUNCTION, EVP_R_UNSUPPORTED_ALGORITHM,
                        EVP_R_MEMORY_LIMIT_EXCEEDED,
                    ].contains($0.reason)
        }
        return CryptoError(
            isUnsupported ? .unsupportedAlgorithm : .malformedKey,
            isUnsupported
                ? "the key's encryption is not supported" : "damaged encryption of the key",
            reasons: texts)
    }
}

/// A separate library context with the legacy and default providers, for one import.
@safe
final class LegacyContext {
    let pointer: OpaquePointer
    private let legacy: OpaquePointer
    private let standard: OpaquePointer

    init() throws(CryptoError) {
        let context = try unsafe OpenSSL.require(OSSL_LIB_CTX_new(), "no library context")
        guard let legacy = unsafe OSSL_PROVIDER_load(context, "legacy") else {
            unsafe OSSL_LIB_CTX_free(context)
            throw CryptoError.draining(
                .legacyProviderMissing,
                "the file uses a legacy encryption algorithm, and OpenSSL's legacy provider is not "
                    + "installed")
        }
        guard let standard = unsafe OSSL_PROVIDER_load(context, "default") else {
            unsafe OSSL_PROVIDER_unload(legacy)
            unsafe OSSL_LIB_CTX_free(context)
            throw CryptoError.draining(.internalFailure, "no default provider")
        }
        unsafe pointer = context
        unsafe self.legacy = legacy
        unsafe self.standard = standard
    }

    deinit {
        unsafe OSSL_PROVIDER_unload(standard)
        unsafe OSSL_PROVIDER_unload(legacy)
        unsafe OSSL_LIB_CTX_free(pointer)
    }
}
