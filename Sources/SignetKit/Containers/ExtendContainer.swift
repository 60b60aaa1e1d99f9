import Base
import CMSKit
import Containers
import CryptoBridge
import SystemBridge
import TimestampKit
import TrustKit

/// Extends containers with CAdES signatures: validation data is added to the signatures, and in
/// ASiC-E a timestamp over all files follows (ETSI EN 319 162-1 §4.4.4.2, `ASiCArchiveManifest`).
/// The signature of ASiC-S gets its archive timestamp itself. All other entries remain byte for byte.
public struct ExtendContainer: Sendable {
    private var validation: LongTermValidation
    private let goal: ExtendGoal

    /// - Parameter goal: the level, and whether files that have it are renewed.
    public init(_ validation: LongTermValidation, to goal: ExtendGoal) {
        self.validation = validation
        self.validation.isSigning = false
        self.goal = goal
    }

    /// Extends the signatures in `input`, and writes the container to `destination`. If nothing is
    /// added, no output or an identical one is written: see ``ExtendGoal/copiesUnchanged``. After a
    /// failure, no output file remains.
    ///
    /// - Parameter destination: nil determines and collects the missing data, and writes nothing.
    /// - Throws: ``SignetError`` if the level cannot be reached.
    public func run(_ input: InputSource, into destination: Destination?) throws -> ExtendedDocument
    {
        var copy = self
        copy.validation = validation.forFile()
        return try copy.extend(input, destination)
    }

    private func extend(
        _ source: InputSource, _ destination: Destination?
    ) throws -> ExtendedDocument {
        let input = source.name
        return try reading(input) {
            let file = try source.open(isReplaced: destination?.isInPlace ?? false)
            let container = try SignatureContainer(file, name: input)
            let plan = try plan(container, input)
            try ContainerFile.requireSound(container, input)
            var result = ExtendedDocument(input, plan)
            let isDue = isDue(plan)
            try validation.require(goal, from: plan.level, isDue: isDue, input)
            result.isDue = isDue
            guard let destination else {
                if isDue { try rehearse(plan, &result, input) }
                return result
            }
            guard isDue || goal.copiesUnchanged else { return result }
            let output = try destination.output(from: file)
            if isDue {
                try write(plan, to: output, &result)
                try ContainerFile.requireReadable(output, destination.path)
                if result.validationData.gained == false, goal.renewal.margin != nil,
                    plan.level.map({ $0 >= goal.level }) ?? false
                {
                    result.leave(until: result.validationData.renewBefore?.time)
                    return result
                }
            } else {
                try output.copy(from: file, range: 0..<file.byteCount)
            }
            try file.requireUnchanged()
            try writing(destination.path) { try output.commit() }
            (result.output, result.isCopy) = (destination.path, !isDue)
            return result
        }
    }

    // MARK: Missing validation data

    fileprivate struct Plan {
        struct Member {
            let unit: SignatureContainer.Unit
            let archived: ArchivedMessage
            let plan: LongTermValidation.MessagePlan
        }

        let container: SignatureContainer
        let files: CoveredFiles
        var members: [Member] = []
        /// Whether timestamps of the container cover its signatures, or are to cover them.
        var hasArchive = false
        var newest: (name: String, token: TimestampToken, check: TimestampCheck, path: JudgedPath)?

        var level: SignatureLevel? { members.map(\.plan.level).min() }
        var signers: [LongTermValidation.MessageSigner] { members.flatMap(\.plan.signers) }

        var renewBefore: CalendarTime? {
            guard let newest else { return LongTermValidation.renewBefore(signers) }
            let chain = newest.check.chain
            return TimestampEnd.of(
                chain.isEmpty ? [newest.path.leaf] : chain,
                digest: newest.token.info.messageImprint.digest)
        }
    }

