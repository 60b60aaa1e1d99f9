import ArgumentParser
import SignetKit

/// Options for B-LT and B-LTA: trust anchors, given data and network use.
struct EvidenceArguments: ParsableArguments {
    @Option(
        """
        Trust anchors of signers and timestamps, instead of the system's; repeatable. At level T \
        a timestamp that leads to none of them is refused.
        """, value: "file|dir")
    var trust: [String] = []
    @OptionGroup var lists: TrustListSources
    @Option(
        "A revocation list to use (PEM or DER), or a folder of them; repeatable.", value: "file|dir"
    )
    var crl: [String] = []
    @Option("An OCSP response to use (DER), or a folder of them; repeatable.", value: "file|dir")
    var ocsp: [String] = []
    @Flag(
        help: "Ask nobody whether certificates were revoked: what earlier runs kept must do.")
    var offline = false
    @Flag(help: "Refuse what was said of the signer from before the signature.")
    var requireFresh = false
    @Option("Wait so long for the next revocation list: 90s, 20m, 4h or 2d.", value: "duration")
    var wait: String?
    @Option(
        """
        Put each piece of evidence into a file of this folder too, for --crl, --ocsp and --chain \
        elsewhere.
        """, value: "dir")
    var evidenceOut: String?
    @Option(
        """
        Keep what authorities answer for later runs in this folder (default: signet/evidence in \
        the user's folder for caches).
        """, value: "dir")
    var cache: String?
    @Flag(help: "Neither use what earlier runs kept nor keep anything.")
    var noCache = false

    func validate() throws {
        if noCache && cache != nil {
            throw ValidationError("--no-cache keeps nothing; leave out --cache.")
        }
        let _: DurationArgument? = try Value.parse(wait, "--wait")
        if offline && wait != nil {
            throw ValidationError("--offline waits for nobody; leave out --wait.")
        }
    }

    /// Rejects options without effect.
    ///
    /// - Parameters:
    ///   - level: B-LT or B-LTA; nil for others.
    ///   - isStamped: whether there will be a timestamp.
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
                "\(option) is about evidence, which levels LT and LTA carry: add --level LTA.")
        }
        if !trust.isEmpty && !isStamped {
            throw ValidationError(
                "--trust is for timestamps and evidence, and level B has none: add --tsa URL.")
        }
    }

    func options(chain: [String]) throws -> LongTermOptions {
        var options = LongTermOptions()
        options.trust = trust
        options.trustLists = try lists.read(at: nil)
        options.chain = chain
        options.revocationLists = crl
        options.responses = ocsp
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
    /// A hundred years.
    private static let limit = 36_525 * 86_400

    init?(argument: String) {
        guard let unit = argument.last.flatMap({ Self.units[$0] }),
            let count = Int(argument.dropLast()), (1...Self.limit / unit).contains(count),
            argument.first?.isNumber == true
        else { return nil }
        duration = .seconds(count * unit)
    }
}

/// A margin for renewals: `6m` means months, not minutes.
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
