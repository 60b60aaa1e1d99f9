import CryptoBridge

package struct ServiceIndex: Sendable {
    private struct Entry: Sendable {
        let service: Int
        let certificate: Certificate
    }

    package let services: [TrustService]
    private var entries: [[UInt8]: [Entry]] = [:]

    package init(_ services: [TrustService]) {
        self.services = services
        for (number, service) in services.enumerated() {
            for certificate in service.certificates {
                entries[certificate.canonicalSubject, default: []].append(
                    Entry(service: number, certificate: certificate))
            }
        }
    }

    /// Services whose key signed the certificate: the name is not sufficient, since keys are
    /// renewed.
    func issuers(of certificate: Certificate) -> [TrustService] {
        unique(entries[certificate.canonicalIssuer] ?? []) { certificate.isSigned(by: $0) }
    }

    /// Services listed with the certificate itself, or with another of its name and key.
    func listed(as certificate: Certificate) -> [TrustService] {
        unique(entries[certificate.canonicalSubject] ?? []) { $0.spkiDER == certificate.spkiDER }
    }

    private func unique(_ found: [Entry], where fits: (Certificate) -> Bool) -> [TrustService] {
        var known: Set<Int> = []
        return found.filter { fits($0.certificate) && known.insert($0.service).inserted }
            .map { services[$0.service] }
    }

    /// Possible issuers of the certificate, or certificates listed in its place, with their
    /// services.
    func candidates(above certificate: Certificate) -> [(TrustService, Certificate)] {
        let above = entries[certificate.canonicalIssuer] ?? []
        let same = (entries[certificate.canonicalSubject] ?? []).filter {
            $0.certificate.spkiDER == certificate.spkiDER
        }
        return (above + same).map { (services[$0.service], $0.certificate) }
    }
}
