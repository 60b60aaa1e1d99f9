import ArgumentParser
import SignetKit

struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign PDF files.",
        discussion: """
            Appends a PAdES signature to each PDF as an incremental update: the original bytes stay \
            as they are, and earlier signatures stay valid. The result is NAME.signed.pdf.

            Examples:
              signet sign contract.pdf --key me.p12
              signet sign contract.pdf --key me.pem --cert me.crt --at last:bottom-right
              signet sign *.pdf --key me.p12 --passphrase-env PASS -o signed/
              signet sign form.pdf --key me.p12 --field Approval --reason "Approved" --in-place
            """)

    @Argument(help: "The files to sign.", completion: .file(extensions: ["pdf"]))
    var inputs: [String]

    @OptionGroup(title: "Key") var key: KeyOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Output file; a folder when there are several inputs.", valueName: "path"),
        completion: .file())
    var output: String?
    @Flag(help: "Replace the input atomically.")
    var inPlace = false
    @OptionGroup var replace: ReplaceOptions
    @Flag(help: "Make every check, write nothing.")
    var dryRun = false

    @OptionGroup(title: "Signature") var signature: SignatureOptions
    @OptionGroup(title: "Visible stamp") var stamp: StampArguments
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        _ = try SigningOptions(signature, stamp)
        if inPlace && output != nil {
            throw ValidationError("Give --in-place or --output, not both.")
        }
        if inputs.count > 1 && inputs.contains("-") {
            throw ValidationError("Standard input (-) cannot be one of several inputs.")
        }
        if inPlace && inputs.contains("-") {
            throw ValidationError("Standard input cannot be replaced; give --output.")
        }
    }

    func run() throws {
        let reporter = Reporter(options: messages, isBatch: inputs.count > 1)
        let task: SignDocument
        do {
            let credential = try key.credential()
            task = SignDocument(
                credential: credential, options: try SigningOptions(signature, stamp))
        } catch {
            throw reporter.failure(error)
        }
        let destinations = OutputNaming(
            output: output, inPlace: inPlace, replace: replace.force, suffix: ".signed.pdf",
            inputCount: inputs.count)
        try Reporter.handleAll(inputs, messages) { input, reporter in
            if dryRun {
                let plan = try task.check(input)
                plan.warnings.forEach { reporter.warning("\(input): \($0)") }
                try reporter.result(Reporter.printable("\(input): can be signed (\(plan.summary))"))
                try reporter.result(json: plan)
                return .done
            }
            let destination = try destinations.destination(for: input)
            reporter.step("signing \(input) into \(destination.path)")
            let signed = try task.run(input, into: destination)
            signed.warnings.forEach { reporter.warning("\(input): \($0)") }
            if destination.path != "-" {
                try reporter.result(
                    Reporter.printable(
                        "\(destination.path): signed by \(signed.signer) (\(signed.summary))"))
            }
            try reporter.result(json: signed)
            return .done
        }
    }
}

extension SigningOptions {
    /// What the command line asks for.
    init(_ signature: SignatureOptions, _ stamp: StampArguments) throws {
        self.init()
        field = signature.fieldChoice
        name = signature.name
        reason = signature.reason
        location = signature.location
        contact = signature.contact
        digest = try Value.parse(signature.digest, "--digest")
        padding = try Value.parse(signature.padding, "--padding") ?? .pkcs1
        claimedTime = try signature.claimedTime()
        certification = try Value.parse(signature.certify, "--certify")
        let lock: LockArgument? = try Value.parse(signature.lock, "--lock")
        self.lock = lock?.lock
        self.stamp = try stamp.options()
    }
}

