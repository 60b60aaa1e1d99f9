import ArgumentParser
import SignetKit

struct TimestampCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "timestamp",
        abstract: "Timestamp PDFs and other files (RFC 3161).",
        discussion: """
            A PDF gets a document timestamp as an incremental update (NAME.timestamped.pdf), so that \
            earlier signatures stay valid. For any other file the TSA response is written to \
            NAME.EXT.tsr. Only hashes are sent to the TSA.

            Examples:
              signet timestamp contract.signed.pdf --tsa https://tsa.example/ts
              signet timestamp ./*.log --tsa https://tsa.example/ts -o stamps/
              signet timestamp data.zip --tsa https://a.example --tsa https://b.example
              signet timestamp logs --recursive --tree --tsa https://a.example -o proofs
            """)

    @Argument(help: ArgumentHelp("Files to timestamp", valueName: "file"), completion: .file())
    var inputs: [String] = []

    @OptionGroup(title: "Timestamp (TSA)") var timestamp: TimestampArguments
    @Option("Intermediate CA certificates of the TSA; may be repeated", value: "file")
    var chain: [String] = []
    @OptionGroup(title: "Output") var place: PlaceOptions
    @OptionGroup(title: "Output") var damage: DamageOptions
    @Option(
        "Timestamp format: auto, pdf or tsr (default: auto)", value: "name",
        completion: .list(TimestampFormat.names))
    var format: String?
    @Option(
        "Write all files and one timestamp to a container (ASiC): NAME.asice, or NAME.asics for one file",
        value: "file", completion: .file(extensions: ["asice", "asics"]))
    var container: String?
    @Option(
        "Hash algorithm (default: sha256)", value: "name",
        completion: .list(SigningOptions.Digest.names))
    var digest: String?
    @OptionGroup(title: "Evidence records") var tree: TreeOptions
    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "Encrypted PDFs") var password: PasswordOptions
    @OptionGroup(title: "General") var settings: SettingsOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(inputs)
        let _: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        let format: TimestampFormat? = try Value.parse(format, "--format")
        try place.check(inputs: inputs)
        try checkTree()
        if place.inPlace && format == .tsr {
            throw ValidationError("--in-place cannot be combined with --format tsr.")
        }
        if container != nil, place.inPlace || format != nil || place.output != nil || batch.isBatch
        {
            throw ValidationError(
                "--container cannot be combined with --output, --in-place, --format or batches.")
        }
    }

    func run(_ reporter: Reporter) throws {
        guard !tree.isUsed else { return try runTree() }
        let authorities = try timestamp.requiredAuthorities(chain: chain)
        var selected = try place.selected(inputs, patterns: ["*.pdf"], batch, suffix: Self.suffix)
        let digest: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        if let container {
            let stamped = try TimestampContainer(authorities, digest: digest).run(
                selected.map { .file($0.path) }, into: place.replace.destination(container))
            reporter.warnings(stamped.warnings, of: container)
            return try reporter.made(
                container, "timestamped \(stamped.summary)", json: stamped)
        }
        var timestampDocument = TimestampDocument(
            authorities, digest: digest, password: password.source())
        timestampDocument.allowsDamaged = damage.allowDamaged
        let timestampFile = TimestampFile(authorities, digest: digest)
        let format: TimestampFormat = try Value.parse(format, "--format") ?? .auto
        let pdfNaming = place.names(Self.suffix, for: selected, batch)
        let responseNaming = place.names(".tsr", dropping: [], for: selected, batch)
        @Sendable func isTimestampedAsPDF(_ input: String) throws -> Bool {
            try format == .pdf || (format == .auto && FileKind.isPDF(input))
        }
        @Sendable func naming(_ input: String) throws -> OutputNaming {
            try isTimestampedAsPDF(input) ? pdfNaming : responseNaming
        }
        if place.skipExisting { selected = OutputNaming.withoutOutputs(selected, naming: naming) }
        let paths = selected.map(\.path)
        var files = Batch("timestamped", paths, messages)
        try OutputNaming.plan(paths, naming: naming)
        files.asksServer = true
        files.judgesExisting = ExistingOutput(of: .timestamp, password: password.source())
            .words(isDocument: isTimestampedAsPDF)
        try files.configure(batch, command: "timestamp", named: inputs, place)
        try files.run { input in
            try naming(input)
        } work: { [timestampDocument] input, destination in
            if try isTimestampedAsPDF(input) {
                return try timestampDocument.run(.file(input), into: destination)
            }
            guard !destination.isInPlace else {
                throw SignetError(
                    .usage, file: input, "the file is not a PDF: --in-place cannot be used",
                    hint: "leave out --in-place to write a .tsr file")
            }
            return try timestampFile.run(.file(input), into: destination)
        } report: { input, timestamped, reporter in
            reporter.warnings(timestamped.warnings, of: input)
            try reporter.made(
                timestamped.output, "timestamped \(timestamped.summary)", json: timestamped)
            return .done
        }
    }

    private static let suffix = ".timestamped.pdf"
}

/// The output format: a document timestamp in a PDF, or a separate timestamp response (.tsr).
private enum TimestampFormat: String, CaseIterable, OptionValue { case auto, pdf, tsr }
