import Base
import CMSKit
import CryptoBridge
import PDFSigning
import TimestampKit
import TrustKit

/// Validates one signature or timestamp at a time: its CMS, its time, its signing certificate (ETSI
/// EN 319 102-1 §5.2 to §5.6).
struct SignatureJudge {
    typealias DigestLookup = (ByteRangeHasher.Request) throws -> [UInt8]?

    let validator: PathValidator
    /// The only certificate accepted as signer; nil for any.
    let pinned: Certificate?
    /// The validation time.
    let time: CalendarTime
    let stores: StoreHistory
    /// Document of the required signature policy; nil if none is required.
    var policyDocument: [UInt8]?
    private let memory = Memory()

    var store: DocumentSecurityStore { stores.newest }

    /// A signature value to validate, with earlier results.
    struct Subject {
        let candidate: SignatureCandidate
        let value: SignatureValue
        /// The digest of the byte range and its algorithm.
        let digest: [UInt8]
        let algorithm: DigestAlgorithm
        let coverage: Coverage
        let later: LaterTimestamps
    }

    /// - Parameters:
    ///   - coverage: the coverage of the signature. A timestamp over a part of the file is not a
    ///     proof of existence.
    ///   - later: the proofs of existence by newer timestamps.
    ///   - digestOf: returns the digest of any byte range that the candidate requests.
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

    /// Thrown if the validation of a signature cannot continue.
    struct Unjudgeable: Error { let problem: VerificationProblem }

    /// The problem that stopped a step; rethrows errors that the signature did not cause.
    private static func problem(_ error: any Error) throws -> VerificationProblem {
        switch error {
        case let error as Unjudgeable: error.problem
        case let error as CryptoError where error.code != .internalFailure: unusable(error)
        default: throw error
        }
    }

    static func unusable(_ error: CryptoError) -> VerificationProblem {
        .doubt(
            .certificateUnusable, "the signing certificate cannot be used (\(error.description))",
            .certificateChainGeneralFailure)
    }

    // MARK: Timestamps

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

    /// - Parameter isNewest: whether no document timestamp covers the timestamp. Then its revocation
    ///   data may be as old as the timestamp.
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

    /// The certificate chain of the TSA.
    private func path(of check: TimestampCheck, carried: [[UInt8]]) -> JudgedPath? {
        JudgedPath(
            check, candidates: store.certificates + validator.intermediates, carried: carried)
    }

    // MARK: Signatures

    /// Validates a signature in steps; results before a failed step are kept.
    private func signatureFinding(
        for subject: Subject, _ digestOf: DigestLookup
    ) throws -> ValueFinding {
        var finding = ValueFinding()
        do {
            let checked = try check(subject)
            finding.checked = checked
            finding.level = checked.level
            finding.problems = checked.problems
            if let policyDocument {
                let problem = try SignerStatements.Policy.problem(
                    with: checked.check?.statements.policy, policyDocument)
                finding.policyMatches = problem == nil
                finding.problems += [problem].compactMap(\.self)
            }
            let verifier = timestampVerifier(subject.later)
            guard let times = try times(of: checked, subject, verifier) else { return finding }
            finding.times = times
            finding.problems += times.remarks
            if let signer = checked.signer {
                let path = try path(of: signer, checked, times)
                finding.path = PathFinding(path.verdict, path.judged)
                finding.problems += try doubts(
                    about: path, checked, times, subject.later, besides: finding.problems)
                // Anybody can add a timestamp: only a trusted time raises the level.
                if checked.level == .b, times.provenTime != nil {
                    finding.level = .t
                    finding.hasValidationData = try hasValidationData(for: finding)
                    if finding.hasValidationData { finding.level = .lt }
                }
            }
            finding.problems += times.problems
            let statements = checked.check?.statements
            let stamped = try timestampVerifier(subject.later, isNewest: true).contentTimestamps(
                statements?.contentTimestamps ?? [], before: times.earliest
            ) { try digestOf(.init(byteRange: subject.value.byteRange, algorithm: $0)) }
            finding.contentTimestamps = stamped.stamps
            finding.problems += stamped.problems
        } catch { finding.problems.append(try Self.problem(error)) }
        return finding
    }

