import ArgumentParser
import Base
import SignetKit
import SystemBridge

struct VerifyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every signature of PDF files, and signatures beside other files.",
        discussion: """
            Says for each signature whether the signed bytes are intact, who signed, whether the \
            certificate leads to a trust anchor, what the signature covers, and what was changed \
            since. Exit code 0 means that all of it was checked and nothing spoke against it. For a \
            signature or timestamp beside its file (.p7s, .tsr), the file is found by dropping the \
            suffix.

            Examples:
              signet verify contract.signed.pdf
              signet verify contract.signed.pdf --trust company-ca.pem
              signet verify --json ./*.pdf
              signet verify contract.pdf --trust-list eu --require-qualified qesig
              signet verify data.zip.p7s --signer jan.crt
              signet verify contract.pdf --extract-revision 1 -o as-signed.pdf
            """ + ExitStatus.help(.checking))

    @Argument(help: "The files to verify.", completion: .file())
    var inputs: [String] = []

    @OptionGroup(title: "Trust") var trust: TrustOptions
    @OptionGroup(title: "Trust") var policies: PolicyOptions
    @OptionGroup(title: "Trust") var lists: TrustListOptions

    @Option("Only the signature of this field.", value: "name", completion: Completion.signedFields)
    var field: String?

    @Option(
        "The least PAdES level that passes: B, T, LT or LTA.", value: "level",
        completion: .list(SignatureLevel.shortNames))
    var requireLevel: String?

    @Flag(
        help: """
            Let nothing pass whose content was changed after a signature, even where that is \
            permitted: fields filled in, annotations. Signatures and timestamps may be added.
            """)
    var requireUnchanged = false

    @Flag(help: "Say why each signature has its level, and what takes it to the next.")
    var explainLevel = false

    @Option(
        "Whether it will still hold on that day, by what the document brings alone.", value: "date")
    var asOf: String?

    @Option("Write what signature N really covers to --output.", value: "n")
    var extractRevision: String?

    @Option(name: .shortAndLong, "Where the extracted revision goes.", value: "path")
    var output: String?

    @Option(
        """
        Write a page for people, complete in itself, to show, print and keep; or, for .xml, a \
        validation report by ETSI TS 119 102-2 V1.4.1 for programs.
        """, value: "file.html|file.xml", completion: .file(extensions: ["html", "xml"]))
    var report: String?

    @Flag(
        help: """
            Add pictures to the HTML report: pages with visible signatures, and pages that changed since \
            they were signed, before and after. Needs pdftoppm or mutool.
            """)
    var reportPages = false

    @Flag(
        help: """
            Compare how installed PDF viewers (pdftoppm, mutool, gs) display the signed revision and the \
            whole file. Report INDETERMINATE if a page differs without a listed change.
            """)
    var viewers = false

    @Option(
        """
        The language of the page: \(Language.tags), or auto, the \
        environment's (default: en).
        """, value: "tag", completion: .list(Language.names + ["auto"]))
    var lang: String?

    @Option(
        """
        How certificates, timestamps and answers are in the .xml: embed, or digest, their \
        hashes alone (default: embed).
        """, value: "kind", completion: .list(ReportObjects.names))
    var reportObjects: String?

    @OptionGroup var replace: ReplaceOptions

    @Option("What a detached signature (.p7s) or timestamp (.tsr) covers.", value: "file")
    var content: String?

    @OptionGroup(title: "Many files") var batch: BatchOptions
    @OptionGroup var password: PasswordOptions
    @OptionGroup(title: "Settings") var settings: SettingsOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    /// Name patterns of files in folders.
    private static let kinds = ["*.pdf", "*.p7s", "*.p7m", "*.tsr"]

    func validate() throws {
        try batch.requireInputs(inputs)
        if asOf != nil && (trust.online || trust.atTime != nil) {
            throw ValidationError("--as-of goes without --online and --at-time.")
        }
        try TimeArgument.check(trust.atTime, "--at-time", TimeArgument.example)
        if asOf.map({ Moment(rfc3339: Self.endOfDay($0)) }) == .some(nil) {
            try TimeArgument.check(asOf, "--as-of", "2040-01-01")
        }
        try password.check(inputs: inputs + batch.standardInput)
        if content != nil && (inputs.count > 1 || batch.isBatch) {
            throw ValidationError("--content goes with one signature.")
        }
        let _: SignatureLevel? = try Value.parse(requireLevel, "--require-level")
        _ = try revisionNumber()
        let _: RequiredQualification? = try Value.parse(
            lists.requireQualified, "--require-qualified")
        try checkReport()
        if (extractRevision == nil) != (output == nil) {
            throw ValidationError("--extract-revision and --output go together.")
        }
        if extractRevision != nil,
            inputs.count > 1 || batch.isBatch || inputs.contains("-") || output == "-"
        {
            throw ValidationError("--extract-revision goes from one file to another.")
        }
    }

    func run(_: Reporter) throws {
        let level: SignatureLevel? = try Value.parse(requireLevel, "--require-level")
        let number = try revisionNumber()
        let required: RequiredQualification? = try Value.parse(
            lists.requireQualified, "--require-qualified")
        let fetcher = trust.fetcher
        try OutputNaming.requireDistinct([report, output].compactMap { $0 })
        let time = try judgedTime()
        let trustLists = try lists.sources.read(at: time)
        let selected = try selectedFiles()
        let tasks = VerifyTasks(
            document: try documentTask(level, fetcher, trustLists),
            message: try messageTask(level, fetcher, trustLists),
            timestamp: try timestampTask(fetcher, trustLists), content: content,
            demandsPDF: field != nil || number != nil, demandsLevel: level != nil,
            required: required,
            viewers: viewers || reportPages
                ? try CompareViewers(password: password.source(), all: viewers) : nil)
        let style = TextStyle()
        var many = Batch("passed", selected, messages)
        try many.configure(batch, command: "verify", named: inputs, makes: trust.answers)
        // What was asked over the network for one file, and which lists were of use, is not told
        // of another one.
        many.isSequential = fetcher != nil || !trust.crl.isEmpty
        try many.run { _ in
            nil
        } status: { report in
            Reporter.status(of: report)
        } work: { input, _ in
            try tasks.run(input)
        } report: { input, found, reporter in
            var report = found
            report.savedCertificates = try trust.saveCertificates(of: report, replace)
            if let path = self.report {
                try writeReport(of: input, report, to: path, time, reporter)
            }
            let status = try reporter.verification(report, trust, at: time, style)
            if let path = self.report {
                try reporter.result(StyledText("\(path): wrote validation report"))
            }
            if report.verdict == .unsigned { unsignedHint(input).map(reporter.hint) }
            if let number, let output {
                try ExtractRevision().run(
                    .file(input), signature: number, of: report, into: replace.destination(output))
                try reportExtracted(report.signatures[number - 1], to: output, reporter)
            }
            return status
        }
    }

    /// What to do with a file without signature.
    private func unsignedHint(_ input: String) -> String? {
        if let detached = VerifiedKind.signature(beside: input) {
            return
                "to verify its detached signature, run: signet verify \(ShellWord.quoted(detached))"
        }
        guard inputs == [input], input != "-" else { return nil }
        return "to sign it, run: signet sign \(ShellWord.quoted(input)) --key KEY"
    }

    private func selectedFiles() throws -> [String] {
        let selected = try batch.selected(inputs, patterns: Self.kinds).map(\.path)
        // An empty folder must be an error, not a success.
        guard !selected.isEmpty || batch.shard != nil else {
            throw SignetError(
                .missingInput, "there is no file to verify",
                hint: "look at the folders, the list and --include")
        }
        return selected
    }

    private func documentTask(
        _ level: SignatureLevel?, _ fetcher: RevocationFetcher?, _ trustLists: TrustLists?
    ) throws -> VerifyDocument {
        var task = try VerifyDocument(
            verification(fetcher, trustLists), password: password.source())
        task.field = field
        task.requiredLevel = level
        task.requiresUnchanged = requireUnchanged
        task.explainsLevels = explainLevel
        task.keepsCertificates = trust.saveCerts != nil
        task.keepsHash = report != nil || viewers
        task.findsChangedPages = viewers || reportPages
        task.policies = try policies.policies()
        return task
    }
}

