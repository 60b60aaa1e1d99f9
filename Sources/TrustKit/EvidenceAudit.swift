package import Base
package import CryptoBridge

/// The revocation status of every certificate that a path depends on: its own certificates, OCSP
/// responders and CRL issuers (ETSI EN 319 142-1 §6.3 s, t).
package struct EvidenceAudit: Sendable {
    /// The reason for checking a certificate.
    package enum Role: String, Sendable {
        case signer, ca, tsa, responder
        case listIssuer = "crl-issuer"
    }

    /// The result for one certificate.
    package struct Entry: Sendable {
        package let certificate: Certificate
        package let issuer: Certificate
        /// From the certificate to its trust anchor.
        package let chain: [Certificate]
        package let role: Role
        /// The time for which the revocation status is needed.
        package let time: CalendarTime
        /// The status records used; empty if the status is unknown or not needed.
        package let records: [StatusRecord]
        /// Whether no revocation status is needed: see ``RevocationCheck/needsNone(_:)``.
        package let needsNone: Bool
        /// Problems of rejected revocation data for this certificate.
        package let rejected: [String]

        package var isKnown: Bool { needsNone || !records.isEmpty }
    }

    /// Each certificate once.
    package private(set) var entries: [Entry] = []
    private let check: RevocationCheck

    /// Maximum number of certificates checked: a responder's certificate may need another
    /// responder.
    private static let countLimit = 64

    package init(_ check: RevocationCheck) { self.check = check }

    package var isComplete: Bool { !isEmpty && isWhole && entries.allSatisfy(\.isKnown) }
    private var isEmpty = true
    /// Whether no certificate was omitted because of the limit.
    private var isWhole = true

    /// Checks the certificates of a path.
    ///
    /// - Parameters:
    ///   - chain: leaf first, trust anchor last. The anchor is not checked.
    ///   - role: role of the leaf.
    ///   - time: when the leaf was used.
    package mutating func add(
        _ chain: [Certificate], as role: Role, at time: CalendarTime
    ) throws(CryptoError) {
        guard let leaf = chain.first else { return }
        isEmpty = false
        var open = EvidenceNeed(chain: chain, role: role, time: time).links
        // Only the issuer of a directly trusted signing certificate could revoke it.
        if chain.count == 1, !leaf.isSelfIssued, !RevocationCheck.needsNone(leaf) {
            entries.append(
                Entry(
                    certificate: leaf, issuer: leaf, chain: chain, role: role, time: time,
                    records: [], needsNone: false, rejected: []))
        }
        while let link = open.popLast() {
            guard
                !entries.contains(where: {
                    $0.certificate == link.certificate && $0.time == link.time
                })
            else { continue }
            guard entries.count < Self.countLimit else {
                isWhole = false
                return
            }
            let entry = try entry(link)
            entries.append(entry)
            for word in entry.records {
                open += link.needs(
                    of: word, among: check.candidates.certificates, anchors: check.anchors,
                    validAt: max(word.statement.thisUpdate, link.time))
            }
        }
    }

    private func entry(_ link: EvidenceNeed) throws(CryptoError) -> Entry {
        let certificate = link.certificate
        let needsNone = RevocationCheck.needsNone(certificate)
        var records: [StatusRecord] = []
        var rejected: [String] = []
        if !needsNone {
            let finding = try check.finding(
                about: certificate, issuer: link.issuer, in: link.chain, at: link.time)
            records = finding.decisiveRecords(at: link.time)
            rejected = finding.rejected.map(\.description)
        }
        return Entry(
            certificate: certificate, issuer: link.issuer, chain: link.chain, role: link.role,
            time: link.time, records: records, needsNone: needsNone, rejected: rejected)
    }
}

/// A certificate whose revocation status is needed.
package struct EvidenceNeed: Sendable {
    /// From the certificate to its trust anchor.
    package let chain: [Certificate]
    package let role: EvidenceAudit.Role
    /// When the certificate was used.
    package internal(set) var time: CalendarTime
    /// Whether the revocation data should be newer than the use of the certificate.
    var wantsFresh = false

    var certificate: Certificate { chain[0] }
    var issuer: Certificate { chain[1] }

    package init(chain: [Certificate], role: EvidenceAudit.Role, time: CalendarTime) {
        self.chain = chain
        self.role = role
        self.time = time
    }

    /// The needs of all certificates of the chain except the trust anchor.
    var links: [EvidenceNeed] {
        chain.indices.dropLast().map {
            EvidenceNeed(chain: Array(chain[$0...]), role: $0 == 0 ? role : .ca, time: time)
        }
    }

    /// The needs that a status record adds: its OCSP responder, or the path of its CRL issuer.
    func needs(
        of word: StatusRecord, among candidates: [Certificate], anchors: TrustAnchors,
        validAt: CalendarTime
    ) -> [EvidenceNeed] {
        guard let statusSigner = word.statusSigner else { return [] }
        let time = word.statement.thisUpdate
        if case .response = word.source {
            return [
                EvidenceNeed(
                    chain: [statusSigner] + chain.dropFirst(), role: .responder, time: time)
            ]
        }
        guard !chain.contains(statusSigner) else { return [] }
        let request = ChainRequest(
            leaf: statusSigner, intermediates: candidates, anchors: anchors, time: validAt)
        guard case .valid(let path)? = try? request.validate() else { return [] }
        return EvidenceNeed(chain: path, role: .listIssuer, time: time).links
    }
}