/// What the signature says and how it is made.
struct SignatureOptions: ParsableArguments {
    @Option(
        help: "Sign this empty field, or create it (default: the only empty one, or a new one).")
    var field: String?
    @Flag(help: "Always create a field.")
    var newField = false
    @Option(help: ArgumentHelp("The signer's name in the signature.", valueName: "text"))
    var name: String?
    @Option(help: ArgumentHelp("Why it is signed.", valueName: "text"))
    var reason: String?
    @Option(help: ArgumentHelp("Where it is signed.", valueName: "text"))
    var location: String?
    @Option(help: ArgumentHelp("How to reach the signer.", valueName: "text"))
    var contact: String?
    @Option(
        help: ArgumentHelp(
            """
            The hash algorithm: sha256, sha384, sha512, sha3-256, sha3-384, sha3-512 (default: \
            sha256; Ed25519 keys: sha512).
            """, valueName: "name"),
        completion: .list(SigningOptions.Digest.names))
    var digest: String?
    @Option(
        help: ArgumentHelp(
            "Padding of RSA signatures: pkcs1 or pss (default: pkcs1).", valueName: "name"),
        completion: .list(SigningOptions.Padding.names))
    var padding: String?
    @Option(
        help: ArgumentHelp(
            """
            Certify the document: later changes are limited to no-changes, form-filling or \
            annotations.
            """, valueName: "changes"),
        completion: .list(SigningOptions.Certification.names))
    var certify: String?
    @Option(
        help: ArgumentHelp(
            "Lock form fields: all, only:A,B or except:A,B.", valueName: "fields"))
    var lock: String?
    @Option(
        help: ArgumentHelp(
            "The claimed time of signing (RFC 3339; default: now).", valueName: "rfc3339"))
    var atTime: String?

    var fieldChoice: SigningOptions.Field {
        if newField { return .new(field) }
        return field.map { .named($0) } ?? .automatic
    }

    func claimedTime() throws -> Int? {
        try atTime.map { try TimeArgument.seconds($0) }
    }
}

/// The stamp's place and text.
struct StampArguments: ParsableArguments {
    // `-1:top` begins like an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Make the signature visible: a page (1, -1, last) and a place (top-left, top, \
            top-right, left, center, right, bottom-left, bottom, bottom-right, or X,Y of the \
            stamp's top left corner from the page's).
            """, valueName: "page:place"))
    var at: String?
    @Option(
        help: ArgumentHelp(
            "Size of the stamp (default: 60x20mm). Units: mm, cm, in, pt.", valueName: "wxh"))
    var size: String?
    @Option(
        help: ArgumentHelp(
            "Distance from the page's edge for named places (default: 15mm).",
            valueName: "length"))
    var margin: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The same in raw PDF user space, instead of --at.", valueName: "page:x1,y1,x2,y2"))
    var rect: String?
    @Option(
        help: ArgumentHelp(
            """
            The stamp's text: {name} {subject} {date} {reason} {location} are filled in, \\n \
            breaks lines.
            """, valueName: "template"))
    var text: String?
    @Flag(help: "Draw no text.")
    var noText = false

    func validate() throws {
        if at != nil && rect != nil {
            throw ValidationError("Give --at or --rect, not both.")
        }
        if text != nil && noText {
            throw ValidationError("Give --text or --no-text, not both.")
        }
        if rect != nil && (size != nil || margin != nil) {
            throw ValidationError("--rect says the size itself; leave out --size and --margin.")
        }
        if at == nil && rect == nil && (size != nil || margin != nil) {
            throw ValidationError("--size and --margin need --at.")
        }
        _ = try options()
    }

    /// Nil when nothing about a stamp was said.
    func options() throws -> StampOptions? {
        var stamp = StampOptions()
        if let place: StampPlaceArgument = try Value.parse(at, "--at") {
            stamp.page = place.page.number
            stamp.position = place.position
        } else if let rectangle: StampRectangle = try Value.parse(rect, "--rect") {
            stamp.page = rectangle.page.number
            stamp.position = rectangle.position
        } else if text == nil && !noText {
            return nil
        }
        if let size: StampSize = try Value.parse(size, "--size") {
            stamp.width = size.width
            stamp.height = size.height
        }
        if let margin: Length = try Value.parse(margin, "--margin") {
            stamp.margin = margin.points
        }
        stamp.template = text
        stamp.showsText = !noText
        return stamp
    }
}
