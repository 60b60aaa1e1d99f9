internal import Base
internal import COpenSSL
internal import Synchronization

package final class PublicKey: Sendable, Equatable {
    let handle: KeyHandle
    /// Cached: encoding takes half as long as a verification.
    private let encoded = Mutex<[UInt8]?>(nil)

    init(_ handle: KeyHandle) { self.handle = handle }

    /// A SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), and nothing after it.
    package convenience init(spkiDER: [UInt8]) throws(CryptoError) {
        OpenSSL.prepare()
        try PublicKey.refuseExplicitCurve(spkiDER)
        let parsed = unsafe OpenSSL.parse(spkiDER, freeing: EVP_PKEY_free) {
            unsafe d2i_PUBKEY(nil, $0, $1)
        }
        if unsafe parsed == nil { try PublicKey.refuseUnsupported(spkiDER) }
        let pointer = try unsafe OpenSSL.require(parsed, "not a public key", .malformedKey)
        self.init(unsafe try KeyHandle(takingOwnership: pointer))
    }

    /// Throws if the algorithm of a key that OpenSSL rejected is not supported.
    static func refuseUnsupported(_ spki: [UInt8]) throws(CryptoError) {
        guard
            let lack = algorithmIdentifier(spki).flatMap(QuantumSafeAlgorithm.unavailabilityReason)
        else {
            return
        }
        throw CryptoError(.unsupportedAlgorithm, lack)
    }

    private static func algorithmIdentifier(_ spki: [UInt8]) -> OID? {
        var reader = ASN1Reader.single(spki[...], .definite)?.reader
        var algorithm = reader?.next(ASN1Tag.sequence)?.reader
        return algorithm?.next()?.objectIdentifier
    }

    /// Reads PEM (`PUBLIC KEY`, `RSA PUBLIC KEY`) or DER.
    package static func read(_ bytes: [UInt8]) throws(CryptoError) -> PublicKey {
        let secret = SecretBytes(copying: bytes)
        for block in try PEMReader.blocks(in: secret) {
            if block.label == "PUBLIC KEY" {
                return try PublicKey(spkiDER: Array(SecretView(try block.decoded())))
            }
            if block.label == "RSA PUBLIC KEY" {
                return try PublicKey(pkcs1DER: Array(SecretView(try block.decoded())))
            }
        }
        guard bytes.first == ASN1Tag.sequence else {
            throw CryptoError(.unrecognisedFormat, "neither PEM nor DER public key")
        }
        return DERKind(SecretView(secret)) == .rsaPublicKey
            ? try PublicKey(pkcs1DER: bytes) : try PublicKey(spkiDER: bytes)
    }

    /// An RSAPublicKey (RFC 8017 A.1.1), wrapped as SubjectPublicKeyInfo.
    convenience init(pkcs1DER: [UInt8]) throws(CryptoError) {
        let algorithm = DERWriter.sequence(
            DERWriter.objectIdentifier(.rsaEncryption), DERWriter.null)
        try self.init(
            spkiDER: DERWriter.sequence([
                algorithm, DERWriter.element(ASN1Tag.bitString, [0] + pkcs1DER),
            ]))
    }

    package var algorithm: KeyAlgorithm { handle.algorithm }

    /// Size of the modulus, prime or curve in bits.
    package var bits: Int { Int(unsafe EVP_PKEY_get_bits(handle.pointer)) }

    /// Length of the longest signature by the key in bytes.
    package var maximumSignatureByteCount: Int { Int(unsafe EVP_PKEY_get_size(handle.pointer)) }

    /// SubjectPublicKeyInfo in DER.
    package var spkiDER: [UInt8] {
        encoded.withLock { known in
            if let known { return known }
            // Encoding a loaded key fails only if memory is exhausted.
            let made = unsafe OpenSSL.encode { unsafe i2d_PUBKEY(handle.pointer, $0) } ?? []
            known = made
            return made
        }
    }

    /// Equal for equal keys, whatever their encoding and algorithm identifier: modulus and exponent
    /// of RSA, curve and affine point of EC, otherwise SubjectPublicKeyInfo.
    package var identity: [UInt8] {
        func number(_ name: String) -> [UInt8]? {
            var number: OpaquePointer?
            defer { unsafe BN_free(number) }
            guard unsafe EVP_PKEY_get_bn_param(handle.pointer, name, &number) == 1 else {
                return nil
            }
            var bytes = [UInt8](repeating: 0, count: Int(unsafe BN_num_bits(number) + 7) / 8)
            unsafe BN_bn2bin(number, &bytes)
            return DERWriter.unsigned(bytes)
        }
        defer { ERR_clear_error() }
        if let modulus = number(OSSL_PKEY_PARAM_RSA_N),
            let exponent = number(OSSL_PKEY_PARAM_RSA_E)
        {
            return modulus + exponent
        }
        if let x = number(OSSL_PKEY_PARAM_EC_PUB_X), let y = number(OSSL_PKEY_PARAM_EC_PUB_Y) {
            return Array("\(algorithm)".utf8) + x + y
        }
        return spkiDER
    }

    /// PEM text, `PUBLIC KEY`.
    package var pem: [UInt8] { PEMWriter.write("PUBLIC KEY", spkiDER) }

    /// SHA-1 of the key bits, the usual subject key identifier (RFC 5280 §4.2.1.2 method 1).
    package func keyIdentifier() throws(CryptoError) -> [UInt8] {
        guard let spki = ASN1Reader.single(spkiDER[...], .definite) else {
            throw CryptoError(.internalFailure, "the public key cannot be encoded")
        }
        var reader = spki.reader
        guard reader.next(ASN1Tag.sequence) != nil, let bits = reader.next(ASN1Tag.bitString),
            !bits.content.isEmpty
        else { throw CryptoError(.internalFailure, "the public key cannot be encoded") }
        return try DigestAlgorithm.sha1.hash(Array(bits.content.dropFirst()))
    }

    package static func == (a: PublicKey, b: PublicKey) -> Bool {
        unsafe EVP_PKEY_eq(a.handle.pointer, b.handle.pointer) == 1
    }

    /// Whether `signature` was made over `message` with the private key.
    package func verify(
        signature: [UInt8], scheme: SignatureScheme, message: [UInt8]
    ) throws(CryptoError) -> Bool {
        if let digest = scheme.digest {
            return try verify(signature: signature, scheme: scheme, digest: digest.hash(message))
        }
        OpenSSL.prepare()
        try scheme.checkFit(algorithm)
        let context = try unsafe OpenSSL.require(EVP_MD_CTX_new(), "no digest context")
        defer { unsafe EVP_MD_CTX_free(context) }
        try OpenSSL.require(
            unsafe EVP_DigestVerifyInit(context, nil, nil, nil, handle.pointer) == 1,
            "verification did not start")
        let result = unsafe EVP_DigestVerify(
            context, signature, signature.count, message, message.count)
        ERR_clear_error()
        return result == 1
    }

    /// Whether `signature` was made over a message with this hash. A malformed signature is
    /// invalid. Throws for EdDSA, which cannot sign a hash.
    package func verify(
        signature: [UInt8], scheme: SignatureScheme, digest: [UInt8]
    ) throws(CryptoError) -> Bool {
        try SignatureContext(handle, scheme, .verifying).verify(signature, digest: digest)
    }

    /// Whether a PKCS#1 v1.5 signature is over the bytes without a DigestInfo. Such a signature is
    /// invalid: the result only serves to explain the mistake.
    package func verifiesBare(signature: [UInt8], over bytes: [UInt8]) -> Bool {
        OpenSSL.prepare()
        guard case .rsa = algorithm,
            let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil)
        else { return false }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        return unsafe EVP_PKEY_verify_init(context) == 1
            && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
            && EVP_PKEY_verify(context, signature, signature.count, bytes, bytes.count) == 1
    }

    /// Rejects explicit EC parameters (forbidden by RFC 5480 §2.1.1): a curve of the
    /// attacker's choice can make any public key sign anything.
    static func refuseExplicitCurve(_ spki: [UInt8]) throws(CryptoError) {
        guard var reader = ASN1Reader.single(spki[...], .definite)?.reader,
            var algorithm = reader.next(ASN1Tag.sequence)?.reader,
            let identifier = algorithm.next()?.objectIdentifier
        else { throw CryptoError(.malformedKey, "not a public key") }
        if identifier == OID.ecPublicKey, algorithm.next(ASN1Tag.objectIdentifier) == nil {
            throw CryptoError(
                .unsupportedAlgorithm,
                "an elliptic curve with explicit parameters instead of a name")
        }
    }
}
