internal import Synchronization

/// Certificates indexed by subject and key identifier. There may be thousands of CRLs, OCSP
/// responses and possible signers.
package final class CertificateIndex: Sendable {
    package let certificates: [Certificate]
    private let byName = Mutex<[[UInt8]: [Certificate]]?>(nil)
    private let byKey = Mutex<[[UInt8]: [Certificate]]?>(nil)

    package init(_ certificates: [Certificate]) { self.certificates = certificates }

    /// - Parameter subject: see ``Certificate/canonicalSubject``.
    package func named(_ subject: [UInt8]) -> [Certificate] {
        byName.withLock { known in
            let index = known ?? Dictionary(grouping: certificates, by: \.canonicalSubject)
            known = index
            return index[subject] ?? []
        }
    }

    /// - Parameter hash: SHA-1 of the key's bits, as in a subjectKeyIdentifier (RFC 5280 §4.2.1.2).
    func withKey(_ hash: [UInt8]) -> [Certificate] {
        byKey.withLock { known in
            let index =
                known
                ?? Dictionary(grouping: certificates) { (try? $0.publicKey.keyIdentifier()) ?? [] }
            known = index
            return hash.isEmpty ? [] : index[hash] ?? []
        }
    }
}
