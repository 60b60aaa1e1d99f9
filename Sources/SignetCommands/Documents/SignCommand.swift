import ArgumentParser
import Base
import SignetKit
import SystemBridge

struct SignCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign PDF documents and other files.",
        discussion: """
            A PDF gets an embedded PAdES signature (NAME.signed.pdf), appended as an incremental \
            update, so that earlier signatures stay valid. Any other file gets a detached CAdES \
            signature (NAME.EXT.p7s). --container signs files in one container. --as-pdf converts \
            images to one PDF and signs it.

            Examples:
              signet sign contract.pdf --key me.p12
              signet sign contract.pdf --key me.pem --cert me.crt --at last:bottom-right
              signet sign contract.pdf --key me.p12 --level LTA --tsa https://tsa.example/ts
              signet sign ./*.pdf --key me.p12 --passphrase-env PASS -o signed/

            --key takes a file (PEM, DER, PKCS#12), a key on a token (pkcs11:...), at a signing \
            service (csc:https://host/csc/v2), in a program (exec:NAME, which runs \
            signet-key-NAME) or in a TPM (provider:handle:0x81000001). --key - reads it from standard input, --key <(COMMAND) from a \
            command. Default: the only stored identity.

            --at takes PAGE:POSITION. PAGE is a number, or last (also -1). POSITION is top-left, top, \
            top-right, left, center, right, bottom-left, bottom, bottom-right, or X,Y from the \
            top left, such as 20mm,30mm. Also: auto (next free position), text:WORDS, above:WORDS, below:WORDS, \
            text:2:WORDS for the second match, and 1:auto or 3:above:WORDS on one page.

            --text takes {name} {subject} {date} {reason} {location} {sha256}. Dates: \
            {date:short}, {date:long}, or a format such as {date:d. MMMM yyyy, HH:mm}. QR code: \
            {qr:TEXT}, such as {qr:https://example.com/check?h={sha256}}.
            """)

    @Argument(help: ArgumentHelp("Files to sign", valueName: "file"), completion: .file())
    var inputs: [String] = []

    @OptionGroup(title: "Key") var key: KeyOptions

    @OptionGroup(title: "Output") var place: PlaceOptions
    @OptionGroup(title: "Output") var kind: SignatureKindOptions

    @OptionGroup(title: "Signature") var signature: SignatureOptions
    @OptionGroup(title: "Signature") var levels: LevelOptions
    @OptionGroup(title: "Signature") var statement: StatementOptions
    @OptionGroup(title: "Visible signature") var stamp: StampArguments
    @OptionGroup(title: "Timestamp (TSA)") var timestamp: TimestampArguments
    @OptionGroup(title: "Validation data") var evidence: EvidenceArguments
    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "Images") var photos: PhotoSigningArguments
    @OptionGroup(title: "Encrypted PDFs") var password: PasswordOptions
    @OptionGroup(title: "Signing service") var service: ServiceArguments
    @OptionGroup(title: "General") var settings: SettingsOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(inputs)
        _ = try SigningOptions(signature, stamp)
        try timestamp.check(level: levels.level)
        try evidence.check(level: longTermLevel(), isStamped: !timestamp.tsa.isEmpty)
        try statement.check(timestamp)
        let format: SignatureFormat? = try Value.parse(kind.format, "--format")
        if format == .cms, try demandsPDF() {
            throw ValidationError(
                "--format cms cannot be combined with PDF options, such as --field, --at or --in-place."
            )
        }
        if photos.asPDF && (place.inPlace || format == .cms) {
            throw ValidationError(
                "--as-pdf creates a new PDF: leave out --in-place and --format cms.")
        }
        try place.check(inputs: inputs)
        if kind.preview != nil && (inputs.count != 1 || batch.isBatch || photos.asPDF) {
            throw ValidationError("--preview requires exactly one PDF.")
        }
        try kind.check()
        if kind.container != nil,
            try demandsPDF() || kind.dryRun || kind.preview != nil || format != nil
                || photos.asPDF || place.output != nil || batch.isBatch
        {
            throw ValidationError(
                "--container cannot be combined with PDF options, --output, --format, --dry-run or batches."
            )
        }
    }

    func run(_ reporter: Reporter) throws {
        try refuseKeys()
        if let preview = kind.preview { return try draw(preview, reporter: reporter) }
        for remark in try stamp.extent.unitRemarks(at: stamp.at) { reporter.warning(remark) }
        let selected = try place.selected(
            inputs, patterns: photos.asPDF ? PhotoSigningArguments.patterns : ["*.pdf"],
            otherPatterns: photos.asPDF ? PictureFormats.otherPatterns : [], batch,
            suffix: Self.suffix)
        if kind.container == nil { try requireWork(selected) }
        let credential = try key.credential(service)
        defer { credential.close() }
        let authorities = try timestamp.authorities(
            trust: try longTermLevel() == nil ? evidence.trust : [], chain: key.chain)
        let pdfTask = try documentTask(credential, authorities: authorities)
        if let container = kind.container {
            var task = try messageTask(credential, authorities: authorities)
            (task.longTerm, task.longTermLevel) = (pdfTask.longTerm, pdfTask.longTermLevel)
            let result = try SignContainer(task).run(
                selected.map { .file($0.path) }, into: place.replace.destination(container))
            return try tell(reporter, container, result)
        }
        if photos.asPDF {
            return try signPhotos(selected.map(\.path), with: pdfTask, reporter: reporter)
        }
        var messageTask = try messageTask(credential, authorities: authorities)
        (messageTask.longTerm, messageTask.longTermLevel) = (
            pdfTask.longTerm, pdfTask.longTermLevel
        )
        try signFiles(selected, pdfTask, messageTask, credential.consent)
    }

    private func signFiles(
        _ found: [BatchSelection.Input], _ pdfTask: SignDocument, _ messageTask: SignMessage,
        _ consent: SharedConsent
    ) throws {
        let (pdfNames, otherNames, format) = try names(of: found)
        let selected =
            place.skipExisting
            ? OutputNaming.withoutOutputs(found) { try format.isPDF($0) ? pdfNames : otherNames }
            : found
        let (isRehearsal, demandsPDF) = (kind.dryRun, try demandsPDF())
        let paths = selected.map(\.path)
        var many = Batch(isRehearsal ? "can be signed" : "signed", paths, messages)
        try OutputNaming.plan(paths) { try format.isPDF($0) ? pdfNames : otherNames }
        many.asksServer = !timestamp.tsa.isEmpty
        many.judgesExisting = pdfTask.existingOutputs.words(isDocument: format.isPDF)
        many.skipsExisting = place.skipExisting
        if !isRehearsal {
            try many.configure(batch, command: "sign", named: inputs, place)
            many.consent = consent
            if pdfTask.longTerm != nil { many.groupSize = LongTermValidation.groupSize }
        }
        try many.run { input in
            try Self.withHint(on: input, of: inputs) {
                try (format.isPDF(input) ? pdfNames : otherNames).destination(for: input)
            }
        } passes: { input, destination in
            try Self.withHint(on: input, of: inputs) { () -> Pass<any SigningResult> in
                let isPDF = try format.isPDF(input)
                guard isPDF || !demandsPDF else { throw Self.refusal(of: input) }
                guard let destination, !isRehearsal else {
                    let found: any SigningResult =
                        isPDF
                        ? try pdfTask.check(.file(input)) : try messageTask.check(.file(input))
                    try destination?.rehearse()
                    return .done(found)
                }
                return isPDF
                    ? try .run({ try pdfTask.passes(.file(input), into: destination) }) {
                        try $0.get()
                    }
                    : try .run({ try messageTask.passes(.file(input), into: destination) }) {
                        try $0.get()
                    }
            }
        } report: { (input, result: any SigningResult, reporter) in
            if let output = result.output { reporter.step("signed \(input) into \(output)") }
            try tell(reporter, input, result)
            return .done
        }
    }

    private func documentTask(
        _ credential: SigningCredential, authorities: TimestampAuthorities?
    ) throws -> SignDocument {
        // A dry run does not use a key outside files for decryption, unless it is named for that
        // purpose.
        let password = password.source(
            signer: kind.dryRun && credential.isElsewhere ? nil : credential)
        var options = try SigningOptions(signature, stamp)
        options.statements = statement.statements
        var task = SignDocument(
            credential: credential, options: options, password: password, timestamps: authorities)
        guard let level = try longTermLevel() else { return task }
        task.longTerm = try LongTermValidation(
            evidence.options(chain: key.chain), timestamps: authorities, password: password)
        task.longTermLevel = level
        return task
    }

    static let suffix = ".signed.pdf"

    /// Adds a hint if an input is missing. The second of two may be the output, as in other
    /// programs, and a name with a space is several inputs without quotation marks.
    static func withHint<Value>(
        on input: String, of inputs: [String], _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as SignetError
            where error.code == .missingInput && !FileSystem.exists(input)
        {
            let names = zip(inputs, inputs.dropFirst()).map { "\($0) \($1)" }
            if let name = names.first(where: FileSystem.exists) {
                throw SignetError(
                    .missingInput, file: input, error.message,
                    hint: "did you mean: \(ShellWord.quoted(name))")
            }
            guard inputs.count == 2, input.isExactly(inputs[1]) else { throw error }
            throw SignetError(
                .missingInput, file: input, error.message,
                hint:
                    "check the path; if it is the name of the output, use -o \(ShellWord.quoted(input))"
            )
        }
    }

    /// Draws a preview of the page with its signature appearance. The private key is not needed.
    private func draw(_ picture: String, reporter: Reporter) throws {
        let credential = try key.certificateAlone(service)
        defer { credential.close() }
        let task = SignDocument(
            credential: credential, options: try SigningOptions(signature, stamp),
            password: password.source())
        let input = inputs.first ?? "-"
        let shown = try task.preview(.file(input), into: place.replace.destination(picture))
        reporter.warnings(shown.warnings, of: input)
        reporter.note(shown.notes, of: input)
        let page = shown.widgets?.first?.page.map { "page \($0)" } ?? "the page"
        try reporter.made(picture, "wrote preview of \(page); nothing was signed", json: shown)
    }

    /// Reports the signed file, or for a dry run the result of the checks.
    func tell(_ reporter: Reporter, _ input: String, _ result: any SigningResult) throws {
        reporter.warnings(result.warnings, of: input)
        reporter.note(result.notes, of: input)
        for place in result.places { reporter.step("\(input): visible on \(place)") }
        let summary = result.summary.text
        if let output = result.output {
            return try reporter.made(
                output, "signed by \(result.signer) (\(summary))", json: result)
        }
        try reporter.line("\(input): can be signed (\(summary))")
        for (index, line) in (result.stampText ?? []).enumerated() {
            try reporter.line((index == 0 ? "  text  " : "        ") + line)
        }
        if let code = (result as? SignedDocument)?.stampCode {
            try reporter.line("  code  " + code)
        }
        try reporter.result(json: result)
    }

    /// The level if it is B-LT or B-LTA; otherwise nil.
    private func longTermLevel() throws -> SignatureLevel? {
        try SignatureLevel.longTerm(levels.level)
    }

    private func messageTask(
        _ credential: SigningCredential, authorities: TimestampAuthorities?
    ) throws -> SignMessage {
        let options = try SigningOptions(signature, stamp)
        var task = SignMessage(credential: credential)
        task.digest = options.digest
        task.padding = options.padding
        task.claimedTime = options.claimedTime
        task.statements = statement.statements
        task.statements.location = options.location
        task.timestamps = authorities
        return task
    }

    /// The error about a file that is not a PDF, if an option requires a PDF.
    private static func refusal(of input: String) -> any Error {
        do {
            return SignetError(
                .usage, file: input, "the file is not a PDF: options such as --at cannot be used",
                hint: try FileKind.of(.file(input)) == .photo
                    ? "add --as-pdf to convert it to a PDF first"
                    : "to create a detached signature, leave out the options for PDFs")
        } catch {
            return error
        }
    }

    private func demandsPDF() throws -> Bool {
        let options = try SigningOptions(signature, stamp)
        return place.inPlace || options.field != .automatic
            || options.stamp.map { !$0.isDefault } ?? false
            || options.name != nil || options.reason != nil
            || options.contact != nil || options.certification != nil || options.lock != nil
            || options.lockLevel != nil
            || options.picture != nil && options.stamp?.isDefault != true
            || options.marks != nil || options.subFilter != nil
            || options.isStrict || options.allowsFailed || options.allowsDamaged
    }
}

