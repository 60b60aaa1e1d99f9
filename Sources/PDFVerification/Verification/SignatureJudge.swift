import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import TimestampKit
import TrustKit

/// Judges one value at a time: its CMS or token, its time, its signer's certificate
/// (ETSI EN 319 102-1 §5.2 to §5.6).
struct SignatureJudge {
    typealias DigestLookup = (ByteRangeHasher.Request) throws -> [UInt8]?

    let validator: PathValidator
    let pinned: Certificate?
    /// When the question is asked.
    let time: CalendarTime
    let stores: StoreHistory
    private let memory = Memory()

    var store: DocumentSecurityStore { stores.newest }

    /// A value that is judged, and what is known of it before.
    struct Subject {
        let candidate: SignatureCandidate
        let value: SignatureValue
        /// Of the byte range, and its algorithm.
        let digest: [UInt8]
        let algorithm: DigestAlgorithm
        let coverage: Coverage
        let later: LaterTimestamps
    }

    /// - Parameters:
    ///   - coverage: of the signature: a time stamp over a part proves nothing.
    ///   - later: what the time stamps prove that are newer.
    ///   - digestOf: gives the digest of any byte range that the candidate asks for.
    func finding(
        for candidate: SignatureCandidate, _ coverage: Coverage, _ later: LaterTimestamps,
        digestOf: DigestLookup
    ) throws -> ValueFinding {
        guard let value = candidate.value, let algorithm = candidate.algorithm,
            let digest = try digestOf(.init(byteRange: value.byteRange, algorithm: algorithm))
        else { return ValueFinding() }
        let subject = Subject(
            candidate: candidate, value: value, digest: digest, algorithm: algorithm,
            coverage: coverage, later: later)
        if let token = candidate.token { return try timestampFinding(for: token, subject) }
        return try signatureFinding(for: subject, digestOf)
    }

    /// What ends the judging of a signature before its end.
    struct Unjudgeable: Error {
        let problem: VerificationProblem
    }

    /// What made a step impossible; thrown on where the fault is not the signature's.
    private static func problem(_ error: any Error) throws -> VerificationProblem {
        switch error {
        case let error as Unjudgeable: error.problem
        case let error as CryptoError where error.code != .internalFailure: unusable(error)
        default: throw error
        }
    }

    static func unusable(_ error: CryptoError) -> VerificationProblem {
        .doubt(
            .certificateUnusable, "the signer's certificate: \(error.description)",
            .certificateChainGeneralFailure)
    }

    // MARK: Time stamps

    private func timestampFinding(
        for token: TimestampToken, _ subject: Subject
    ) throws -> ValueFinding {
        let later = subject.later
        let verifier = timestampVerifier(later, isNewest: later.proof == nil)
        var finding = ValueFinding()
        do {
            let check = try verifier.verify(token, hash: subject.digest)
            let path = path(of: check, carried: subject.candidate.carriedCertificates)
            let stamp = summary(of: check, by: verifier)
            finding.problems = verifier.problems(of: check)
            finding.checked = CheckedSignature(check, subject)
            finding.times = TimeFinding(later, timestamp: stamp, token: token.encoded)
            finding.path = PathFinding(check, path)
            finding.hasValidationData = try hasValidationData(for: finding)
            let isProof = verifier.verdict(of: check) == .passed && subject.coverage != .partial
            finding.later = later.adding(
                check.isIntact ? stamp : nil,
                proof: !isProof
                    ? nil
                    : check.info.map {
                        .init(
                            time: $0.provenTime, path: path, token: token.encoded,
                            end: subject.value.byteRange.second.upperBound)
                    })
        } catch { finding.problems.append(try Self.problem(error)) }
        return finding
    }

    /// - Parameter isNewest: whether it is for a document timestamp that no other covers: of such
    ///   the evidence is often as old as itself, and the next one is still to come.
    private func timestampVerifier(
        _ later: LaterTimestamps, isNewest: Bool = false
    ) -> TimestampVerifier {
        var verifier = TimestampVerifier(
            validator, time: later.proof?.time ?? time, present: time)
        verifier.demandsPresentEvidence = !isNewest
        verifier.additionalCertificates = store.certificates + validator.intermediates
        verifier.evidence = store.evidence
        verifier.evidenceBefore = { [stores] end throws(CryptoError) in
            later.evidence(before: end, stores)
        }
        return verifier
    }

    private func summary(
        of check: TimestampCheck, by verifier: TimestampVerifier
    ) -> SignatureTimestamp? {
        check.info.map {
            SignatureTimestamp(
                info: $0, authority: check.signer,
                isTrusted: verifier.verdict(of: check) == .passed)
        }
    }

