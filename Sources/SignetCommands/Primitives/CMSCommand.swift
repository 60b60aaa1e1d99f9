import ArgumentParser
import SignetKit

struct CMSCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cms", abstract: "Sign and verify CMS (PKCS#7) messages.",
        discussion: """
            Examples:
              signet cms sign order.xml --key me.p12 -o order.p7m --attached
              signet cms verify order.p7m --signer customer.crt -o order.xml
            """, subcommands: [CMSSignCommand.self, CMSVerifyCommand.self])
}

struct CMSSignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign a file as CMS.",
        discussion: """
            Makes a CAdES baseline B-B signature, with --tsa B-T; with --level LT or LTA it brings \
            the evidence that it can be checked by for years. Detached, it stands beside the file, which may \
            have any size; attached, it carries the content along, up to 60 MiB.

            Examples:
              signet cms sign data.zip --key me.p12 -o data.zip.p7s
              signet cms sign order.xml --key me.pem --cert me.crt -o order.p7m --attached
            """ + ExitStatus.help(.reaching))

    @Argument(help: "The file to sign.", completion: .file())
    var input: String
    @OptionGroup(title: "Key") var key: KeyOptions
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Where the message goes.", valueName: "file"),
        completion: .file())
    var output: String
    @Flag(help: "Carry the content along.")
    var attached = false
    @Flag(help: "Write PEM instead of DER.")
    var pem = false
    @Option(
        help: ArgumentHelp(
            "The hash algorithm (default: sha256; Ed25519 keys: sha512).", valueName: "name"),
        completion: .list(SigningOptions.Digest.names))
    var digest: String?
    @Option(
        help: ArgumentHelp(
            "Padding of RSA signatures: pkcs1 or pss (default: pkcs1).", valueName: "name"),
        completion: .list(SigningOptions.Padding.names))
    var padding: String?
    @Option(
        help: ArgumentHelp(
            "The claimed time of signing (RFC 3339; default: now).", valueName: "rfc3339"))
    var atTime: String?
    @Option(
        help: ArgumentHelp(
            "The baseline level: B, T, LT or LTA (default: T with --tsa, else B).",
            valueName: "name"))
    var level: String?
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "Time stamp") var timestamp: TimestampArguments
    @OptionGroup(title: "Evidence") var evidence: EvidenceArguments
    @OptionGroup(title: "Settings") var settings: SettingsOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        let _: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        let _: SigningOptions.Padding? = try Value.parse(padding, "--padding")
        try BaselineLevel.check(level, hasAuthority: !timestamp.tsa.isEmpty)
        try evidence.check(level: longTermLevel(), isStamped: !timestamp.tsa.isEmpty)
    }

    /// LT or LTA where one of them is asked for.
    private func longTermLevel() throws -> SignatureLevel? { try BaselineLevel.longTerm(level) }

    func run() throws {
        try Reporter.handleOne(messages) { reporter in
            let credential = try key.credential()
            defer { credential.close() }
            var task = SignMessage(credential: credential)
            task.digest = try Value.parse(digest, "--digest")
            task.padding = try Value.parse(padding, "--padding") ?? .pkcs1
            task.claimedTime = try atTime.map { try TimeArgument.seconds($0) }
            task.isAttached = attached
            task.writesPEM = pem
            let longTermLevel = try longTermLevel()
            task.timestamps = try timestamp.authorities(
                trust: longTermLevel == nil ? evidence.trust : [])
            if let longTermLevel {
                task.longTerm = try LongTermValidation(
                    evidence.options(chain: key.chain), timestamps: task.timestamps)
                task.longTermLevel = longTermLevel
            }
            // Names the output's folder, and refuses the input itself.
            let destination = try OutputNaming(
                output: output, inPlace: false, replace: replace.force,
                suffix: attached ? ".p7m" : ".p7s", dropping: [], inputCount: 1
            ).destination(for: input)
            let signed = try task.run(.file(input), into: destination)
            reporter.warnings(signed.warnings, of: input)
            if destination.path != "-" {
                try reporter.result(
                    Reporter.printable(
                        "\(destination.path): signed by \(signed.signer) (\(signed.summary))"))
            }
            try reporter.result(json: signed)
        }
    }
}

struct CMSVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify a CMS (PKCS#7) message.",
        discussion: """
            Reads DER, BER, PEM and base64. Every signer must be good unless --any-signer is given. \
            With --signer the message counts only if that very certificate signed it, whatever \
            certificates it carries. The content is written only after verification succeeded.

            Examples:
              signet cms verify order.p7m --signer customer.crt -o order.xml
              signet cms verify data.zip.p7s --content data.zip --trust company-ca.pem
              signet cms verify minutes.p7m --trust ca.pem --any-signer --json
            """ + ExitStatus.help(.checking))

    @Argument(help: "The message.", completion: .file())
    var message: String
    @Option(
        help: ArgumentHelp(
            "What a detached signature signs (default: the message's name without its suffix).",
            valueName: "file"), completion: .file())
    var content: String?
    @OptionGroup(title: "Trust") var trust: TrustOptions
    @OptionGroup(title: "Trust") var policies: PolicyOptions
    @Flag(help: "One good signer is enough.")
    var anySigner = false
    @Flag(help: "With --signer, accept a message without signed attributes.")
    var allowMissingAttributes = false
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Where the content goes, if all is well.", valueName: "file"),
        completion: .file())
    var output: String?
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "Settings") var settings: SettingsOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        if message == "-" && content == "-" {
            throw ValidationError("Standard input cannot be both the message and the content.")
        }
        if output == "-" && messages.json {
            throw ValidationError("The content and the JSON cannot both go to standard output.")
        }
    }

    func run() throws {
        try Reporter.handleAll([message], messages) { input, reporter in
            var task = try VerifyMessage(
                trust: trust.trust, chain: trust.chain, signer: trust.signer,
                revocationLists: trust.crl, time: try trust.time, fetcher: trust.fetcher)
            task.policies = try policies.policies()
            task.anySigner = anySigner
            task.allowsMissingAttributes = allowMissingAttributes
            let destination = try output.map {
                try OutputNaming(
                    output: $0, inPlace: false, replace: replace.force, suffix: ".content",
                    dropping: [], inputCount: 1
                ).destination(for: input)
            }
            var report = try task.run(
                .file(input), content: content.map(InputSource.file), into: destination)
            try trust.saveCertificates(&report, replace)
            if destination != nil, report.verdict != .passed {
                reporter.warning("\(input): the content was not written")
            }
            // With the content on standard output the report has no place there.
            guard destination?.path != "-" else {
                return report.verdict == .passed
                    ? .done : report.verdict == .failed ? .invalid : .indeterminate
            }
            return try reporter.verification(report, TextStyle())
        }
    }
}
