internal import Base
import CryptoBridge
import Synchronization
package import SystemBridge
import TimestampKit
import TrustKit

/// Renews evidence records (RFC 4998 §5.2), all those of a run with one request for each hash
/// algorithm: their last timestamps, or with a new algorithm their hash trees. A timestamp (.tsr)
/// becomes a record.
public final class RenewEvidenceRecords: Sendable {
    private let validation: LongTermValidation
    /// The algorithm of a new hash tree; nil renews timestamps.
    private let digest: DigestAlgorithm?
    private let renewal: Renewal
    private let copiesUnchanged: Bool
    private let run = Mutex<Run>(Run())

    /// What the records of the run share.
    private struct Run {
        /// The leaves of each new hash tree.
        var leaves: [DigestAlgorithm: [UInt8]] = [:]
        /// The tree over them, and its timestamp. A failed request is not repeated for each record.
        var stamped:
            [DigestAlgorithm: Result<(tree: HashTree, stamp: ObtainedTimestamp), SignetError>] = [:]
        /// Timestamps with the validation data added to them.
        var completed: [[UInt8]: Completed] = [:]
    }

    /// A timestamp with validation data.
    private struct Completed {
        let token: TimestampToken
        let data: ValidationData
    }

    /// - Parameters:
    ///   - digest: the algorithm of a new hash tree, for which all files are read again. Records
    ///     that use it already get a new timestamp. Nil renews timestamps.
    ///   - renewal: which records are renewed.
    ///   - copiesUnchanged: whether a record that stays as it is is written to the output too.
    public init(
        _ validation: LongTermValidation, digest: SigningOptions.Digest?, _ renewal: Renewal,
        copiesUnchanged: Bool = false
    ) {
        self.copiesUnchanged = copiesUnchanged
        self.validation = validation
        self.digest = digest?.algorithm
        self.renewal = renewal
    }

    private struct Due {
        let record: EvidenceRecord
        /// The hashes that the new timestamp covers as a group: usually one.
        let hashes: [[UInt8]]
        let digest: DigestAlgorithm
        /// Whether a new chain begins.
        let isNewTree: Bool
        var result: ExtendedDocument
    }

    /// Renews a record. The request follows when all records of the run are read.
    ///
    /// - Parameters:
    ///   - contents: files and folders that the record covers, for a new hash tree. Empty uses the
    ///     file or folder next to the record with its name without the suffix.
    ///   - destination: nil only checks.
    /// - Throws: ``SignetError``: `invalidSignature` if the record is invalid, `untrusted` if its
    ///   newest TSA is not trusted.
    package func renew(
        _ source: InputSource, contents: [String] = [], into destination: Destination?
    ) throws -> Pass<ExtendedDocument> {
        let due = try plan(source, contents)
        guard let destination else { return .done(due.result) }
        guard due.result.isDue else { return try unchanged(due.result, source, destination) }
        let former = due.result
        // Without a margin the user asked for this renewal, so it is never skipped. A new tree has
        // another purpose than a later end.
        let maySkip = renewal.margin != nil && !due.isNewTree
        if maySkip, validation.vain.covers(former.renewBefore) {
            return try unchanged(former, source, destination)
        }
        let (hashes, digest, isNewTree) = (due.hashes, due.digest, due.isNewTree)
        let leaf = try ReducedHashTree.node(of: hashes, digest)
        run.withLock { $0.leaves[digest, default: []] += leaf }
        return .next { [self] in
            // The record is read again, so that only its hashes stay in memory.
            let now = try plan(source, contents)
            guard now.hashes == hashes else {
                throw SignetError(
                    .malformedInput, file: source.name, "the file was modified during the run")
            }
            let made = try stamped(digest, source.name)
            guard let lists = made.tree.reduced(to: leaf, group: hashes.count > 1 ? hashes : [])
            else { throw SignetError(.internalFailure, "a record is missing in the hash tree") }
            // A timestamp over only the former one needs no tree (RFC 4998 §5.2).
            let tree = made.tree.count == 1 && hashes.count == 1 ? nil : lists
            let stamp = ArchiveTimestamp(made.stamp.token, digest: digest, tree: tree)
            var result = former
            result.validationData.timestamp = ValidationData.Stamp(made.stamp)
            result.validationData.note(renewal: stamp.end, from: former.renewBefore)
            if maySkip, result.validationData.gained == false {
                validation.vain.note(result.validationData)
                return try unchanged(former, source, destination)
            }
            var record = now.record
            if isNewTree {
                record.renewTree(with: stamp, digest: digest)
            } else {
                record.renew(with: stamp)
            }
            try requireAccepted(record, source.name)
            try write(record, source, destination)
            result.output = destination.path
            if !isNewTree { result.warnUnlessGained() }
            result.warnings += made.stamp.notes.filter { $0 != made.stamp.trustNote }
            return .done(result)
        }
    }

