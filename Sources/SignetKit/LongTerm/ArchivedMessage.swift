internal import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TimestampKit
import TrustKit

/// A CMS message, with the hashes of its content.
struct ArchivedMessage {
    /// The message in DER or BER.
    let encoded: [UInt8]
    let message: SignedData
    let path: String
    /// Hashes of detached content.
    private let digests: [DigestAlgorithm: [UInt8]]

    init(_ encoded: [UInt8], path: String, digests: [DigestAlgorithm: [UInt8]]) throws {
        self.encoded = encoded
        self.path = path
        self.digests = digests
        message = try MessageFile.parse(encoded, path)
    }

    /// Returns a copy with an update applied.
    func changed(_ change: (inout SignedDataUpdate) throws -> Void) throws -> ArchivedMessage {
        var update = try SignedDataUpdate(encoded)
        try change(&update)
        return try ArchivedMessage(update.encoded, path: path, digests: digests)
    }

    /// A hash of the content; nil if it is not available.
    func contentHash(_ digest: DigestAlgorithm) throws -> [UInt8]? {
        try message.content.map { try digest.hash($0) } ?? digests[digest]
    }

    /// Hashes of detached content, for verifying the signatures; empty for attached content.
    var contentDigests: [DigestAlgorithm: [UInt8]] { message.content == nil ? digests : [:] }
}

extension LongTermValidation {
    /// The digest of archive timestamps, supported by every TSA.
    static let archiveDigest = DigestAlgorithm.sha256

    struct MessageSigner {
        let index: Int
        let found: MessageJudge.Finding
        let signature: [UInt8]
        let verdict: Verdict
        let problem: String?

        var name: String { "signer \(index + 1)" }
        var level: SignatureLevel { found.level ?? .cms }
        /// The path of the TSA whose timestamp covers the signature, trusted or not.
        var authority: JudgedPath? { found.signer.paths.first { $0.role == .tsa } }

        func isBelow(_ wanted: SignatureLevel) -> Bool { level < wanted || verdict != .passed }
    }

    /// The validation data required for the signatures of a message to reach a level.
    struct MessagePlan {
        let signers: [MessageSigner]
        let needs: [EvidenceCollector.Need]
        let held: Held
        /// Indexes of the signers to extend or renew.
        let due: [Int]
        /// Indexes of those signers that have no signature timestamp.
        let unstamped: [Int]

        var level: SignatureLevel { signers.map(\.level).min() ?? .cms }
    }

    /// Determines the missing data of a message.
    ///
    /// - Throws: ``SignetError`` if a signature is invalid, has no trusted chain, or cannot have a
    ///   level.
    ///
    /// - Parameter outer: a timestamp over the whole message; nil for none.
    func plan(
        _ archived: ArchivedMessage, for level: SignatureLevel, renewing: Bool,
        outer: MessageJudge.ExistenceProof? = nil
    ) throws -> MessagePlan {
        var (signers, material) = try judge(archived, source: nil, outer)
        if signers.flatMap(\.found.signer.paths).contains(where: { $0.chain.isEmpty }) {
            (signers, material) = try judge(archived, source: issuers, outer)
        }
        try archived.message.requireExtensible(archived.path)
        var needs: [EvidenceCollector.Need] = []
        var unstamped: [Int] = []
        let due = signers.filter { renewing || $0.isBelow(level) }
        for signer in due {
            guard signer.level > .cms else {
                throw SignetError(
                    .malformedInput, file: archived.path,
                    "the signature of \(signer.name) is not a CAdES baseline signature: it has no signing "
                        + "certificate reference or no claimed signing time",
                    hint: Sentence(.signAnew))
            }
            if level == .lta,
                let newest = signer.found.newest.provingPath ?? signer.found.newest.path
            {
                // Before a new archive timestamp the data for the previous one is added.
                needs.append(try need(newest, at: newest.time, archived.path))
            }
            guard signer.isBelow(level) else { continue }
            guard let authority = signer.authority else {
                unstamped.append(signer.index)
                continue
            }
            for path in signer.found.signer.paths {
                needs.append(try need(path, at: authority.time, archived.path))
            }
        }
        return MessagePlan(
            signers: signers, needs: needs,
            held: Held(material, signers.flatMap(\.found.signer.paths)), due: due.map(\.index),
            unstamped: unstamped)
    }

