import ArgumentParser
import SignetKit

struct CMSCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cms", abstract: "Create and verify CMS (PKCS#7) signatures.",
        discussion: """
            Examples:
              signet cms sign order.xml --key me.p12 -o order.p7m --attached
              signet cms verify order.p7m --signer customer.crt -o order.xml
            """, subcommands: [CMSSignCommand.self, CMSVerifyCommand.self])
}

struct CMSSignCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Create CMS (CAdES) signatures.",
        discussion: """
            Creates a CAdES B-B signature; B-T with --tsa; B-LT or B-LTA with --level. A detached \
            signature covers a file of any size; an attached one contains the file, up to 60 MiB.

            Examples:
              signet cms sign data.zip --key me.p12 -o data.zip.p7s
              signet cms sign order.xml --key me.pem --cert me.crt -o order.p7m --attached
              signet cms sign --add order.p7m --key me.p12 -o order.both.p7m
              signet cms sign orders --recursive --include '*.xml' --key me.p12 \\
                  --attached -o sent/
            """)

    @Argument(help: ArgumentHelp("Files to sign", valueName: "file"), completion: .file())
    var inputs: [String] = []
    @OptionGroup(title: "Key") var key: KeyOptions
    @Option(
        name: .shortAndLong,
        "Output file, or folder for several inputs (default: FILE.p7s, or FILE.p7m if attached)",
        value: "path")
    var output: String?
    @Flag(help: "Skip inputs whose output file exists")
    var skipExisting = false
    @Flag(help: "Include the content in the signature")
    var attached = false
    @Flag(
        help:
            "Add a signature to existing CMS files; other signatures are kept"
    )
    var add = false
    @Option(
        "With --add: content of a detached signature (default: FILE without suffix)", value: "file")
    var content: String?
    @Flag(help: "With --add: replace each input")
    var inPlace = false
    @Flag(help: "Write PEM instead of DER")
    var pem = false
    @Option(
        "Hash algorithm (default: sha256; Ed25519, ML-DSA: sha512)", value: "name",
        completion: .list(SigningOptions.Digest.names))
    var digest: String?
    @OptionGroup var padding: PaddingOptions
    @Option("Claimed signing time, RFC 3339 (default: now)", value: "rfc3339")
    var atTime: String?
    @Option(
        "Baseline level: B, T, LT or LTA (default: T with --tsa, otherwise B)", value: "name",
        completion: .list(SignatureLevel.shortNames))
    var level: String?
    @OptionGroup var statement: StatementOptions
    @Option("Place of signing", value: "text")
    var location: String?
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "Timestamp (TSA)") var timestamp: TimestampArguments
    @OptionGroup(title: "Validation data") var evidence: EvidenceArguments
    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "Signing service") var service: ServiceArguments
    @OptionGroup(title: "General") var settings: SettingsOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(inputs)
        if skipExisting && replace.force {
            throw ValidationError("--skip-existing cannot be combined with --force.")
        }
        try Value.refuseBoth("--add", add, "--attached", attached)
        try Value.refuseBoth("--in-place", inPlace, "--output", output != nil)
        guard add || (!inPlace && content == nil) else {
            throw ValidationError("--in-place and --content require --add.")
        }
        guard content == nil || (inputs.count == 1 && !batch.isBatch) else {
            throw ValidationError("--content requires exactly one CMS file.")
        }
        guard !inPlace || (!inputs.contains("-") && !skipExisting && !replace.force) else {
            throw ValidationError(
                "--in-place cannot be combined with standard input, --force or --skip-existing.")
        }
        let _: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        _ = try padding.choice()
        try timestamp.check(level: level)
        try evidence.check(level: longTermLevel(), isStamped: !timestamp.tsa.isEmpty)
        try statement.check(timestamp)
    }

    /// The level if it is B-LT or B-LTA; otherwise nil.
    private func longTermLevel() throws -> SignatureLevel? { try SignatureLevel.longTerm(level) }

    private var suffix: String { add ? "" : attached ? ".p7m" : ".p7s" }

    func run(_: Reporter) throws {
        let selected = try batch.selected(
            inputs, patterns: add ? ["*.p7s", "*.p7m", "*.p7"] : ["*"],
            outputSuffix: add ? nil : suffix, output: output)
        let paths = selected.map(\.path)
        // `OutputNaming` also rejects an output that is the input itself.
        let names = OutputNaming(
            output: output, suffix: suffix, dropping: [], for: selected, isBatch: batch.isBatch
        ).replacing(replace.force, inPlace: inPlace)
        var many = Batch("signed", paths, messages)
        let mayBeDone = skipExisting || batch.journal != nil
        try many.requireWork { mayBeDone ? nil : try names.destination(for: $0) }
        let credential = try key.credential(service)
        defer { credential.close() }
        let task = try task(credential)
        try OutputNaming.plan(paths) { _ in names }
        try many.configure(batch, command: "cms sign", named: inputs)
        (many.skipsExisting, many.replaces) = (skipExisting, replace.force)
        many.asksServer = task.timestamps != nil
        many.consent = credential.consent
        if task.longTerm != nil { many.groupSize = LongTermValidation.groupSize }
        try many.run { input in
            try names.destination(for: input)
        } passes: { input, destination in
            try task.passes(.file(input), into: destination ?? Destination(path: "-"))
        } report: { (input, signed: SignedMessage, reporter) in
            reporter.warnings(signed.warnings, of: input)
            if !signed.attached, !add, let output = signed.output,
                output.lowercased().hasSuffix(".p7m")
            {
                reporter.warning(
                    "\(output): the signature is detached, but the suffix .p7m is for attached "
                        + "content; add --attached to include the content")
            }
            try reporter.made(
                signed.output ?? "-", "signed by \(signed.signer) (\(signed.summary))",
                json: signed)
            return .done
        }
    }

    private func task(_ credential: SigningCredential) throws -> SignMessage {
        var task = SignMessage(credential: credential)
        task.digest = try Value.parse(digest, "--digest")
        task.padding = try padding.choice()
        task.claimedTime = try atTime.map { try TimeArgument.moment($0) }
        task.isAttached = attached
        task.addsSigner = add
        task.content = content.map(InputSource.file)
        task.writesPEM = pem
        task.statements = statement.statements
        task.statements.location = location
        let longTermLevel = try longTermLevel()
        task.timestamps = try timestamp.authorities(
            trust: longTermLevel == nil ? evidence.trust : [], chain: key.chain)
        if let longTermLevel {
            task.longTerm = try LongTermValidation(
                evidence.options(chain: key.chain), timestamps: task.timestamps)
            task.longTermLevel = longTermLevel
        }
        return task
    }
}

