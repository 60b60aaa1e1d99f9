import ArgumentParser
import SignetKit
import SystemBridge

struct ExtendCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend",
        abstract: "Make signatures last: levels LT and LTA, and their renewal.",
        discussion: """
            Asks the authorities whether the certificates behind each signature and timestamp \
            count, and puts their answers into the document, or into the CMS message (.p7s, .p7m); \
            with --tsa a timestamp over all of it follows (LTA). What is there stays byte for byte, \
            whoever made it. The result is NAME.extended.pdf or NAME.extended.p7s. The level is \
            reached, or nothing is written.

            A timestamp proves something until its authority's certificate ends: --renew adds the \
            next one in time, and --within leaves alone what lasts longer, and what a timestamp of \
            the authority would make last no longer.

            Examples:
              signet extend contract.signed.pdf --tsa https://tsa.example/ts
              signet extend contract.signed.pdf --level LT --trust company-ca.pem
              signet extend data.zip.p7s --tsa https://tsa.example/ts
              signet extend archive --recursive --renew --within 180d \\
                  --tsa https://tsa.example/ts --in-place --json
            """ + ExitStatus.help(.extending))

    @Argument(help: "The files to extend.", completion: .file())
    var inputs: [String] = []

    @Option(
        "LT or LTA (default: LTA with --tsa, else LT).", value: "level",
        completion: .list([SignatureLevel.lt.shortName, SignatureLevel.lta.shortName]))
    var level: String?
    @Flag(help: "Add another timestamp, with fresh evidence about the one before.")
    var renew = false
    @Option("Leave alone what lasts longer than this: 180d.", value: "days")
    var within: String?
    @OptionGroup(title: "Authority") var timestamp: TimestampArguments
    @OptionGroup(title: "Evidence") var evidence: EvidenceArguments
    @Option("Certificates that the files lack, on the way to an anchor; repeatable.", value: "file")
    var chain: [String] = []
    @Option("What a detached signature (.p7s) covers.", value: "file")
    var content: String?
    @OptionGroup(title: "Output") var place: PlaceOptions
    @OptionGroup(title: "Output") var damage: DamageOptions
    @OptionGroup(title: "Many files") var batch: BatchOptions
    @OptionGroup(title: "Encrypted documents") var password: PasswordOptions
    @Flag(help: "Say what there is to do and gather the evidence, write nothing.")
    var dryRun = false
    @OptionGroup(title: "Settings") var settings: SettingsOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(inputs)
        let level: SignatureLevel? = try Value.parse(level, "--level")
        let _: MarginArgument? = try Value.parse(within, "--within")
        try password.check(inputs: inputs + batch.standardInput, timestamp: timestamp)
        guard level.map({ $0 > .t }) ?? true else {
            throw ValidationError("Signatures are extended to LT or LTA.")
        }
        if level == .lta && timestamp.tsa.isEmpty {
            throw ValidationError("--level LTA needs a time-stamping authority: add --tsa URL.")
        }
        if renew && level == .lt {
            throw ValidationError("--renew adds a timestamp: leave out --level LT.")
        }
        if renew && timestamp.tsa.isEmpty && !dryRun {
            throw ValidationError("--renew needs a time-stamping authority: add --tsa URL.")
        }
        if within != nil && !renew { throw ValidationError("--within goes with --renew.") }
        if content != nil && (inputs.count > 1 || batch.isBatch) {
            throw ValidationError("--content goes with one signature.")
        }
        try place.check(inputs: inputs)
    }

    func run(_ reporter: Reporter) throws {
        // One for all: it is asked for once.
        let password = password.source()
        var found = try place.selected(
            inputs, patterns: ["*.pdf", "*.p7s", "*.p7m"], batch, suffix: ".extended.pdf")
        let validation = try self.validation(of: found.count, password)
        let (documents, messages) = try tasks(validation, password)
        let (isRehearsal, content) = (dryRun, content.map(InputSource.file))
        let names = naming(of: found)
        if place.skipExisting { found = OutputNaming.withoutOutputs(found, names) }
        let paths = found.map(\.path)
        let verb = renew ? "renewed" : "extended"
        var many = Batch(isRehearsal ? "to be \(verb)" : verb, paths, self.messages)
        many.idleVerb = renew ? "not renewed" : "left as they are"
        many.asksServer = true
        if !isRehearsal {
            try OutputNaming.plan(paths, names)
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
            } work: { input, destination in
                guard try FileKind.of(.file(input)) == .message else {
                    guard try FileKind.isPDF(input) else { throw Self.refusal(of: input) }
                    return try destination.map { try documents.run(.file(input), into: $0) }
                        ?? documents.check(.file(input))
                }
                return try destination.map {
                    try messages.run(.file(input), content: content, into: $0)
                } ?? messages.check(.file(input), content: content)
            } isIdle: {
                isRehearsal ? !$0.isDue : $0.output == nil || $0.isCopy
            } report: { (_, extended: ExtendedDocument, reporter) in
                try tell(reporter, extended)
                return .done
            }
        }
        if !renew, found.count > 1 {
            // What was given for many inputs, and served none.
            for file in validation.unusedFiles {
                reporter.warning("\(file): says nothing that any of the signatures needs")
            }
        }
        try outcome.get()
    }

    /// The naming of the outputs.
    private func naming(
        of selected: [BatchSelection.Input]
    ) -> @Sendable (String) throws -> OutputNaming {
        let (place, batch) = (place, batch)
        return { input in
            guard try FileKind.of(.file(input)) == .message else {
                return place.names(".extended.pdf", for: selected, batch)
            }
            let name = FileSystem.name(of: input)
            let end = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) }
            return place.names(
                ".extended.\(end ?? "p7s")", dropping: [end ?? "p7s"], for: selected, batch)
        }
    }

    private static func refusal(of input: String) -> SignetError {
        SignetError(
            .malformedInput, file: input,
            "is not a PDF, and no signature of another file: there is nothing to extend",
            hint: "name the signature (.p7s) or the signed PDF")
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
        _ validation: LongTermValidation, _ password: DocumentPassword
    ) throws -> (ExtendDocument, ExtendMessage) {
        let wanted: SignatureLevel? = try Value.parse(level, "--level")
        let level = wanted ?? (!timestamp.tsa.isEmpty || renew ? .lta : .lt)
        var documents = ExtendDocument(validation, to: level, password: password)
        var messages = ExtendMessage(validation, to: level)
        (documents.acceptsMore, messages.acceptsMore) = (wanted == nil, wanted == nil)
        // A named output is written even if nothing is added.
        let copies = place.output != nil
        (documents.copiesUnchanged, messages.copiesUnchanged) = (copies, copies)
        if renew {
            let within: MarginArgument? = try Value.parse(within, "--within")
            documents.renewal = within.map { .within($0.duration) } ?? .always
            messages.renewal = documents.renewal
        }
        return (documents, messages)
    }

    private func tell(_ reporter: Reporter, _ extended: ExtendedDocument) throws {
        reporter.warnings(extended.warnings, of: extended.file)
        let text =
            switch extended.output {
            case "-"?: ""
            case let output? where extended.isCopy:
                "\(output): a copy, nothing to add (\(extended.summary))"
            case let output?: "\(output): extended (\(extended.summary))"
            case nil where dryRun && extended.isDue:
                "\(extended.file): can be extended (\(extended.summary))"
            case nil: "\(extended.file): nothing to add (\(extended.summary))"
            }
        if !text.isEmpty { try reporter.line(text) }
        try reporter.result(json: extended)
    }
}
