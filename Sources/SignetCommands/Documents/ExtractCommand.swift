import ArgumentParser
import SignetKit

struct ExtractCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Write the signed files of a container (ASiC) to a folder.",
        discussion: """
            The container is verified first. Only files that an unchanged signature or timestamp \
            covers are written, unless you add --all. The exit code is that of verification.

            Examples:
              signet extract order.asice -o order/
              signet extract order.asice -o order/ --trust ca.pem
            """)

    @Argument(help: ArgumentHelp("Container", valueName: "file"), completion: .file())
    var input: String
    @Option(name: .shortAndLong, "Folder for the files", value: "dir")
    var output: String
    @Flag(help: "Also write files that no valid signature covers")
    var all = false
    @OptionGroup(title: "Trust") var trust: TrustOptions
    @OptionGroup(title: "Output") var replace: ReplaceOptions
    @OptionGroup(title: "General") var settings: SettingsOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func run(_ reporter: Reporter) throws {
        try Reporter.handleAll([input], messages) { input, reporter in
            guard try FileKind.of(.file(input)) != .pdf else {
                let file = ShellWord.quoted(input)
                throw SignetError(
                    .malformedInput, file: input, "the file is a PDF, not a container",
                    hint:
                        "if the PDF is signed, save the signed version: signet verify \(file) --extract-revision 1 -o OUT.pdf"
                )
            }
            let options = trust.verification(at: try trust.time, asking: trust.fetcher)
            var task = ExtractContainer(try VerifyContainer(options))
            task.includesUncovered = all
            let found = try task.run(
                .file(input), into: output, replacesExisting: replace.force)
            for (_, path) in found.written { try reporter.result(StyledText("\(path): extracted")) }
            for name in found.skipped {
                reporter.warning(
                    "\(input): '\(name)' was not extracted: no valid signature covers it")
            }
            return try reporter.verification(found.verification, trust, at: try trust.time)
        }
    }
}
