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

    static func defaults(json: Bool = false) -> OutputOptions {
        var options = OutputOptions()
        options.json = json
        options.quiet = false
        options.verbose = false
        return options
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
        help: ArgumentHelp("Take the settings of this profile too.", valueName: "name"),
        completion: Completion.profiles)
    var profile: String?
}

/// The private key and its certificate.
struct KeyOptions: ParsableArguments {
    /// Where keys are that are in no file.
    static let elsewhere = "pkcs11:..., csc:..., exec:..."
    /// In commands that explain no more of it.
    static let shortHelp = ArgumentHelp(
        "The private key: a file, or \(elsewhere) as for sign.", valueName: "source")

    @Option(
        help: ArgumentHelp(
            """
            The private key: a file (PEM, DER or PKCS#12; a PEM may hold the certificates too), a key \
            on a token (pkcs11:..., see key list), at a signing service (csc:https://host/csc/v2), or \
            behind a program (exec:NAME). Without it, the only identity.
            """, valueName: "source"),
        completion: Completion.keySources)
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

/// How a key that is made is protected.
struct NewKeyProtectionOptions: ParsableArguments {
    @Flag(help: "Leave the new key unencrypted.")
    var noPassphrase = false
    @OptionGroup var passphrase: PassphraseOptions

    func validate() throws {
        if noPassphrase && (passphrase.passphraseFile ?? passphrase.passphraseEnv) != nil {
            throw ValidationError("--no-passphrase contradicts a passphrase.")
        }
    }

    /// Nil: unencrypted.
    func source(for place: String) -> PassphraseSource? {
        noPassphrase ? nil : passphrase.source(confirming: true, for: place)
    }
}

/// How RSA signatures are padded.
struct PaddingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Padding of RSA signatures: pkcs1 or pss (default: pkcs1).", valueName: "name"),
        completion: .list(SigningOptions.Padding.names))
    var padding: String?

    func choice() throws -> SigningOptions.Padding {
        try Value.parse(padding, "--padding") ?? .pkcs1
    }
}