    /// The path of who made a token.
    private func path(of check: TimestampCheck, carried: [[UInt8]]) -> JudgedPath? {
        JudgedPath(
            check, candidates: store.certificates + validator.intermediates, carried: carried)
    }

    // MARK: Signatures

    /// A signature, step by step; what was found before a step that is impossible counts.
    private func signatureFinding(
        for subject: Subject, _ digestOf: DigestLookup
    ) throws -> ValueFinding {
        var finding = ValueFinding()
        do {
            let checked = try check(subject)
            finding.checked = checked
            finding.level = checked.level
            finding.problems = checked.problems
            let verifier = timestampVerifier(subject.later)
            guard let times = try times(of: checked, subject, verifier) else { return finding }
            finding.times = times
            finding.problems += times.remarks
            if let signer = checked.signer {
                let path = try path(of: signer, checked, times)
                finding.path = path.finding
                finding.problems += try doubts(
                    about: path, checked, times, subject.later, besides: finding.problems)
                // Anybody can stamp: only trusted time lifts the level.
                if checked.level == .b, times.provenTime != nil {
                    finding.level = .t
                    finding.hasValidationData = try hasValidationData(for: finding)
                    if finding.hasValidationData { finding.level = .lt }
                }
            }
            finding.problems += times.problems
            finding.problems += try contentTimestampProblems(
                of: subject, before: times.earliest, digestOf)
        } catch { finding.problems.append(try Self.problem(error)) }
        return finding
    }

    /// Whether it fits what it covers, and who made it.
    private func check(_ subject: Subject) throws -> CheckedSignature {
        guard let message = subject.candidate.message,
            let profile = subject.candidate.format?.profile
        else { return try CheckedSignature(bare: subject, pinned: pinned) }
        var verifier = SignedDataVerifier(profile: profile)
        verifier.pinned = pinned
        verifier.known = memory.certificates
        verifier.additionalCertificates = validator.intermediates
        let checks = try verifier.verify(
            message, contentDigests: [subject.algorithm: subject.digest])
        guard let check = checks.first, checks.count == 1 else {
            throw Unjudgeable(
                problem: .failure(
                    .severalSigners, "the signature has \(checks.count) signers"))
        }
        memory.keep(check.certificates)
        return CheckedSignature(check, message, profile, subject)
    }

    /// When it existed: by its own time stamps, or by those of the document that came later.
    ///
    /// - Returns: Nil where it is not known who made it, and nobody could have stamped it.
    private func times(
        of checked: CheckedSignature, _ subject: Subject, _ verifier: TimestampVerifier
    ) throws -> TimeFinding? {
        guard let check = checked.check else {
            return checked.signer.map { _ in
                TimeFinding(subject.later, timestamp: subject.later.nearest, token: nil)
            }
        }
        let own = try verifier.timestamps(of: check)
        var times = TimeFinding(
            subject.later,
            timestamp: own.check.flatMap { summary(of: $0, by: verifier) }
                ?? subject.later.nearest,
            token: own.token)
        times.earliest = own.earliest
        times.problems = own.problems
        times.provenTime = [own.earliest, times.provenTime].compactMap(\.self).min()
        let proof = own.proofs.first { $0.info?.provenTime == times.provenTime }
            .flatMap { path(of: $0, carried: checked.carried) }
        let provenPath = proof ?? subject.later.proof?.path
        times.provenBy = provenPath?.leaf
        if own.earliest != nil, own.earliest == times.provenTime { times.provenToken = own.token }
        times.path =
            provenPath ?? own.check.flatMap { path(of: $0, carried: checked.carried) }
        times.remarks = VerificationProblem.claimedTimeRemarks(
            subject.candidate.claimedTime ?? checked.claimedTime, proven: times.provenTime,
            by: check.signer, at: time)
        return times
    }

    private func contentTimestampProblems(
        of subject: Subject, before signing: CalendarTime?, _ digestOf: DigestLookup
    ) throws -> [VerificationProblem] {
        let verifier = timestampVerifier(subject.later, isNewest: true)
        return try subject.candidate.contentTimestamps.compactMap { token in
            let hash = try token.info.messageImprint.digest.flatMap {
                try digestOf(.init(byteRange: subject.value.byteRange, algorithm: $0))
            }
            let check = try verifier.verify(token, hash: hash)
            if let problem = verifier.problem(with: check, "the time stamp of the content") {
                return problem
            }
            guard let signing, token.info.genTime.time > signing else { return nil }
            return .doubt(
                .timestampOrder,
                "the content was stamped after the signature: times contradict each other",
                .timestampOrderFailure)
        }
    }

    // MARK: The signer's certificate

