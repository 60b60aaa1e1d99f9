internal import Synchronization

/// How much is tried for one piece of evidence.
enum EvidenceLimits {
    /// Keys that may have signed it: certificates of one name may be many, and each costs a check of
    /// the signature. Those of the path are tried first.
    static let signers = 6
    /// Certificates that a response brings: responders send one to three, and a response with more
    /// than this is not read.
    static let certificates = 16
}

/// How much is tried for all evidence of a file with keys that do not stand in the path that is
/// asked about: whoever adds evidence chooses how slow they are.
package final class EvidenceBudget: Sendable {
    private let rest = Mutex(EvidenceBudget.checkCount)

    /// Checks with usual keys. Twice as many responses as are kept have a responder each.
    private static let checkCount = 2048
    /// What one with another key counts for.
    private static let slowKeyWeight = 8
    private static let usualModulusBitCount = 4096

    /// Paths of those who speak, each of them counted with the certificates that it is looked for
    /// among.
    private let paths = Mutex(EvidenceBudget.pathCount)
    private static let pathCount = 1024
    /// So many more certificates to look among cost what another path does.
    private static let certificatesPerPath = 16

    package init() {}

    /// Whether one more path may be looked for.
    ///
    /// - Parameter count: of the certificates that may stand in it.
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