extension ArgumentHelp {
    static let subject = ArgumentHelp(
        "The subject, as RFC 4514 writes it: \"CN=Jan Novák,O=Firma,C=CZ\".", valueName: "name")
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
            """
            The private key of a recipient, for a PDF that is encrypted for certificates: a file, a \
            key on a token (pkcs11:...), or an identity.
            """, valueName: "source"),
        completion: Completion.keySources)
    var decryptKey: String?

    @Option(
        help: ArgumentHelp(
            "The recipient's certificate, where the key's file or token does not hold it.",
            valueName: "file"),
        completion: .file())
    var decryptCert: String?

    @Option(
        help: ArgumentHelp(
            "The passphrase or PIN of --decrypt-key: the file's first line.", valueName: "file"),
        completion: .file())
    var decryptPassphraseFile: String?

    @Option(
        help: ArgumentHelp(
            "The passphrase or PIN of --decrypt-key: the value of this environment variable.",
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
        if let refusal = decryptKey.flatMap(DocumentRecipient.refusal) {
            throw ValidationError("--decrypt-key: \(refusal.message).")
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
            valueName: "file|dir"),
        completion: .file())
    var crl: [String] = []
    @Option(
        help: ArgumentHelp(
            "An OCSP response (DER), besides those that the input brings; repeatable.",
            valueName: "file|dir"),
        completion: .file())
    var ocsp: [String] = []
    @Flag(help: "Ask over the network whether certificates were revoked (OCSP, then lists).")
    var online = false
    @Flag(help: "With --online, permit addresses of this machine and the local network.")
    var onlineLocal = false
    @Option(help: ArgumentHelp("Validate at this time (default: now).", valueName: "rfc3339"))
    var atTime: String?
    @Option(
        help: ArgumentHelp(
            "Write out the certificates that the input carries; trusting them is up to you.",
            valueName: "dir"),
        completion: .directory)
    var saveCerts: String?

    /// Nil is now.
    var time: Moment? {
        get throws { try atTime.map { try TimeArgument.moment($0) } }
    }

    func validate() throws {
        if onlineLocal && !online {
            throw ValidationError("--online-local goes with --online.")
        }
    }

    /// Asks over the network; nil where that was not permitted.
    var fetcher: RevocationFetcher? {
        online ? RevocationFetcher(localAddresses: onlineLocal ? .permitted : .refused) : nil
    }

    /// - Parameters:
    ///   - time: nil is now.
    ///   - fetcher: nil is no access to the network.
    func verification(
        at time: Moment?, asking fetcher: RevocationFetcher?
    ) -> VerificationOptions {
        var options = VerificationOptions(trust: trust, time: time)
        options.chain = chain
        options.signer = signer
        options.revocationLists = crl
        options.responses = ocsp
        options.fetcher = fetcher
        return options
    }
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

    /// What holds wherever inputs may be replaced.
    func check(inputs: [String]) throws {
        if inPlace && output != nil {
            throw ValidationError("Give --in-place or --output, not both.")
        }
        if inPlace && inputs.contains("-") {
            throw ValidationError("Standard input cannot be replaced; give --output.")
        }
    }

    /// The inputs, without the outputs that earlier runs left beside them.
    ///
    /// - Parameter suffix: of such outputs.
    func selected(
        _ inputs: [String], patterns: [String], _ batch: BatchOptions, suffix: String
    ) throws -> [BatchSelection.Input] {
        try batch.selected(
            inputs, patterns: patterns, ownSuffix: inPlace ? nil : suffix,
            output: output)
    }

    /// Where the outputs of a batch go.
    func names(
        _ suffix: String, dropping: [String] = ["pdf"], for inputs: [BatchSelection.Input],
        _ batch: BatchOptions
    ) -> OutputNaming {
        OutputNaming(
            output: output, suffix: suffix, dropping: dropping, for: inputs, isBatch: batch.isBatch
        ).replacing(force, inPlace: inPlace)
    }
}

/// Lists of trust services.
struct TrustListSources: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Believe the services of trusted lists too, and say what is qualified: eu for the lists \
            that 'trust update' fetched, a folder with lists, or one signed list; repeatable.
            """, valueName: "eu|dir|file"),
        completion: Completion.trustLists)
    var trustList: [String] = []
    @Option(
        help: ArgumentHelp(
            "Who may have signed a --trust-list that is a file; repeatable.", valueName: "file"),
        completion: .file())
    var trustListCert: [String] = []
    @OptionGroup var anchor: TrustAnchorOptions

    func validate() throws {
        if trustList.isEmpty, !trustListCert.isEmpty || !anchor.trustAnchor.isEmpty {
            throw ValidationError("--trust-list-cert and --trust-anchor belong to a --trust-list.")
        }
    }

    /// - Parameter time: of validation; nil is now.
    func read(at time: Moment?) throws -> TrustLists? {
        guard !trustList.isEmpty else { return nil }
        return try TrustLists(
            trustList, certificates: trustListCert, anchors: anchor.trustAnchor, time: time)
    }
}

/// Lists of trust services, and what signatures must be by them.
struct TrustListOptions: ParsableArguments {
    @OptionGroup var sources: TrustListSources
    @Option(
        help: ArgumentHelp(
            "The least that passes: qesig, qeseal, adesig-qc, or any with a qualified certificate.",
            valueName: "level"), completion: .list(RequiredQualification.names))
    var requireQualified: String?

    func validate() throws {
        if sources.trustList.isEmpty, requireQualified != nil {
            throw ValidationError(
                "--require-qualified needs lists: give --trust-list eu, or a folder with lists.")
        }
    }
}

/// Where an output goes.
struct ReplaceOptions: ParsableArguments {
    @Flag(help: "Replace an output that exists.")
    var force = false
}
