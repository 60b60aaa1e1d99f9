import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TrustKit

/// Chooses the key and certificate for signing if several match: the order in a file has no
/// meaning.
struct CertificateChoice {
    let key: any DigestSigner
    let certificate: Certificate
    /// The reason for the choice, for people; nil if there was only one.
    let note: String?

    /// Maximum number of certificates listed.
    private static let namedCount = 8

    /// Chooses the certificate.
    ///
    /// - Parameters:
    ///   - preferred: certificates given separately from the key's file.
    ///   - entries: the certificates in the key's file.
    ///   - source: source of the certificates.
    /// - Returns: nil if no certificate, or none of the preferred ones, matches a key.
    /// - Throws: ``SignetError`` if several could sign.
    init?(
        of keys: [any DigestSigner], _ certificates: [Certificate], preferred: [Certificate],
        entries: KeyFileEntries = .init(), source: String
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
        } else if !preferred.isEmpty {
            // A given certificate must be used. Given CA certificates alone are permitted if they
            // are issuers of the certificates that the key has.
            let own = certificates.filter { !preferred.contains($0) }
            let areIssuers = preferred.contains { given in
                own.contains { given.isNamedAsIssuer(of: $0) }
            }
            guard areIssuers, preferred.allSatisfy(\.isCA) else { return nil }
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
        let marked = usable.filter { entries.assigned.contains($0.certificate) }
        if usable.count > 1, marked.count == 1, let only = marked.first {
            (key, certificate) = (only.key, only.certificate)
            note =
                "\(usable.count) certificates match; the one that the file assigns to the key "
                + "(localKeyID) is used: " + Self.words(only.certificate)
            return
        }
        guard usable.count == 1, let only = usable.first else {
            throw Self.ambiguous(
                (usable.isEmpty ? pairs : usable).map(\.certificate), entries,
                of: keys.count > 1 ? "its keys" : "the key", source)
        }
        (key, certificate) = (only.key, only.certificate)
        note =
            "\(pairs.count) certificates match; the only one that can sign documents is used: "
            + Self.words(only.certificate)
    }

    private static func ambiguous(
        _ list: [Certificate], _ entries: KeyFileEntries, of owner: String, _ source: String
    ) -> SignetError {
        let names = list.prefix(namedCount).map { certificate in
            (entries.aliases[certificate].map { "alias \($0.inQuotes), " } ?? "")
                + words(certificate)
        }.joined(separator: "; ")
        let isEachNamed = Set(list.compactMap { entries.aliases[$0] }).count == list.count
        let more = list.count > namedCount ? "; ..." : ""
        return SignetError(
            .usage, file: source, "\(list.count) certificates match \(owner): \(names)\(more)",
            hint: Sentence(isEachNamed ? .nameAliasOrCertificate : .nameOneWithIssuers))
    }

    private static func words(_ certificate: Certificate) -> String {
        "\(certificate.subject) (serial \(certificate.serialHex), until "
            + "\(certificate.notAfter.text))"
    }
}
