import ArgumentParser
import SignetKit

struct ExtendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend",
        abstract: "Make signatures last: levels LT and LTA, and their renewal.",
        discussion: """
            Asks the authorities whether the certificates behind each signature and time stamp \
            count, and puts their answers into the document, or into the CMS message (.p7s, .p7m); \
            with --tsa a time stamp over all of it follows (LTA). What is there stays byte for byte, \
            whoever made it. The result is NAME.extended.pdf or NAME.extended.p7s. The level is \
            reached, or nothing is written.

            A time stamp proves something until its authority's certificate ends: --renew adds the \
            next one in time, and --within leaves alone what lasts longer, and what a time stamp of \
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
        help: ArgumentHelp(
            "LT or LTA (default: LTA with --tsa, else LT).", valueName: "level"),
        completion: .list([SignatureLevel.lt.shortName, SignatureLevel.lta.shortName]))
    var level: String?
    @Flag(help: "Add another time stamp, with fresh evidence about the one before.")
    var renew = false
    @Option(
        help: ArgumentHelp(
            "Leave alone what lasts longer than this: 180d.", valueName: "duration"))
    var within: String?
    @OptionGroup(title: "Authority") var timestamp: TimestampArguments
    @OptionGroup(title: "Evidence") var evidence: EvidenceArguments
    @Option(
        help: ArgumentHelp(
            "Certificates that the files lack, on the way to an anchor; repeatable.",
            valueName: "file"),
        completion: .file())
    var chain: [String] = []
    @Option(
        help: ArgumentHelp("What a detached signature (.p7s) covers.", valueName: "file"),
        completion: .file())
    var content: String?
    @OptionGroup(title: "Output") var place: PlaceOptions
    @OptionGroup(title: "Many files") var batch: BatchOptions
    @OptionGroup(title: "Encrypted documents") var password: PasswordOptions
    @Flag(help: "Say what there is to do and gather the evidence, write nothing.")
    var dryRun = false
    @OptionGroup(title: "Settings") var settings: SettingsOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(inputs)
        let level: SignatureLevel? = try Value.parse(level, "--level")
        let _: DurationArgument? = try Value.parse(within, "--within")
        try password.check(inputs: inputs + batch.standardInput, timestamp: timestamp)
        guard level.map({ $0 > .t }) ?? true else {
            throw ValidationError("Signatures are extended to LT or LTA.")
        }
        if level == .lta && timestamp.tsa.isEmpty {
            throw ValidationError("--level LTA needs a time-stamping authority: add --tsa URL.")
        }
        if renew && level == .lt {
            throw ValidationError("--renew adds a time stamp: leave out --level LT.")
        }
        if renew && timestamp.tsa.isEmpty && !dryRun {
            throw ValidationError("--renew needs a time-stamping authority: add --tsa URL.")
        }
        if within != nil && !renew {
            throw ValidationError("--within goes with --renew.")
        }
        if content != nil && (inputs.count > 1 || batch.isBatch) {
            throw ValidationError("--content goes with one signature.")
        }
        try place.check(inputs: inputs)
    }

    func run() throws {
        let documents: ExtendDocument
        let messages: ExtendMessage
        var found: [BatchSelection.Input]
        do {
            found = try place.selected(
                inputs, patterns: ["*.pdf", "*.p7s", "*.p7m"], batch, suffix: ".extended.pdf")
            (documents, messages) = try tasks()
        } catch {
            throw Reporter(options: self.messages).failure(error)
        }
        let (place, batch, isRehearsal, content) = (place, batch, dryRun, content)
        let selected = found
        @Sendable func names(for input: String) throws -> OutputNaming {
            guard try FileKind.of(input) == .message else {
                return place.names(".extended.pdf", for: selected, batch)
            }
            let name = input.split(separator: "/").last ?? ""
            let end = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) }
            return place.names(
                ".extended.\(end ?? "p7s")", dropping: [end ?? "p7s"], for: selected, batch)
        }
        if place.skipExisting { found = OutputNaming.withoutOutputs(found, names) }
        let paths = found.map(\.path)
        var many = Batch(renew ? "renewed" : "extended", paths, self.messages)
        many.idleVerb = renew ? "not renewed" : "left as they are"
        try Reporter.handleOne(self.messages) { _ in
            many.asksServer = true
            if !isRehearsal {
                try OutputNaming.plan(paths) { try names(for: $0) }
                try many.configure(batch, command: "extend", named: inputs, place)
            } else {
                many.isSummarized = batch.isBatch
            }
        }
        try many.run { input in
            isRehearsal ? nil : try names(for: input).destination(for: input)
        } work: { input, destination in
            let isMessage = try FileKind.of(input) == .message
            guard try isMessage || FileKind.isPDF(input) else {
                throw Self.refusal(of: input)
            }
            guard let destination else {
                return isMessage
                    ? try messages.check(.file(input), content: content.map(InputSource.file))
                    : try documents.check(.file(input))
            }
            return isMessage
                ? try messages.run(
                    .file(input), content: content.map(InputSource.file), into: destination)
                : try documents.run(.file(input), into: destination)
        } isIdle: {
            $0.output == nil && !isRehearsal
        } report: { (_, extended: ExtendedDocument, reporter) in
            try tell(reporter, extended)
            return .done
        }
    }

    private static func refusal(of input: String) -> SignetError {
        SignetError(
            .malformedInput, file: input,
            "is no PDF, and no signature of another file: there is nothing to extend",
            hint: "name the signature (.p7s) or the signed PDF")
    }

    private func tasks() throws -> (ExtendDocument, ExtendMessage) {
        let authorities = try timestamp.authorities()
        let password = password.source()
        let wanted: SignatureLevel? = try Value.parse(level, "--level")
        let level = wanted ?? (authorities != nil || renew ? .lta : .lt)
        let validation = try LongTermValidation(
            evidence.options(chain: chain), timestamps: authorities, password: password)
        var documents = ExtendDocument(validation, to: level, password: password)
        var messages = ExtendMessage(validation, to: level)
        (documents.acceptsMore, messages.acceptsMore) = (wanted == nil, wanted == nil)
        if renew {
            let within: DurationArgument? = try Value.parse(within, "--within")
            documents.renewsWithin = within?.seconds ?? .max
            messages.renewsWithin = documents.renewsWithin
        }
        return (documents, messages)
    }

    private func tell(_ reporter: Reporter, _ extended: ExtendedDocument) throws {
        reporter.warnings(extended.warnings, of: extended.file)
        let text =
            switch extended.output {
            case "-"?: ""
            case let output?: "\(output): extended (\(extended.summary))"
            case nil where dryRun && extended.isDue:
                "\(extended.file): can be extended (\(extended.summary))"
            case nil: "\(extended.file): nothing to add (\(extended.summary))"
            }
        if !text.isEmpty { try reporter.result(Reporter.printable(text)) }
        try reporter.result(json: extended)
    }
}