    private func judge(
        _ archived: ArchivedMessage, source: (any RevocationSource)?,
        _ outer: MessageJudge.ExistenceProof? = nil
    ) throws -> (signers: [MessageSigner], ValidationMaterial) {
        let message = archived.message
        let now = SystemClock.now()
        var validator = trust.validator(at: now)
        validator.source = source
        var verifier = SignedDataVerifier(profile: message.content == nil ? .detached : .attached)
        verifier.additionalCertificates = validator.intermediates
        let checks = try verifier.verify(message, contentDigests: archived.contentDigests)
        var judge = MessageJudge(message, validator, at: now) { try archived.contentHash($0) }
        judge.outerProof = outer
        let signers = try checks.enumerated().map { index, check in
            let found = try judge.judge(check, index: index)
            let problems = check.problems + found.problems
            let verdict = problems.verdict(
                isProven: check.isVerified && check.isIntact && found.signer.isTrusted)
            let problem = problems.first { $0.verdict == verdict }?.message
            if verdict == .failed {
                throw SignetError(
                    .invalidSignature, file: archived.path,
                    "the signature of signer \(index + 1) failed: "
                        + (problem ?? "it is invalid"),
                    hint: Sentence(.seeFailedMessage, archived.path))
            }
            return MessageSigner(
                index: index, found: found, signature: check.signature, verdict: verdict,
                problem: problem)
        }
        return (signers, judge.material)
    }

    // MARK: Writing

    func extend(
        _ given: ArchivedMessage, to level: SignatureLevel, plan known: MessagePlan? = nil,
        renewing: Bool = false
    ) throws -> (message: [UInt8], data: ValidationData) {
        var (archived, data) = (given, ValidationData())
        var plan = try known ?? plan(archived, for: level, renewing: renewing)
        let before = Self.renewBefore(plan.signers)
        try require(ExtendGoal(level), from: nil, isDue: !plan.due.isEmpty, archived.path)
        if !plan.unstamped.isEmpty {
            archived = try stamp(archived, plan: plan)
            plan = try self.plan(archived, for: level, renewing: renewing)
        }
        archived = try add(plan.needs, plan.held, to: archived, &data)
        if level == .lta {
            for index in plan.due { archived = try archive(archived, index, &data) }
            archived = try cover(archived, data: &data)
        }
        let (signers, _) = try judge(archived, source: nil)
        for signer in signers where signer.isBelow(level) {
            throw unreached(
                level,
                because: Shortfall(
                    name: "the signature of \(signer.name)", problem: signer.problem,
                    level: signer.level, paths: signer.found.signer.paths), file: archived.path)
        }
        data.note(renewal: Self.renewBefore(signers), from: renewing ? before : nil)
        data.requests = fetcher.requests
        return (archived.encoded, data)
    }

    /// Earliest time at which the proof by the newest timestamp of a signer expires.
    static func renewBefore(_ signers: [MessageSigner]) -> CalendarTime? {
        signers.compactMap { signer in
            (signer.found.newest.provingPath ?? signer.found.newest.path).flatMap { path in
                TimestampEnd.of(
                    path.chain.isEmpty ? [path.leaf] : path.chain,
                    digest: newest(signer)?.info?.messageImprint.digest)
            }
        }.min()
    }

    private static func newest(_ signer: MessageSigner) -> TimestampCheck? {
        signer.found.stamps.archive.proofs.first?.check ?? signer.found.stamps.archive.newest
    }

    /// Whether the archive timestamps of all signers are still valid at `time`.
    static func isProven(_ signers: [MessageSigner], at time: CalendarTime) -> Bool {
        guard let end = renewBefore(signers), end > time else { return false }
        return signers.allSatisfy { !$0.found.stamps.archive.proofs.isEmpty }
    }

    /// Adds timestamps over signatures that have none.
    private func stamp(_ archived: ArchivedMessage, plan: MessagePlan) throws -> ArchivedMessage {
        guard let timestamps else { throw Self.authorityMissing(archived.path) }
        return try archived.changed { update in
            for signer in plan.signers where plan.unstamped.contains(signer.index) {
                let stamp = try timestamps.stamp(signature: signer.signature)
                update.add(
                    CMSAttribute(oid: .signatureTimeStamp, values: [stamp.token.encoded]),
                    toSigner: signer.index)
            }
        }
    }

    private func add(
        _ needs: [EvidenceCollector.Need], _ held: Held, to archived: ArchivedMessage,
        _ data: inout ValidationData, acceptsOlder: Bool = false
    ) throws -> ArchivedMessage {
        let material = try gather(needs, held, archived.path, acceptsOlder: acceptsOlder)
        data.evidence += material.items.map(ValidationData.Evidence.init)
        data.warnings += material.warnings
        return try archived.changed { update in
            data.added += try update.add(
                certificates: material.certificates.map(\.der),
                lists: material.evidence.lists.map(\.der),
                responses: material.evidence.responses.map(\.der))
        }
    }

