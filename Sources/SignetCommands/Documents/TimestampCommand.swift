import ArgumentParser
import FileBridge
import SignetKit
import ThreadBridge

struct TimestampCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timestamp",
        abstract: "Have time-stamping authorities confirm that files exist.",
        discussion: """
            A PDF gets a document timestamp (PAdES) as an incremental update, NAME.timestamped.pdf; \
            earlier signatures stay valid. For any other file the authority's answer (RFC 3161) is \
            kept beside it, NAME.EXT.tsr. Only hashes leave this computer.

            Examples:
              signet timestamp contract.signed.pdf --tsa https://tsa.example/ts
              signet timestamp ./*.log --tsa https://tsa.example/ts -o stamps/
              signet timestamp data.zip --tsa https://a.example --tsa https://b.example
            """ + ExitStatus.help(.asking))

    @Argument(help: "The files to stamp.", completion: .file())
    var inputs: [String]

    @OptionGroup(title: "Authority") var timestamp: TimestampArguments
    @OptionGroup(title: "Output") var place: PlaceOptions
    @Option(
        help: ArgumentHelp(
            "auto (by the file's first bytes), pdf or tsr (default: auto).", valueName: "name"),
        completion: .list(TimestampFormat.names))
    var format: String?
    @Option(
        help: ArgumentHelp(
            "The hash algorithm (default: sha256).", valueName: "name"),
        completion: .list(SigningOptions.Digest.names))
    var digest: String?
    @Option(
        help: ArgumentHelp(
            "Files handled at once (default: one for each processor).", valueName: "n"))
    var jobs: String?
    @OptionGroup(title: "Encrypted documents") var password: PasswordOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        let _: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        let _: JobCount? = try Value.parse(jobs, "--jobs")
        let format: TimestampFormat? = try Value.parse(format, "--format")
        try password.check(inputs: inputs, timestamp: timestamp)
        if place.inPlace && (place.output != nil || format == .tsr || inputs.contains("-")) {
            throw ValidationError("--in-place is for PDF files, without --output.")
        }
        if inputs.count > 1 && inputs.contains("-") {
            throw ValidationError("Standard input (-) cannot be one of several inputs.")
        }
    }

    func run() throws {
        let authorities: TimestampAuthorities
        do {
            authorities = try timestamp.requiredAuthorities()
        } catch {
            throw Reporter(options: messages).failure(error)
        }
        let digest: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        let documents = TimestampDocument(
            authorities, digest: digest, password: password.source())
        let files = TimestampFile(authorities, digest: digest)
        let format: TimestampFormat = try Value.parse(format, "--format") ?? .auto
        let (pdfNames, otherNames) = (
            names(".timestamped.pdf", dropping: ["pdf"]), names(".tsr", dropping: [])
        )
        let inPlace = place.inPlace
        @Sendable func isPDF(_ input: String) throws -> Bool {
            try format == .pdf || (format == .auto && FileKind.isPDF(input))
        }
        try Reporter.handleOne(messages) { _ in
            try OutputNaming.plan(inputs) { try isPDF($0) ? pdfNames : otherNames }
        }
        let jobs: JobCount? = try Value.parse(jobs, "--jobs")
        try Reporter.handleAll(inputs, messages, jobs: jobs?.count ?? OrderedWork.coreCount) {
            input in
            if try isPDF(input) {
                return try documents.run(input, into: pdfNames.destination(for: input))
            }
            guard !inPlace else {
                throw SignetError(
                    .usage, file: input, "is no PDF: there is no room for a time stamp inside",
                    hint: "leave out --in-place to get it beside the file")
            }
            return try files.run(input, into: otherNames.destination(for: input))
        } report: { input, stamped, reporter in
            stamped.warnings.forEach { reporter.warning("\(input): \($0)") }
            if stamped.output != "-" {
                try reporter.result(
                    Reporter.printable("\(stamped.output): stamped \(stamped.summary)"))
            }
            try reporter.result(json: stamped)
        }
    }

    private func names(_ suffix: String, dropping: [String]) -> OutputNaming {
        OutputNaming(
            output: place.output, inPlace: place.inPlace, replace: place.force, suffix: suffix,
            dropping: dropping, inputCount: inputs.count)
    }
}

/// Where a timestamp goes.
private enum TimestampFormat: String, CaseIterable, OptionValue {
    case auto, pdf, tsr
}
