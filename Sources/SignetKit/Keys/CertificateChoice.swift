import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TrustKit

/// Which pair of key and certificate signs where several fit: the order of a file says nothing about
/// what its owner means.
struct CertificateChoice {
    let key: any DigestSigner
    let certificate: Certificate
    /// Why this one, for people; nil where there was nothing to choose.
    let note: String?

    /// Most certificates that are named.
    private static let namedCount = 8

    /// - Parameters:
    ///   - preferred: those that were named apart from the key's own file.
    ///   - source: where the certificates come from.
    /// - Returns: nil when no certificate belongs to a key, or none of those that were named.
    /// - Throws: ``SignetError`` when several could sign.
    init?(
        of keys: [any DigestSigner], _ certificates: [Certificate], preferred: [Certificate],
        source: String
    ) throws {
        var pairs: [(key: any DigestSigner, certificate: Certificate)] = []
        for key in keys {
            for certificate in certificates
            where certificate.certifies(key.publicKey)
                && !pairs.contains(where: { $0.certificate == certificate })
            { pairs.append((key, certificate)) }
        }
        let named = pairs.filter { preferred.contains($0.certificate) }
        if !named.isEmpty {
            pairs = named
        } else if preferred.contains(where: { !$0.isCA }) {
            // Whoever names a certificate does not want to sign by another; those of authorities
            // may be given alone, beside a key that brings its own.
            return nil
        }
        guard let first = pairs.first else { return nil }
        guard pairs.count > 1 else {
            (key, certificate, note) = (first.key, first.certificate, nil)
            return
        }
        let now = SystemClock.now()
        let usable = pairs.filter { pair in
            SigningEligibility.check(
                certificate: pair.certificate, key: pair.key.publicKey, at: now
            ).refusals.isEmpty
        }
        guard usable.count == 1, let only = usable.first else {
            let list = (usable.isEmpty ? pairs : usable).map(\.certificate)
            let names = list.prefix(Self.namedCount).map(Self.words).joined(separator: "; ")
            let owner = keys.count > 1 ? "its keys" : "the key"
            let more = list.count > Self.namedCount ? "; ..." : ""
            throw SignetError(
                .usage, file: source, "\(list.count) certificates fit \(owner): \(names)\(more)",
                hint: Sentence(.nameOneWithIssuers))
        }
        (key, certificate) = (only.key, only.certificate)
        note =
            "of \(pairs.count) certificates that fit, only this one can sign documents now: "
            + Self.words(only.certificate)
    }

    private static func words(_ certificate: Certificate) -> String {
        "\(certificate.subject) (serial \(certificate.serialHex), until "
            + "\(certificate.notAfter.rfc3339))"
    }
}