    /// The certificate's path, at the time for which the signature is known to exist, else now
    /// (ETSI EN 319 102-1 §5.6.2).
    private func path(
        of signer: Certificate, _ checked: CheckedSignature, _ times: TimeFinding
    ) throws(CryptoError) -> SignerPath {
        let used = times.provenTime ?? time
        let question = Memory.Question(
            leaf: signer, candidates: checked.candidates, digest: checked.signatureDigest,
            time: used)
        let evidence = checked.evidence
        let verdict: PathVerdict
        if evidence.isEmpty, let known = memory.paths[question] {
            verdict = known
        } else {
            var asked = PathValidator.Question(
                leaf: signer, candidates: checked.candidates + store.certificates,
                digest: checked.signatureDigest, at: used)
            asked.evidence = evidence + store.evidence
            verdict = try validator.validate(asked)
            if evidence.isEmpty { memory.paths[question] = verdict }
        }
        let judged = JudgedPath(
            role: .signer, leaf: signer, chain: verdict.chain,
            candidates: checked.candidates + store.certificates + validator.intermediates,
            time: used, carried: checked.carried)
        return SignerPath(verdict: verdict, judged: judged, evidence: evidence)
    }

    /// The path of a signer, and how it was judged.
    private struct SignerPath {
        let verdict: PathVerdict
        let judged: JudgedPath
        /// What the signature brings itself.
        let evidence: RevocationEvidence

        var finding: PathFinding { PathFinding(verdict, judged) }
    }

    /// What speaks against the signer's certificate. One that did not count at the time that the
    /// signature's own time stamp proves fails; otherwise it may have been signed earlier.
    ///
    /// - Parameter told: what speaks against the signature already.
    private func doubts(
        about path: SignerPath, _ checked: CheckedSignature, _ times: TimeFinding,
        _ later: LaterTimestamps, besides told: [VerificationProblem]
    ) throws -> [VerificationProblem] {
        let late =
            path.verdict.outcome == .passed && times.provenTime != nil
            ? try lateEvidence(path, checked, later) : nil
        let known = told + [late].compactMap(\.self)
        let problems = VerificationProblem.problems(path.verdict)
            .map {
                times.earliest == nil
                    ? $0 : Self.proven($0, path.judged.leaf, at: path.judged.time)
            }
            .filter { !known.contains($0) }
        return [late].compactMap(\.self) + problems
    }

    /// Whether the newest store and the signature bring the certificates of every path, and say of
    /// each and of those who speak about them whether they were revoked (ETSI EN 319 142-1 §6.3 r
    /// to t).
    private func hasValidationData(for finding: ValueFinding) throws(CryptoError) -> Bool {
        try validator.isComplete(
            store.material, for: finding.paths, at: finding.times?.provenTime ?? time)
    }

    /// What is said about a certificate that has expired since counts only where a time stamp
    /// proves that it is older, or where it was said afterwards all the same (ETSI EN 319 102-1
    /// §5.6.2.2).
    ///
    /// - Returns: nil where nothing is in doubt.
    private func lateEvidence(
        _ path: SignerPath, _ checked: CheckedSignature, _ later: LaterTimestamps
    ) throws -> VerificationProblem? {
        var material = store.material
        material.evidence.formUnion(path.evidence)
        return try validator.lateEvidence(
            about: path.judged, digest: checked.signatureDigest, material, at: time
        ) { end throws(CryptoError) in
            let stored = later.evidence(before: end, stores)
            // A later time stamp covers what stands beside the signature as well.
            if later.proves(end) { return stored + path.evidence }
            return checked.message.map { stored + RevocationEvidence(signedIn: $0) } ?? stored
        }
    }

    /// A doubt about the signer's certificate that the proven time turns into a failure.
    private static func proven(
        _ problem: VerificationProblem, _ signer: Certificate, at time: CalendarTime
    ) -> VerificationProblem {
        let subIndication: SubIndication
        switch problem.subindication {
        case .revokedNoPOE?: subIndication = .revoked
        case .outOfBoundsNoPOE? where time > signer.notAfter: subIndication = .expired
        case .outOfBoundsNoPOE? where time < signer.notBefore: subIndication = .notYetValid
        default: return problem
        }
        return .failure(problem.code, problem.message, subIndication)
    }

    /// What was found before, for speed: those who sign a document often have signed it before.
    private final class Memory {
        struct Question: Hashable {
            let leaf: Certificate
            let candidates: [Certificate]
            let digest: DigestAlgorithm?
            let time: CalendarTime
        }

        var paths: [Question: PathVerdict] = [:]
        private(set) var certificates: [[UInt8]: Certificate] = [:]
        private static let maximumCertificateCount = 1000

        func keep(_ found: [Certificate]) {
            for certificate in found where certificates.count < Self.maximumCertificateCount {
                certificates[certificate.der] = certificate
            }
        }
    }
}
