import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import SystemBridge
import TimestampKit
import TrustKit

extension LongTermValidation {
    /// Extends the signatures in an unfinished output. After a failure the output must not be
    /// committed.
    ///
    /// - Parameters:
    ///   - path: name in messages.
    ///   - level: B-LT or B-LTA.
    ///   - known: existing plan for the same bytes; nil creates it.
    ///   - renewing: whether to add another document timestamp in any case.
    func extend(
        _ output: AtomicOutput, path: String, to level: SignatureLevel, plan known: Plan? = nil,
        renewing: Bool = false
    ) throws -> ValidationData {
        do {
            return try raise(output, path, level, known, renewing)
        } catch let error as SignetError
            where error.file == output.path && ![.outputRefused, .inputOutput].contains(error.code)
        {
            // The error names the temporary file, so its name is replaced for messages.
            throw SignetError(error.code, file: path, error.message, hint: error.hint)
        }
    }

    private func raise(
        _ output: AtomicOutput, _ path: String, _ level: SignatureLevel, _ known: Plan?,
        _ renewing: Bool
    ) throws -> ValidationData {
        var data = ValidationData()
        var plan = try known ?? plan(InputFile(output), for: level, renewing: renewing)
        let before = Self.renewBefore(plan.report)
        if plan.needsStampFirst {
            guard timestamps != nil else { throw Self.authorityMissing(path) }
            try append(Material(), stamps: true, tokenByteCount: nil, to: output, &data)
            plan = try self.plan(InputFile(output), for: level, renewing: renewing)
        }
        let material = try gather(plan.needs, plan.held, path)
        data.evidence = material.items.map(ValidationData.Evidence.init)
        data.warnings += material.warnings
        guard level < .lta || timestamps != nil else { throw Self.authorityMissing(path) }
        try append(
            material, stamps: level == .lta, tokenByteCount: plan.report.newestTokenByteCount,
            to: output, &data)
        try cover(output, path, level, &data)
        let report = try verify(InputFile(output))
        try requireLevel(level, in: report, path: path)
        data.warnings += Self.doubts(of: report)
        data.note(renewal: Self.renewBefore(report), from: renewing ? before : nil)
        data.requests = fetcher.requests
        return data
    }

    /// - Throws: ``SignetError`` if the goal is below the present level, or if a timestamp is
    ///   required, but no TSA is configured.
    func require(
        _ goal: ExtendGoal, from known: SignatureLevel?, isDue: Bool, _ path: String
    ) throws(SignetError) {
        guard goal.acceptsMore || goal.level != .lt || known != .lta else {
            throw SignetError(
                .usage, file: path, "the level is already B-LTA, higher than B-LT",
                hint: Sentence(.renewToKeep, path))
        }
        guard goal.level < .lta || timestamps != nil || !isDue else {
            throw Self.authorityMissing(path)
        }
    }

    static func authorityMissing(_ path: String) -> SignetError {
        SignetError(
            .usage, file: path,
            "a timestamp is required, but no time-stamping authority (TSA) is given",
            hint: Sentence(.addTSA))
    }

    /// Adds validation data for the newest timestamp, which viewers expect in the document. Data
    /// about a new TSA is not in the document yet.
    private func cover(
        _ output: AtomicOutput, _ path: String, _ level: SignatureLevel,
        _ data: inout ValidationData
    ) throws {
        guard level == .lta else { return }
        let report = try verify(InputFile(output))
        guard let newest = report.signatures.last(where: { $0.kind == .timestamp }),
            !newest.hasValidationData
        else { return }
        let plan = try plan(InputFile(output), for: level, renewing: true, covering: newest.field)
        let material: Material
        do {
            // Newer data can be added together with the next timestamp.
            material = try gather(plan.needs, plan.held, path, acceptsOlder: true)
        } catch let error as SignetError where error.code == .malformedInput {
            // A TSA certificate without an OCSP or CRL URL is not an error.
            data.warnings.append(error.message)
            return
        }
        data.evidence += material.items.map(ValidationData.Evidence.init)
        try append(material, stamps: false, tokenByteCount: nil, to: output, &data)
    }

