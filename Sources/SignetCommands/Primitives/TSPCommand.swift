import ArgumentParser
import SignetKit

struct TSPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tsp",
        abstract: "Create and verify timestamp requests and responses (RFC 3161).",
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
        commandName: "request", abstract: "Create a timestamp request.",
        discussion: """
            The request contains only the hash of the file, a nonce, and the request for the TSA \
            certificate.

            Examples:
              signet tsp request contract.pdf -o contract.tsq
              signet tsp request --hash 2cf24dba...938b9824 -o hello.tsq
            """)

    @Argument(help: "File to timestamp", completion: .file())
    var file: String?
    @Option("Hash, instead of a file", value: "hex")
    var hash: String?
    @Option(name: .shortAndLong, "Output file (default: FILE.tsq)", value: "file")
    var output: String?
    @Option(
        "sha256, sha384, sha512, sha3-256, sha3-384 or sha3-512 (default: sha256)", value: "name",
        completion: .list(SigningOptions.Digest.names))
    var digest: String?
    @Flag(help: "Do not add a nonce")
    var noNonce = false
    @Flag(help: "Do not request the TSA certificate")
    var noCert = false
    @Option("Timestamp policy to request", value: "oid")
    var tsaPolicy: String?
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        guard (file == nil) != (hash == nil) else {
            throw ValidationError("Exactly one of a file and --hash is required.")
        }
        if hash != nil && output == nil {
            throw ValidationError("--hash requires --output.")
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
            try reporter.made(
                destination.path, "created timestamp request (\(made.digest))", json: made)
        }
    }
}

struct TSPSendCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send a timestamp request to a TSA.",
        discussion: """
            Writes the response only if it matches the request and its signature is valid. 'tsp \
            verify' checks whether the TSA is trusted.

            Examples:
              signet tsp send contract.tsq --tsa https://tsa.example/ts -o contract.tsr
            """)

    @Argument(help: "Timestamp request (.tsq)", completion: .file())
    var request: String
    @OptionGroup(title: "Timestamp (TSA)") var timestamp: TimestampArguments
    @Option("Intermediate CA certificates of the TSA; may be repeated", value: "file")
    var chain: [String] = []
    @Option(
        name: .shortAndLong, "Output file (default: request name with .tsr)", value: "file")
    var output: String?
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "General") var settings: SettingsOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func run(_ reporter: Reporter) throws {
        let destination = try replace.reply(to: request, output)
        let stamped = try SendTimestampRequest(timestamp.requiredAuthorities(chain: chain))
            .run(.file(request), into: destination)
        reporter.warnings(stamped.warnings, of: request)
        if destination.path != "-" {
            try reporter.made(stamped.output, "timestamped \(stamped.summary)", json: stamped)
        }
    }
}

struct TSPVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify a timestamp response or token.",
        discussion: """
            Checks the status, message imprint, nonce and policy (with --request), signature, TSA \
            certificate, and its chain to a trust anchor at the time of the timestamp. Reads DER, PEM \
            and base64.

            Examples:
              signet tsp verify contract.pdf.tsr                # covers contract.pdf
              signet tsp verify answer.tsr --content contract.pdf --trust tsa-ca.pem
              signet tsp verify answer.tsr --request contract.tsq --trust tsa-ca.pem --json
            """)

    @Argument(help: "Timestamp response or token (.tsr, .tst)", completion: .file())
    var response: String
    @Option("Timestamped file (default: response name without suffix)", value: "file")
    var content: String?
    @Option("Hash, instead of the file", value: "hex")
    var hash: String?
    @Option("Timestamp request (.tsq) of the response", value: "file")
    var request: String?
    @OptionGroup(title: "Trust") var trust: TrustOptions
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "General") var settings: SettingsOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        try Value.refuseBoth("--content", content != nil, "--hash", hash != nil)
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
        commandName: "show", abstract: "Display a timestamp request or response.",
        discussion: """
            Examples:
              signet tsp show contract.tsq
              signet tsp show contract.tsr --json
            """)

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
