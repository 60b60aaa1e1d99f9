package import Base
package import CryptoBridge

/// Trust anchors from a list in another format than the European one: Adobe's or Mozilla's.
package struct AnchorList: Sendable {
    /// A trust anchor, with the conditions for certificates below it.
    package struct Anchor: Sendable {
        package let certificate: Certificate
        /// Certificate policies of which the signing certificate and each intermediate must have one;
        /// empty permits any.
        package var policies: Set<OID> = []
        /// Signing certificates issued later are not accepted; nil permits any.
        package var issuedUntil: CalendarTime?

        /// - Parameter certificates: the leaf, and candidates for its issuers.
        fileprivate func permits(_ certificates: [Certificate]) -> Bool {
            guard let leaf = certificates.first else { return false }
            if let issuedUntil, leaf.notBefore > issuedUntil { return false }
            guard !policies.isEmpty else { return true }
            var signaturesLeft = AnchorList.signatureLimit
            return permits(leaf, certificates, isLeaf: true, depth: 0, &signaturesLeft)
        }

        /// Whether a path with permitted policies leads to the anchor (RFC 5280 §6.1, without
        /// policy mappings).
        private func permits(
            _ certificate: Certificate, _ pool: [Certificate], isLeaf: Bool, depth: Int,
            _ signaturesLeft: inout Int
        ) -> Bool {
            let own = certificate.certificatePolicies
            guard depth < AnchorList.depthLimit,
                !policies.isDisjoint(with: own) || !isLeaf && own.contains(.anyPolicy)
            else { return false }
            func isIssued(by issuer: Certificate) -> Bool {
                guard issuer.isNamedAsIssuer(of: certificate), signaturesLeft > 0 else {
                    return false
                }
                signaturesLeft -= 1
                return certificate.isSigned(by: issuer)
            }
            if isIssued(by: self.certificate) { return true }
            for issuer in pool where !issuer.isSelfIssued && isIssued(by: issuer) {
                if permits(issuer, pool, isLeaf: false, depth: depth + 1, &signaturesLeft) {
                    return true
                }
            }
            return false
        }
    }

    /// Maximum number of signatures verified, and of intermediates, for one restricted anchor.
    private static let signatureLimit = 64
    private static let depthLimit = 8

    /// Anchors in the order of the list.
    package let anchors: [Anchor]
    private let index: [[UInt8]: [Anchor]]
    /// Issuers and serial numbers of certificates that the list distrusts.
    private let distrusted: Set<[UInt8]>

    init(_ anchors: [Anchor], distrusted: Set<[UInt8]> = []) throws(TrustListError) {
        guard !anchors.isEmpty else {
            throw TrustListError(.malformed, "the list contains no trust anchor for signatures")
        }
        self.anchors = anchors
        self.distrusted = distrusted
        index = Dictionary(grouping: anchors, by: \.certificate.canonicalSubject)
    }

    /// - Parameter certificates: the leaf, and candidates for its issuers.
    /// - Returns: anchors that are named as issuer of one of these, and permit the leaf in all of
    ///   their entries; none if the list distrusts one of the certificates.
    func anchors(above certificates: [Certificate]) -> [Certificate] {
        guard firstDistrusted(among: certificates) == nil else { return [] }
        let named = Set(certificates.map(\.canonicalIssuer)).flatMap { index[$0] ?? [] }
        let refused = named.filter { !$0.permits(certificates) }.map(\.certificate)
        return named.map(\.certificate).filter { !refused.contains($0) }
    }

    private func firstDistrusted(among certificates: [Certificate]) -> Certificate? {
        distrusted.isEmpty
            ? nil : certificates.first { distrusted.contains($0.issuerDER + $0.serialDER) }
    }

    /// The reason why the list does not confirm a path without a trust anchor; nil if the list does
    /// not contain the missing issuer.
    ///
    /// - Parameter path: the leaf first.
    func exclusion(of path: [Certificate]) -> String? {
        if let found = firstDistrusted(among: path) {
            return "the imported list distrusts the certificate of \(found.displayName.inQuotes)"
        }
        guard let leaf = path.first, let last = path.last else { return nil }
        let entries = index[last.canonicalIssuer, default: []].filter {
            last.isSigned(by: $0.certificate)
        }
        for entry in entries {
            let name = entry.certificate.displayName.inQuotes
            if let end = entry.issuedUntil, leaf.notBefore > end {
                return "the imported list limits \(name) to earlier certificates (issued before "
                    + "\(end.text); this one: \(leaf.notBefore.text))"
            }
            guard entry.policies.isEmpty else {
                return "the imported list limits \(name) to other certificate policies (one is "
                    + "required in each certificate below it: "
                    + entry.policies.map(\.description).sorted().joined(separator: ", ") + ")"
            }
        }
        return nil
    }
}
