internal import Base
internal import COpenSSL

/// Decodes one private key of a known structure.
///
/// RSA, EC and Ed25519 keys are passed directly to their parsers: OpenSSL's decoders would search
/// all providers first, which takes longer than signing. OpenSSL's decoders handle the other keys.
enum KeyDecoder {
    enum Traditional: Equatable { case rsa, ec, dsa }

    /// PKCS#8 (RFC 5958): SEQUENCE { version, algorithm, OCTET STRING key, … }.
    static func pkcs8(_ view: SecretView) throws(CryptoError) -> PrivateKey {
        OpenSSL.prepare()
        guard var reader = ASN1Reader.single(view, .definite)?.reader,
            let version = reader.next(ASN1Tag.integer)?.smallInteger, version <= 1,
            var algorithm = reader.next(ASN1Tag.sequence)?.reader,
            let identifier = algorithm.next()?.objectIdentifier,
            let key = reader.next(ASN1Tag.octetString)?.content
        else { throw CryptoError(.malformedKey, "the private key is not valid PKCS#8") }
        switch identifier {
        case .rsaEncryption: return try traditional(key, .rsa, curve: nil)
        case .ecPublicKey:
            guard let curve = algorithm.next(ASN1Tag.objectIdentifier)?.objectIdentifier else {
                throw CryptoError(
                    .unsupportedAlgorithm,
                    "an elliptic curve with explicit parameters instead of a name")
            }
            return try traditional(key, .ec, curve: curve)
        case .ed25519, .ed448:
            guard let raw = ASN1Reader.single(key, .definite), raw.tag == ASN1Tag.octetString else {
                throw CryptoError(.malformedKey, "a damaged EdDSA key")
            }
            let kind = identifier == .ed25519 ? EVP_PKEY_ED25519 : EVP_PKEY_ED448
            let bytes = unsafe raw.content.buffer.bindMemory(to: UInt8.self)
            return try unsafe finish(
                EVP_PKEY_new_raw_private_key(kind, nil, bytes.baseAddress, bytes.count))
        default: return try decodeAny(view, identifier)
        }
    }

    /// RFC 8017 A.1.2, RFC 5915 or OpenSSL's DSA sequence. `curve` applies to EC keys that do not
    /// contain a curve.
    static func traditional(
        _ view: SecretView, _ kind: Traditional, curve: OID?
    ) throws(CryptoError) -> PrivateKey {
        OpenSSL.prepare()
        let bytes = unsafe view.buffer.bindMemory(to: UInt8.self)
        switch kind {
        case .rsa:
            let key = try unsafe finish(COpenSSL_rsa_private_key(bytes.baseAddress, bytes.count))
            try OpenSSL.require(
                unsafe COpenSSL_rsa_parts_agree(key.handle.pointer) == 1,
                "an RSA key with inconsistent parts", .malformedKey)
            return key
        case .dsa:
            return try withAgreeingHalves(
                unsafe finish(COpenSSL_dsa_private_key(bytes.baseAddress, bytes.count)))
        case .ec:
            let named = try curveName(inside: view)
            guard let curve = named ?? curve else {
                throw CryptoError(.malformedKey, "an EC key without a curve")
            }
            let nid = unsafe OBJ_txt2nid(curve.description)
            try OpenSSL.require(nid != NID_undef, "the curve \(curve)", .unsupportedAlgorithm)
            return try unsafe finish(COpenSSL_ec_private_key(bytes.baseAddress, bytes.count, nid))
        }
    }

    /// The curve in [0] of an ECPrivateKey; explicit curve parameters are rejected.
    private static func curveName(inside view: SecretView) throws(CryptoError) -> OID? {
        guard var reader = ASN1Reader.single(view, .definite)?.reader,
            reader.next(ASN1Tag.integer) != nil, reader.next(ASN1Tag.octetString) != nil
        else { throw CryptoError(.malformedKey, "not an EC key") }
        guard var parameters = reader.next(ASN1Tag.context(0))?.reader else { return nil }
        guard let name = parameters.next()?.objectIdentifier else {
            throw CryptoError(
                .unsupportedAlgorithm,
                "an elliptic curve with explicit parameters instead of a name")
        }
        return name
    }

    /// An EncryptedPrivateKeyInfo (RFC 5958 §3).
    static func encryptedPKCS8(
        _ view: SecretView, _ cost: inout DerivationCost,
        _ passphrase: () throws(CryptoError) -> SecretBytes?
    ) throws(CryptoError) -> PrivateKey {
        OpenSSL.prepare()
        let scheme = try EncryptionScheme(view, &cost)
        let answer = try CredentialReader.ask(passphrase)
        let plain = try scheme.decrypt(view, passphrase: answer)
        do {
            return try pkcs8(SecretView(plain))
        } catch {
            guard error.code == .malformedKey else { throw error }
            throw CryptoError(.wrongPassphrase, "the passphrase of the key is wrong")
        }
    }

    /// Uses OpenSSL's decoders for any type of key, such as ML-DSA keys as seed, expanded or both
    /// (RFC 9881 §6), which must agree.
    private static func decodeAny(_ view: SecretView, _ identifier: OID) throws(CryptoError)
        -> PrivateKey
    {
        let bytes = unsafe view.buffer.bindMemory(to: UInt8.self)
        var cursor = bytes.baseAddress
        let info = try unsafe OpenSSL.require(
            d2i_PKCS8_PRIV_KEY_INFO(nil, &cursor, bytes.count),
            "the private key is not valid PKCS#8", .malformedKey)
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        return try withAgreeingHalves(unsafe finish(EVP_PKCS82PKEY(info), identifier))
    }

    /// Larger numbers are rejected before parsing: OpenSSL does not sign with them.
    private static let bitLimit: Int32 = 16_384

    /// Rejects keys with a wrong public part, which OpenSSL's parsers accept.
    private static func withAgreeingHalves(_ key: PrivateKey) throws(CryptoError) -> PrivateKey {
        var isShort = unsafe EVP_PKEY_get_bits(key.handle.pointer) <= bitLimit
        if case .quantumSafe = key.algorithm { isShort = true }
        guard isShort, unsafe COpenSSL_halves_agree(key.handle.pointer) == 1
        else {
            throw CryptoError.draining(
                .malformedKey, "a private key that does not match its public key")
        }
        return key
    }

    private static func finish(
        _ key: OpaquePointer?, _ identifier: OID? = nil
    ) throws(CryptoError) -> PrivateKey {
        guard let key = unsafe key else {
            let reasons = OpenSSL.drainErrors()
            let lack = identifier.flatMap(QuantumSafeAlgorithm.unavailabilityReason)
            // OpenSSL also reports a damaged key of an available algorithm as unsupported.
            let isAvailable =
                lack == nil && identifier.flatMap { QuantumSafeAlgorithm(oid: $0) } != nil
            let isUnsupported = reasons.contains {
                $0.reason == ERR_R_UNSUPPORTED
                    || $0.library == ERR_LIB_EVP && $0.reason == EVP_R_UNSUPPORTED_ALGORITHM
            }
            throw CryptoError(
                isUnsupported && !isAvailable ? .unsupportedAlgorithm : .malformedKey,
                isUnsupported && !isAvailable
                    ? lack ?? "a key of unsupported type" : "a damaged key",
                reasons: reasons.map(\.text))
        }
        ERR_clear_error()
        return PrivateKey(try unsafe KeyHandle(takingOwnership: key))
    }
}
