package import Base
package import CryptoBridge
import TrustKit

/// The end of a timestamp's proof of existence.
package enum TimestampEnd {
    /// The earliest expiry of the certificates in the TSA's path, of their keys and of the
    /// imprint's digest: afterwards the token or the TSA certificate could have been back-dated.
    ///
    /// - Parameters:
    ///   - path: the TSA certificate, its issuers, and the trust anchor.
    ///   - digest: digest of the message imprint; nil if unknown.
    package static func of(_ path: [Certificate], digest: DigestAlgorithm?) -> CalendarTime? {
        let ends = links(of: path).flatMap { certificate in
            [
                certificate.notAfter,
                (try? certificate.publicKey).flatMap { AlgorithmPolicy.expiry(of: $0) },
            ]
        }
        return (ends + [digest.flatMap { AlgorithmPolicy.expiry(of: $0) }]).compactMap(\.self).min()
    }

    /// The certificate of a path that expired first before `time`; nil if none did.
    package static func expired(in path: [Certificate], at time: CalendarTime) -> Certificate? {
        links(of: path).filter { $0.notAfter < time }.min { $0.notAfter < $1.notAfter }
    }

    /// The path without the trust anchor. The anchor is checked only if it is the TSA certificate
    /// itself.
    private static func links(of path: [Certificate]) -> ArraySlice<Certificate> {
        path.count > 1 ? path.dropLast() : path[...]
    }
}
