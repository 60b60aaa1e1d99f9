import ArgumentParser
import SignetKit

struct TSPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tsp", abstract: "Time-stamp requests and responses (RFC 3161).",
        discussion: """
            Examples:
              signet tsp request contract.pdf -o contract.tsq
              signet tsp respond contract.tsq --key tsa.pem --cert tsa.crt -o contract.tsr
              signet tsp verify contract.tsr --content contract.pdf --trust ca.crt
              signet tsp serve --key tsa.pem --cert tsa.crt --listen 127.0.0.1:3161
            """,
        subcommands: [
            TSPRequestCommand.self, TSPSendCommand.self, TSPVerifyCommand.self, TSPShowCommand.self,
            TSPRespondCommand.self, TSPServeCommand.self,
        ])
}

struct TSPRequestCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Make a request to a time-stamping authority.",
        discussion: """
            Only the hash goes into the request. It has a nonce, which ties the answer to it, and \
            asks for the authority's certificate.

            Examples:
              signet tsp request contract.pdf -o contract.tsq
              signet tsp request --hash 2cf24dba...938b9824 -o hello.tsq
            """ + ExitStatus.help(.making))

    @Argument(help: "The file to be stamped.", completion: .file())
    var file: String?
    @Option("The hash itself, instead of a file.", value: "hex")
    var hash: String?
    @Option(name: .shortAndLong, "Output file (default: FILE.tsq).", value: "file")
    var output: String?
    @Option(
        "sha256, sha384, sha512, sha3-256, sha3-384 or sha3-512 (default: sha256).", value: "name",
        completion: .list(SigningOptions.Digest.names))
    var digest: String?
    @Flag(help: "No nonce.")
    var noNonce = false
    @Flag(help: "Do not ask for the authority's certificate.")
    var noCert = false
    @Option("Ask for this policy.", value: "oid")
    var tsaPolicy: String?
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        guard (file == nil) != (hash == nil) else {
            throw ValidationError("Give a file or --hash.")
        }
        if hash != nil && output == nil {
            throw ValidationError("With --hash, name the output with --output.")
        }
        let _: SigningOptions.Digest? = try Value.parse(digest, "--digest")
    }

    func run(_ reporter: Reporter) throws {
        var task = CreateTimestampRequest()
        task.digest = try Value.parse(digest, "--digest")
        task.hasNonce = !noNonce
        task.asksForCertificate = !noCert
        task.policy = tsaPolicy
        let destination =
            try file.map {
                try OutputNaming(
                    output: output, suffix: ".tsq", dropping: []
                ).replacing(replace.force).destination(for: $0)
            } ?? replace.destination(output ?? "-")
        let made = try task.run(
            file.map { .content(.file($0)) } ?? .hash(hash ?? ""), into: destination)
        if destination.path != "-" {
            try reporter.made(destination.path, "time-stamp request, \(made.digest)", json: made)
        }
    }
}

struct TSPSendCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send a request to a time-stamping authority.",
        discussion: """
            The answer is written only when it is what the request asked for, and its signature \
            verifies; whom to believe is asked by tsp verify.

            Examples:
              signet tsp send contract.tsq --tsa https://tsa.example/ts -o contract.tsr
            """ + ExitStatus.help(.asking))

    @Argument(help: "The request.", completion: .file())
    var request: String
    @OptionGroup(title: "Authority") var timestamp: TimestampArguments
    @Option("Certificates between the authority's and its --tsa-anchor; repeatable.", value: "file")
    var chain: [String] = []
    @Option(
        name: .shortAndLong, "Output file (default: the request's name with .tsr).", value: "file")
    var output: String?
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "Settings") var settings: SettingsOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func run(_ reporter: Reporter) throws {
        let destination = try replace.reply(to: request, output)
        let stamped = try SendTimestampRequest(timestamp.requiredAuthorities(chain: chain))
            .run(.file(request), into: destination)
        reporter.warnings(stamped.warnings, of: request)
        if destination.path != "-" {
            try reporter.made(stamped.output, "stamped \(stamped.summary)", json: stamped)
        }
    }
}

struct TSPVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify a time-stamp response or token.",
        discussion: """
            Checks everything: status, the stamped hash, nonce and policy (with --request), \
            signature, the authority's certificate, which must be for time-stamping alone, and its \
            path to an anchor at the stamped time. Reads DER, PEM and base64.

            Examples:
              signet tsp verify contract.pdf.tsr                # contract.pdf is beside it
              signet tsp verify answer.tsr --content contract.pdf --trust tsa-ca.pem
              signet tsp verify answer.tsr --request contract.tsq --trust tsa-ca.pem --json
            """ + ExitStatus.help(.checking))

    @Argument(help: "The response or token.", completion: .file())
    var response: String
    @Option("The stamped file (default: the response's name without its suffix).", value: "file")
    var content: String?
    @Option("The stamped hash, instead of the file.", value: "hex")
    var hash: String?
    @Option("The request that was answered.", value: "file")
    var request: String?
    @OptionGroup(title: "Trust") var trust: TrustOptions
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "Settings") var settings: SettingsOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        try Value.refuseBoth("--content", content != nil, "--hash", hash != nil)
        if [response, content, request].filter({ $0 == "-" }).count > 1 {
            throw ValidationError("Standard input (-) can be used only once.")
        }
    }

    func run() throws {
        try Reporter.handleAll([response], messages) { input, reporter in
            let task = try VerifyTimestamp(
                trust.verification(at: trust.time, asking: trust.fetcher))
            var report = try task.run(
                .file(input), content: content.map { .file($0) }, hash: hash,
                request: request.map { .file($0) })
            report.savedCertificates = try trust.saveCertificates(of: report, replace)
            return try reporter.verification(report, trust, at: trust.time)
        }
    }
}

/// `show` for timestamps, as an alias among the other timestamp commands.
struct TSPShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Explain a time-stamp request or response.",
        discussion: """
            Examples:
              signet tsp show contract.tsq
              signet tsp show contract.tsr --json
            """ + ExitStatus.help(.making))

    @OptionGroup var show: ShowCommand

    func run() throws { try show.run() }
}

extension ReplaceOptions {
    /// The destination of a timestamp reply: next to the request, or as given.
    func reply(to request: String, _ output: String?) throws -> Destination {
        try OutputNaming(output: output, suffix: ".tsr", dropping: ["tsq"]).replacing(force)
            .destination(for: request)
    }
}