    /// The result for a record that is not due, or whose renewal has no benefit.
    private func unchanged(
        _ due: ExtendedDocument, _ source: InputSource, _ destination: Destination
    ) throws -> Pass<ExtendedDocument> {
        var result = ExtendedDocument(renewed: source.name, until: due.renewBefore)
        if due.isDue { result.leave(until: validation.vain.end) }
        guard copiesUnchanged else { return .done(result) }
        let record = try reading(source.name) {
            try EvidenceRecordFile.read(renewing: source.open())
        }
        try write(record, source, destination)
        (result.output, result.isCopy) = (destination.path, true)
        return .done(result)
    }

    private func write(
        _ record: EvidenceRecord, _ source: InputSource, _ destination: Destination
    ) throws {
        let original = try source.open(isReplaced: destination.isInPlace)
        let output = try destination.output(from: original)
        try writing(destination.path) {
            try output.write(record.encoded)
            try output.commit()
        }
    }

    /// The tree over all records of the run, with one request.
    private func stamped(
        _ digest: DigestAlgorithm, _ input: String
    ) throws -> (tree: HashTree, stamp: ObtainedTimestamp) {
        guard let timestamps = validation.timestamps else {
            throw LongTermValidation.authorityMissing(input)
        }
        // Other records wait for the one request.
        return try run.withLock { run in
            if let known = run.stamped[digest] { return try known.get() }
            do {
                let tree = try HashTree(leaves: run.leaves[digest] ?? [], digest)
                let stamp = try reading(input) {
                    try timestamps.stamp(hash: tree.root, digest: digest)
                }
                try requireTrust(stamp.token, over: tree.root, input)
                run.stamped[digest] = .success((tree, stamp))
                return (tree, stamp)
            } catch {
                run.stamped[digest] = .failure(SignetError(unforeseen: error))
                throw error
            }
        }
    }

    /// Rejects a new timestamp that verification would not trust.
    private func requireTrust(_ token: TimestampToken, over hash: [UInt8], _ input: String) throws {
        let now = SystemClock.now()
        let validator = validation.trust.validator(at: now)
        let check = try TimestampVerifier(validator, time: now).verify(token, hash: hash)
        if let path = JudgedPath(check, candidates: validator.intermediates, carried: []) {
            _ = try validation.forFile().need(path, at: path.time, input)
        }
    }

    /// Problems of the files that a record covers, which a renewal need not read.
    private static let aboutObjects: Set<ProblemCode> = [
        .objectMissing, .objectNotRecorded, .objectAmbiguous, .objectFormUnchecked,
    ]

    /// Rejects a renewed record whose new timestamp verification would not accept.
    private func requireAccepted(_ record: EvidenceRecord, _ input: String) throws {
        let problems = try check(record, [], input).stamps.last?.check.problems ?? []
        let found = problems.first { $0.verdict != nil && !Self.aboutObjects.contains($0.code) }
        guard let problem = found else { return }
        let isOpen = problem.subindication == .tryLater
        throw SignetError(
            isOpen ? .serviceUnavailable : .untrusted, file: input,
            "the new timestamp would not be accepted: \(problem.message)",
            hint: Sentence(isOpen ? .renewWithNewerData : .useOtherAuthority))
    }

    private func check(
        _ record: EvidenceRecord, _ objects: [EvidencedObject], _ input: String
    ) throws -> EvidenceRecordCheck {
        let now = SystemClock.now()
        let validator = validation.trust.validator(at: now)
        var verifier = TimestampVerifier(validator, time: now)
        verifier.additionalCertificates = validator.intermediates
        return try reading(input) { try EvidenceRecordVerifier(verifier).verify(record, objects) }
    }

    // MARK: Records to renew

