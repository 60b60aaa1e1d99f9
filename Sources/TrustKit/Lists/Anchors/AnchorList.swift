package import Base
package import CryptoBridge

/// Trust anchors from a list in another format than the European one: Adobe's or Mozilla's.
package struct AnchorList: Sendable {
    /// A trust anchor, with the conditions for certificates below it.
    package struct Anchor: Sendable {
        package let certificate: Certificate
        /// Certificate policies of which the signing certificate must have one; empty permits any.
        package var policies: Set<OID> = []
        /// Signing certificates issued later are not accepted; nil permits any.
        package var issuedUntil: CalendarTime?

        fileprivate func permits(_ leaf: Certificate) -> Bool {
            if let issuedUntil, leaf.notBefore > issuedUntil { return false }
            return policies.isEmpty || !policies.isDisjoint(with: leaf.certificatePolicies)
        }
    }

    /// Anchors in the order of the list.
    package let anchors: [Anchor]
    private let index: [[UInt8]: [Anchor]]

    init(_ anchors: [Anchor]) throws(TrustListError) {
        guard !anchors.isEmpty else {
            throw TrustListError(.malformed, "the list contains no trust anchor for signatures")
        }
        self.anchors = anchors
        index = Dictionary(grouping: anchors, by: \.certificate.canonicalSubject)
    }

    /// - Parameter certificates: the leaf, and candidates for its issuers.
    /// - Returns: anchors that are named as issuer of one of these.
    func anchors(above certificates: [Certificate]) -> [Certificate] {
        guard let leaf = certificates.first else { return [] }
        let names = Set(certificates.map(\.canonicalIssuer))
        return names.flatMap { index[$0] ?? [] }.filter { $0.permits(leaf) }.map(\.certificate)
    }
}
