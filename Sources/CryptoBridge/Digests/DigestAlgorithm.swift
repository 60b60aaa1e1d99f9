package import Base
internal import COpenSSL

/// A hash function.
package enum DigestAlgorithm: String, CaseIterable, Hashable, Sendable {
    /// Read in old signatures, never written.
    case md5
    /// Read in old signatures, never written into one.
    case sha1
    case sha224
    case sha256
    case sha384
    case sha512
    case sha3_224 = "sha3-224"
    case sha3_256 = "sha3-256"
    case sha3_384 = "sha3-384"
    case sha3_512 = "sha3-512"
    /// SHAKE256 with 512 bits of output, which Ed448 signatures use (RFC 8419 §2.3).
    case shake256 = "shake256"

    /// The algorithm of a name as people write it: `sha256`, `SHA-256`, `sha3-256`, `SHA3_256`.
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

    package var oid: OID {
        switch self {
        case .md5: .md5
        case .sha1: .sha1
        case .sha224: .sha224
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        case .sha3_224: .sha3With224
        case .sha3_256: .sha3With256
        case .sha3_384: .sha3With384
        case .sha3_512: .sha3With512
        case .shake256: .shake256
        }
    }

    /// Output bytes.
    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha224, .sha3_224: 28
        case .sha256, .sha3_256: 32
        case .sha384, .sha3_384: 48
        case .sha512, .sha3_512, .shake256: 64
        }
    }

    /// `SHA-256`, `SHA3-256`: the name in print.
    package var displayName: String {
        switch self {
        case .md5: "MD5"
        case .sha1: "SHA-1"
        case .sha224: "SHA-224"
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        case .sha3_224: "SHA3-224"
        case .sha3_256: "SHA3-256"
        case .sha3_384: "SHA3-384"
        case .sha3_512: "SHA3-512"
        case .shake256: "SHAKE256"
        }
    }

    /// Whether new signatures may use it.
    package var isWritable: Bool {
        switch self {
        case .md5, .sha1, .sha224, .sha3_224, .shake256: false
        default: true
        }
    }

    /// The hash of `bytes`.
    package func hash(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        let context = try DigestContext(self)
        try context.update(bytes)
        return try context.finish()
    }

    /// OpenSSL's name for fetching.
    var fetchName: String {
        switch self {
        case .md5: "MD5"
        case .sha1: "SHA1"
        case .sha224: "SHA2-224"
        case .sha256: "SHA2-256"
        case .sha384: "SHA2-384"
        case .sha512: "SHA2-512"
        case .shake256: "SHAKE-256"
        default: displayName
        }
    }
}

/// Digest implementations, each fetched once on first use and kept for the process.
@safe
struct FetchedDigest: @unchecked Sendable {
    // Sendable: an EVP_MD is immutable and reference counted; this one is never freed.
    let pointer: OpaquePointer?

    private init(_ algorithm: DigestAlgorithm) {
        OpenSSL.prepare()
        unsafe pointer = EVP_MD_fetch(nil, algorithm.fetchName, nil)
    }

    private static let md5 = FetchedDigest(.md5)
    private static let sha1 = FetchedDigest(.sha1)
    private static let sha224 = FetchedDigest(.sha224)
    private static let sha256 = FetchedDigest(.sha256)
    private static let sha384 = FetchedDigest(.sha384)
    private static let sha512 = FetchedDigest(.sha512)
    private static let sha3x224 = FetchedDigest(.sha3_224)
    private static let sha3x256 = FetchedDigest(.sha3_256)
    private static let sha3x384 = FetchedDigest(.sha3_384)
    private static let sha3x512 = FetchedDigest(.sha3_512)
    private static let shake256 = FetchedDigest(.shake256)

    /// The implementation, borrowed.
    static func get(_ algorithm: DigestAlgorithm) throws(CryptoError) -> OpaquePointer {
        let fetched =
            switch algorithm {
            case .md5: md5
            case .sha1: sha1
            case .sha224: sha224
            case .sha256: sha256
            case .sha384: sha384
            case .sha512: sha512
            case .sha3_224: sha3x224
            case .sha3_256: sha3x256
            case .sha3_384: sha3x384
            case .sha3_512: sha3x512
            case .shake256: shake256
            }
        guard let pointer = unsafe fetched.pointer else {
            throw CryptoError.draining(
                .unsupportedAlgorithm, "\(algorithm.displayName) is not available")
        }
        return unsafe pointer
    }
}
