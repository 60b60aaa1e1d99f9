import ArgumentParser
import Base
import SignetKit
import SystemBridge

struct VerifyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify signatures and timestamps of PDFs and other files.",
        discussion: """
            Reports for each signature whether the signed data was modified, who signed, whether the \
            certificate is trusted, and what was changed after signing. The file of a detached \
            signature (.p7s, .tsr) is found by removing the suffix. Works offline; --online enables \
            revocation checks.

            Examples:
              signet verify contract.signed.pdf
              signet verify contract.signed.pdf --trust company-ca.pem
              signet verify --json ./*.pdf
              signet verify contract.pdf --trust-list eu --require-qualified qesig
              signet verify data.zip.p7s --signer jan.crt
              signet verify contract.pdf --extract-revision 1 -o as-signed.pdf
            """)

    @Argument(help: ArgumentHelp("Files to verify", valueName: "file"), completion: .file())
    var inputs: [String] = []

    @OptionGroup(title: "Trust") var trust: TrustOptions
    @OptionGroup(title: "Trust") var policies: PolicyOptions
    @OptionGroup(title: "Trust") var policyFile: SignaturePolicyOptions
    @OptionGroup(title: "Trust") var lists: TrustListOptions

    @Option(
        "Verify only the signature of this field", value: "name",
        completion: Completion.signedFields)
    var field: String?

    @Option(
        "Required level: B, T (trusted timestamp), LT or LTA",
        value: "level",
        completion: .list(SignatureLevel.shortNames))
    var requireLevel: String?

    @Flag(
        help: "Permit no content changes after signing"
    )
    var requireUnchanged = false

    @Flag(help: "Explain the signature levels, and how to reach the next")
    var explainLevel = false

    @Option(
        "Validate for this future date (past date: --at-time)", value: "date")
    var asOf: String?

    @Option("Save what signature N signed (1: first in the output)", value: "n")
    var extractRevision: String?

    @Option(name: .shortAndLong, "Output file of --extract-revision", value: "path")
    var output: String?

    @Option(
        "Validation report: HTML, also of several files, or XML (ETSI TS 119 102-2)",
        value: "file.html|file.xml", completion: .file(extensions: ["html", "xml"]))
    var report: String?

    @Flag(
        help: "Page images in the HTML report (pdftoppm or mutool)")
    var reportPages = false

    @Flag(
        help: "Compare pages in installed viewers (pdftoppm, mutool, gs)")
    var viewers = false

    @Option(
        "Report language: \(Language.tags) or auto (default: en)", value: "tag",
        completion: .list(Language.names + ["auto"]))
    var lang: String?

    @Option(
        "Certificates, CRLs, OCSP responses and timestamps in the XML report: embed (default) or digest",
        value: "kind", completion: .list(ReportObjects.names))
    var reportObjects: String?

    @OptionGroup var replace: ReplaceOptions

    @Option(
        "Signed file of a detached signature, or folder; for evidence records (.ers) may be repeated",
        value: "file|dir")
    var content: [String] = []

    @Option(
        "Hash of a file covered by an evidence record (.ers), instead of the file; may be repeated",
        value: "sha256:hex")
    var hash: [String] = []

    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "Encrypted PDFs") var password: PasswordOptions
    @OptionGroup(title: "General") var settings: SettingsOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    /// Name patterns of files in folders.
    private static let kinds = [
        "*.pdf", "*.p7s", "*.p7m", "*.tsr", "*.ers", "*.asice", "*.asics", "*.sce", "*.scs",
    ]

    func validate() throws {
        try batch.requireInputs(inputs)
        if asOf != nil && (trust.online || trust.atTime != nil) {
            throw ValidationError("--as-of cannot be combined with --online or --at-time.")
        }
        try TimeArgument.check(trust.atTime, option: "--at-time")
        try TimeArgument.check(asOf, option: "--as-of")
        if let content = content.first, inputs.count > 1 || batch.isBatch,
            self.content.count > 1 || !FileSystem.isDirectory(content)
        {
            throw ValidationError(
                "--content requires a folder for several signatures: use --content FOLDER.")
        }
        if !hash.isEmpty && (inputs.count > 1 || batch.isBatch) {
            throw ValidationError("--hash requires exactly one evidence record.")
        }
        let _: SignatureLevel? = try Value.parse(requireLevel, "--require-level")
        _ = try revisionNumber()
        let _: RequiredQualification? = try Value.parse(
            lists.requireQualified, "--require-qualified")
        try checkReport()
        if (extractRevision == nil) != (output == nil) {
            throw ValidationError(
                extractRevision == nil
                    ? "--output requires --extract-revision N."
                    : "--extract-revision requires --output FILE.")
        }
        if extractRevision != nil,
            inputs.count > 1 || batch.isBatch || inputs.contains("-") || output == "-"
        {
            throw ValidationError(
                "--extract-revision requires exactly one input file and one output file.")
        }
    }

    func run(_ reporter: Reporter) throws {
        let level: SignatureLevel? = try Value.parse(requireLevel, "--require-level")
        let number = try revisionNumber()
        let required: RequiredQualification? = try Value.parse(
            lists.requireQualified, "--require-qualified")
        let fetcher = trust.fetcher
        try OutputNaming.requireDistinct([report, output].compactMap { $0 })
        if let report { try replace.destination(report).rehearse() }
        let time = try judgedTime()
        let trustLists = try lists.sources.read(at: time)
        let found = try selectedFiles()
        let selected = found.map(\.path)
        let document = try documentTask(level, fetcher, trustLists)
        let message = VerifyMessage(document)
        let timestamp = VerifyTimestamp(message)
        let tasks = VerifyTasks(
            document: document, message: message, timestamp: timestamp,
            record: VerifyEvidenceRecord(timestamp),
            container: VerifyContainer(message, timestamp), contents: contents(of: found),
            named: content, hashes: hash,
            demandsPDF: field != nil || number != nil,
            demandsSignature: try level != nil
                || policyFile.signaturePolicyFile != nil || policies.policies().areRequired,
            required: required,
            viewers: viewers || reportPages
                ? try CompareViewers(password: password.source(), all: viewers) : nil)
        var many = Batch("passed", selected, messages)
        try many.configure(batch, command: "verify", named: inputs, makes: trust.answers)
        // Sequential, so that network warnings and used CRLs are attributed to the right file.
        many.isSequential = fetcher != nil || !trust.crl.isEmpty
        var page = try newReport(at: time, of: selected)
        let outcome = Result {
            try verify(many, tasks, &page, number, at: time)
        }
        try write(incomplete: page, reporter)
        try outcome.get()
    }

    private func verify(
        _ many: Batch, _ tasks: VerifyTasks, _ page: inout WriteReport, _ number: Int?,
        at time: Moment?
    ) throws {
        let style = TextStyle()
        try many.run { _ in
            nil
        } status: { found in
            switch found {
            case .success(let report): Reporter.status(of: report)
            case .failure(let error): ExitStatus(SignetError(unforeseen: error).code)
            }
        } work: { input, _ in
            Result { try tasks.run(input) }
        } report: { input, found, reporter in
            if case .failure(let error) = found { page.fail(input, error) }
            var report = try found.get()
            report.savedCertificates = try trust.saveCertificates(of: report, replace)
            let isWritten = try note(report, in: &page, reporter)
            if let number, let output {
                try ExtractRevision().run(
                    .file(input), signature: number, of: report, into: replace.destination(output))
            }
            let status = try reporter.verification(
                report, trust, at: time, style)
            if isWritten, let path = self.report {
                try reporter.result(StyledText("\(path): wrote validation report"))
            }
            if report.verdict == .unsigned { unsignedHint(input).map(reporter.hint) }
            if let number, let output {
                return try reportExtracted(report.signatures[number - 1], to: output, reporter)
            }
            return status
        }
    }

    /// What to do with a file without signature.
    private func unsignedHint(_ input: String) -> String? {
        if let detached = VerifiedKind.signature(beside: input) {
            return "to verify its detached signature, run: \(RepeatedOptions().verify(detached))"
        }
        guard inputs == [input], input != "-" else { return nil }
        guard (try? FileKind.isPDF(input)) == true else {
            return "to display its certificates, run: signet show \(ShellWord.quoted(input))"
        }
        return "if you expected a signature, ask the sender for the signed file"
    }

    /// The content of each detached signature or timestamp, if it is named.
    private func contents(of found: [BatchSelection.Input]) -> [ExactText: String] {
        guard let content = content.first else { return [:] }
        let isFolder = FileSystem.isDirectory(content)
        return Dictionary(
            found.compactMap { input in
                guard self.content.count == 1 else { return nil }
                let path = isFolder ? VerifiedKind.content(of: input, in: content) : content
                return path.map { (ExactText(input.path), $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    private func selectedFiles() throws -> [BatchSelection.Input] {
        let selected = try batch.selected(inputs, patterns: Self.kinds)
        // An empty folder must be an error, not a success.
        guard !selected.isEmpty || batch.shard != nil else {
            throw SignetError(
                .missingInput, "no matching file was found",
                hint: "check the folders, --files-from and --include")
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
    let record: VerifyEvidenceRecord
    let container: VerifyContainer
    /// The content of detached signatures and timestamps.
    let contents: [ExactText: String]
    /// The files and folders, and hashes, that an evidence record is to cover.
    let named: [String]
    let hashes: [String]
    let demandsPDF: Bool
    /// Whether a signature must have a level or a policy.
    let demandsSignature: Bool
    let required: RequiredQualification?
    /// The comparison with installed viewers; nil for none.
    let viewers: CompareViewers?

    func run(_ input: String) throws -> VerifiedDocument {
        let content = contents[ExactText(input)]
        let kind = try VerifiedKind.of(.file(input), hasContent: content != nil)
        guard kind == .document || !demandsPDF else {
            throw SignetError(
                .usage, file: input, "is not a PDF: it has no fields and revisions",
                hint: "leave out --field and --extract-revision")
        }
        guard kind == .evidenceRecord || named.count < 2 && hashes.isEmpty else {
            throw SignetError(
                .usage, file: input,
                "is not an evidence record: --hash or several --content cannot be used",
                hint: hashes.isEmpty ? "add --content only once" : "leave out --hash")
        }
        guard kind != .timestamp && kind != .evidenceRecord || !demandsSignature else {
            throw SignetError(
                .usage, file: input, "is a timestamp: only signatures have a level and policies",
                hint: "leave out --require-level and the options about policies")
        }
        var report =
            switch kind {
            case .document: try document.run(.file(input))
            case .container: try container.run(.file(input))
            case .timestamp: try timestamp.run(.file(input), content: content.map(InputSource.file))
            case .evidenceRecord:
                try record.run(
                    .file(input),
                    // Each of several records has the name of its file.
                    contents: content.map {
                        contents.count > 1 || FileSystem.exists($0) ? [$0] : named
                    } ?? named,
                    hashes: hashes)
            case .message: try message.run(.file(input), content: content.map(InputSource.file))
            }
        if kind == .document, let viewers { report = try viewers.run(.file(input), report) }
        return required.map(report.demanding) ?? report
    }
}

extension VerifyCommand {
    /// Reports the extracted revision, with a warning if its bytes do not match the signature.
    ///
    /// - Returns: the exit status: that of the extraction, not of the verification.
    private func reportExtracted(
        _ signature: VerifiedSignature, to output: String, _ reporter: Reporter
    ) throws -> ExitStatus {
        let name = "signature \(signature.field.inQuotes)"
        guard signature.intact else {
            reporter.warning(
                "\(output): extracted the signed byte range of \(name), but it does not match the "
                    + "signature: it is NOT the signed revision")
            return .invalid
        }
        let revision =
            signature.record.revision.map {
                ": revision \($0.number) of the \($0.count) in the file"
            } ?? ""
        try reporter.result(
            StyledText("\(output): saved the version that \(name) covers\(revision)"))
        return .done
    }
}

extension TrustOptions {
    /// The option that made a signing certificate trusted directly.
    var namedAnchor: String {
        if let signer, trust.isEmpty { return "--signer \(ShellWord.quoted(signer))" }
        return trust.count == 1 ? "--trust \(ShellWord.quoted(trust[0]))" : "--trust"
    }

    var answers: BatchJournal.Product { online ? .onlineAnswers : .answers }

    /// Writes the certificates in the input.
    ///
    /// - Returns: the paths; nil if not requested.
    func saveCertificates(
        of report: VerifiedDocument, _ replace: ReplaceOptions
    ) throws -> [String]? {
        try saveCerts.map {
            try SaveCertificates(into: $0, replacesExisting: replace.force, chain: chain)
                .run(report)
        }
    }
}

extension RequiredQualification: OptionValue {}

extension VerifyCommand {
    /// The validation time; nil for the current time.
    private func judgedTime() throws -> Moment? {
        try asOf.map { try TimeArgument.validationTime($0) } ?? trust.time
    }

    private func verification(
        _ fetcher: RevocationFetcher?, _ trustLists: TrustLists?
    ) throws -> VerificationOptions {
        var options = trust.verification(at: try judgedTime(), asking: fetcher)
        options.trustLists = trustLists
        options.policyDocument = policyFile.signaturePolicyFile.map(InputSource.file)
        return options
    }

    /// The value of --extract-revision: the number of a signature in the report, from 1.
    private func revisionNumber() throws -> Int? {
        guard let extractRevision else { return nil }
        guard let number = Int(extractRevision), number > 0 else {
            throw ValidationError(
                "The value '\(extractRevision)' is invalid for '--extract-revision': expected a "
                    + "number from 1 on.")
        }
        return number
    }
}

extension Reporter {
    /// Reports the verification result, and returns its exit status.
    ///
    /// - Parameters:
    ///   - time: the chosen validation time; nil is now.
    func verification(
        _ report: VerifiedDocument, _ trust: TrustOptions, at time: Moment?,
        _ style: TextStyle = TextStyle()
    ) throws -> ExitStatus {
        var report = report
        VerificationHint.advise(on: &report, at: time)
        if options.quiet { complain(of: report) }
        var text = VerificationText(
            style: style, time: time, isOnline: trust.online, isVerbose: options.verbose)
        text.trustOption = trust.namedAnchor
        let lines = text.lines(report)
        // In a batch, a blank line separates the files.
        try result((lines + (isBatch && lines.count > 1 ? [""] : [])).joined(separator: "\n"))
        try result(json: report)
        // Warnings are printed after the verdict.
        report.dynamicContent?.told.forEach { warning("\(report.file): \($0)") }
        let defects = options.verbose ? [] : Set(report.defects)
        warnings(
            report.warnings.filter { !defects.contains($0) } + (report.viewers?.notes ?? []),
            of: report.file)
        return Self.status(of: report)
    }

    /// Reports the verdict if the file did not pass, and the main reason.
    private func complain(of report: VerifiedDocument) {
        guard let verdict = report.verdict.verdict, verdict != .passed else { return }
        let ownProblems = report.problems.filter { $0.verdict == verdict }.map(\.message)
        let reason =
            ownProblems.first
            ?? report.shownSignatures.first { $0.verdict == verdict }.flatMap { signature in
                let problems = DecisiveProblems(signature)
                return problems.main.map(problems.headline)
            }
        Self.complain(
            "\(report.file): \(VerificationText.name(of: verdict))"
                + (reason.map { ": \($0)" } ?? ""))
    }

    static func status(of report: VerifiedDocument) -> ExitStatus {
        switch report.verdict {
        case .passed: .done
        case .indeterminate: .indeterminate
        case .failed: .invalid
        case .unsigned: .nothingToVerify
        }
    }
}