    /// Checks by an offline verification that the requested level was reached.
    private func requireLevel(
        _ level: SignatureLevel, in report: DocumentReport, path: String
    ) throws {
        let newest = report.signatures.lastIndex { $0.kind == .timestamp }
        // The problem that prevents the newest timestamp from proving the others.
        let doubt = newest.flatMap { report.signatures[$0].allProblems.first { $0.verdict != nil } }
        for (index, signature) in report.signatures.enumerated() {
            // Untrusted timestamps of others do not lower the level.
            if signature.kind == .timestamp, signature.verdict != .failed, index != newest {
                continue
            }
            guard signature.kind == .timestamp || (signature.level ?? .cms) >= level,
                signature.isSettled
            else {
                let problem =
                    signature.allProblems.first { $0.verdict == signature.verdict }
                    ?? signature.allProblems.first { $0.verdict != nil }
                    ?? doubt
                guard signature.verdict != .failed else {
                    throw SignetError(
                        .invalidSignature, file: path,
                        "the signature '\(signature.field)' would fail: "
                            + (problem?.message ?? "it is invalid"))
                }
                throw unreached(
                    level,
                    because: Shortfall(
                        name: "'\(signature.field)'", problem: problem?.message,
                        level: signature.level, paths: signature.paths,
                        lacksStatus: problem.map { Self.statusCodes.contains($0.code) } ?? false),
                    file: path)
            }
        }
    }

    /// Problems that extending cannot solve; the signature remains valid without them.
    static func doubts(of report: DocumentReport) -> [String] {
        var doubts: [String] = []
        for signature in report.signatures {
            for problem in signature.allProblems
            where problem.verdict == .indeterminate && !doubts.contains(problem.message) {
                doubts.append(problem.message)
            }
        }
        return doubts.map { "the level is reached, but the signature is indeterminate: \($0)" }
    }

    /// A signature below the requested level.
    struct Shortfall {
        let name: String
        /// The problem reported by verification; nil for none.
        let problem: String?
        let level: SignatureLevel?
        let paths: [JudgedPath]
        /// Whether newer revocation data would solve the problem.
        var lacksStatus = false
    }

    private static let statusCodes: Set<ProblemCode> = [
        .revocationUnknown, .revocationUnusable, .revocationOutdated,
    ]

    /// The error that the requested level cannot be reached, with the reason.
    func unreached(_ wanted: SignatureLevel, because found: Shortfall, file: String) -> SignetError
    {
        let stays = "it stays at \(found.level?.rawValue ?? "no level")"
        // A directly trusted certificate has no issuer that could report its status.
        let isAlone = !found.paths.isEmpty && found.paths.allSatisfy { $0.chain.count == 1 }
        let why =
            isAlone
            ? "\(stays), because its signing and TSA certificates are trusted directly, "
                + "without the revocation data that the level requires" : found.problem ?? stays
        return SignetError(
            .untrusted, file: file, "\(found.name) would not reach \(wanted.rawValue): \(why)",
            hint: isSigning
                ? Sentence(.signLowerOrPublishing)
                : isAlone
                    ? Sentence(.useOtherTSAForLT)
                    : found.lacksStatus
                        ? Sentence(.giveNewerListUnwritten) : Sentence(.seeUnwritten, file))
    }

    static func newestStamp(_ report: DocumentReport) -> SignatureReport? {
        let stamps = report.signatures.filter { $0.kind == .timestamp && !$0.paths.isEmpty }
        return stamps.last(where: \.isSettled) ?? stamps.last
    }

    /// Whether a document timestamp is still valid at `time`.
    static func isProven(_ report: DocumentReport, at time: CalendarTime) -> Bool {
        guard newestStamp(report)?.isSettled == true, let end = renewBefore(report) else {
            return false
        }
        return end > time
    }

