internal import Synchronization

/// Limits for one CRL or OCSP response.
enum EvidenceLimits {
    /// Maximum number of keys tried as the signer. Many certificates may have the same name, and
    /// each costs a signature check. Certificates of the path are tried first.
    static let signers = 6
    /// Maximum number of certificates in an OCSP response. Responders send one to three; a
    /// response with more is not read.
    static let certificates = 16
}

/// Limits the signature checks and paths for all revocation data of a file, whose author chooses
/// how slow they are. Keys of the certificate's own path are exempt.
package final class EvidenceBudget: Sendable {
    private let rest = Mutex(EvidenceBudget.checkCount)

    /// Signature checks with common keys: two for each response that is kept.
    private static let checkCount = 2048
    /// Cost of a check with another key.
    private static let slowKeyWeight = 8
    private static let usualModulusBitCount = 4096

    /// Paths of signers of revocation data; the cost of each grows with its candidate certificates.
    private let paths = Mutex(EvidenceBudget.pathCount)
    private static let pathCount = 1024
    /// Number of candidate certificates that costs as much as one path.
    private static let certificatesPerPath = 16

    package init() {}

    /// Whether one more path may be built.
    ///
    /// - Parameter count: number of candidate certificates.
    package func spendPath(among count: Int) -> Bool {
        paths.withLock { rest in
            rest -= min(rest, 1 + count / Self.certificatesPerPath)
            return rest > 0
        }
    }

    /// Whether one more signature may be checked.
    func spend(on certificate: Certificate) -> Bool {
        let weight =
            switch try? certificate.publicKey.algorithm {
            case .rsa(let bits)? where bits <= Self.usualModulusBitCount: 1
            case .ec(let curve)? where curve == "P-256": 1
            case .ed25519?: 1
            default: Self.slowKeyWeight
            }
        return rest.withLock { rest in
            rest -= min(rest, weight)
            return rest > 0
        }
    }
}
