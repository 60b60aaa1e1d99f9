package import Base

/// A hash function.
package enum DigestAlgorithm: String, CaseIterable, Hashable, Sendable {
    /// Only accepted when verifying old signatures.
    case md5
    /// Only accepted when verifying old signatures.
    case sha1
    case sha224
    case sha256
    case sha384
    case sha512
    case sha3_224 = "sha3-224"
    case sha3_256 = "sha3-256"
    case sha3_384 = "sha3-384"
    case sha3_512 = "sha3-512"
    /// SHAKE128 with 256 bits of output, only accepted when verifying (RFC 8702).
    case shake128
    /// SHAKE256 with 512 bits of output, which Ed448 signatures use (RFC 8419 §2.3).
    case shake256 = "shake256"

    /// The default for new signatures and timestamps, which every TSA supports.
    package static let usual = sha256

    /// The algorithm with this name: `sha256`, `SHA-256`, `sha3-256`,
    /// `SHA3_256`.
    package init?(name: String) {
        let folded = name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
        for candidate in DigestAlgorithm.allCases
        where candidate.rawValue.filter({ $0 != "-" }) == folded {
            self = candidate
            return
        }
        return nil
    }

    /// The algorithm of an object identifier (RFC 5754, RFC 8702, NIST CSOR).
    package init?(oid: OID) {
        guard let found = DigestAlgorithm.allCases.first(where: { $0.oid == oid }) else {
            return nil
        }
        self = found
    }

    private var facts: (oid: OID, byteCount: Int, name: String) {
        switch self {
        case .md5: (.md5, 16, "MD5")
        case .sha1: (.sha1, 20, "SHA-1")
        case .sha224: (.sha224, 28, "SHA-224")
        case .sha256: (.sha256, 32, "SHA-256")
        case .sha384: (.sha384, 48, "SHA-384")
        case .sha512: (.sha512, 64, "SHA-512")
        case .sha3_224: (.sha3With224, 28, "SHA3-224")
        case .sha3_256: (.sha3With256, 32, "SHA3-256")
        case .sha3_384: (.sha3With384, 48, "SHA3-384")
        case .sha3_512: (.sha3With512, 64, "SHA3-512")
        case .shake128: (.shake128, 32, "SHAKE128")
        case .shake256: (.shake256, 64, "SHAKE256")
        }
    }

    package var oid: OID { facts.oid }

    package var byteCount: Int { facts.byteCount }

    /// `SHA-256`, `SHA3-256`: the name in print, and OpenSSL's.
    package var displayName: String { facts.name }

    /// Whether new signatures may use it.
    package var isWritable: Bool {
        switch self {
        case .md5, .sha1, .sha224, .sha3_224, .shake128, .shake256: false
        default: true
        }
    }

    package func hash(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        let context = try DigestContext(self)
        try context.update(bytes)
        return try context.finish()
    }
}