    /// Adds an archive timestamp over one SignerInfo and all present data (ETSI EN 319 122-1
    /// §5.5.3).
    private func archive(
        _ given: ArchivedMessage, _ index: Int, _ data: inout ValidationData
    ) throws -> ArchivedMessage {
        let digest = Self.archiveDigest
        // The message must list the digest algorithm (EN 319 122-1 §5.5.3).
        let archived = try given.changed { $0.add(digest: digest) }
        guard let timestamps, let content = try archived.contentHash(digest) else {
            throw Self.authorityMissing(archived.path)
        }
        let imprint = try archived.message.archiveImprint(
            of: archived.message.signers[index], digest: digest, contentHash: content)
        let stamp = try timestamps.stamp(hash: imprint.hash, digest: digest)
        data.warnings += stamp.notes.filter { $0 != stamp.trustNote }
        data.timestamp = ValidationData.Stamp(stamp)
        let token = try SignedData.adding(
            CMSAttribute(oid: .archiveHashIndex, values: [imprint.index]), to: stamp.token.encoded)
        return try archived.changed {
            $0.add(CMSAttribute(oid: .archiveTimeStamp, values: [token]), toSigner: index)
        }
    }

    /// Adds the validation data of its TSA to a timestamp: later it could no longer be trusted.
    func completed(
        _ token: TimestampToken, _ path: JudgedPath, _ input: String
    ) throws -> (token: TimestampToken, data: ValidationData) {
        let need = try need(path, at: path.time, input)
        let held = Held(
            ValidationMaterial(
                certificates: token.signedData.certificates.compactMap {
                    try? Certificate(der: $0)
                }, evidence: RevocationEvidence(in: token.signedData)), [path])
        var data = ValidationData()
        do {
            let material = try gather([need], held, input, acceptsOlder: true)
            data.evidence = material.items.map(ValidationData.Evidence.init)
            data.warnings = material.warnings
            var update = try SignedDataUpdate(token.encoded)
            data.added = try update.add(
                certificates: material.certificates.map(\.der),
                lists: material.evidence.lists.map(\.der),
                responses: material.evidence.responses.map(\.der))
            let bytes = data.added.bytes > 0 ? update.encoded : token.encoded
            return (try TimestampToken(attributeValue: bytes), data)
        } catch let error as SignetError where error.code == .malformedInput {
            // A TSA certificate without an OCSP or CRL URL is not an error.
            data.warnings.append(error.message)
            return (token, data)
        }
    }

    /// Adds validation data for the newest TSA: without it the timestamp cannot be validated
    /// offline.
    private func cover(
        _ archived: ArchivedMessage, data: inout ValidationData
    ) throws -> ArchivedMessage {
        let (signers, material) = try judge(archived, source: issuers)
        let open = signers.filter { !$0.found.newest.isCovered }.compactMap(\.found.newest.path)
        guard !open.isEmpty else { return archived }
        let held = Held(material, open)
        let needs = try open.map { try need($0, at: $0.time, archived.path) }
        do {
            // Newer data can be added together with the next timestamp.
            return try add(needs, held, to: archived, &data, acceptsOlder: true)
        } catch let error as SignetError where error.code == .malformedInput {
            // A TSA certificate without an OCSP or CRL URL is not an error.
            data.warnings.append(error.message)
            return archived
        }
    }
}

extension SignedData {
    /// Rejects messages with earlier kinds of archive timestamps or with evidence records. These cover
    /// all certificates and CRLs together, so any addition would invalidate them (ETSI EN 319 122-1
    /// §6.3 s, RFC 5276 §3).
    func requireExtensible(_ path: String) throws(SignetError) {
        let sealing: [OID] = [
            .archiveTimeStampV1, .archiveTimeStampV2, .longTermValidation, .evidenceInternal,
            .evidenceExternal,
        ]
        guard
            let seal = signers.flatMap(\.unsignedAttributes).first(where: {
                sealing.contains($0.oid)
            })
        else { return }
        let name =
            [.evidenceInternal, .evidenceExternal].contains(seal.oid)
            ? "an evidence record" : "an archive timestamp of an earlier version"
        throw SignetError(
            .malformedInput, file: path,
            "the signature contains \(name), which becomes invalid if the signature is extended",
            hint: Sentence(.extendByItsMaker))
    }
}
