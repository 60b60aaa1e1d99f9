import Base
import CryptoBridge
import SystemBridge
import TrustKit

/// The certificates in a PKCS#12 file.
package struct KeyFileEntries {
    /// Certificates that the file assigns to its keys (localKeyID).
    var assigned: [Certificate] = []
    /// Names of the keys (friendlyName), by their certificates.
    var aliases: [Certificate: String] = [:]

    package init() {}
}

/// Chooses one of several keys in a file.
extension CredentialBundle {
    var entries: KeyFileEntries {
        var entries = KeyFileEntries()
        entries.assigned = certificates.filter(isAssigned)
        for key in keys {
            if let certificate = certificate(of: key) {
                entries.aliases[certificate] = alias(of: key)
            }
        }
        return entries
    }

    /// - Parameter alias: name of the key in the file; nil for all keys.
    /// - Throws: ``SignetError``: `usage` if no key has this name.
    func keys(named alias: String?, in file: String) throws -> [PrivateKey] {
        guard let alias else { return keys }
        let named = keys.filter { self.alias(of: $0) == alias }
        guard !named.isEmpty else {
            throw SignetError(
                .usage, file: file, "no key has the alias '\(alias)': \(list(keys))",
                hint: Sentence(keys.count > 1 ? .nameAliasOrCertificate : .leaveItOut))
        }
        return named
    }

    /// The key with a given certificate, else the only key whose certificate permits signing.
    ///
    /// - Throws: ``SignetError``: `usage` if this is not one key, `credentialRefused` if the given
    ///   certificates match none.
    func onlyKey(
        of keys: [PrivateKey], given: [Certificate], in file: String
    ) throws -> PrivateKey {
        let ends = given.filter { !$0.isCA }
        var left = keys
        if !ends.isEmpty {
            left = keys.filter { key in ends.contains { $0.certifies(key.publicKey) } }
            guard !left.isEmpty else {
                throw SignetError(
                    .credentialRefused, file: file,
                    "the certificate matches no private key in the file: \(list(keys))",
                    hint: Sentence(
                        keys.count > 1 ? .nameAliasOrCertificate : .giveIssuedCertificate))
            }
        }
        if left.count > 1 {
            let now = SystemClock.now()
            let usable = left.filter { key in
                certificates.contains {
                    $0.certifies(key.publicKey)
                        && SigningEligibility.check(
                            certificate: $0, key: key.publicKey, at: now
                        ).refusals.isEmpty
                }
            }
            left = usable.isEmpty ? left : usable
        }
        guard left.count == 1 else {
            throw SignetError(
                .usage, file: file,
                "the file contains \(left.count) private keys: \(list(left))",
                hint: Sentence(hasAliases ? .nameAliasOrCertificate : .addCertificate))
        }
        if ends.isEmpty, keys.count > 1 {
            Notices.say(.onlyUsableKey, file, "\(keys.count)", list(left))
        }
        return left[0]
    }

    private var hasAliases: Bool { keys.contains { alias(of: $0) != nil } }

    /// The keys for people: alias, kind, certificate.
    private func list(_ keys: [PrivateKey]) -> String {
        keys.map { key in
            let alias = alias(of: key).map { "alias \($0.inQuotes), " } ?? ""
            let identifier = localKeyID(of: key).map { ", localKeyID \(Hex.encode($0))" } ?? ""
            let holder = certificate(of: key).map {
                ", certificate of \($0.displayName.inQuotes) (serial \($0.serialHex))"
            }
            return alias + key.algorithm.description + (holder ?? ", no certificate") + identifier
        }.joined(separator: "; ")
    }
}