/// Verifies a file according to its kind.
private struct VerifyTasks {
    let document: VerifyDocument
    let message: VerifyMessage
    let timestamp: VerifyTimestamp
    /// The content of a detached signature or timestamp.
    let content: String?
    let demandsPDF: Bool
    let demandsLevel: Bool
    let required: RequiredQualification?
    /// The comparison with installed viewers; nil for none.
    let viewers: CompareViewers?

    func run(_ input: String) throws -> VerifiedDocument {
        let kind = try VerifiedKind.of(.file(input), hasContent: content != nil)
        guard kind == .document || !demandsPDF else {
            throw SignetError(
                .usage, file: input, "is not a PDF: it has no fields and revisions",
                hint: "leave out --field and --extract-revision")
        }
        guard kind != .timestamp || !demandsLevel else {
            throw SignetError(
                .usage, file: input, "is a timestamp, which has no level",
                hint: "leave out --require-level")
        }
        var report =
            switch kind {
            case .document: try document.run(.file(input))
            case .timestamp: try timestamp.run(.file(input), content: content.map(InputSource.file))
            case .message: try message.run(.file(input), content: content.map(InputSource.file))
            }
        if kind == .document, let viewers { report = try viewers.run(.file(input), report) }
        return required.map(report.demanding) ?? report
    }
}

