package import Base
package import CryptoBridge

extension PathValidator {
    /// What is said with a key that has ended since counts only where a time stamp proves that it is
    /// older, or where it was said afterwards all the same (ETSI EN 319 102-1 §5.6.2.2): whoever has
    /// the key by now can give it any date.
    ///
    /// - Parameters:
    ///   - time: when the question is asked.
    ///   - proven: what is proven to have been said before a moment.
    /// - Returns: nil where nothing is in doubt.
    package func lateEvidence(
        about path: JudgedPath, digest: DigestAlgorithm?, _ material: ValidationMaterial,
        at time: CalendarTime,
        proven: (CalendarTime) throws(CryptoError) -> RevocationEvidence
    ) throws(CryptoError) -> VerificationProblem? {
        guard !material.evidence.isEmpty else { return nil }
        let hints = path.candidates + material.certificates
        let ends = SpeakersEnds(of: path.chain, among: hints, by: time, budget)
        var late = LateWords()
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
        {
            responses.append(response)
        }
        guard let end = late.end else { return nil }
        var asked = Question(leaf: path.leaf, candidates: hints, digest: digest, at: path.time)
        asked.evidence = RevocationEvidence(lists: lists, responses: responses)
        guard try validate(asked).outcome != .passed else { return nil }
        return .doubt(
            .revocationDataUnproven,
            "\(end.what) \(end.time.rfc3339), and no time stamp from before proves what is known of "
                + "revocation", .noPOE)
    }
}

/// A moment from which on somebody's word proves nothing by its own date.
private struct SpeakersEnd: Comparable {
    let time: CalendarTime
    /// What ended then: `the certificate of X expired on`.
    let what: String

    static func < (left: Self, right: Self) -> Bool { left.time < right.time }
}

/// When those end who speak about the certificates of a path.
private struct SpeakersEnds {
    /// Of each certificate below the anchor, and of the keys between it and the leaf: such a key can
    /// make others who speak.
    let ofPath: [SpeakersEnd]
    private let candidates: CertificateIndex
    private let time: CalendarTime
    private let budget: EvidenceBudget

    /// - Parameter time: later ends are still to come.
    init(
        of chain: [Certificate], among hints: [Certificate], by time: CalendarTime,
        _ budget: EvidenceBudget
    ) {
        let expired = chain.dropLast().filter { $0.notAfter < time }.map {
            SpeakersEnd(
                time: $0.notAfter, what: "the certificate of \($0.subject.shortText) expired on")
        }
        ofPath = expired + chain.dropFirst().dropLast().compactMap { Self.end(of: $0, by: time) }
        candidates = CertificateIndex(chain + hints)
        self.time = time
        self.budget = budget
    }

    func of(_ list: RevocationList) -> [SpeakersEnd] {
        let signers = list.issuers(among: candidates).prefix(RevocationQuestion.signerLimit)
        return ends(list.signatureDigest, signers) { list.isSigned(by: $0, within: budget) }
    }

    func of(_ response: OCSPResponse) -> [SpeakersEnd] {
        let signers =
            response.responderCertificates
            + response.responders(among: candidates).prefix(RevocationQuestion.signerLimit)
        return ends(response.signatureDigest, signers) {
            response.isSigned(by: $0, within: budget)
        }
    }

    /// - Parameter isSigner: nil for those who were not tried: a word that counts was found to be
    ///   somebody's before.
    private func ends(
        _ digest: SignatureDigest, _ signers: some Sequence<Certificate>,
        _ isSigner: (Certificate) -> Bool?
    ) -> [SpeakersEnd] {
        var ends = ofPath
        if case .named(let digest) = digest, let end = AlgorithmPolicy.expiry(of: digest),
            end < time
        {
            let what = "\(digest.displayName) counts as broken since"
            ends.append(SpeakersEnd(time: end, what: what))
        }
        for signer in signers {
            guard let end = Self.end(of: signer, by: time), isSigner(signer) == true else {
                continue
            }
            ends.append(end)
        }
        return ends
    }

    /// When the certificate's key stopped counting; nil where it did not.
    private static func end(of certificate: Certificate, by time: CalendarTime) -> SpeakersEnd? {
        guard let key = try? certificate.publicKey, let end = AlgorithmPolicy.expiry(of: key),
            end < time
        else { return nil }
        return SpeakersEnd(
            time: end,
            what: "the key of \(certificate.subject.shortText) counts as too short since")
    }
}

/// Tells words that count by a proof, or because they are younger than what ended, from those that
/// anybody can have made since.
private struct LateWords {
    /// What was proven before each moment that was asked about, as DER.
    private var held: [CalendarTime: Set<[UInt8]>] = [:]
    /// The first end after which a word turned up that does not count; nil where all do.
    private(set) var end: SpeakersEnd?

    mutating func counts(
        _ der: [UInt8], saidAt time: CalendarTime, _ ends: [SpeakersEnd],
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
