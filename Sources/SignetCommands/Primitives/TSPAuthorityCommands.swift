import ArgumentParser
import SignetKit

struct AuthorityOptions: ParsableArguments {
    @Option("Policy of the tokens (default: 1.2.3.4.1, an example)", value: "oid")
    var policy: String?
    @Option("Further accepted policy; may be repeated", value: "oid")
    var acceptPolicy: [String] = []
    @Option(
        """
        Accuracy of the clock, such as 1s or 500ms (default: 1s); below 1s, tokens include \
        milliseconds
        """,
        value: "span")
    var accuracy: String?
    @Option(
        "Hash algorithm of the token signatures (default: sha256)", value: "name",
        completion: .list(SigningOptions.Digest.names))
    var digest: String?
    @Option(
        "File for the last serial number (default: one per certificate in the user's data folder)",
        value: "file")
    var serialFile: String?

    func validate() throws { _ = try options() }

    func options() throws -> TimestampAuthorityOptions {
        var options = TimestampAuthorityOptions()
        options.policy = policy
        options.furtherPolicies = acceptPolicy
        let span: TimeSpan? = try Value.parse(accuracy, "--accuracy")
        options.accuracy = span?.duration ?? options.accuracy
        options.digest = try Value.parse(digest, "--digest")
        options.serialFile = serialFile
        return options
    }
}

/// A duration: `1s`, `500ms`, `0.5`; a number without a unit is in seconds.
struct TimeSpan: OptionValue {
    static let expected = "a span of time from 1us to 3600s, such as 1s, 500ms or 100us"
    let duration: Duration

    init?(argument: String) {
        let units: [(String, Double)] = [("us", 1), ("ms", 1000), ("s", 1_000_000)]
        let unit = units.first { argument.hasSuffix($0.0) }
        guard let number = Double(argument.dropLast(unit?.0.count ?? 0)), number.isFinite else {
            return nil
        }
        let total = (number * (unit?.1 ?? 1_000_000)).rounded()
        guard (1...3_600_000_000).contains(total) else { return nil }
        duration = .microseconds(Int(total))
    }
}

struct TSPRespondCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "respond", abstract: "Create a timestamp response (RFC 3161).",
        discussion: """
            For tests and closed groups. The extended key usage of the certificate must be only \
            timeStamping. A request that cannot be granted gets a rejection as response.

            Examples:
              signet cert create --profile tsa --key tsa.pem --subject "CN=Our TSA" -o tsa.crt
              signet tsp respond contract.tsq --key tsa.pem --cert tsa.crt -o contract.tsr
            """)

    @Argument(help: "Timestamp request (.tsq)", completion: .file())
    var request: String
    @OptionGroup(title: "Key") var key: KeyOptions
    @Option(
        name: .shortAndLong, "Output file (default: request name with .tsr)", value: "file")
    var output: String?
    @OptionGroup(title: "Authority") var authority: AuthorityOptions
    @OptionGroup(title: "Signing service") var service: ServiceArguments
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func run(_ reporter: Reporter) throws {
        let destination = try replace.reply(to: request, output)
        let credential = try key.credential(service)
        defer { credential.close() }
        let task = try TimestampResponder(credential: credential, options: authority.options())
        task.warnings.forEach { reporter.warning($0) }
        let made = try task.run(.file(request), into: destination)
        if destination.path != "-" {
            let what = made.token.map { "granted, \($0.time)" } ?? made.statusDetail ?? ""
            try reporter.made(destination.path, what, json: made)
        }
    }
}

struct TSPServeCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run a time-stamping authority (TSA) for tests.",
        discussion: """
            For tests and closed groups: unencrypted HTTP, on this machine only by default. Prints \
            its URL, and runs until SIGINT or SIGTERM.

            Examples:
              signet tsp serve --key tsa.pem --cert tsa.crt --listen 127.0.0.1:3161
              signet tsp serve --key tsa.pem --cert tsa.crt --listen :0 -v
            """)

    @OptionGroup(title: "Key") var key: KeyOptions
    @Option(
        """
        Address to listen on (default: 127.0.0.1:3161); without a host this machine only, port 0 \
        for a free port
        """, value: "host:port")
    var listen: String?
    @OptionGroup(title: "Authority") var authority: AuthorityOptions
    @OptionGroup(title: "Signing service") var service: ServiceArguments
    @OptionGroup(title: "General") var messages: OutputOptions

    func run(_ reporter: Reporter) throws {
        let credential = try key.credential(service)
        defer { credential.close() }
        let task = try ServeTimestamps(
            credential: credential, options: authority.options(),
            address: listen ?? "127.0.0.1:3161")
        task.warnings.forEach { reporter.warning($0) }
        try reporter.result("timestamps at \(task.url)")
        try reporter.result(json: Started(url: task.url))
        let logs = messages.verbose
        task.run { if logs { Reporter.step($0) } }
    }

    private struct Started: Encodable {
        let schema = "signet.tsp-serve/1"
        let url: String
    }
}