    private func plan(_ container: SignatureContainer, _ input: String) throws -> Plan {
        try requireMessages(container, input)
        let now = SystemClock.now()
        let validator = validation.trust.validator(at: now)
        var plan = Plan(container: container, files: CoveredFiles(container))
        let timestamps = try ContainerTimestamps(
            container, plan.files, validator, at: now, nil)
        var sealed: Set<ExactText> = []
        for found in timestamps.found {
            let problems = (found.check?.problems ?? []) + (found.covered?.problems ?? [])
            if let problem = problems.first(where: { $0.verdict == .failed }) {
                throw Self.failure(found.unit.entry.name, problem.message, input)
            }
            sealed.formUnion((found.covered?.covered ?? []).map { ExactText($0) })
            guard let token = found.token, let check = found.check, found.unit.manifest != nil,
                let path = JudgedPath(
                    check, candidates: timestamps.material.certificates + validator.intermediates,
                    carried: timestamps.material.certificates.map(\.der)),
                plan.newest.map({ $0.token.info.genTime.time <= token.info.genTime.time }) ?? true
            else { continue }
            plan.newest = (found.unit.entry.name, token, check, path)
        }
        let messages = container.units.filter { $0.form == .message }
        let isSealed = messages.contains { sealed.contains(ExactText($0.entry.name)) }
        plan.hasArchive = container.kind == .extended || isSealed
        for unit in messages {
            plan.members.append(
                try member(
                    unit, plan, input, timestamps.proof(of: unit.entry.name)))
        }
        return plan
    }

    private func requireMessages(
        _ container: SignatureContainer, _ input: String
    ) throws(SignetError) {
        guard !container.units.contains(where: { $0.form == .signatureFile }) else {
            throw SignetError(
                .malformedInput, file: input,
                "the container has XML signatures (XAdES), which are verified, but not extended")
        }
        guard container.units.contains(where: { $0.form == .message }) else {
            throw SignetError(.nothingToVerify, file: input, "the file has no signature")
        }
    }

    private static func failure(_ name: String, _ message: String, _ input: String) -> SignetError {
        SignetError(
            .invalidSignature, file: input, "\(name.inQuotes) failed: \(message)",
            hint: Sentence(.seeFailedDocument, input))
    }

    private func member(
        _ unit: SignatureContainer.Unit, _ plan: Plan, _ input: String,
        _ proof: MessageJudge.ExistenceProof?
    ) throws -> Plan.Member {
        let name = unit.entry.name
        guard let signed = unit.signed else {
            throw SignetError(.malformedInput, file: input, "\(name.inQuotes) covers no file")
        }
        let time = proof?.time ?? SystemClock.now()
        let covered = try unit.manifest.map { try plan.files.check($0, at: time) }
        if let problem = covered?.problems.first(where: { $0.verdict != nil }) {
            throw Self.failure(name, problem.message, input)
        }
        let bytes = try plan.container.archive.bytes(
            of: unit.entry, limit: ContainerLimits.messageByteCount)
        let message = try MessageFile.parse(bytes, input)
        guard !message.signers.isEmpty, message.content == nil else {
            throw SignetError(
                .malformedInput, file: input,
                "\(name.inQuotes) is not a detached signature")
        }
        let wanted = message.requiredDigests.union(message.archiveDigests)
            .union([LongTermValidation.archiveDigest])
        let digests = try wanted.reduce(into: [DigestAlgorithm: [UInt8]]()) {
            $0[$1] = try plan.files.hash(of: signed, $1)
        }
        let archived = try ArchivedMessage(bytes, path: input, digests: digests)
        let target = plan.hasArchive ? SignatureLevel.lt : goal.level
        let own = try validation.plan(
            archived, for: target, renewing: !plan.hasArchive && goal.renews, outer: proof)
        if !own.due.isEmpty { try Self.requireReplaceable(unit.entry, plan.container, input) }
        return Plan.Member(unit: unit, archived: archived, plan: own)
    }

