package import Base
package import CryptoBridge

/// Trust anchors from a list in another format than the European one: Adobe's or Mozilla's.
package struct AnchorList: Sendable {
    /// A trust anchor, with the conditions for certificates below it.
    package struct Anchor: Sendable {
        package let certificate: Certificate
        /// Certificate policies of which the path must be valid for one (RFC 5280 §6.1); empty permits
        /// any.
        package var policies: Set<OID> = []
        /// Signing certificates issued later are not accepted; nil permits any.
        package var issuedUntil: CalendarTime?

        /// Whether a path to this anchor is valid for one of the policies (RFC 5280 §6.1).
        fileprivate func permits(
            _ path: [Certificate], at time: CalendarTime
        ) throws(CryptoError) -> Bool {
            guard !policies.isEmpty, let leaf = path.first else { return true }
            var request = ChainRequest(
                leaf: leaf, intermediates: Array(path.dropFirst().dropLast()),
                anchors: .certificates([certificate]), time: time)
            request.policies.accepted = Array(policies)
            request.policies.requiresExplicit = true
            if case .valid = try request.validate() { return true }
            return false
        }
    }

    /// Anchors in the order of the list.
    package let anchors: [Anchor]
    private let index: [[UInt8]: [Anchor]]
    /// Issuers and serial numbers of certificates that the list distrusts.
    let distrusted: Set<[UInt8]>
    /// The distrusted certificates that the list contains.
    let distrustedCertificates: [Certificate]
    private let distrustedKeys: Set<[UInt8]>
    /// Certificates of CAs below which the list accepts only signing certificates issued by a time.
    let dated: [Anchor]
    /// The times by the CAs' keys.
    let limits: [[UInt8]: CalendarTime]

    /// - Parameters:
    ///   - distrusted: issuers and serial numbers.
    ///   - certificates: those of the list, trusted or not.
    init(
        _ anchors: [Anchor], distrusted: Set<[UInt8]> = [], certificates: [Anchor] = []
    ) throws(TrustListError) {
        guard !anchors.isEmpty else {
            throw TrustListError(.malformed, "the list contains no trust anchor for signatures")
        }
        self.anchors = anchors
        self.distrusted = distrusted
        distrustedCertificates = certificates.map(\.certificate).filter {
            distrusted.contains($0.issuerAndSerial)
        }
        distrustedKeys = Set(distrustedCertificates.map(\.keyIdentity))
        dated = certificates.filter { $0.issuedUntil != nil }
        limits = Dictionary(
            dated.compactMap { entry in
                entry.issuedUntil.map { (entry.certificate.keyIdentity, $0) }
            }, uniquingKeysWith: min)
        index = Dictionary(grouping: anchors, by: \.certificate.canonicalSubject)
    }

    /// - Parameter certificates: the leaf, and candidates for its issuers.
    /// - Returns: anchors that are named as issuer of one of these, or are one of these.
    func anchors(above certificates: [Certificate]) -> [Certificate] {
        let known = Set(certificates)
        let issuers = Set(certificates.map(\.canonicalIssuer))
        return issuers.union(certificates.map(\.canonicalSubject)).flatMap { index[$0] ?? [] }
            .map(\.certificate)
            .filter { issuers.contains($0.canonicalSubject) || known.contains($0) }
    }

    /// The certificate in a path that the list distrusts: by itself, or by another one of its key
    /// unless the list trusts that key.
    ///
    /// - Parameter others: certificates that may be distrusted too.
    func distrust(in path: [Certificate], _ others: [Certificate]) -> PathExclusion? {
        guard !distrusted.isEmpty else { return nil }
        let known = others.filter { distrusted.contains($0.issuerAndSerial) }
        let keys = distrustedKeys.union(known.map(\.keyIdentity))
        return path.first { certificate in
            if distrusted.contains(certificate.issuerAndSerial) { return true }
            let key = certificate.keyIdentity
            return keys.contains(key) && !anchors.contains { $0.certificate.keyIdentity == key }
        }.map(Self.distrusted)
    }

    private static func distrusted(_ certificate: Certificate) -> PathExclusion {
        PathExclusion(
            certificate: certificate,
            reason: "the imported list distrusts the certificate of "
                + certificate.displayName.inQuotes)
    }

    /// The certificate in a path below which the list accepts only older certificates.
    func limit(on path: [Certificate]) -> PathExclusion? {
        guard !limits.isEmpty, let leaf = path.first else { return nil }
        for certificate in path {
            guard let end = limits[certificate.keyIdentity], leaf.notBefore > end else { continue }
            return PathExclusion(
                certificate: certificate,
                reason: "the imported list limits \(certificate.displayName.inQuotes) to earlier "
                    + "certificates (issued before \(end.text); this one: \(leaf.notBefore.text))")
        }
        return nil
    }

    /// The distrusted issuer that an incomplete path lacks.
    func missingIssuer(of path: [Certificate]) -> PathExclusion? {
        guard let last = path.last, !last.isSelfIssued else { return nil }
        return distrustedCertificates.first {
            $0.isNamedAsIssuer(of: last) && last.isSigned(by: $0)
        }.map(Self.distrusted)
    }

    /// Whether the list contains the end of a path, and the reason why it does not confirm the path.
    func condition(
        on path: [Certificate], at time: CalendarTime
    ) throws(CryptoError) -> (isListed: Bool, unmet: PathExclusion?) {
        guard let anchor = path.last else { return (false, nil) }
        let entries = index[anchor.canonicalSubject, default: []].filter {
            $0.certificate == anchor
        }
        for entry in entries where try !entry.permits(path, at: time) {
            let policies = entry.policies.map(\.description).sorted().joined(separator: ", ")
            return (
                true,
                PathExclusion(
                    certificate: anchor,
                    reason: "the imported list limits \(anchor.displayName.inQuotes) to other "
                        + "certificate policies (the path must be valid for one of: \(policies))")
            )
        }
        return (!entries.isEmpty, nil)
    }
}

extension Certificate {
    var issuerAndSerial: [UInt8] { issuerDER + serialDER }
}
