internal import Base
internal import COpenSSL

/// The message authentication code (MAC) PBMAC1 of a PKCS#12 file (RFC 9579), which OpenSSL reads only since 3.4.
///
///     PBMAC1-params ::= SEQUENCE { keyDerivationFunc {PBKDF2}, messageAuthScheme {HMAC} }
///     PBKDF2-params ::= SEQUENCE {
///         salt OCTET STRING, iterationCount INTEGER, keyLength INTEGER, prf DEFAULT hmacWithSHA1 }
struct PBMAC1 {
    let iterations: Int
    /// The hash of the HMAC over the contents.
    let digest: DigestAlgorithm
    private let keyDigest: DigestAlgorithm
    private let keyByteCount: Int
    private let salt: [UInt8]
    private let code: [UInt8]
    private let content: SecretView

    /// Shorter keys are rejected (RFC 9579 §9).
    private static let keyByteCounts = 20...512

    /// - Parameter bundle: a PKCS12.
    /// - Returns: nil if the file has another kind of code.
    /// - Throws: `malformedBundle` if the parameters are damaged or the key is too short.
    init?(of bundle: OpaquePointer) throws(CryptoError) {
        // Encoded again, since the file may be BER.
        let der = try unsafe OpenSSL.require(
            OpenSSL.encodeSecret { unsafe i2d_PKCS12(bundle, $0) }, "a damaged PKCS#12 file",
            .malformedBundle)
        var file = ASN1Reader.single(SecretView(der), .definite)?.reader
        _ = file?.next()
        var safe = file?.next(ASN1Tag.sequence)?.reader
        var data = file?.next(ASN1Tag.sequence)?.reader
        var code = data?.next(ASN1Tag.sequence)?.reader
        var algorithm = code?.next(ASN1Tag.sequence)?.reader
        guard algorithm?.next()?.objectIdentifier == .pbmac1 else { return nil }
        _ = safe?.next()
        var content = safe?.next(ASN1Tag.context(0))?.reader
        var parameters = algorithm?.next(ASN1Tag.sequence)?.reader
        var function = parameters?.next(ASN1Tag.sequence)?.reader
        let functionID = function?.next()?.objectIdentifier
        var derivation = function?.next(ASN1Tag.sequence)?.reader
        var scheme = parameters?.next(ASN1Tag.sequence)?.reader
        guard functionID == .pbkdf2, let salt = derivation?.next(ASN1Tag.octetString)?.content,
            let iterations = derivation?.next(ASN1Tag.integer)?.smallInteger, iterations > 0,
            let digest = Self.digest(scheme?.next()?.objectIdentifier),
            let expected = code?.next(ASN1Tag.octetString)?.content,
            let signed = content?.next(ASN1Tag.octetString)?.content
        else {
            throw CryptoError(.malformedBundle, "PBMAC1 of the PKCS#12 file is damaged")
        }
        // RFC 9579 §4 requires the key length.
        guard let length = derivation?.next(ASN1Tag.integer)?.smallInteger,
            Self.keyByteCounts.contains(length)
        else {
            throw CryptoError(
                .malformedBundle,
                "PBMAC1 of the PKCS#12 file has no key length, or one outside "
                    + "\(Self.keyByteCounts.lowerBound) to \(Self.keyByteCounts.upperBound) bytes")
        }
        var prf = derivation?.next(ASN1Tag.sequence)?.reader
        let prfID = prf?.next()?.objectIdentifier ?? .hmacSHA1
        guard let keyDigest = Self.digest(prfID) else {
            throw CryptoError(.unsupportedAlgorithm, "the PKCS#12 file's MAC is not supported")
        }
        self.iterations = iterations
        self.digest = digest
        self.keyDigest = keyDigest
        keyByteCount = length
        self.salt = Array(salt)
        self.code = Array(expected)
        self.content = signed
    }

    private static func digest(_ hmac: OID?) -> DigestAlgorithm? {
        switch hmac {
        case .hmacSHA1: .sha1
        case .hmacSHA224: .sha224
        case .hmacSHA256: .sha256
        case .hmacSHA384: .sha384
        case .hmacSHA512: .sha512
        default: nil
        }
    }

    /// Whether the code is that of the contents with this password, compared in constant time.
    func verify(_ password: PKCS12Password) throws(CryptoError) -> Bool {
        defer { withExtendedLifetime(password) {} }
        let key = SecretBytes(zeroedByteCount: keyByteCount)
        let hash = unsafe EVP_get_digestbyname(keyDigest.displayName)
        guard
            unsafe PKCS5_PBKDF2_HMAC(
                password.pointer, password.byteCount, salt, Int32(salt.count), Int32(iterations),
                hash, Int32(keyByteCount),
                key.storage.bindMemory(to: UInt8.self).baseAddress) == 1
        else { throw CryptoError.draining(.internalFailure, "PBKDF2 failed") }
        var computed = [UInt8](repeating: 0, count: digest.byteCount)
        var count = 0
        let data = unsafe content.buffer.bindMemory(to: UInt8.self)
        guard
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, digest.displayName, nil, key.buffer.baseAddress, key.byteCount,
                data.baseAddress, data.count, &computed, computed.count, &count) != nil
        else { throw CryptoError.draining(.internalFailure, "HMAC failed") }
        return SecretBytes(copying: computed).isEqual(to: SecretBytes(copying: code))
    }
}
