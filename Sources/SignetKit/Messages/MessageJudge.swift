import Base
import CMSKit
import CryptoBridge
import TimestampKit
import TrustKit

/// Validates the signers of one message: timestamps, paths and levels (ETSI EN 319 122-1 §6, EN 319
/// 102-1 §5.6).
struct MessageJudge {
    /// The result for one signer.
    struct Finding {
        let stamps: Stamps
        let signer: SignerPath
        /// Signature level; nil if the signature does not verify.
        let level: SignatureLevel?
        let newest: NewestStamp
        let explanation: LevelExplanation?
        let countersignatures: [Countersignature]
        let contentTimestamps: [ContentTimestamp]
        /// Whether the given policy document is the signed one; nil if none was given.
        var policyMatches: Bool?
        /// Problems of timestamps, paths and countersignatures.
        fileprivate(set) var problems: [VerificationProblem]
    }

    struct Countersignature {
        let check: SignatureCheck
        let finding: Finding

        var problem: VerificationProblem? {
            let problems = check.problems + finding.problems
            return .countersignature(
                check, problems,
                problems.verdict(
                    isProven: check.isVerified && check.isIntact && finding.signer.isTrusted))
        }
    }

    /// The timestamps of one signature.
    struct Stamps {
        let own: SignatureTimestamps
        let archive: ArchiveTimestamps
        /// A timestamp over the whole message, such as that of a container.
        var outer: ExistenceProof?

        /// Time at which the signature existed, proven by trusted timestamps; nil without proof.
        var provenTime: CalendarTime? {
            [own.earliest, archive.proofs.last?.time, outer?.time].compactMap(\.self).min()
        }
        /// The timestamp that proves ``provenTime``.
        var proof: TimestampCheck? {
            own.proofs.first { $0.info?.provenTime == provenTime } ?? archive.proofs.last?.check
                ?? outer?.check
        }
        var state: StampState { StampState(isThere: own.check != nil, provenTime: provenTime) }
    }

    /// A trusted timestamp over the file that contains a signature.
    struct ExistenceProof {
        let time: CalendarTime
        let check: TimestampCheck
    }

    /// The path of a signing certificate; empty if the certificate is missing.
    struct SignerPath {
        fileprivate(set) var isTrusted = false
        fileprivate(set) var end: PathEnd?
        fileprivate(set) var revocation: StatusRecord?
        /// Paths of the signer and of the TSA of the relevant timestamp.
        fileprivate(set) var paths: [JudgedPath] = []
        fileprivate(set) var problems: [VerificationProblem] = []
    }

    /// The newest archive timestamp.
    struct NewestStamp {
        /// Path of the TSA of the newest archive timestamp; nil if there is none.
        let path: JudgedPath?
        /// Path of the TSA of the newest trusted archive timestamp; nil if there is none.
        let provingPath: JudgedPath?
        /// Whether the message contains the validation data of the newest archive timestamp.
        let isCovered: Bool
    }

    /// Nil for a signature in XML.
    private let message: SignedData?
    private let validator: PathValidator
    private let time: CalendarTime
    private let contentHash: (DigestAlgorithm) throws -> [UInt8]?
    let material: ValidationMaterial
    private let carried: [[UInt8]]
    var explainsLevels = false
    /// Document of the required signature policy; nil for any.
    var policyDocument: [UInt8]?
    /// A timestamp over the whole message; nil for none.
    var outerProof: ExistenceProof?

    /// - Parameter contentHash: returns a hash of the content; nil if it is not available.
    init(
        _ message: SignedData, _ validator: PathValidator, at time: CalendarTime,
        contentHash: @escaping (DigestAlgorithm) throws -> [UInt8]?
    ) {
        self.message = message
        self.validator = validator
        self.time = time
        self.contentHash = contentHash
        // A timestamp may or may not cover the certificates of the message itself.
        carried = message.stampCertificates
        material = ValidationMaterial(
            certificates: message.certificates.compactMap { try? Certificate(der: $0) },
            evidence: RevocationEvidence(in: message))
    }

