import ArgumentParser
import SignetKit

struct ExtendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend",
        abstract: "Make signatures of PDF files last: levels LT and LTA, and their renewal.",
        discussion: """
            Asks the authorities whether the certificates behind each signature and time stamp \
            count, and puts their answers into the document; with --tsa a time stamp over all of it \
            follows (LTA). What is there stays byte for byte, whoever made it. The result is \
            NAME.extended.pdf. The level is reached, or nothing is written.

            A time stamp proves something until its authority's certificate ends: --renew adds the \
            next one in time, and --within leaves alone what lasts longer.

            Examples:
              signet extend contract.signed.pdf --tsa https://tsa.example/ts
              signet extend contract.signed.pdf --level LT --trust company-ca.pem
              signet extend archive/*.pdf --renew --within 180d \\
                  --tsa https://tsa.example/ts --in-place --json
            """ + ExitStatus.help(.checking))

    @Argument(help: "The files to extend.", completion: .file())
    var inputs: [String]

    @Option(
        help: ArgumentHelp(
            "LT or LTA (default: LTA with --tsa, else LT).", valueName: "level"),
        completion: .list([BaselineLevel.lt.rawValue, BaselineLevel.lta.rawValue]))
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
    @OptionGroup(title: "Output") var place: PlaceOptions
    @OptionGroup(title: "Encrypted documents") var password: PasswordOptions
    @Flag(help: "Say what there is to do and gather the evidence, write nothing.")
    var dryRun = false
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        let level: BaselineLevel? = try Value.parse(level, "--level")
        let _: DurationArgument? = try Value.parse(within, "--within")
        try password.check(inputs: inputs, timestamp: timestamp)
        guard level.map({ $0.level > .t }) ?? true else {
            throw ValidationError("Signatures are extended to LT or LTA.")
        }
        if level == .lt && !timestamp.tsa.isEmpty {
            throw ValidationError("Level LT has no time stamp: leave out --level LT or --tsa.")
        }
        if level == .lta && timestamp.tsa.isEmpty {
            throw ValidationError("--level LTA needs a time-stamping authority: add --tsa URL.")
        }
        if renew && timestamp.tsa.isEmpty && !dryRun {
            throw ValidationError("--renew needs a time-stamping authority: add --tsa URL.")
        }
        if within != nil && !renew {
            throw ValidationError("--within goes with --renew.")
        }
        if place.inPlace && (place.output != nil || inputs.contains("-")) {
            throw ValidationError("--in-place is for files, without --output.")
        }
        if inputs.count > 1 && inputs.contains("-") {
            throw ValidationError("Standard input (-) cannot be one of several inputs.")
        }
    }

    func run() throws {
        let names = OutputNaming(
            output: place.output, inPlace: place.inPlace, replace: place.replace.force,
            suffix: ".extended.pdf",
            inputCount: inputs.count)
        let task: ExtendDocument
        do {
            let authorities = try timestamp.authorities()
            let password = password.source()
            let level: BaselineLevel? = try Value.parse(level, "--level")
            let isStamped = authorities != nil || renew
            var made = ExtendDocument(
                try LongTermValidation(
                    evidence.options(chain: chain), timestamps: authorities, password: password),
                to: (level ?? (isStamped ? .lta : .lt)).level, password: password)
            if renew {
                let within: DurationArgument? = try Value.parse(within, "--within")
                made.renewsWithin = within?.seconds ?? .max
            }
            task = made
        } catch {
            throw Reporter(options: messages).failure(error)
        }
        try Reporter.handleOne(messages) { _ in
            if !dryRun { try OutputNaming.plan(inputs) { _ in names } }
        }
        try Reporter.handleAll(inputs, messages) { input, reporter in
            let extended: ExtendedDocument
            if dryRun {
                extended = try task.check(input)
            } else {
                let destination = try names.destination(for: input)
                reporter.step("extending \(input) into \(destination.path)")
                extended = try task.run(input, into: destination)
            }
            try tell(reporter, extended)
            return .done
        }
    }

    private func tell(_ reporter: Reporter, _ extended: ExtendedDocument) throws {
        extended.warnings.forEach { reporter.warning("\(extended.file): \($0)") }
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
