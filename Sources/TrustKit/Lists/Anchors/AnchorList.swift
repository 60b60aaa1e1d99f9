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

        /// The condition that a path to this anchor does not meet; nil if it meets both.
        fileprivate func unmetCondition(
            _ path: [Certificate], at time: CalendarTime
        ) throws(CryptoError) -> String? {
            guard let leaf = path.first else { return nil }
            let name = certificate.displayName.inQuotes
            if let issuedUntil, leaf.notBefore > issuedUntil {
                return "the imported list limits \(name) to earlier certificates (issued before "
                    + "\(issuedUntil.text); this one: \(leaf.notBefore.text))"
            }
            guard !policies.isEmpty else { return nil }
            var request = ChainRequest(
                leaf: leaf, intermediates: Array(path.dropFirst().dropLast()),
                anchors: .certificates([certificate]), time: time)
            request.policies.accepted = Array(policies)
            request.policies.requiresExplicit = true
            guard case .invalid = try request.validate() else { return nil }
            return "the imported list limits \(name) to other certificate policies (the path must "
                + "be valid for one of: "
                + policies.map(\.description).sorted().joined(separator: ", ") + ")"
        }
    }

    /// Anchors in the order of the list.
    package let anchors: [Anchor]
    private let index: [[UInt8]: [Anchor]]
    /// Issuers and serial numbers of certificates that the list distrusts.
    private let distrusted: Set<[UInt8]>
    /// Keys of the distrusted certificates that the list contains.
    private let distrustedKeys: Set<[UInt8]>

    /// - Parameters:
    ///   - distrusted: issuers and serial numbers.
    ///   - certificates: those of the list, of which distrusted ones are also known by their keys.
    init(
        _ anchors: [Anchor], distrusted: Set<[UInt8]> = [], certificates: [Certificate] = []
    ) throws(TrustListError) {
        guard !anchors.isEmpty else {
            throw TrustListError(.malformed, "the list contains no trust anchor for signatures")
        }
        self.anchors = anchors
        self.distrusted = distrusted
        distrustedKeys = Set(
            certificates.filter { distrusted.contains($0.issuerAndSerial) }.map(\.spkiDER))
        index = Dictionary(grouping: anchors, by: \.certificate.canonicalSubject)
    }

    /// The number of certificates that the list distrusts.
    package var distrustedCount: Int { distrusted.count }

    /// - Parameter certificates: the leaf, and candidates for its issuers.
    /// - Returns: anchors that are named as issuer of one of these.
    func anchors(above certificates: [Certificate]) -> [Certificate] {
        Set(certificates.map(\.canonicalIssuer)).flatMap { index[$0] ?? [] }.map(\.certificate)
    }

    /// The certificate in a path that the list distrusts, by itself or by another one of its key.
    ///
    /// - Parameter others: certificates that may be distrusted too.
    func distrust(in path: [Certificate], _ others: [Certificate]) -> PathExclusion? {
        guard !distrusted.isEmpty else { return nil }
        let keys = Set(
            others.filter { distrusted.contains($0.issuerAndSerial) }.map(\.spkiDER))
        return path.first { certificate in
            distrusted.contains(certificate.issuerAndSerial)
                || distrustedKeys.contains(certificate.spkiDER)
                || keys.contains(certificate.spkiDER)
        }.map { found in
            PathExclusion(
                certificate: found,
                reason:
                    "the imported list distrusts the certificate of \(found.displayName.inQuotes)")
        }
    }

    /// Whether the list contains the end of a path, and the condition that the path does not meet.
    func condition(
        on path: [Certificate], at time: CalendarTime
    ) throws(CryptoError) -> (isListed: Bool, unmet: PathExclusion?) {
        guard let anchor = path.last else { return (false, nil) }
        let entries = index[anchor.canonicalSubject, default: []].filter {
            $0.certificate == anchor
        }
        for entry in entries {
            if let reason = try entry.unmetCondition(path, at: time) {
                return (true, PathExclusion(certificate: anchor, reason: reason))
            }
        }
        return (!entries.isEmpty, nil)
    }
}

extension Certificate {
    fileprivate var issuerAndSerial: [UInt8] { issuerDER + serialDER }
}