    private func plan(_ source: InputSource, _ contents: [String]) throws -> Due {
        let input = source.name
        var record = try reading(input) { try EvidenceRecordFile.read(renewing: source.open()) }
        guard let newest = record.timestamps.last, let former = newest.token,
            let used = record.chains.last?.first?.digest
        else {
            throw SignetError(
                .malformedInput, file: input, "the newest timestamp of the record is unreadable")
        }
        let isNewTree = digest != nil && digest != used
        let objects =
            isNewTree
            ? try objects(of: source, contents, record.objectDigests.union([digest ?? used])) : []
        var result = ExtendedDocument(renewed: input, until: newest.end)
        result.isDue = isNewTree && renewal == .never || isDue(newest)
        guard result.isDue else {
            return Due(
                record: record, hashes: [], digest: used, isNewTree: false, result: result)
        }
        let (path, doubts) = try verify(record, objects, input)
        result.warnings += doubts
        let completed = try complete(former, path, input)
        record.replaceNewest(with: completed.token)
        result.validationData = completed.data
        result.warnings += completed.data.warnings
        result.validationData.renewBefore = newest.end?.moment
        guard isNewTree, let digest else {
            let last = record.timestamps[record.timestamps.count - 1]
            return Due(
                record: record, hashes: [try last.timestampHashes(used)[0]], digest: used,
                isNewTree: false, result: result)
        }
        let chains = try record.formerChains.hashes(ofFirst: record.chains.count, digest)
        // In DER, the last of the hashes (RFC 4998 §5.2).
        let earlier = chains[chains.count - 1]
        let hashes = try objects.map { object in
            try digest.hash((object.hashes[digest]?.first ?? []) + earlier)
        }
        return Due(
            record: record, hashes: Array(Set(hashes)).sorted { $0.lexicographicallyPrecedes($1) },
            digest: digest, isNewTree: true, result: result)
    }

    private func isDue(_ newest: ArchiveTimestamp) -> Bool {
        guard let margin = renewal.margin else { return renewal == .always }
        guard let end = newest.end else { return true }
        return end <= SystemClock.now().adding(margin)
    }

    private func objects(
        of source: InputSource, _ contents: [String], _ digests: Set<DigestAlgorithm>
    ) throws -> [EvidencedObject] {
        let paths = try EvidenceRecordFile.objects(of: source, contents)
        guard !paths.isEmpty else {
            throw SignetError(
                .missingInput, file: source.name,
                "the files that the evidence record covers were not found: a new hash tree needs them",
                hint: Sentence(.giveContent))
        }
        return try paths.map { try EvidenceRecordFile.object($0, digests) }
    }

    /// Rejects an invalid record, and one with a time in the future: a new timestamp would not make
    /// it valid.
    ///
    /// - Returns: the path of the newest TSA, and doubts about files that a renewal preserves.
    private func verify(
        _ record: EvidenceRecord, _ objects: [EvidencedObject], _ input: String
    ) throws -> (path: JudgedPath, doubts: [String]) {
        let check = try check(record, objects, input)
        for stamp in check.stamps {
            let problem = stamp.check.problems.first {
                $0.verdict == .failed || $0.code == .timeInFuture
            }
            guard let problem else { continue }
            throw SignetError(
                .invalidSignature, file: input,
                "the evidence record is invalid: \(problem.message)",
                hint: Sentence(.seeFailedMessage, input))
        }
        let certificates = record.certificates.compactMap { try? Certificate(der: $0) }
        guard let newest = check.stamps.last?.check,
            let path = JudgedPath(
                newest,
                candidates: certificates
                    + validation.trust.validator(at: SystemClock.now()).intermediates,
                carried: record.certificates)
        else {
            throw SignetError(
                .malformedInput, file: input, "the TSA certificate of the record is missing")
        }
        let doubts = check.stamps.flatMap(\.check.problems).filter { $0.code == .objectAmbiguous }
        return (path, Set(doubts.map(\.message)).sorted())
    }

    /// Adds the validation data of its TSA to a timestamp before a new one covers it: afterwards it
    /// could no longer be trusted.
    private func complete(
        _ token: TimestampToken, _ path: JudgedPath, _ input: String
    ) throws -> Completed {
        if let known = run.withLock({ $0.completed[token.encoded] }) { return known }
        let (complete, data) = try validation.forFile().completed(token, path, input)
        let completed = Completed(token: complete, data: data)
        // Another record may have been first: all must have the same bytes.
        return run.withLock { run in
            if let known = run.completed[token.encoded] { return known }
            run.completed[token.encoded] = completed
            return completed
        }
    }
}

extension ExtendedDocument {
    /// The result for an evidence record, which has no level.
    fileprivate init(renewed path: String, until end: CalendarTime?) {
        var data = ValidationData()
        data.renewBefore = end?.moment
        self.init(
            file: path, output: nil, from: nil, level: nil, signatures: [], validationData: data,
            warnings: [], isDocument: false)
    }

    fileprivate var renewBefore: CalendarTime? { validationData.renewBefore?.time }
}
