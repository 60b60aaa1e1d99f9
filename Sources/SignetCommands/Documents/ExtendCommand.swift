import ArgumentParser
import Base
import SignetKit
import SystemBridge

struct ExtendCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend",
        abstract: "Prepare signatures for long-term validation (B-LT, B-LTA).",
        discussion: """
            Fetches OCSP responses and CRLs for each signature and timestamp, and adds them to the PDF \
            or the CMS signature (.p7s, .p7m), also in containers (.asice, .asics). With --tsa, \
            adds a timestamp over this data (B-LTA). Existing bytes are not modified. Writes \
            NAME.extended.pdf or NAME.extended.p7s, or nothing if the level cannot be reached.

            A timestamp is trusted until the TSA certificate expires. --renew adds the next timestamp; \
            --within skips files whose timestamp is valid for longer. Evidence records (.ers) of one run \
            share a request; --digest renews their hash tree.

            Examples:
              signet extend contract.signed.pdf --tsa https://tsa.example/ts
              signet extend contract.signed.pdf --level LT --trust company-ca.pem
              signet extend data.zip.p7s --tsa https://tsa.example/ts
              signet extend archive --recursive --renew --within 180d \\
                  --tsa https://tsa.example/ts --in-place --json
            """)

    @Argument(help: ArgumentHelp("Files to extend", valueName: "file"), completion: .file())
    var inputs: [String] = []

    @Option(
        "LT or LTA (default: LTA with --tsa, otherwise LT)", value: "level",
        completion: .list([SignatureLevel.lt.shortName, SignatureLevel.lta.shortName]))
    var level: String?
    @Flag(help: "Add another timestamp, with current validation data")
    var renew = false
    @Option(
        "With --renew, skip timestamps valid longer, e.g. 180d",
        value: "duration")
    var within: String?
    @OptionGroup(title: "Timestamp (TSA)") var timestamp: TimestampArguments
    @OptionGroup(title: "Validation data") var evidence: EvidenceArguments
    @Option("Intermediate CA certificates; may be repeated", value: "file")
    var chain: [String] = []
    @Option(
        "File covered by a detached signature or evidence record, or folder with these files",
        value: "file|dir")
    var content: String?
    @Option(
        "Hash algorithm of a new hash tree for evidence records; reads the files again",
        value: "name", completion: .list(SigningOptions.Digest.names))
    var digest: String?
    @OptionGroup(title: "Output") var place: PlaceOptions
    @OptionGroup(title: "Output") var damage: DamageOptions
    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "Encrypted PDFs") var password: PasswordOptions
    @Flag(help: "Fetch revocation data, not timestamps; write nothing")
    var dryRun = false
    @OptionGroup(title: "General") var settings: SettingsOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    private static let patterns = [
        "*.pdf", "*.p7s", "*.p7m", "*.ers", "*.asice", "*.asics", "*.sce", "*.scs",
    ]

    func validate() throws {
        try batch.requireInputs(inputs)
        let level: SignatureLevel? = try Value.parse(level, "--level")
        let _: MarginArgument? = try Value.parse(within, "--within")
        guard level.map({ $0 > .t }) ?? true else {
            throw ValidationError("--level must be LT or LTA.")
        }
        if level == .lta { try timestamp.requireAuthority(for: "--level LTA") }
        if renew && level == .lt {
            throw ValidationError("--renew adds a timestamp (B-LTA): leave out --level LT.")
        }
        if renew && !dryRun { try timestamp.requireAuthority(for: "--renew") }
        if within != nil && !renew { throw ValidationError("--within requires --renew.") }
        if let content, inputs.count > 1 || batch.isBatch, !FileSystem.isDirectory(content) {
            throw ValidationError(
                "--content requires a folder for several signatures: use --content FOLDER.")
        }
        let _: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        try place.check(inputs: inputs)
    }

    func run(_ reporter: Reporter) throws {
        // One password source for all inputs, so that the password is entered once.
        let password = password.source()
        var found = try place.selected(
            inputs, patterns: Self.patterns, batch, suffix: ".extended.pdf")
        if renew { try warnOfTimestamps(besides: found, reporter) }
        let validation = try self.validation(of: found.count, password)
        let tasks = try tasks(validation, password: password)
        let (isRehearsal, contents) = (dryRun, contents(of: found))
        let names = naming(of: found)
        if place.skipExisting { found = OutputNaming.withoutOutputs(found, naming: names) }
        let paths = found.map(\.path)
        let verb = renew ? "renewed" : "extended"
        var many = Batch(isRehearsal ? "to be \(verb)" : verb, paths, self.messages)
        many.idleVerb = renew ? "not renewed" : "left unchanged"
        many.asksServer = true
        if !isRehearsal {
            try OutputNaming.plan(paths, naming: names)
            let existing = ExistingOutput(of: .validationData, password: password)
            many.judgesExisting = { output, input in
                (try? FileKind.isPDF(input)) == true
                    ? existing.doubt(about: output, of: input, isDocument: true)?.text : nil
            }
            try many.configure(batch, command: "extend", named: inputs, place)
        } else {
            many.isSummarized = batch.isBatch
        }
        let outcome = Result {
            try many.run { input in
                isRehearsal ? nil : try names(input).destination(for: input)
            } passes: { input, destination in
                try tasks.run(input, contents[ExactText(input)], destination)
            } isIdle: {
                isRehearsal ? !$0.isDue : $0.output == nil || $0.isCopy
            } report: { (_, extended: ExtendedDocument, reporter) in
                try tell(reporter, of: extended)
                return .done
            }
        }
        if !renew, found.count > 1 {
            // Report the given files that no input needed.
            for file in validation.unusedFiles {
                reporter.warning("\(file): the revocation data is not needed for any signature")
            }
        }
        try outcome.get()
    }

    /// Folders may contain timestamps, which become evidence records only if requested.
    private func warnOfTimestamps(
        besides found: [BatchSelection.Input], _ reporter: Reporter
    ) throws {
        guard batch.recursive, batch.include.isEmpty else { return }
        let known = Set(found.map(\.path))
        let others = (try? batch.selected(inputs, patterns: ["*.tsr", "*.tst"])) ?? []
        let count = others.count { !known.contains($0.path) }
        guard count > 0 else { return }
        reporter.warning(
            "\(count) timestamp\(count == 1 ? " was" : "s were") not renewed (.tsr, .tst); to renew, "
                + "run the command with --include '*.tsr'")
    }

    static func isContainer(_ input: String) -> Bool {
        (try? VerifiedKind.of(.file(input), hasContent: false)) == .container
    }

    private func naming(
        of selected: [BatchSelection.Input]
    ) -> @Sendable (String) throws -> OutputNaming {
        let (place, batch) = (place, batch)
        return { input in
            let kind = try FileKind.of(.file(input))
            if kind == .timestamp {
                guard !place.inPlace else {
                    throw SignetError(
                        .usage, file: input, "a renewed timestamp becomes an evidence record",
                        hint: "leave out --in-place to write an .ers file")
                }
                return place.names(".ers", dropping: ["tsr", "tst"], for: selected, batch)
            }
            let isContainer = Self.isContainer(input)
            guard kind == .message || kind == .evidenceRecord || isContainer else {
                return place.names(".extended.pdf", for: selected, batch)
            }
            let name = FileSystem.name(of: input)
            let end = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) }
            return place.names(
                ".extended.\(end ?? "p7s")", dropping: [end ?? "p7s"], for: selected, batch)
        }
    }

    /// The content of each detached signature or evidence record, if it is named.
    private func contents(of found: [BatchSelection.Input]) -> [ExactText: String] {
        guard let content else { return [:] }
        let isFolder = FileSystem.isDirectory(content)
        return Dictionary(
            found.map { input in
                let own = isFolder ? VerifiedKind.content(of: input, in: content) : nil
                return (
                    ExactText(input.path),
                    own.flatMap { FileSystem.exists($0) ? $0 : nil } ?? content
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    private func validation(
        of count: Int, _ password: DocumentPassword
    ) throws -> LongTermValidation {
        var validation = try LongTermValidation(
            evidence.options(chain: chain), timestamps: timestamp.authorities(chain: chain),
            password: password)
        validation.toleratesUnusedFiles = renew || count > 1
        validation.allowsDamaged = damage.allowDamaged
        return validation
    }

    private func tasks(
        _ validation: LongTermValidation, password: DocumentPassword
    ) throws -> ExtendTasks {
        let wanted: SignatureLevel? = try Value.parse(level, "--level")
        var goal = ExtendGoal(wanted ?? (!timestamp.tsa.isEmpty || renew ? .lta : .lt))
        goal.acceptsMore = wanted == nil
        // A named output is written even if nothing is added.
        goal.copiesUnchanged = place.output != nil
        if renew {
            let within: MarginArgument? = try Value.parse(within, "--within")
            goal.renewal = within.map { .within($0.duration) } ?? .always
        }
        return ExtendTasks(
            documents: ExtendDocument(validation, to: goal, password: password),
            messages: ExtendMessage(validation, to: goal),
            containers: ExtendContainer(validation, to: goal),
            records: RenewEvidenceRecords(
                validation, digest: try Value.parse(digest, "--digest"), goal.renewal,
                copiesUnchanged: goal.copiesUnchanged))
    }

    private func tell(_ reporter: Reporter, of extended: ExtendedDocument) throws {
        reporter.warnings(extended.warnings, of: extended.file)
        let text =
            switch extended.output {
            case "-"?: ""
            case let output? where extended.isCopy:
                "\(output): copied, nothing to add (\(extended.summary))"
            case let output?: "\(output): extended (\(extended.summary))"
            case nil where dryRun && extended.isDue:
                "\(extended.file): can be extended (\(extended.summary))"
            case nil: "\(extended.file): nothing to add (\(extended.summary))"
            }
        if !text.isEmpty { try reporter.line(text) }
        try reporter.result(json: extended)
    }
}

/// Extends a file according to its kind.
private struct ExtendTasks {
    let documents: ExtendDocument
    let messages: ExtendMessage
    let containers: ExtendContainer
    let records: RenewEvidenceRecords

    /// - Parameters:
    ///   - content: the content of a detached signature or evidence record, if it is named.
    ///   - destination: nil only checks.
    func run(
        _ input: String, _ content: String?, _ destination: Destination?
    ) throws -> Pass<ExtendedDocument> {
        switch try FileKind.of(.file(input)) {
        case .evidenceRecord, .timestamp:
            return try records.renew(
                .file(input), contents: [content].compactMap(\.self), into: destination)
        case .message:
            return .done(
                try messages.run(
                    .file(input), content: content.map(InputSource.file), into: destination))
        case .other where ExtendCommand.isContainer(input):
            return .done(try containers.run(.file(input), into: destination))
        default:
            guard try FileKind.isPDF(input) else {
                throw SignetError(
                    .malformedInput, file: input,
                    "the file is neither a PDF, a detached signature nor an evidence record",
                    hint: "use a signed PDF, a signature (.p7s) or an evidence record (.ers)")
            }
            return .done(
                try destination.map { try documents.run(.file(input), into: $0) }
                    ?? documents.check(.file(input)))
        }
    }
}