extension VerifyCommand {
    private func messageTask(
        _ level: SignatureLevel?, _ fetcher: RevocationFetcher?, _ trustLists: TrustLists?
    ) throws -> VerifyMessage {
        var task = try VerifyMessage(verification(fetcher, trustLists))
        task.requiredLevel = level
        task.explainsLevels = explainLevel
        task.keepsHash = report != nil
        task.policies = try policies.policies()
        return task
    }

    private func timestampTask(
        _ fetcher: RevocationFetcher?, _ trustLists: TrustLists?
    ) throws -> VerifyTimestamp {
        var task = try VerifyTimestamp(verification(fetcher, trustLists))
        task.keepsHash = report != nil
        return task
    }

    /// Reports the extracted revision: bytes changed after signing are not signed.
    private func reportExtracted(
        _ signature: VerifiedSignature, to output: String, _ reporter: Reporter
    ) throws {
        let name = "signature \(signature.field.inQuotes)"
        guard signature.intact else {
            reporter.warning(
                "\(output): extracted the signed byte range of \(name), but it does not match the "
                    + "signature: it is NOT the signed revision")
            return
        }
        try reporter.result(StyledText("\(output): extracted the signed revision of \(name)"))
    }
}

extension TrustOptions {
    var answers: BatchJournal.Product { online ? .onlineAnswers : .answers }

    /// Writes the certificates in the input.
    ///
    /// - Returns: the paths; nil if not requested.
    func saveCertificates(
        of report: VerifiedDocument, _ replace: ReplaceOptions
    ) throws -> [String]? {
        try saveCerts.map {
            try SaveCertificates(into: $0, replacesExisting: replace.force).run(report)
        }
    }
}

extension RequiredQualification: OptionValue {}

extension VerifyCommand {
    /// The validation time; nil is now.
    private func judgedTime() throws -> Moment? {
        try asOf.map { try TimeArgument.moment(Self.endOfDay($0)) } ?? trust.time
    }

    private func verification(
        _ fetcher: RevocationFetcher?, _ trustLists: TrustLists?
    ) throws -> VerificationOptions {
        var options = trust.verification(at: try judgedTime(), asking: fetcher)
        options.trustLists = trustLists
        return options
    }

    /// The number of a signature in a report, from 1.
    private func revisionNumber() throws -> Int? {
        guard let extractRevision else { return nil }
        guard let number = Int(extractRevision), number > 0 else {
            throw ValidationError(
                "The value '\(extractRevision)' is invalid for '--extract-revision': expected a "
                    + "number from 1 on.")
        }
        return number
    }

    /// A day alone is all of it: its end.
    private static func endOfDay(_ time: String) -> String {
        time.count == 10 ? time + "T23:59:59Z" : time
    }
}

extension Reporter {
    /// Reports the verification result, and returns its exit status.
    ///
    /// - Parameter time: the chosen validation time; nil is now.
    func verification(
        _ report: VerifiedDocument, _ trust: TrustOptions, at time: Moment?,
        _ style: TextStyle = TextStyle()
    ) throws -> ExitStatus {
        var report = report
        VerificationHint.advise(on: &report)
        report.dynamicContent?.told.forEach { warning("\(report.file): \($0)") }
        warnings(report.warnings + (report.viewers?.notes ?? []), of: report.file)
        if options.quiet, report.verdict == .failed {
            Self.complain("\(report.file): \(VerificationText.word(.failed))")
        }
        var text = VerificationText(
            style: style, time: time, hasAsked: trust.online, isVerbose: options.verbose)
        let lines = text.lines(report)
        // In a batch, a blank line separates the files.
        try result((lines + (isBatch && lines.count > 1 ? [""] : [])).joined(separator: "\n"))
        try result(json: report)
        return Self.status(of: report)
    }

    /// The exit status of a verdict.
    static func status(of report: VerifiedDocument) -> ExitStatus {
        switch report.verdict {
        case .passed: .done
        case .indeterminate: .indeterminate
        case .failed: .invalid
        case .unsigned: .nothingToVerify
        }
    }
}