    /// Rejects a change of an entry that a manifest covers.
    private static func requireReplaceable(
        _ entry: ZIPEntry, _ container: SignatureContainer, _ input: String
    ) throws(SignetError) {
        guard let manifest = container.manifest(covering: entry) else { return }
        throw SignetError(
            .malformedInput, file: input,
            "\(manifest.name.inQuotes) covers \(entry.name.inQuotes), so validation data cannot be "
                + "added to it")
    }

    private func isDue(_ plan: Plan) -> Bool {
        guard let margin = goal.renewal.margin, !isBelowLevel(plan) else {
            return goal.renews || isBelowLevel(plan)
        }
        guard let end = plan.renewBefore else { return true }
        return end <= SystemClock.now().adding(margin)
    }

    private func isBelowLevel(_ plan: Plan) -> Bool {
        plan.signers.contains { $0.isBelow(goal.level) }
    }

    private func rehearse(
        _ plan: Plan, _ result: inout ExtendedDocument, _ input: String
    ) throws {
        result.level = goal.level
        for member in plan.members where member.plan.unstamped.isEmpty {
            let material = try validation.gather(member.plan.needs, member.plan.held, input)
            result.validationData.evidence += material.items.map(ValidationData.Evidence.init)
            result.warnings += material.warnings
        }
    }

    // MARK: Writing

    private func write(
        _ plan: Plan, to output: AtomicOutput, _ result: inout ExtendedDocument
    ) throws {
        var data = ValidationData()
        var contents: [(name: String, bytes: [UInt8])] = []
        let target = plan.hasArchive ? SignatureLevel.lt : goal.level
        for member in plan.members where !member.plan.due.isEmpty {
            let extended = try validation.extend(
                member.archived, to: target, plan: member.plan,
                renewing: !plan.hasArchive && goal.renews)
            contents.append((member.unit.entry.name, extended.message))
            data.merge(extended.data)
        }
        let archive = plan.container.archive
        var names = ContainerNames(plan.container)
        let former =
            goal.level == .lta && plan.hasArchive
            ? archive.entry(ContainerLayout.archiveManifest) : nil
        var omitted = contents.map(\.name)
        if goal.level == .lta, plan.hasArchive, let newest = plan.newest {
            if let entry = archive.entry(newest.name) {
                try Self.requireReplaceable(entry, plan.container, result.file)
            }
            let (token, added) = try validation.completed(newest.token, newest.path, result.file)
            data.merge(added)
            contents.append((newest.name, token.encoded))
            omitted.append(newest.name)
        }
        var renamed: String?
        if let former {
            try Self.requireReplaceable(former, plan.container, result.file)
            // The newest archive manifest has the name without a number (EN 319 162-1 §A.7).
            let name = names.next("ASiCArchiveManifest", ".xml")
            contents.append(
                (name, try archive.bytes(of: former, limit: ContainerLimits.manifestByteCount)))
            omitted.append(former.name)
            renamed = name
        }
        var writer = ZIPWriter { part in try writing(output.path) { try output.write(part) } }
        try writer.copy(archive, omitting: omitted)
        for content in contents { try writer.add(content.name, content.bytes) }
        if goal.level == .lta, plan.hasArchive {
            let manifest = try manifest(plan, contents, omitting: omitted, root: renamed)
            try addArchive(manifest, names.next("timestamp", ".tst"), &writer, &data)
        }
        try writer.finish(comment: archive.comment)
        let after = try self.plan(
            SignatureContainer(InputFile(output), name: result.file), result.file)
        for signer in after.signers where signer.isBelow(goal.level) {
            throw validation.unreached(
                goal.level,
                because: .init(
                    name: "the signature of \(signer.name)", problem: signer.problem,
                    level: signer.level, paths: signer.found.signer.paths), file: result.file)
        }
        data.note(renewal: after.renewBefore, from: goal.renews ? plan.renewBefore : nil)
        data.requests = validation.fetcher.requests
        result.adopt(data, goal.level)
    }

