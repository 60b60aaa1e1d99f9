/// A signature scheme: algorithm, padding and hash.
package enum SignatureScheme: Sendable, Hashable {
    case rsaPKCS1(DigestAlgorithm)
    /// MGF1 uses the same hash, unless `mask` names another one (RFC 4055 §3.1).
    case rsaPSS(DigestAlgorithm, saltByteCount: Int, mask: DigestAlgorithm? = nil)
    case ecdsa(DigestAlgorithm)
    case dsa(DigestAlgorithm)
    /// EdDSA signs the message itself (RFC 8032).
    case ed25519
    case ed448
    /// Signs the message itself, like EdDSA (FIPS 204 §5.2, FIPS 205 §10.2.1).
    case quantumSafe(QuantumSafeAlgorithm)

    /// Any salt length, for verifying: a raw signature does not contain the length.
    package static let anySalt = -1

    /// PSS with a salt as long as the hash.
    package static func rsaPSS(_ digest: DigestAlgorithm) -> SignatureScheme {
        .rsaPSS(digest, saltByteCount: digest.byteCount)
    }

    /// The hash applied to the message; nil for EdDSA, ML-DSA and SLH-DSA, which
    /// sign the whole message.
    package var digest: DigestAlgorithm? {
        switch self {
        case .rsaPKCS1(let digest), .rsaPSS(let digest, _, _), .ecdsa(let digest), .dsa(let digest):
            digest
        case .ed25519, .ed448, .quantumSafe: nil
        }
    }

    /// The same algorithm and padding with another hash; nil if there is none.
    package func with(_ digest: DigestAlgorithm) -> SignatureScheme? {
        switch self {
        case .rsaPKCS1: .rsaPKCS1(digest)
        case .rsaPSS: .rsaPSS(digest)
        case .ecdsa: .ecdsa(digest)
        case .dsa: .dsa(digest)
        case .ed25519, .ed448, .quantumSafe: nil
        }
    }

    /// `rsa-pkcs1`, `rsa-pss`, `ecdsa`, `dsa`, `ed25519`, `ed448`, `ml-dsa-44`.
    package var name: String {
        switch self {
        case .rsaPKCS1: "rsa-pkcs1"
        case .rsaPSS: "rsa-pss"
        case .ecdsa: "ecdsa"
        case .dsa: "dsa"
        case .ed25519: "ed25519"
        case .ed448: "ed448"
        case .quantumSafe(let algorithm): algorithm.rawValue.lowercased()
        }
    }

    package func fits(_ algorithm: KeyAlgorithm) -> Bool {
        switch (self, algorithm) {
        case (.rsaPKCS1, .rsa), (.rsaPSS, .rsa), (.rsaPSS, .rsaPSS), (.ecdsa, .ec), (.dsa, .dsa),
            (.ed25519, .ed25519), (.ed448, .ed448):
            true
        case (.quantumSafe(let used), .quantumSafe(let own)): used == own
        default: false
        }
    }

    func checkFit(_ algorithm: KeyAlgorithm) throws(CryptoError) {
        guard !fits(algorithm) else { return }
        throw CryptoError(
            .invalidParameter, "a key of type \(algorithm) does not support \(name) signatures")
    }
}