    /// When the proof by a document timestamp over a whole file expires.
    ///
    /// - Returns: nil if its TSA is not trusted, or if signatures without revocation data are not
    ///   proven by it.
    func end(
        ofProof newest: NewestTimestamp, of document: PDFDocument, in file: InputFile
    ) throws -> CalendarTime? {
        let material = try NewestTimestamp.material(of: document)
        guard newest.byteRange.second.upperBound == file.byteCount,
            let algorithm = newest.token.info.messageImprint.digest
        else { return nil }
        let request = ByteRangeHasher.Request(byteRange: newest.byteRange, algorithm: algorithm)
        let hasher = ByteRangeHasher(of: file)
        hasher.begin([request])
        let now = SystemClock.now()
        var validator = trust.validator(at: now)
        validator.source = nil
        var verifier = TimestampVerifier(validator, time: now)
        verifier.additionalCertificates = material.certificates + validator.intermediates
        verifier.evidence = material.evidence
        let check = try verifier.verify(newest.token, hash: try hasher.digest(request))
        // Validation data is only read from a file with a trusted timestamp.
        guard check.imprintMatches == true, verifier.verdict(of: check) == .passed,
            newest.hasEvidence(among: material)
        else { return nil }
        // The validated chain is used, not the certificates in the token.
        return TimestampEnd.of(check.chain, digest: algorithm)
    }

    /// When the proof by the newest timestamp expires.
    static func renewBefore(_ report: DocumentReport) -> CalendarTime? {
        guard let newest = newestStamp(report), let path = newest.paths.first else { return nil }
        return TimestampEnd.of(
            path.chain.isEmpty ? [path.leaf] : path.chain,
            digest: newest.times?.timestamp?.info.messageImprint.digest)
    }

    // MARK: Appending

    /// Appends one revision: the missing data, and a document timestamp over all data.
    private func append(
        _ material: Material, stamps: Bool, tokenByteCount: Int?, to output: AtomicOutput,
        _ data: inout ValidationData
    ) throws {
        let input = try ScannedInput(output)
        let added: AddedValidationData
        if stamps, let timestamps {
            var update = DocumentTimestamp(
                input: input, password: password, digest: .sha256, timestamps: timestamps)
            (update.material, update.allowsDamaged) = (material, allowsDamaged)
            let made = try update.run(into: nil, expecting: tokenByteCount)
            added = made.layout.added
            data.warnings += [made.damage, made.layout.lockRemark].compactMap(\.self).filter {
                !data.warnings.contains($0)
            }
            data.warnings += made.notes + made.stamp.notes.filter { $0 != made.stamp.trustNote }
            data.timestamp = ValidationData.Stamp(made.stamp)
        } else {
            added = try appendStore(material, input, output, &data)
        }
        data.added += added
    }

    private func appendStore(
        _ material: Material, _ input: ScannedInput, _ output: AtomicOutput,
        _ data: inout ValidationData
    ) throws -> AddedValidationData {
        let opened = try UpdatableDocument(
            input.file, password: password, allowsDamaged: allowsDamaged)
        if let damage = opened.damage, !data.warnings.contains(damage) {
            data.warnings.append(damage)
        }
        let (added, update) = try storeUpdate(material, input, opened)
        if let update { try writing(output.path) { try output.write(update.bytes) } }
        return added
    }

    /// The update that adds missing data to the DSS.
    ///
    /// - Returns: no update if nothing is missing.
    private func storeUpdate(
        _ material: Material, _ input: ScannedInput, _ opened: UpdatableDocument
    ) throws -> (AddedValidationData, SerializedUpdate?) {
        try opened.mend()
        let (document, form) = (opened.document, opened.form)
        try SigningPermission.check(document, form: form, isTimestamp: true)
        let seal = try IntegritySeal.of(document)
        var update = IncrementalUpdate(
            document: document, avoiding: try input.numbers(in: document))
        var store = try SecurityStoreUpdate(of: document)
        let added = try store.add(
            certificates: material.certificates, evidence: material.evidence, to: &update)
        guard !added.isEmpty else { return (added, nil) }
        let identifier = newFileIdentifier()
        let serialized =
            try seal?.serialize(update, of: document, fileIdentifier: identifier)
            ?? update.serialize(fileIdentifier: identifier)
        return (added, serialized)
    }
}

extension ValidationData.Stamp {
    init(_ stamp: ObtainedTimestamp) {
        let certificate = stamp.token.signedData.certificates.lazy
            .compactMap { try? Certificate(der: $0) }.first { !$0.isCA }
        self.init(
            time: stamp.token.info.genTime, tsa: stamp.server,
            notAfter: certificate?.notAfter.moment)
    }
}
