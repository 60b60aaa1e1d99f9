import ArgumentParser
import SignetKit

/// How much is said.
struct OutputOptions: ParsableArguments {
    @Flag(
        help: """
            Print one JSON document per input on standard output; of folders, lists and journals a \
            summary last.
            """)
    var json = false

    @Flag(name: .shortAndLong, help: "Print errors only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print each step on standard error.")
    var verbose = false

    func validate() throws {
        if quiet && verbose {
            throw ValidationError("--quiet and --verbose contradict each other.")
        }
    }
}

/// Where defaults come from. They are looked for before all other options, which they are added to.
struct SettingsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Settings (default: signet/config.toml in $XDG_CONFIG_HOME).", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var config: String?

    @Option(
        help: ArgumentHelp("Take the settings of this profile too.", valueName: "name"))
    var profile: String?

    static func blank() -> Self {
        var options = Self()
        options.config = nil
        options.profile = nil
        return options
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "--config": config = value
        case "--profile": profile = value
        default: return false
        }
        return true
    }
}

/// The private key and its certificate.
struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The private key: a file (PEM, DER or PKCS#12; a PEM may hold the certificates too), a key \
            on a token (pkcs11:..., see key list), at a signing service (csc:https://host/csc/v2), or \
            behind a program (exec:NAME). Without it, the only identity.
            """, valueName: "source"),
        completion: .file())
    var key: String?

    @Option(
        help: ArgumentHelp(
            "Key and certificates from the identity store, instead of --key.",
            valueName: "name"),
        completion: Completion.identities)
    var identity: String?

    @Option(
        help: ArgumentHelp(
            "The signer's certificate and its chain in any order (PEM or DER).",
            valueName: "file"),
        completion: .file())
    var cert: String?

    @Option(
        help: ArgumentHelp("More intermediate certificates; repeatable.", valueName: "file"),
        completion: .file())
    var chain: [String] = []

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup(title: "Keys at services") var service: ServiceArguments

    func validate() throws {
        if key != nil && identity != nil {
            throw ValidationError("Give --key or --identity, not both.")
        }
        if key == nil && (cert != nil || !chain.isEmpty) {
            throw ValidationError("--cert and --chain belong to a --key.")
        }
    }
}

/// Where the key's passphrase comes from. Never the command line itself: others can read it.
struct PassphraseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key's passphrase or PIN: the file's first line (-: standard input).",
            valueName: "file"),
        completion: .file())
    var passphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "The key's passphrase or PIN: the value of this environment variable.",
            valueName: "name"))
    var passphraseEnv: String?

    func validate() throws {
        if passphraseFile != nil && passphraseEnv != nil {
            throw ValidationError("Give --passphrase-file or --passphrase-env, not both.")
        }
    }
}

/// Where the password of encrypted PDFs comes from.
struct PasswordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The password of an encrypted PDF: the file's first line (-: standard input).",
            valueName: "file"),
        completion: .file())
    var passwordFile: String?

    @Option(
        help: ArgumentHelp(
            "The password of an encrypted PDF: the value of this environment variable.",
            valueName: "name"))
    var passwordEnv: String?

    @Option(
        help: ArgumentHelp(
            "The private key of a recipient, for a PDF that is encrypted for certificates.",
            valueName: "file"),
        completion: .file())
    var decryptKey: String?

    @Option(
        help: ArgumentHelp(
            "The recipient's certificate, where the key's file does not hold it.",
            valueName: "file"),
        completion: .file())
    var decryptCert: String?

    @Option(
        help: ArgumentHelp(
            "The passphrase of --decrypt-key: the file's first line.", valueName: "file"),
        completion: .file())
    var decryptPassphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "The passphrase of --decrypt-key: the value of this environment variable.",
            valueName: "name"))
    var decryptPassphraseEnv: String?

    func validate() throws {
        if passwordFile != nil && passwordEnv != nil {
            throw ValidationError("Give --password-file or --password-env, not both.")
        }
        if decryptPassphraseFile != nil && decryptPassphraseEnv != nil {
            throw ValidationError(
                "Give --decrypt-passphrase-file or --decrypt-passphrase-env, not both.")
        }
        if decryptKey == nil, decryptCert ?? decryptPassphraseFile ?? decryptPassphraseEnv != nil {
            throw ValidationError("Give --decrypt-key too.")
        }
    }
}

/// Who is trusted, when, and what is known of revocations.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Trust anchors, instead of the system's; repeatable.", valueName: "file|dir"),
        completion: .file())
    var trust: [String] = []
    @Option(
        help: ArgumentHelp(
            "Certificates that the input lacks, on the way to an anchor; repeatable.",
            valueName: "file"),
        completion: .file())
    var chain: [String] = []
    @Option(
        help: ArgumentHelp(
            """
            Accept only what exactly this certificate signed or stamped. Without --trust it is \
            trusted, whoever issued it.
            """,
            valueName: "file"),
        completion: .file())
    var signer: String?
    @Option(
        help: ArgumentHelp(
            "A revocation list (PEM or DER), besides those that the input brings; repeatable.",
            valueName: "file"),
        completion: .file())
    var crl: [String] = []
    @Flag(help: "Ask over the network whether certificates were revoked (OCSP, then lists).")
    var online = false
    @Option(help: ArgumentHelp("Validate at this time (default: now).", valueName: "rfc3339"))
    var atTime: String?
    @Option(
        help: ArgumentHelp(
            "Write out the certificates that the input carries; trusting them is up to you.",
            valueName: "dir"),
        completion: .directory)
    var saveCerts: String?

    /// Seconds since 1970; nil is now.
    var time: Int? {
        get throws { try atTime.map { try TimeArgument.seconds($0) } }
    }

    /// Asks over the network; nil where that was not permitted.
    var fetcher: RevocationFetcher? { online ? RevocationFetcher() : nil }
}

/// What certificate policies (RFC 5280 §6.1.1) the signer's path must have.
struct PolicyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A certificate policy that the signer's path must have; of several, one.",
            valueName: "oid"))
    var policy: [String] = []
    @Flag(help: "Demand a certificate policy, whichever.")
    var explicitPolicy = false
    @Flag(help: "Take no certificate policy for another.")
    var inhibitPolicyMapping = false
    @Flag(help: "Take the certificate policy \"any\" for none.")
    var inhibitAnyPolicy = false

    func policies() throws -> CertificatePolicies {
        var policies = CertificatePolicies()
        policies.accepted = policy
        policies.requiresExplicit = explicitPolicy
        policies.inhibitsMapping = inhibitPolicyMapping
        policies.inhibitsAny = inhibitAnyPolicy
        try policies.check()
        return policies
    }

    static func blank() -> Self {
        var options = Self()
        options.policy = []
        options.explicitPolicy = false
        options.inhibitPolicyMapping = false
        options.inhibitAnyPolicy = false
        return options
    }
}

/// Where the outputs of one or several inputs go.
struct PlaceOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            """
            Output file; a folder when there are several inputs, made when its name ends in a slash.
            """, valueName: "path"),
        completion: .file())
    var output: String?
    @OptionGroup var replace: ReplaceOptions
    @Flag(help: "Replace the input atomically (PDF).")
    var inPlace = false
    @Flag(help: "Leave inputs alone whose output exists.")
    var skipExisting = false

    var force: Bool { replace.force }

    func validate() throws {
        if skipExisting && (inPlace || force) {
            throw ValidationError("--skip-existing goes with neither --in-place nor --force.")
        }
    }

    /// Where the outputs of a batch go.
    func names(
        _ suffix: String, dropping: [String] = ["pdf"], for inputs: [BatchSelection.Input],
        _ batch: BatchOptions
    ) -> OutputNaming {
        OutputNaming(
            output: output, inPlace: inPlace, replace: force, suffix: suffix, dropping: dropping,
            inputCount: batch.isBatch ? max(2, inputs.count) : inputs.count,
            subfolders: BatchSelection.subfolders(inputs))
    }
}

/// Lists of trust services, and what signatures must be by them.
struct TrustListOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Believe the services of trusted lists too, and say what is qualified: eu for the lists \
            that 'trust update' fetched, a folder with lists, or one signed list; repeatable.
            """, valueName: "eu|dir|file"), completion: .file())
    var trustList: [String] = []
    @Option(
        help: ArgumentHelp(
            "Who may have signed a --trust-list that is a file; repeatable.", valueName: "file"),
        completion: .file())
    var trustListCert: [String] = []
    @OptionGroup var anchor: TrustAnchorOptions
    @Option(
        help: ArgumentHelp(
            "The least that passes: qesig, qeseal, adesig-qc, or any with a qualified certificate.",
            valueName: "level"), completion: .list(RequiredQualification.names))
    var requireQualified: String?

    func validate() throws {
        if trustList.isEmpty, !trustListCert.isEmpty || !anchor.trustAnchor.isEmpty {
            throw ValidationError("--trust-list-cert and --trust-anchor belong to a --trust-list.")
        }
        if trustList.isEmpty, requireQualified != nil {
            throw ValidationError(
                "--require-qualified needs lists: give --trust-list eu, or a folder with lists.")
        }
    }

    /// - Parameter time: of validation, in seconds since 1970; nil is now.
    func read(at time: Int?) throws -> TrustLists? {
        guard !trustList.isEmpty else { return nil }
        return try TrustLists(
            trustList, certificates: trustListCert, anchors: anchor.trustAnchor, time: time)
    }

    static func blank() -> Self {
        var anchor = TrustAnchorOptions()
        anchor.trustAnchor = []
        var options = Self()
        options.trustList = []
        options.trustListCert = []
        options.anchor = anchor
        options.requireQualified = nil
        return options
    }
}

/// Where an output goes.
struct ReplaceOptions: ParsableArguments {
    @Flag(help: "Replace an output that exists.")
    var force = false
}
