package import Base
package import CMSKit
package import CryptoBridge

/// The path of a certificate that a signature depends on.
package struct JudgedPath: Sendable {
    package let role: EvidenceAudit.Role
    package let leaf: Certificate
    /// From the leaf to its trust anchor; empty if none was found.
    package let chain: [Certificate]
    /// Candidates for issuers of the leaf.
    package let candidates: [Certificate]
    /// When the leaf was used.
    package let time: CalendarTime
    /// DER of the certificates in the document or message.
    package let carried: [[UInt8]]

    package init(
        role: EvidenceAudit.Role, leaf: Certificate, chain: [Certificate],
        candidates: [Certificate], time: CalendarTime, carried: [[UInt8]]
    ) {
        self.role = role
        self.leaf = leaf
        self.chain = chain
        self.candidates = candidates
        self.time = time
        self.carried = carried
    }
}

/// Validation data that accompanies signatures: candidates and revocation data, never trust
/// anchors.
package struct ValidationMaterial: Sendable {
    package var certificates: [Certificate] = []
    package var evidence = RevocationEvidence()

    package init() {}

    package init(certificates: [Certificate], evidence: RevocationEvidence) {
        self.certificates = certificates
        self.evidence = evidence
    }

    package var isEmpty: Bool { certificates.isEmpty && evidence.isEmpty }
}

extension RevocationEvidence {
    /// The data in a CMS message: its CRLs and OCSP responses, and Adobe's signed attribute.
    package init(in message: SignedData) {
        self.init(listsIn: message.revocationLists, responsesIn: message.ocspResponses)
        formUnion(Self(signedIn: message))
    }

    /// The data signed by its signers: Adobe's attribute (ISO 32000-2 §12.8.3.3.2).
    package init(signedIn message: SignedData) {
        let archives = message.signers.flatMap {
            $0.signedAttributes.values(.adobeRevocationInfo)
        }.compactMap { try? RevocationInfoArchival($0) }
        self.init(
            listsIn: archives.flatMap(\.revocationLists),
            responsesIn: archives.flatMap(\.responses))
    }

    /// The readable items of a list of DER items, without duplicates.
    package init(listsIn lists: [[UInt8]], responsesIn responses: [[UInt8]]) {
        var seen: Set<[UInt8]> = []
        self.init(
            lists: lists.prefix(Self.countLimit).filter { seen.insert($0).inserted }
                .compactMap { RevocationList($0) },
            responses: responses.prefix(Self.countLimit).filter { seen.insert($0).inserted }
                .compactMap { OCSPResponse($0) })
    }
}

extension PathValidator {
    /// The audit of all certificates that paths depend on.
    ///
    /// - Parameter time: when the trust anchors must be valid.
    package func audit(
        _ paths: [JudgedPath], with material: ValidationMaterial, at time: CalendarTime
    ) throws(CryptoError) -> EvidenceAudit {
        let chains = paths.flatMap(\.chain)
        var check = RevocationCheck(
            material.evidence, candidates: chains + material.certificates,
            anchors: anchors(for: chains, at: time), now: now, budget: budget)
        check.listed = listed
        var audit = EvidenceAudit(check)
        for path in paths { try audit.add(path.chain, as: path.role, at: path.time) }
        return audit
    }

    /// Whether document and signature contain the certificates of every path, and the revocation
    /// status of each one and of the signers of revocation data (ETSI EN 319 142-1 §6.3 r to t, EN
    /// 319 122-1 §6.3 q, r).
    package func isComplete(
        _ material: ValidationMaterial, for paths: [JudgedPath], at time: CalendarTime
    ) throws(CryptoError) -> Bool {
        guard !material.isEmpty, !paths.isEmpty else { return false }
        var carried = Set(material.certificates.map(\.der))
        for path in paths { carried.formUnion(path.carried) }
        for path in paths {
            // Validators have the trust anchor themselves.
            guard !path.chain.isEmpty,
                path.chain.dropLast().allSatisfy({ carried.contains($0.der) })
            else { return false }
        }
        return try audit(paths, with: material, at: time).isComplete
    }
}

/// Explains a signature level: the revocation status of each required certificate, and the
/// timestamp that covers it.
package struct LevelExplanation: Sendable {
    package struct Item: Sendable {
        package let certificate: Certificate
        package let role: EvidenceAudit.Role
        /// Empty if the document contains no status, or none is needed.
        package let records: [StatusRecord]
        package let needsNone: Bool
        /// The name of the first timestamp that covers all records.
        package let coveredBy: String?
        /// Whether the document contains the certificate.
        package let isCarried: Bool
        /// Whether the signer's revocation data is older than the signature.
        package let isOutdated: Bool
        /// Rejected revocation data of the document, with reasons.
        package let rejected: [String]
    }

    package let items: [Item]
    /// Trust anchors of the paths that are not in the document: some validators expect them there
    /// (ETSI EN 319 142-1 §6.3 r).
    package let missingAnchors: [Certificate]

    /// - Parameters:
    ///   - stamps: the trusted timestamps, oldest first: their names, and DER of the data that each
    ///     covers.
    package init(
        _ audit: EvidenceAudit, paths: [JudgedPath], _ material: ValidationMaterial,
        stamps: [(name: String, held: Set<[UInt8]>)]
    ) {
        var carried = Set(material.certificates.map(\.der))
        for path in paths { carried.formUnion(path.carried) }
        items = audit.entries.map { entry in
            let pieces = entry.records.flatMap { word in
                word.evidence.lists.map(\.der) + word.evidence.responses.map(\.der)
            }
            return Item(
                certificate: entry.certificate, role: entry.role, records: entry.records,
                needsNone: entry.needsNone,
                coveredBy: pieces.isEmpty
                    ? nil : stamps.first { $0.held.isSuperset(of: pieces) }?.name,
                isCarried: entry.role == .responder || carried.contains(entry.certificate.der),
                isOutdated: entry.role == .signer && !entry.records.isEmpty
                    && entry.records.allSatisfy { $0.statement.thisUpdate <= entry.time },
                rejected: entry.rejected)
        }
        missingAnchors = paths.compactMap(\.chain.last).filter { !carried.contains($0.der) }
    }
}
