package import Base
internal import COpenSSL

/// A private key in a store of an OpenSSL provider, such as one in a TPM.
@safe
package final class StoredKey: @unchecked Sendable {
    // Sendable: the caller uses one function at a time, since some providers permit no more.
    private var pointer: OpaquePointer?
    package let publicKey: PublicKey
    /// The certificates in the store, in its order.
    package let certificates: [Certificate]

    /// Maximum number of objects read from a store.
    private static let objectLimit: Int32 = 64

    /// The folder with the modules of providers.
    package static var providerFolder: String? {
        unsafe OPENSSL_info(OPENSSL_INFO_MODULES_DIR).map { unsafe String(cString: $0) }
    }

    /// - Parameters:
    ///   - uri: URI of the key (OSSL_STORE).
    ///   - provider: name of the provider that has the key.
    ///   - secret: called at most once, if the provider asks for a secret.
    /// - Throws: ``CryptoError``: `.unsupportedAlgorithm` if the provider cannot be loaded,
    ///   `.unrecognisedFormat` if there is no key; or the error of `secret`.
    package init(uri: String, provider: String, secret: @escaping () throws -> SecretBytes) throws {
        OpenSSL.prepare()
        let question = Question(secret)
        var isLoaded: Int32 = 0
        let opened = unsafe withExtendedLifetime(question) {
            unsafe COpenSSL_stored_key_open(
                uri, provider,
                { buffer, size, _, context in
                    guard let buffer = unsafe buffer, let context = unsafe context else {
                        return -1
                    }
                    let question = unsafe Unmanaged<Question>.fromOpaque(context)
                        .takeUnretainedValue()
                    return unsafe question.answer(
                        UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
                }, Unmanaged.passUnretained(question).toOpaque(), Self.objectLimit, &isLoaded)
        }
        guard unsafe COpenSSL_stored_key_get(opened) != nil else {
            let failure = CryptoError.draining(
                isLoaded == 1 ? .unrecognisedFormat : .unsupportedAlgorithm,
                isLoaded == 1
                    ? "the OpenSSL provider '\(provider)' has no private key '\(uri)'"
                    : "the OpenSSL provider '\(provider)' cannot be loaded")
            unsafe COpenSSL_stored_key_free(opened)
            throw question.failure ?? failure
        }
        do {
            let spki = try unsafe OpenSSL.require(
                OpenSSL.encode { unsafe i2d_PUBKEY(COpenSSL_stored_key_get(opened), $0) },
                "the provider does not return the public key")
            publicKey = try PublicKey(spkiDER: spki)
            certificates = try unsafe Certificate.copies(
                of: COpenSSL_stored_key_certificates(opened))
        } catch {
            unsafe COpenSSL_stored_key_free(opened)
            throw error
        }
        unsafe pointer = opened
    }

    deinit { close() }

    /// Releases the key; afterwards it does not sign.
    package func close() {
        unsafe COpenSSL_stored_key_free(pointer)
        unsafe pointer = nil
    }

    /// A signature over `input`, not verified.
    package func sign(
        _ input: SigningInput, scheme: SignatureScheme
    ) throws(CryptoError) -> [UInt8] {
        OpenSSL.prepare()
        var (isPSS, isHash): (Int32, Int32) = (0, 0)
        let bytes: [UInt8]
        switch input {
        case .message(let message): bytes = message
        case .digest(let digest): (bytes, isHash) = (digest, 1)
        }
        if case .rsaPSS = scheme { isPSS = 1 }
        var signature = [UInt8](repeating: 0, count: publicKey.maximumSignatureByteCount)
        var count = signature.count
        let done = unsafe COpenSSL_stored_key_sign(
            pointer, scheme.digest?.displayName, isPSS, isHash, bytes, bytes.count, &signature,
            &count)
        try OpenSSL.require(
            done == 1 && count <= signature.count, "the provider did not sign", .signatureFailed)
        signature.removeSubrange(count...)
        return signature
    }

    /// The question for a secret, asked once.
    private final class Question {
        private let secret: () throws -> SecretBytes
        private var isAsked = false
        private(set) var failure: (any Error)?

        init(_ secret: @escaping () throws -> SecretBytes) { self.secret = secret }

        /// Asks for the secret once, and copies it to `buffer`.
        ///
        /// - Returns: its length; -1 if it was asked before or cannot be provided, see ``failure``.
        func answer(_ buffer: UnsafeMutableRawBufferPointer) -> Int32 {
            guard !isAsked else { return -1 }
            isAsked = true
            do {
                let secret = try secret()
                guard !secret.isEmpty, secret.byteCount <= buffer.count else {
                    throw CryptoError(
                        .wrongPassphrase,
                        "the PIN is empty or too long for the provider: it was not tried")
                }
                unsafe buffer.copyMemory(from: secret.buffer)
                return Int32(secret.byteCount)
            } catch {
                failure = error
                return -1
            }
        }
    }
}