    /// Validates an XML signature with the validation data of its unsigned properties.
    init(_ material: ValidationMaterial, _ validator: PathValidator, at time: CalendarTime) {
        message = nil
        self.validator = validator
        self.time = time
        contentHash = { _ in nil }
        carried = material.certificates.map(\.der)
        self.material = material
    }

    /// Validates one signer.
    ///
    /// - Parameters:
    ///   - check: result for the signature itself.
    ///   - index: index of the signer in the message.
    func judge(_ check: SignatureCheck, index: Int) throws -> Finding {
        var finding = try judge(check, stamps(of: check, index), hash: contentHash)
        if let policyDocument {
            let problem = try SignerStatements.Policy.problem(
                with: check.statements.policy, policyDocument)
            finding.policyMatches = problem == nil
            finding.problems += [problem].compactMap(\.self)
        }
        return finding
    }

    /// Validates an XML signature with its timestamps.
    func judge(_ check: SignatureCheck, _ own: [SignatureStamp]) throws -> Finding {
        let verifier = timestampVerifier.moved(to: outerProof?.time ?? time)
        var finding = try judge(
            check,
            Stamps(
                own: try verifier.timestamps(own), archive: ArchiveTimestamps(),
                outer: outerProof), hash: contentHash)
        if policyDocument != nil {
            finding.policyMatches = false
            finding.problems.append(
                .doubt(
                    .signaturePolicyMismatch,
                    "the policy file is not compared with the signature policy of XML signatures",
                    .signatureConstraintsFailure))
        }
        return finding
    }

    /// - Parameter hash: returns a hash of the content that content timestamps cover.
    private func judge(
        _ check: SignatureCheck, _ stamps: Stamps, hash: (DigestAlgorithm) throws -> [UInt8]?
    ) throws -> Finding {
        let signer = try check.signer.map { try path(of: $0, check, stamps) } ?? SignerPath()
        let countersignatures = try check.countersignatures.map { inner in
            let own = try timestampVerifier.moved(to: outerProof?.time ?? time)
                .timestamps(of: inner, archive: ArchiveTimestamps())
            let stamps = Stamps(own: own, archive: ArchiveTimestamps(), outer: outerProof)
            return Countersignature(
                check: inner, finding: try judge(inner, stamps) { try $0.hash(check.signature) })
        }
        let stamped = try timestampVerifier.moved(to: stamps.provenTime ?? time).contentTimestamps(
            check.statements.contentTimestamps, before: stamps.own.earliest, hash: hash)
        let remarks = VerificationProblem.claimedTimeRemarks(
            check.claimedTime, proven: stamps.provenTime, by: check.signer, at: time)
        return Finding(
            stamps: stamps, signer: signer, level: try level(check, stamps: stamps, signer: signer),
            newest: try newest(of: stamps.archive),
            explanation: explainsLevels ? try explanation(stamps, signer: signer) : nil,
            countersignatures: countersignatures, contentTimestamps: stamped.stamps,
            problems: signer.problems + stamps.own.problems + stamps.archive.problems
                + stamped.problems + remarks
                + countersignatures.compactMap(\.problem))
    }

    private func stamps(of check: SignatureCheck, _ index: Int) throws -> Stamps {
        var verifier = timestampVerifier.moved(to: outerProof?.time ?? time)
        guard let message else {
            return Stamps(own: SignatureTimestamps(), archive: ArchiveTimestamps())
        }
        let archive =
            index < message.signers.count
            ? try verifier.archiveTimestamps(
                of: message.signers[index], in: message, contentHash: contentHash)
            : ArchiveTimestamps()
        verifier.evidenceBefore = { end throws(CryptoError) in
            try provenEvidence(archive, before: end)
        }
        return Stamps(
            own: try verifier.timestamps(of: check, archive: archive), archive: archive,
            outer: outerProof)
    }

