internal import COpenSSL

/// Detects public keys for which anybody can create valid signatures.
enum DegenerateKey {
    /// Rejects points of small order, invalid encodings, and DSA keys with an invalid generator
    /// (RFC 8032 §5.1.3, §5.2.3; RFC 5480 §2.2;
    /// FIPS 186-5 §4).
    static func refuse(_ key: OpaquePointer, algorithm: KeyAlgorithm) throws(CryptoError) {
        switch algorithm {
        case .ed25519:
            guard unsafe isSound(key, curve: Edwards.curve25519) else {
                throw smallOrder(algorithm)
            }
        case .ed448:
            guard unsafe isSound(key, curve: Edwards.curve448) else { throw smallOrder(algorithm) }
        case .ec(let curve):
            var count = 0
            let known = unsafe EVP_PKEY_get_octet_string_param(
                key, OSSL_PKEY_PARAM_PUB_KEY, nil, 0, &count)
            // The point at infinity is one byte. On the named curves every other point has the
            // order of the curve; on other curves the order is computed.
            guard known == 1, count > 1,
                unsafe NamedCurve(name: curve) != nil || isPublicKeyValid(key)
            else { throw smallOrder(algorithm) }
        case .dsa:
            guard unsafe isGeneratorSound(key), unsafe isPublicKeyValid(key) else {
                throw CryptoError(
                    .degenerateKey, "an insecure DSA key (invalid generator or public value)")
            }
        case .rsa, .rsaPSS, .quantumSafe, .other: break
        }
    }

    private static func smallOrder(_ algorithm: KeyAlgorithm) -> CryptoError {
        CryptoError(
            .degenerateKey,
            "an insecure key of type \(algorithm) (a point of small order, or "
                + "not on the curve)")
    }

    private static func isPublicKeyValid(_ key: OpaquePointer) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new(key, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let result = unsafe EVP_PKEY_public_check(context)
        ERR_clear_error()
        return result == 1
    }

    /// With a generator of 0 or 1 every signature is valid.
    private static func isGeneratorSound(_ key: OpaquePointer) -> Bool {
        var generator: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_FFC_G, &generator) == 1 else {
            return false
        }
        defer { unsafe BN_free(generator) }
        return unsafe BN_num_bits(generator) > 1
    }

    private static func isSound(_ key: OpaquePointer, curve: Edwards) -> Bool {
        var bytes = [UInt8](repeating: 0, count: curve.byteCount)
        var count = bytes.count
        guard unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == bytes.count
        else { return false }
        return curve.isSound(bytes)
    }
}

/// An Edwards curve (RFC 8032), reduced to the y coordinates of its points of small order.
struct Edwards {
    let byteCount: Int
    /// The field's prime, least significant byte first.
    let prime: [UInt8]
    /// y of the points whose order divides the cofactor, least significant byte first.
    let smallOrder: [[UInt8]]

    /// A point is encoded as y, with the sign of x in the highest bit.
    func isSound(_ point: [UInt8]) -> Bool {
        var y = point
        guard y.count == byteCount, let last = y.indices.last else { return false }
        y[last] &= 0x7F
        let isReduced = y.reversed().lexicographicallyPrecedes(prime.reversed())
        return isReduced && !smallOrder.contains(y)
    }

    private static func number(_ low: UInt8, count: Int) -> [UInt8] {
        [low] + [UInt8](repeating: 0, count: count - 1)
    }

    static let curve25519 = Edwards(
        byteCount: 32, prime: [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        smallOrder: [
            number(0, count: 32), number(1, count: 32),
            [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
            [
                0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF,
                0x98, 0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88,
                0x6D, 0x53, 0xFC, 0x05,
            ],
            [
                0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10,
                0x67, 0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77,
                0x92, 0xAC, 0x03, 0x7A,
            ],
        ])

    /// p = 2^448 - 2^224 - 1.
    private static let prime448 =
        [UInt8](repeating: 0xFF, count: 28) + [0xFE] + [UInt8](repeating: 0xFF, count: 27) + [0]

    static let curve448 = Edwards(
        byteCount: 57, prime: prime448,
        smallOrder: [number(0, count: 57), number(1, count: 57), [0xFE] + prime448.dropFirst()])
}
