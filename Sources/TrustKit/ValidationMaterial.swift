package import Base
package import CMSKit
package import CryptoBridge

/// The path of a certificate that a signature depends on.
package struct JudgedPath: Sendable {
    package let role: EvidenceAudit.Role
    package let leaf: Certificate
    /// From the leaf to its anchor; empty when none was found.
    package let chain: [Certificate]
    /// What may stand above the leaf.
    package let candidates: [Certificate]
    /// When the leaf was used.
    package let time: CalendarTime
    /// DER of the certificates that came along.
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

/// What comes along with signatures for their validation: hints and signed statements, never trust.
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
    /// What a CMS brings along itself: its lists, and Adobe's signed attribute.
    package init(in message: SignedData) {
        self.init(listsIn: message.revocationLists, responsesIn: message.ocspResponses)
        formUnion(Self(signedIn: message))
    }

    /// What its signers signed along: Adobe's attribute (ISO 32000-2 §12.8.3.3.2).
    package init(signedIn message: SignedData) {
        let archives = message.signers.flatMap {
            $0.signedAttributes.values(.adobeRevocationInfo)
        }.compactMap { try? RevocationInfoArchival($0) }
        self.init(
            listsIn: archives.flatMap(\.revocationLists),
            responsesIn: archives.flatMap(\.responses))
    }

    /// What can be read of pieces in DER, each of them once.
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
    /// What material says about everything that paths depend on.
    ///
    /// - Parameter time: for which the anchors count.
    package func audit(
        _ paths: [JudgedPath], _ material: ValidationMaterial, at time: CalendarTime
    ) throws(CryptoError) -> EvidenceAudit {
        let chains = paths.flatMap(\.chain)
        let check = RevocationCheck(
            material.evidence, candidates: chains + material.certificates,
            anchors: anchors(for: chains, at: time), now: now, budget: budget)
        var audit = EvidenceAudit(check)
        for path in paths { try audit.add(path.chain, as: path.role, at: path.time) }
        return audit
    }

    /// Whether material and signature bring the certificates of every path, and say of each and of
    /// those who speak about them whether they were revoked (ETSI EN 319 142-1 §6.3 r to t, EN
    /// 319 122-1 §6.3 q, r).
    package func isComplete(
        _ material: ValidationMaterial, for paths: [JudgedPath], at time: CalendarTime
    ) throws(CryptoError) -> Bool {
        guard !material.isEmpty, !paths.isEmpty else { return false }
        var carried = Set(material.certificates.map(\.der))
        for path in paths { carried.formUnion(path.carried) }
        for path in paths {
            // The anchor is whoever verifies their own.
            guard !path.chain.isEmpty,
                path.chain.dropLast().allSatisfy({ carried.contains($0.der) })
            else { return false }
        }
        return try audit(paths, material, at: time).isComplete
    }
}

/// Why a signature has its level: what is known of each certificate that it depends on, and which
/// time stamp proves that.
package struct LevelExplanation: Sendable {
    package struct Item: Sendable {
        package let certificate: Certificate
        package let role: EvidenceAudit.Role
        /// Empty where nothing is known in the document, or nothing need be.
        package let words: [RevocationWord]
        package let needsNone: Bool
        /// The name of the first time stamp over all of the words.
        package let coveredBy: String?
        /// Whether the document brings the certificate.
        package let isCarried: Bool
        /// Whether all that is known of the signer was said before they signed.
        package let isOutdated: Bool
        /// Whose word of the document does not count, and why.
        package let useless: [String]
    }

    package let items: [Item]
    /// Anchors of the paths that the document does not bring: some validators want them there
    /// (ETSI EN 319 142-1 §6.3 r).
    package let missingAnchors: [Certificate]

    /// - Parameters:
    ///   - stamps: the time stamps that prove something, oldest first: their names, and DER of the
    ///     evidence that each covers.
    package init(
        _ audit: EvidenceAudit, paths: [JudgedPath], _ material: ValidationMaterial,
        stamps: [(name: String, held: Set<[UInt8]>)]
    ) {
        var carried = Set(material.certificates.map(\.der))
        for path in paths { carried.formUnion(path.carried) }
        items = audit.entries.map { entry in
            let pieces = entry.words.flatMap { word in
                word.evidence.lists.map(\.der) + word.evidence.responses.map(\.der)
            }
            return Item(
                certificate: entry.certificate, role: entry.role, words: entry.words,
                needsNone: entry.needsNone,
                coveredBy: pieces.isEmpty
                    ? nil : stamps.first { $0.held.isSuperset(of: pieces) }?.name,
                isCarried: entry.role == .responder || carried.contains(entry.certificate.der),
                isOutdated: entry.role == .signer && !entry.words.isEmpty
                    && entry.words.allSatisfy { $0.statement.thisUpdate <= entry.time },
                useless: entry.useless)
        }
        missingAnchors = paths.compactMap(\.chain.last).filter { !carried.contains($0.der) }
    }
}
