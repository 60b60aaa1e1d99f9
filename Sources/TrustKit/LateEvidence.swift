package import Base
package import CryptoBridge

extension PathValidator {
    /// Data signed with a key that has expired since is accepted only if a timestamp proves that it
    /// is older, or if it is newer than the expiry (ETSI EN 319 102-1 §5.6.2.2): anybody with the
    /// key could back-date it.
    ///
    /// - Parameters:
    ///   - time: validation time.
    ///   - proven: revocation data with a proof of existence before a time.
    /// - Returns: nil if there is no problem.
    package func lateEvidence(
        about path: JudgedPath, digest: DigestAlgorithm?, _ material: ValidationMaterial,
        at time: CalendarTime, proven: (CalendarTime) throws(CryptoError) -> RevocationEvidence
    ) throws(CryptoError) -> VerificationProblem? {
        guard !material.evidence.isEmpty else { return nil }
        let hints = path.candidates + material.certificates
        let ends = StatusIssuerExpiries(of: path.chain, among: hints, by: time, budget)
        var late = LateStatusEvidence()
        var evidence = material.evidence
        if let first = ends.ofPath.min() { evidence.formUnion(try proven(first.time)) }
        var lists: [RevocationList] = []
        for list in evidence.lists
        where try late.counts(list.der, saidAt: list.thisUpdate, ends.of(list), proven) {
            lists.append(list)
        }
        var responses: [OCSPResponse] = []
        for response in evidence.responses
        where try late.counts(
            response.der, saidAt: response.earliestTime, ends.of(response), proven)
        { responses.append(response) }
        guard let end = late.end else { return nil }
        var asked = Question(leaf: path.leaf, candidates: hints, digest: digest, at: path.time)
        asked.evidence = RevocationEvidence(lists: lists, responses: responses)
        guard try validate(asked).outcome != .passed else { return nil }
        return .doubt(
            .revocationDataUnproven,
            "\(end.what) \(end.time.text), and no older timestamp proves that the revocation data "
                + "existed before", .noPOE)
    }
}

/// The time from which data by a signer needs a proof of existence.
private struct StatusIssuerExpiry: Comparable {
    let time: CalendarTime
    /// The cause: `the certificate of X expired on`.
    let what: String

    static func < (left: Self, right: Self) -> Bool { left.time < right.time }
}

/// Expiry of the signers of revocation data about a path.
private struct StatusIssuerExpiries {
    /// The expiry of each certificate below the anchor; CAs are included, since they could certify
    /// other signers of revocation data.
    let ofPath: [StatusIssuerExpiry]
    private let candidates: CertificateIndex
    private let time: CalendarTime
    private let budget: EvidenceBudget

    /// - Parameter time: later expiries are ignored.
    init(
        of chain: [Certificate], among hints: [Certificate], by time: CalendarTime,
        _ budget: EvidenceBudget
    ) {
        let expired = chain.dropLast().filter { $0.notAfter < time }.map {
            StatusIssuerExpiry(
                time: $0.notAfter,
                what: "the certificate of \($0.displayName.inQuotes) expired on")
        }
        ofPath = expired + chain.dropFirst().dropLast().compactMap { Self.end(of: $0, by: time) }
        candidates = CertificateIndex(chain + hints)
        self.time = time
        self.budget = budget
    }

    func of(_ list: RevocationList) -> [StatusIssuerExpiry] {
        let signers = list.issuers(among: candidates).prefix(RevocationQuestion.signerLimit)
        return ends(list.signatureDigest, signers: signers) {
            list.isSigned(by: $0, within: budget)
        }
    }

    func of(_ response: OCSPResponse) -> [StatusIssuerExpiry] {
        let signers =
            response.responderCertificates
            + response.responders(among: candidates).prefix(RevocationQuestion.signerLimit)
        return ends(response.signatureDigest, signers: signers) {
            response.isSigned(by: $0, within: budget)
        }
    }

    /// - Parameter isSigner: nil if not checked, for accepted data whose signer was found before.
    private func ends(
        _ digest: SignatureDigest, signers: some Sequence<Certificate>,
        where isSigner: (Certificate) -> Bool?
    ) -> [StatusIssuerExpiry] {
        var ends = ofPath
        if case .named(let digest) = digest, let end = AlgorithmPolicy.expiry(of: digest),
            end < time
        {
            let what = "\(digest.displayName) is no longer secure since"
            ends.append(StatusIssuerExpiry(time: end, what: what))
        }
        for signer in signers {
            guard let end = Self.end(of: signer, by: time), isSigner(signer) == true else {
                continue
            }
            ends.append(end)
        }
        return ends
    }

    /// When the certificate's key is no longer accepted; nil if it still is.
    private static func end(of certificate: Certificate, by time: CalendarTime)
        -> StatusIssuerExpiry?
    {
        guard let key = try? certificate.publicKey, let end = AlgorithmPolicy.expiry(of: key),
            end < time
        else { return nil }
        return StatusIssuerExpiry(
            time: end,
            what: "the key of \(certificate.displayName.inQuotes) is too weak since")
    }
}

/// Separates data with a proof of existence, or newer than an expiry, from data that anybody could
/// have made since.
private struct LateStatusEvidence {
    /// DER of data with a proof of existence before each requested time.
    private var held: [CalendarTime: Set<[UInt8]>] = [:]
    /// The first expiry that affects some data; nil if all data is accepted.
    private(set) var end: StatusIssuerExpiry?

    mutating func counts(
        _ der: [UInt8], saidAt time: CalendarTime, _ ends: [StatusIssuerExpiry],
        _ proven: (CalendarTime) throws(CryptoError) -> RevocationEvidence
    ) throws(CryptoError) -> Bool {
        for end in ends.sorted() where time <= end.time {
            if held[end.time] == nil {
                let evidence = try proven(end.time)
                held[end.time] = Set(evidence.lists.map(\.der) + evidence.responses.map(\.der))
            }
            if held[end.time]?.contains(der) == true { continue }
            self.end = self.end.map { min($0, end) } ?? end
            return false
        }
        return true
    }
}