extension SigningOptions {
    init(_ signature: SignatureOptions, _ stamp: StampArguments) throws {
        self.init()
        field = signature.fieldChoice
        name = signature.name
        reason = signature.reason
        location = signature.location
        contact = signature.contact
        digest = try Value.parse(signature.digest, "--digest")
        allowsHiddenField = signature.allowHidden
        allowsDamaged = signature.damage.allowDamaged
        allowsFailed = signature.allowFailed
        isStrict = signature.strict
        subFilter = try Value.parse(signature.subfilter, "--subfilter")
        padding = try signature.padding.choice()
        claimedTime = try signature.claimedTime()
        certification = try Value.parse(signature.certify, "--certify")
        lock = try Value.parse(signature.lock, "--lock")
        lockLevel = try Value.parse(signature.lockLevel, "--lock-level")
        self.stamp = try stamp.options()
        picture = stamp.picture
        marks = try stamp.marks()
        language = try stamp.language()
        zone = try stamp.zone()
    }
}

struct LevelOptions: ParsableArguments {
    @Option(
        "B, T, LT or LTA (default: T with --tsa, otherwise B)",
        value: "level",
        completion: .list(SignatureLevel.shortNames))
    var level: String?
}

struct SignatureOptions: ParsableArguments {
    @Option(
        help: "Field (default: the only empty one, or a new one)",
        completion: Completion.emptyFields)
    var field: String?
    @Flag(help: "Always create a new signature field")
    var newField = false
    @Flag(
        help: "Sign the --field field even if it is hidden or covers page content")
    var allowHidden = false
    @OptionGroup var damage: DamageOptions
    @Flag(
        help: "Sign even if an earlier signature is invalid")
    var allowFailed = false
    @Flag(
        help: "Refuse documents that may look different in other viewers (default: warn)")
    var strict = false
    @Option(
        "Signature type in the PDF: ETSI.CAdES.detached (PAdES, default) or adbe.pkcs7.detached",
        value: "name", completion: .list(SigningOptions.SubFilter.names))
    var subfilter: String?
    @Option("Signer name in the signature", value: "text")
    var name: String?
    @Option("Reason for signing", value: "text")
    var reason: String?
    @Option("Place of signing", value: "text")
    var location: String?
    @Option("Contact information of the signer", value: "text")
    var contact: String?
    @Option(
        "sha256, sha384, sha512, sha3-256, sha3-384 or sha3-512 (default: sha256; Ed25519, ML-DSA: sha512)",
        value: "name", completion: .list(SigningOptions.Digest.names))
    var digest: String?
    @OptionGroup var padding: PaddingOptions
    @Option(
        "Certify; permitted changes: no-changes, form-filling or annotations",
        value: "changes", completion: .list(DocMDPPermission.names))
    var certify: String?
    @Option(
        "Lock form fields: all, only:A,B or except:A,B", value: "fields",
        completion: Completion.locks)
    var lock: String?
    @Option(
        "Permitted changes with --lock: no-changes, form-filling or annotations",
        value: "changes", completion: .list(DocMDPPermission.names))
    var lockLevel: String?
    @Option("Claimed signing time, such as 2026-11-29T10:00:00Z (default: now)", value: "rfc3339")
    var atTime: String?

