package import ByteKit
package import CryptoBridge
import TrustKit

/// Until when a time stamp proves anything.
package enum TimestampEnd {
    /// When the authority's certificate ends, or its key or the stamped hash no longer counts.
    ///
    /// - Parameter digest: of the stamped hash; nil where it is unknown.
    package static func of(_ authority: Certificate, digest: DigestAlgorithm?) -> CalendarTime {
        let key = try? authority.publicKey
        let ends = [
            authority.notAfter, key.flatMap { AlgorithmPolicy.expiry(of: $0) },
            digest.flatMap { AlgorithmPolicy.expiry(of: $0) },
        ]
        return ends.compactMap(\.self).min() ?? authority.notAfter
    }
}
