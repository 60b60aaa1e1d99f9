import ArgumentParser
import SignetKit

/// Options for B-LT and B-LTA: trust anchors, given data and network use.
struct EvidenceArguments: ParsableArguments {
    @Option(
        "Trusted roots, repeatable (default: system store)",
        value: "file|dir")
    var trust: [String] = []
    @OptionGroup var lists: TrustListSources
    @Option(
        "Revocation list (PEM or DER); may be repeated", value: "file|dir"
    )
    var crl: [String] = []
    @Option("OCSP response (DER); may be repeated", value: "file|dir")
    var ocsp: [String] = []
    @Flag(
        help: "Use only the cache and the given validation data")
    var offline = false
    @Flag(help: "Fail if revocation data is older than the signature")
    var requireFresh = false
    @Option("Longest wait for a newer CRL, such as 20m, 4h or 2d", value: "duration")
    var wait: String?
    @Option(
        "Save the validation data as files in this folder", value: "dir")
    var evidenceOut: String?
    @Option(
        "Cache folder (default: in the user's cache folder)", value: "dir")
    var cache: String?
    @Flag(help: "Do not read or write the cache")
    var noCache = false

    func validate() throws {
        if noCache && cache != nil {
            throw ValidationError("--no-cache and --cache cannot be combined.")
        }
        let _: DurationArgument? = try Value.parse(wait, "--wait")
        if offline && wait != nil {
            throw ValidationError("--offline and --wait cannot be combined.")
        }
    }

    /// Rejects options without effect.
    ///
    /// - Parameters:
    ///   - level: B-LT or B-LTA; nil for other levels.
    ///   - isStamped: whether the signature will have a timestamp.
    func check(level: SignatureLevel?, isStamped: Bool) throws {
        guard level == nil else { return }
        let named = [
            (!lists.trustList.isEmpty, "--trust-list"),
            (!crl.isEmpty, "--crl"), (!ocsp.isEmpty, "--ocsp"), (offline, "--offline"),
            (requireFresh, "--require-fresh"), (wait != nil, "--wait"),
            (evidenceOut != nil, "--evidence-out"), (cache != nil, "--cache"),
            (noCache, "--no-cache"),
        ]
        if let (_, option) = named.first(where: \.0) {
            throw ValidationError(
                "\(option) is for the validation data of B-LT and B-LTA: add --level LTA.")
        }
        if !trust.isEmpty && !isStamped {
            throw ValidationError(
                "--trust is for timestamps and validation data, and B-B contains neither: add --tsa URL."
            )
        }
    }

    func options(chain: [String]) throws -> LongTermOptions {
        var options = LongTermOptions()
        options.verification.trust = trust
        options.verification.trustLists = try lists.read(at: nil)
        options.verification.chain = chain
        options.verification.revocationLists = crl
        options.verification.responses = ocsp
        options.isOffline = offline
        options.requiresFresh = requireFresh
        let wait: DurationArgument? = try Value.parse(wait, "--wait")
        options.patience = wait?.duration ?? .zero
        options.evidenceFolder = evidenceOut
        options.cache = noCache ? .none : cache.map { .folder($0) } ?? .own
        return options
    }
}

/// A duration: a number with its unit.
struct DurationArgument: OptionValue {
    static let expected = "a number and a unit, such as 90s, 20m, 4h or 180d"
    let duration: Duration

    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    /// Maximum duration in seconds: 100 years.
    private static let limit = 36_525 * 86_400

    init?(argument: String) {
        guard let unit = argument.last.flatMap({ Self.units[$0] }),
            let count = Int(argument.dropLast()), (1...Self.limit / unit).contains(count),
            argument.first?.isNumber == true
        else { return nil }
        duration = .seconds(count * unit)
    }
}

/// A margin for renewals, in days only: `6m` would look like months but mean minutes.
struct MarginArgument: OptionValue {
    static let expected = "a number of days, such as 180d"
    let duration: Duration

    init?(argument: String) {
        guard argument.last == "d", let span = DurationArgument(argument: argument) else {
            return nil
        }
        duration = span.duration
    }
}