    /// A manifest over all files, signatures, manifests, timestamps and evidence records.
    private func manifest(
        _ plan: Plan, _ contents: [(name: String, bytes: [UInt8])], omitting omitted: [String],
        root: String?
    ) throws -> ManifestBuilder {
        let digest = LongTermValidation.archiveDigest
        var manifest = ManifestBuilder(digest)
        let replaced = Set(omitted.map { ExactText($0) })
        for entry in plan.container.archive.entries
        where !replaced.contains(ExactText(entry.name)) {
            switch ContainerMember(entry) {
            case .folder, .mimeType, .packageManifest, .other: continue
            default:
                manifest.add(
                    entry.name, plan.container.mimeType(of: entry),
                    try plan.files.hash(of: entry, digest))
            }
        }
        for content in contents {
            manifest.add(
                content.name, ContainerMember.mimeType(named: content.name),
                try digest.hash(content.bytes), isRoot: content.name == root)
        }
        return manifest
    }

    private func addArchive(
        _ manifest: ManifestBuilder, _ name: String, _ writer: inout ZIPWriter,
        _ data: inout ValidationData
    ) throws {
        let digest = LongTermValidation.archiveDigest
        guard let timestamps = validation.timestamps else {
            throw LongTermValidation.authorityMissing(name)
        }
        let content = manifest.document(target: name, type: ManifestBuilder.timestamp)
        let hash = try digest.hash(content)
        let stamp = try timestamps.stamp(hash: hash, digest: digest)
        data.warnings += stamp.notes.filter { $0 != stamp.trustNote }
        data.timestamp = ValidationData.Stamp(stamp)
        // Without validation data the timestamp cannot be validated offline.
        let now = SystemClock.now()
        var validator = validation.trust.validator(at: now)
        validator.source = validation.issuers
        let check = try TimestampVerifier(validator, time: now).verify(stamp.token, hash: hash)
        var token = stamp.token
        if let path = JudgedPath(
            check, candidates: validator.intermediates,
            carried: token.signedData.certificates)
        {
            let complete = try validation.completed(token, path, name)
            data.merge(complete.data)
            token = complete.token
        }
        try writer.add(ContainerLayout.archiveManifest, content)
        try writer.add(name, token.encoded)
    }
}

/// Names of further entries in `META-INF`. A name that a manifest refers to is used, even if there
/// is no such entry: otherwise the manifest would be about the new entry.
struct ContainerNames {
    private var used: Set<String>

    /// - Parameter container: nil for a new one.
    init(_ container: SignatureContainer?) {
        let references = (container?.manifests ?? []).flatMap { manifest in
            [manifest.content.target] + manifest.content.references.map(\.file)
        }
        let names = (container?.archive.entries ?? []).map(\.name) + references.flatMap(\.names)
        used = Set(names.map { $0.lowercased() })
    }

    /// The first unused name with a number.
    mutating func next(_ stem: String, _ suffix: String) -> String {
        next([(stem, suffix)])[0]
    }

    /// Names with the first number that none of the used names has.
    mutating func next(_ forms: [(stem: String, suffix: String)]) -> [String] {
        var number = 1
        while true {
            let digits = number.padded(to: 3)
            let names = forms.map { "META-INF/\($0.stem)\(digits)\($0.suffix)" }
            if used.isDisjoint(with: names.map { $0.lowercased() }) {
                used.formUnion(names.map { $0.lowercased() })
                return names
            }
            number += 1
        }
    }
}

extension ValidationData {
    /// Adds the data of another signature of the same file.
    fileprivate mutating func merge(_ other: ValidationData) {
        evidence += other.evidence
        added += other.added
        warnings += other.warnings.filter { !warnings.contains($0) }
        timestamp = other.timestamp ?? timestamp
    }
}

extension ExtendedDocument {
    fileprivate init(_ path: String, _ plan: ExtendContainer.Plan) {
        self.init(
            path,
            plan.members.flatMap { member in
                member.plan.signers.map { (member.unit.entry.name, $0) }
            }, renewBefore: plan.renewBefore)
    }
}
