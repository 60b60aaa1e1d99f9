import ByteKit
import CMSKit
import CryptoBridge
import SignatureTerms
import TimestampKit
import TrustKit

/// Judges the signers of one message: their time stamps, paths and levels (ETSI EN 319 122-1 §6, EN
/// 319 102-1 §5.6).
struct MessageJudge {
    /// What was found out about one signer.
    struct Finding {
        var times = SignatureTimestamps()
        var archive = ArchiveTimestamps()
        /// Whether the stamp of ``times`` that is told of counts.
        var isStampTrusted = false
        /// When the signature existed at the latest, as trusted time stamps prove.
        var provenTime: CalendarTime?
        /// What proves that.
        var proof: TimestampCheck? {
            times.proofs.first { $0.info?.provenTime == provenTime } ?? archive.proofs.last?.check
        }
        var isTrusted = false
        var pathEnd: PathEnd?
        /// What is known of whether the signer's certificate was revoked.
        var revocation: RevocationWord?
        /// Of the signer, and of who stamped the time that counts.
        var paths: [JudgedPath] = []
        /// Nil where the signature does not verify.
        var level: SignatureLevel?
        var explanation: LevelExplanation?
        /// Of time stamps and paths.
        var problems: [VerificationProblem] = []

        /// The path of the authority whose time stamp is the newest.
        var newestPath: JudgedPath?
        /// The same of the newest that proves something.
        var provingPath: JudgedPath?
        /// Whether the message brings what validating that one needs.
        var isNewestCovered = false

        var stampState: StampState {
            StampState(isThere: times.check != nil, provenTime: provenTime)
        }
    }

    private let message: SignedData
    private let validator: PathValidator
    /// When the question is asked.
    private let time: CalendarTime
    private let contentHash: (DigestAlgorithm) throws -> [UInt8]?
    let material: ValidationMaterial
    private let carried: [[UInt8]]
    var explainsLevels = false

    /// - Parameter contentHash: gives a hash of the content; nil where it is not at hand.
    init(
        _ message: SignedData, _ validator: PathValidator, at time: CalendarTime,
        contentHash: @escaping (DigestAlgorithm) throws -> [UInt8]?
    ) {
        self.message = message
        self.validator = validator
        self.time = time
        self.contentHash = contentHash
        // Those of the message itself are what a time stamp may cover or not.
        carried = message.stampCertificates
        material = ValidationMaterial(
            certificates: message.certificates.compactMap { try? Certificate(der: $0) },
            evidence: RevocationEvidence(in: message))
    }

    /// - Parameters:
    ///   - check: of the signature itself.
    ///   - index: of the signer in the message.
    func judge(_ check: SignatureCheck, _ index: Int) throws -> Finding {
        var found = Finding()
        var stamps = timestampVerifier
        if index < message.signers.count {
            found.archive = try stamps.archiveTimestamps(
                of: message.signers[index], in: message, contentHash: contentHash)
        }
        let (message, archive) = (message, found.archive)
        stamps.evidenceBefore = { end throws(CryptoError) in
            try archive.evidence(of: message, before: end)
        }
        found.times = try stamps.timestamps(of: check, archive: archive)
        found.isStampTrusted = !found.times.proofs.isEmpty
        found.provenTime = [found.times.earliest, found.archive.proofs.last?.time]
            .compactMap(\.self).min()
        if let signer = check.signer { try judge(signer, check, &found) }
        found.problems += found.times.problems + found.archive.problems
        found.problems += VerificationProblem.claimedTimeRemarks(
            check.claimedTime, proven: found.provenTime, by: check.signer, at: time)
        found.level = try level(check, found)
        try lookAtNewest(&found)
        if explainsLevels { found.explanation = try explanation(found) }
        return found
    }

    private var timestampVerifier: TimestampVerifier {
        var verifier = TimestampVerifier(validator, time: time)
        verifier.additionalCertificates = material.certificates + validator.intermediates
        verifier.evidence = material.evidence
        verifier.demandsPresentEvidence = true
        return verifier
    }

    private func path(_ check: TimestampCheck) -> JudgedPath? {
        JudgedPath(
            check, candidates: material.certificates + validator.intermediates, carried: carried)
    }

    /// The certificate's path, at the time for which the signature is known to exist, else now.
    private func judge(
        _ signer: Certificate, _ check: SignatureCheck, _ found: inout Finding
    ) throws {
        let used = found.provenTime ?? time
        var question = PathValidator.Question(
            leaf: signer, candidates: check.certificates, digest: check.digest, at: used)
        question.evidence = material.evidence
        let path = try validator.validate(question)
        (found.isTrusted, found.pathEnd, found.revocation) =
            (path.isTrusted, path.end, path.revocation)
        found.problems += VerificationProblem.problems(path)
        let judged = JudgedPath(
            role: .signer, leaf: signer, chain: path.chain,
            candidates: check.certificates + validator.intermediates, time: used, carried: carried)
        let stamp =
            found.proof ?? found.times.check ?? found.archive.newest
        found.paths = [judged, stamp.flatMap(self.path)].compactMap(\.self)
        guard path.outcome == .passed, found.provenTime != nil else { return }
        let late = try validator.lateEvidence(
            about: judged, digest: check.digest, material, at: time
        ) { end throws(CryptoError) in
            RevocationEvidence(signedIn: message)
                + (try found.archive.evidence(of: message, before: end))
        }
        found.problems += [late].compactMap(\.self)
    }

    /// CAdES baseline levels (ETSI EN 319 122-1 §6). Anybody can stamp: only trusted time lifts the
    /// level.
    private func level(
        _ check: SignatureCheck, _ found: Finding
    ) throws -> SignatureLevel? {
        guard check.verified != nil else { return nil }
        guard check.signingCertificateMatches == true, check.claimedTime != nil else {
            return .cms
        }
        guard let proven = found.provenTime else { return .b }
        guard try validator.isComplete(material, for: found.paths, at: proven) else { return .t }
        guard let newest = found.archive.proofs.first else { return .lt }
        let covered = try newest.index.covered(of: message)
        let stamped = ValidationMaterial(
            certificates: covered.certificates.compactMap { try? Certificate(der: $0) },
            evidence: RevocationEvidence(
                listsIn: covered.lists, responsesIn: covered.responses))
        return try validator.isComplete(stamped, for: found.paths, at: proven) ? .lta : .lt
    }

    private func lookAtNewest(_ found: inout Finding) throws {
        found.provingPath = found.archive.proofs.first.flatMap { path($0.check) }
        guard let newest = found.archive.newest, let path = path(newest) else { return }
        found.newestPath = path
        found.isNewestCovered = try validator.isComplete(material, for: [path], at: path.time)
    }

    private func explanation(_ found: Finding) throws -> LevelExplanation {
        let stamps = try found.archive.proofs.reversed().enumerated().map { number, proof in
            let covered = try proof.index.covered(of: message)
            return (
                name: "archive time stamp \(number + 1)",
                held: Set(covered.lists + covered.responses)
            )
        }
        return LevelExplanation(
            try validator.audit(found.paths, material, at: found.provenTime ?? time),
            paths: found.paths, material, stamps: stamps)
    }
}
