import ArgumentParser
import Base
import SignetKit

/// The time-stamping authorities (TSAs) and their connection settings.
struct TimestampArguments: ParsableArguments {
    @Option(
        "Time-stamping authority; repeat to add alternatives", value: "url")
    var tsa: [String] = []
    @Option("TSA user name", value: "name")
    var tsaUser: String?
    @Option("TSA password: first line of this file (-: stdin)", value: "file")
    var tsaPasswordFile: String?
    @Option("TSA password: environment variable", value: "name")
    var tsaPasswordEnv: String?
    @Flag(help: "Send the TSA password over unencrypted HTTP")
    var tsaAllowInsecureAuth = false
    @Option(
        "Accept only TSAs under this root certificate", value: "file|dir")
    var tsaAnchor: [String] = []
    @Option("Root certificates for HTTPS (default: system trust store)", value: "file")
    var tsaTrust: String?
    @Option("TLS client certificate and chain", value: "file")
    var tsaClientCert: String?
    @Option("TLS client key (default: in --tsa-client-cert)", value: "file")
    var tsaClientKey: String?
    @Option("Client key passphrase: first line of file", value: "file")
    var tsaClientPassphraseFile: String?
    @Option("Client key passphrase: environment variable", value: "name")
    var tsaClientPassphraseEnv: String?
    @Option("Timestamp policy to request", value: "oid")
    var tsaPolicy: String?
    @Option("Time limit per request (default: 20)", value: "seconds")
    var tsaTimeout: String?
    @Option("Maximum requests per minute to each TSA, such as 30/min", value: "n/min")
    var tsaRate: String?

    func validate() throws {
        _ = try Value.seconds(tsaTimeout, "--tsa-timeout")
        let _: RequestRate? = try Value.parse(tsaRate, "--tsa-rate")
        let _: OID? = try Value.parse(tsaPolicy, "--tsa-policy")
        try Value.refuseBoth("--tsa-password", tsaPasswordFile, tsaPasswordEnv)
        try Value.refuseBoth(
            "--tsa-client-passphrase", tsaClientPassphraseFile, tsaClientPassphraseEnv)
        if tsaUser == nil && (tsaPasswordFile != nil || tsaPasswordEnv != nil) {
            throw ValidationError("A TSA password requires --tsa-user NAME.")
        }
        if tsaClientKey != nil && tsaClientCert == nil {
            throw ValidationError("--tsa-client-key requires --tsa-client-cert FILE.")
        }
        let isTuned =
            tsaUser != nil || tsaAllowInsecureAuth || tsaTrust != nil
            || tsaClientCert != nil || !tsaAnchor.isEmpty
            || tsaPolicy != nil || tsaTimeout != nil || tsaRate != nil
        if tsa.isEmpty && isTuned {
            throw ValidationError("The --tsa options require --tsa URL.")
        }
    }

    /// Rejects an option that requires a TSA if none is named.
    func requireAuthority(for option: String) throws {
        guard tsa.isEmpty else { return }
        throw ValidationError(
            "\(option) requires a time-stamping authority: add --tsa URL (ask your CA for the URL)."
        )
    }

    /// Checks that a TSA is named exactly if the level has timestamps.
    func check(level text: String?) throws {
        guard let level: SignatureLevel = try Value.parse(text, "--level") else { return }
        if level != .b { return try requireAuthority(for: "--level \(level.shortName)") }
        guard tsa.isEmpty else {
            throw ValidationError("--level B contains no timestamp: leave out --level B or --tsa.")
        }
    }

    /// The configured TSAs; nil if none is named.
    ///
    /// - Parameters:
    ///   - trust: trust anchors in addition to `--tsa-anchor`.
    ///   - chain: intermediate CA certificates of TSAs.
    func authorities(trust: [String] = [], chain: [String] = []) throws -> TimestampAuthorities? {
        guard !tsa.isEmpty else { return nil }
        var options = TimestampOptions(servers: tsa)
        if let tsaUser {
            options.user = tsaUser
            options.password = PassphraseOptions.source(
                file: tsaPasswordFile, environment: tsaPasswordEnv, confirming: false,
                for: "\(tsaUser) at \(tsa[0])",
                options: "--tsa-password-file FILE or --tsa-password-env NAME")
        }
        options.allowsUnencryptedLogin = tsaAllowInsecureAuth
        options.anchors = tsaAnchor + trust
        options.chain = chain
        options.trust = tsaTrust
        options.clientCertificate = tsaClientCert
        options.clientKey = tsaClientKey
        if let key = tsaClientKey ?? tsaClientCert {
            options.clientPassphrase = PassphraseOptions.source(
                file: tsaClientPassphraseFile, environment: tsaClientPassphraseEnv,
                confirming: false, for: key,
                options: "--tsa-client-passphrase-file FILE or --tsa-client-passphrase-env NAME")
        }
        options.policy = tsaPolicy
        let rate: RequestRate? = try Value.parse(tsaRate, "--tsa-rate")
        options.requestsPerMinute = rate?.perMinute
        if let limit = try Value.seconds(tsaTimeout, "--tsa-timeout") { options.timeLimit = limit }
        return try TimestampAuthorities(options)
    }

    /// The TSAs of a command that requires one.
    func requiredAuthorities(chain: [String] = []) throws -> TimestampAuthorities {
        guard let authorities = try authorities(chain: chain) else {
            throw SignetError(
                .usage, "no time-stamping authority (TSA) is given",
                hint: "add --tsa URL (for tests: signet tsp serve --help)")
        }
        return authorities
    }
}

/// A number of requests per minute: `30/min`.
struct RequestRate: OptionValue {
    static let expected = "1/min to 60000/min"
    let perMinute: Int

    init?(argument: String) {
        let unit = "/min"
        guard argument.hasSuffix(unit), let number = Int(argument.dropLast(unit.count)),
            (1...60_000).contains(number)
        else { return nil }
        perMinute = number
    }
}

extension SignatureLevel: OptionValue {
    static var expected: String { "one of " + shortNames.joined(separator: ", ") }
    static var shortNames: [String] { allCases.filter { $0 >= .b }.map(\.shortName) }
    /// The name without the prefix: `T` for B-T.
    var shortName: String { String(rawValue.dropFirst(2)) }

    /// Accepts the name with or without the prefix: `T` or `B-T`.
    init?(argument: String) {
        let name = argument.uppercased()
        self.init(rawValue: name.hasPrefix("B-") ? name : "B-" + name)
    }

    /// The level if it is B-LT or B-LTA; otherwise nil.
    static func longTerm(_ text: String?) throws -> SignatureLevel? {
        let level: SignatureLevel? = try Value.parse(text, "--level")
        return level.flatMap { $0 > .t ? $0 : nil }
    }
}