    var fieldChoice: FieldChoice {
        if newField { return .new(field) }
        return field.map { .named($0) } ?? .automatic
    }

    func validate() throws {
        try Value.requireText(field, "--field")
        try Value.requireText(name, "--name")
        try Value.requireText(reason, "--reason")
        try Value.requireText(location, "--location")
        try Value.requireText(contact, "--contact")
        if allowHidden && (field == nil || newField) {
            throw ValidationError("--allow-hidden requires --field NAME with an existing field.")
        }
        try TimeArgument.check(atTime, option: "--at-time")
    }

    func claimedTime() throws -> Moment? { try atTime.map { try TimeArgument.moment($0) } }
}

extension FileKind {
    /// Whether a file is treated as a PDF. A damaged PDF is not treated as another file type.
    static func isPDF(_ path: String) throws -> Bool {
        try FileSystem.without(ending: ".pdf", path) != nil || of(.file(path)) == .pdf
    }
}

/// The kind of output, or a check without output.
struct SignatureKindOptions: ParsableArguments {
    @Option(
        "Signature format: auto, pdf (in the file) or cms (.p7s); default: auto", value: "name",
        completion: .list(SignatureFormat.names))
    var format: String?
    @Option(
        "Write all files and one signature to a container (ASiC): NAME.asice, or NAME.asics for one file",
        value: "file", completion: .file(extensions: ["asice", "asics"]))
    var container: String?
    @Flag(help: "Run all checks that need no TSA, write nothing")
    var dryRun = false
    @Option(
        "Write a PNG preview of the page; do not sign", value: "file",
        completion: .file(extensions: ["png"]))
    var preview: String?

    func check() throws {
        guard let preview, preview != "-", !preview.lowercased().hasSuffix(".png") else { return }
        throw ValidationError("--preview requires a file name that ends in .png.")
    }
}
