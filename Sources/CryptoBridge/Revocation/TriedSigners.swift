internal import COpenSSL
internal import Synchronization

/// Results of signature checks on one CRL or OCSP response, by certificate bytes.
struct TriedSigners: ~Copyable, Sendable {
    private let outcomes = Mutex<[[UInt8]: Bool]>([:])

    /// Whether the certificate's key made the signature; nil if the budget is used up.
    func made(
        _ certificate: Certificate, within budget: EvidenceBudget, _ verify: (PublicKey) -> Bool
    ) -> Bool? {
        let (known, count) = known(certificate)
        if let known { return known }
        guard count < EvidenceLimits.signers, budget.spend(on: certificate) else { return nil }
        return made(certificate, verify)
    }

    /// Whether the certificate's key made the signature; false beyond ``EvidenceLimits/signers``
    /// checks.
    func made(_ certificate: Certificate, _ verify: (PublicKey) -> Bool) -> Bool {
        let (known, count) = known(certificate)
        if let known { return known }
        guard count < EvidenceLimits.signers, let key = try? certificate.publicKey else {
            return false
        }
        let outcome = verify(key)
        ERR_clear_error()
        outcomes.withLock { $0[certificate.spkiDER] = outcome }
        return outcome
    }

    private func known(_ certificate: Certificate) -> (Bool?, count: Int) {
        outcomes.withLock { ($0[certificate.spkiDER], $0.count) }
    }
}