    var timestampVerifier: TimestampVerifier {
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

    /// The path of the signing certificate at the time proven for the signature, else at the
    /// validation time.
    private func path(
        of signer: Certificate, _ check: SignatureCheck, _ stamps: Stamps
    ) throws -> SignerPath {
        let used = stamps.provenTime ?? time
        var question = PathValidator.Question(
            leaf: signer, candidates: check.certificates, digest: check.digest, at: used)
        question.evidence = material.evidence
        let path = try validator.validate(question)
        let judged = JudgedPath(
            role: .signer, leaf: signer, chain: path.chain,
            candidates: check.certificates + validator.intermediates, time: used, carried: carried)
        let stamp = stamps.proof ?? stamps.own.check ?? stamps.archive.newest
        let late =
            path.outcome == .passed && stamps.provenTime != nil
            ? try lateEvidence(about: judged, check.digest, stamps.archive) : nil
        return SignerPath(
            isTrusted: path.isTrusted, end: path.end, revocation: path.revocation,
            paths: [judged, stamp.flatMap(self.path)].compactMap(\.self),
            problems: VerificationProblem.problems(path) + [late].compactMap(\.self))
    }

    private func lateEvidence(
        about path: JudgedPath, _ digest: DigestAlgorithm?, _ archive: ArchiveTimestamps
    ) throws -> VerificationProblem? {
        try validator.lateEvidence(
            about: path, digest: digest, material, at: time
        ) { end throws(CryptoError) in
            (message.map { RevocationEvidence(signedIn: $0) } ?? RevocationEvidence())
                + (try provenEvidence(archive, before: end))
        }
    }

    /// The validation data of the message with a proof of existence before a time.
    private func provenEvidence(
        _ archive: ArchiveTimestamps, before end: CalendarTime
    ) throws(CryptoError) -> RevocationEvidence {
        if let outerProof, outerProof.time <= end { return material.evidence }
        return try message.map { message throws(CryptoError) in
            try archive.evidence(of: message, before: end)
        } ?? RevocationEvidence()
    }

    /// CAdES baseline levels (ETSI EN 319 122-1 §6). Only trusted timestamps raise the level.
    private func level(
        _ check: SignatureCheck, stamps: Stamps, signer: SignerPath
    ) throws -> SignatureLevel? {
        guard check.isVerified else { return nil }
        guard check.signingCertificateMatches == true, check.claimedTime != nil else { return .cms }
        guard let proven = stamps.provenTime else { return .b }
        guard try validator.isComplete(material, for: signer.paths, at: proven) else { return .t }
        guard stamps.outer == nil else { return .lta }
        guard let message, let newest = stamps.archive.proofs.first else { return .lt }
        let covered = try newest.index.covered(of: message)
        let stamped = ValidationMaterial(
            certificates: covered.certificates.compactMap { try? Certificate(der: $0) },
            evidence: RevocationEvidence(listsIn: covered.lists, responsesIn: covered.responses))
        return try validator.isComplete(stamped, for: signer.paths, at: proven) ? .lta : .lt
    }

    private func newest(of archive: ArchiveTimestamps) throws -> NewestStamp {
        let path = archive.newest.flatMap(path)
        return NewestStamp(
            path: path, provingPath: archive.proofs.first.flatMap { self.path($0.check) },
            isCovered: try path.map {
                try validator.isComplete(material, for: [$0], at: $0.time)
            } ?? false)
    }

    private func explanation(_ stamps: Stamps, signer: SignerPath) throws -> LevelExplanation {
        let covering = try stamps.archive.proofs.reversed().enumerated().map { number, proof in
            let covered = try message.map { try proof.index.covered(of: $0) }
            return (
                name: "archive timestamp \(number + 1)",
                held: Set((covered?.lists ?? []) + (covered?.responses ?? []))
            )
        }
        return LevelExplanation(
            try validator.audit(signer.paths, with: material, at: stamps.provenTime ?? time),
            paths: signer.paths, material, stamps: covering)
    }
}