struct CMSVerifyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify CMS (PKCS#7) signatures.",
        discussion: """
            Reads DER, BER, PEM and base64. All signatures must be valid, unless --any-signer is \
            given. --signer accepts only signatures with this certificate. The content is written \
            only if the verification passes.

            Examples:
              signet cms verify order.p7m --signer customer.crt -o order.xml
              signet cms verify data.zip.p7s --content data.zip --trust company-ca.pem
              signet cms verify minutes.p7m --trust ca.pem --any-signer --json
              signet cms verify inbox --recursive --signer customer.crt -o orders/
            """)

    @Argument(help: ArgumentHelp("CMS files to verify", valueName: "file"), completion: .file())
    var inputs: [String] = []
    @Option(
        "File covered by a detached signature (default: input name without suffix)",
        value: "file")
    var content: String?
    @OptionGroup(title: "Trust") var trust: TrustOptions
    @OptionGroup(title: "Trust") var policies: PolicyOptions
    @OptionGroup(title: "Trust") var policyFile: SignaturePolicyOptions
    @Flag(help: "Require only one valid signature")
    var anySigner = false
    @Flag(help: "With --signer, accept signatures without signed attributes")
    var allowMissingAttributes = false
    @Option(
        name: .shortAndLong,
        "Output file for the content, or folder for several inputs",
        value: "path")
    var output: String?
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "General") var settings: SettingsOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(inputs)
        if inputs.count > 1 && (inputs.contains("-") || content != nil) {
            throw ValidationError("Standard input and --content require exactly one CMS file.")
        }
        if batch.isBatch && content != nil {
            throw ValidationError("--content requires exactly one CMS file.")
        }
        if output == "-" && messages.json {
            throw ValidationError("The content and the JSON cannot both go to standard output.")
        }
    }

    func run(_: Reporter) throws {
        let selected = try batch.selected(inputs, patterns: ["*.p7s", "*.p7m", "*.p7"])
        let names = output.map { output in
            OutputNaming(
                output: output, suffix: "", dropping: ["p7m", "p7s", "p7"], for: selected,
                isBatch: batch.isBatch
            ).replacing(replace.force)
        }
        let paths = selected.map(\.path)
        let content = content
        var many = Batch("passed", paths, messages)
        if let names { try OutputNaming.plan(paths) { _ in names } }
        try many.configure(batch, command: "cms verify", named: inputs, makes: trust.answers)
        many.replaces = replace.force
        let task = try task()
        // Sequential, so that network warnings are attributed to the right message.
        many.isSequential = trust.online || !trust.crl.isEmpty
        try many.run { input in
            try names?.destination(for: input)
        } status: { report in
            Reporter.status(of: report)
        } work: { input, destination in
            try task.run(.file(input), content: content.map(InputSource.file), into: destination)
        } report: { input, found, reporter in
            var report = found
            report.savedCertificates = try trust.saveCertificates(of: report, replace)
            if output != nil, report.verdict != .passed {
                let reason = report.signatures.lazy.map { DecisiveProblems($0) }
                    .compactMap { problems in problems.main.map(problems.text) }.first
                reporter.warnings(
                    ["the content was not written" + (reason.map { ": \($0)" } ?? "")], of: input)
            }
            // If the content is on standard output, the report is not printed there.
            guard output != "-" else { return Reporter.status(of: report) }
            let status = try reporter.verification(report, trust, at: trust.time)
            if trust.signer != nil, !allowMissingAttributes,
                report.signatures.contains(where: {
                    $0.problems.contains { $0.code == .signedAttributesMissing }
                })
            {
                reporter.hint(
                    "if this sender signs so, and you expect this content, add "
                        + "--allow-missing-attributes")
            }
            return status
        }
    }

    private func task() throws -> VerifyMessage {
        var options = trust.verification(at: try trust.time, asking: trust.fetcher)
        options.policyDocument = policyFile.signaturePolicyFile.map(InputSource.file)
        var task = try VerifyMessage(options)
        task.policies = try policies.policies()
        task.anySigner = anySigner
        task.allowsMissingAttributes = allowMissingAttributes
        return task
    }
}
