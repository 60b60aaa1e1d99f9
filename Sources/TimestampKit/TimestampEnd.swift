package import Base
package import CryptoBridge
import TrustKit

/// Until when a time stamp proves anything.
package enum TimestampEnd {
    /// When the first certificate of the authority's path ends, or a key in it or the stamped hash no
    /// longer counts: who has such a key could have made the token, or the authority, with any date.
    ///
    /// - Parameters:
    ///   - path: the authority's certificate, those above it, and the anchor.
    ///   - digest: of the stamped hash; nil where it is unknown.
    package static func of(_ path: [Certificate], digest: DigestAlgorithm?) -> CalendarTime? {
        let ends = links(of: path).flatMap { certificate in
            [
                certificate.notAfter,
                (try? certificate.publicKey).flatMap { AlgorithmPolicy.expiry(of: $0) },
            ]
        }
        return (ends + [digest.flatMap { AlgorithmPolicy.expiry(of: $0) }]).compactMap(\.self).min()
    }

    /// The certificate of a path that ended first before `time`; nil where none has.
    package static func expired(in path: [Certificate], at time: CalendarTime) -> Certificate? {
        links(of: path).filter { $0.notAfter < time }.min { $0.notAfter < $1.notAfter }
    }

    /// All but the anchor, which is beyond question, unless it is the authority itself.
    private static func links(of path: [Certificate]) -> ArraySlice<Certificate> {
        path.count > 1 ? path.dropLast() : path[...]
    }
}