    /// Verifies the signature over its byte range and finds the signer.
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
                problem: .failure(.severalSigners, "the signature has \(checks.count) signers"))
        }
        memory.keep(check.certificates)
        return CheckedSignature(check, message, profile, subject)
    }

    /// The proven time of existence, from timestamps in the signature or later document timestamps.
    ///
    /// - Returns: nil for a PKCS #1 signature without a signing certificate.
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
        times.path = provenPath ?? own.check.flatMap { path(of: $0, carried: checked.carried) }
        times.remarks = VerificationProblem.claimedTimeRemarks(
            subject.candidate.claimedTime ?? checked.claimedTime, proven: times.provenTime,
            by: check.signer, at: time)
        return times
    }

    // MARK: The signer's certificate

    /// Validates the certificate chain at the proven time of the signature, else at the current
    /// time (ETSI EN 319 102-1 §5.6.2).
    private func path(
        of signer: Certificate, _ checked: CheckedSignature, _ times: TimeFinding
    ) throws(CryptoError) -> SignerPath {
        let used = times.provenTime ?? time
        let question = Memory.Question(
            leaf: signer, candidates: checked.candidates, digest: checked.signatureDigest,
            time: used)
        let evidence = checked.message.map { RevocationEvidence(in: $0) } ?? RevocationEvidence()
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

    /// The certificate chain of a signer and its validation result.
    private struct SignerPath {
        let verdict: PathVerdict
        let judged: JudgedPath
        /// Validation data in the signature itself.
        let evidence: RevocationEvidence
    }

    /// Findings against the signing certificate. If a timestamp proves the time of the signature, an
    /// invalid certificate is a failure; without a timestamp the signature may be older.
    ///
    /// - Parameter reported: findings already reported for the signature.
    private func doubts(
        about path: SignerPath, _ checked: CheckedSignature, _ times: TimeFinding,
        _ later: LaterTimestamps, besides reported: [VerificationProblem]
    ) throws -> [VerificationProblem] {
        let late =
            path.verdict.outcome == .passed && times.provenTime != nil
            ? try lateEvidence(path, checked, later) : nil
        let known = reported + [late].compactMap(\.self)
        let problems = VerificationProblem.problems(path.verdict)
            .map {
                times.earliest == nil
                    ? $0 : Self.proven($0, path.judged.leaf, at: path.judged.time)
            }
            .filter { !known.contains($0) }
        return [late].compactMap(\.self) + problems
    }

    /// Whether the newest store and the signature contain all certificates of every chain and the
    /// revocation status of each, including OCSP responders (ETSI EN 319 142-1 §6.3 r to t).
    private func hasValidationData(for finding: ValueFinding) throws(CryptoError) -> Bool {
        try validator.isComplete(
            store.material, for: finding.paths, at: finding.times?.provenTime ?? time)
    }

    /// Revocation data for an expired certificate is used only if a timestamp proves that the data
    /// existed before, or if it was issued after expiry (ETSI EN 319 102-1 §5.6.2.2).
    ///
    /// - Returns: nil if no finding depends on it.
    private func lateEvidence(
        _ path: SignerPath, _ checked: CheckedSignature, _ later: LaterTimestamps
    ) throws -> VerificationProblem? {
        var material = store.material
        material.evidence.formUnion(path.evidence)
        return try validator.lateEvidence(
            about: path.judged, digest: checked.signatureDigest, material, at: time
        ) { end throws(CryptoError) in
            let stored = later.evidence(before: end, stores)
            // A later timestamp also covers the unsigned attributes of the signature.
            if later.proves(end) { return stored + path.evidence }
            return checked.message.map { stored + RevocationEvidence(signedIn: $0) } ?? stored
        }
    }

    /// Turns an indeterminate finding about the certificate into a failure at the proven time.
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

    /// Cache of certificates, and of chains that were validated without revocation data of the
    /// signature: a signer often signs a document several times.
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
