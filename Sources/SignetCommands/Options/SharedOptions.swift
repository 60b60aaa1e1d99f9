import ArgumentParser
import SignetKit

/// The amount of output.
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

/// The settings file. It is read before all other options, since it adds some.
struct SettingsOptions: ParsableArguments {
    @Option(
        "Settings (default: signet/config.toml in $XDG_CONFIG_HOME).", value: "file",
        completion: .file(extensions: ["toml"]))
    var config: String?

    @Option(
        "Take the settings of this profile too.", value: "name", completion: Completion.profiles)
    var profile: String?
}

/// The private key and its certificate.
struct KeyOptions: ParsableArguments {
    /// URIs of keys outside files.
    static let elsewhere = "pkcs11:..., csc:..., exec:..."
    /// Short help for some commands.
    static let shortHelp = ArgumentHelp(
        "The private key: a file, or \(elsewhere) as for sign.", valueName: "source")

    @Option(
        """
        The private key: a file (PEM, DER or PKCS#12; a PEM may hold the certificates too), a key \
        on a token (pkcs11:..., see key list), at a signing service (csc:https://host/csc/v2), or \
        behind a program (exec:NAME). Without it, the only identity.
        """, value: "source")
    var key: String?

    @Option(
        "Key and certificates from the identity store, instead of --key.", value: "name",
        completion: Completion.identities)
    var identity: String?

    @Option("The signer's certificate and its chain in any order (PEM or DER).", value: "file")
    var cert: String?

    @Option("More intermediate certificates; repeatable.", value: "file")
    var chain: [String] = []

    @OptionGroup var passphrase: PassphraseOptions

    func validate() throws {
        try Value.refuseBoth("--key", key != nil, "--identity", identity != nil)
        if key == nil && (cert != nil || !chain.isEmpty) {
            throw ValidationError("--cert and --chain belong to a --key.")
        }
    }
}

/// The source of the key's passphrase, never the command line: other users can read it.
struct PassphraseOptions: ParsableArguments {
    @Option(
        "The key's passphrase or PIN: the file's first line (-: standard input).", value: "file")
    var passphraseFile: String?

    @Option("The key's passphrase or PIN: the value of this environment variable.", value: "name")
    var passphraseEnv: String?

    func validate() throws { try Value.refuseBoth("--passphrase", passphraseFile, passphraseEnv) }
}

/// Protection of a new key.
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

/// Padding of RSA signatures.
struct PaddingOptions: ParsableArguments {
    @Option(
        "Padding of RSA signatures: pkcs1 or pss (default: pkcs1).", value: "name",
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

/// The source of the password of encrypted PDFs.
struct PasswordOptions: ParsableArguments {
    @Option(
        "The password of an encrypted PDF: the file's first line (-: standard input).",
        value: "file")
    var passwordFile: String?

    @Option(
        "The password of an encrypted PDF: the value of this environment variable.", value: "name")
    var passwordEnv: String?

    @Option(
        """
        The private key of a recipient, for a PDF that is encrypted for certificates: a file, a \
        key on a token (pkcs11:...), or an identity.
        """, value: "source")
    var decryptKey: String?

    @Option(
        "The recipient's certificate, where the key's file or token does not hold it.",
        value: "file")
    var decryptCert: String?

    @Option("The passphrase or PIN of --decrypt-key: the file's first line.", value: "file")
    var decryptPassphraseFile: String?

    @Option(
        "The passphrase or PIN of --decrypt-key: the value of this environment variable.",
        value: "name")
    var decryptPassphraseEnv: String?

    func validate() throws {
        try Value.refuseBoth("--password", passwordFile, passwordEnv)
        try Value.refuseBoth("--decrypt-passphrase", decryptPassphraseFile, decryptPassphraseEnv)
        if decryptKey == nil, decryptCert ?? decryptPassphraseFile ?? decryptPassphraseEnv != nil {
            throw ValidationError("Give --decrypt-key too.")
        }
        if let refusal = decryptKey.flatMap(DocumentRecipient.refusal) {
            throw ValidationError("--decrypt-key: \(refusal.message).")
        }
    }
}

/// Trust anchors, validation time and revocation data.
struct TrustOptions: ParsableArguments {
    @Option("Trust anchors, instead of the system's; repeatable.", value: "file|dir")
    var trust: [String] = []
    @Option(
        "Certificates that the input lacks, on the way to an anchor; repeatable.", value: "file")
    var chain: [String] = []
    @Option(
        """
        Accept only what exactly this certificate signed or stamped. Without --trust it is \
        trusted, whoever issued it.
        """, value: "file")
    var signer: String?
    @Option(
        "A revocation list (PEM or DER), besides those that the input brings; repeatable.",
        value: "file|dir")
    var crl: [String] = []
    @Option(
        "An OCSP response (DER), besides those that the input brings; repeatable.",
        value: "file|dir")
    var ocsp: [String] = []
    @Flag(help: "Ask over the network whether certificates were revoked (OCSP, then lists).")
    var online = false
    @Flag(help: "With --online, permit addresses of this machine and the local network.")
    var onlineLocal = false
    @Option("Validate at this time (default: now).", value: "rfc3339")
    var atTime: String?
    @Option(
        "Write out the certificates that the input carries; trusting them is up to you.",
        value: "dir")
    var saveCerts: String?

    /// Nil is now.
    var time: Moment? { get throws { try atTime.map { try TimeArgument.moment($0) } } }

    func validate() throws {
        if onlineLocal && !online { throw ValidationError("--online-local goes with --online.") }
    }

    /// The source of network requests; nil if they are not permitted.
    var fetcher: RevocationFetcher? {
        online ? RevocationFetcher(localAddresses: onlineLocal ? .permitted : .refused) : nil
    }

    /// - Parameters:
    ///   - time: nil is now.
    ///   - fetcher: nil is no access to the network.
    func verification(at time: Moment?, asking fetcher: RevocationFetcher?) -> VerificationOptions {
        var options = VerificationOptions(trust: trust, time: time)
        options.chain = chain
        options.signer = signer
        options.revocationLists = crl
        options.responses = ocsp
        options.fetcher = fetcher
        return options
    }
}

/// Certificate policies (RFC 5280 §6.1.1) required of the signer's path.
struct PolicyOptions: ParsableArguments {
    @Option("A certificate policy that the signer's path must have; of several, one.", value: "oid")
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

/// Destination of the outputs of one or several inputs.
struct PlaceOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        """
        Output file; a folder when there are several inputs, made when its name ends in a slash.
        """, value: "path")
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

    /// Checks the options of commands that may replace inputs.
    func check(inputs: [String]) throws {
        try Value.refuseBoth("--in-place", inPlace, "--output", output != nil)
        if inPlace && inputs.contains("-") {
            throw ValidationError("Standard input cannot be replaced; give --output.")
        }
    }

    /// The inputs without outputs of earlier runs.
    ///
    /// - Parameter suffix: suffix of such outputs.
    func selected(
        _ inputs: [String], patterns: [String], _ batch: BatchOptions, suffix: String
    ) throws -> [BatchSelection.Input] {
        try batch.selected(
            inputs, patterns: patterns, ownSuffix: inPlace ? nil : suffix, output: output)
    }

    /// The naming of a batch's outputs.
    func names(
        _ suffix: String, dropping: [String] = ["pdf"], for inputs: [BatchSelection.Input],
        _ batch: BatchOptions
    ) -> OutputNaming {
        OutputNaming(
            output: output, suffix: suffix, dropping: dropping, for: inputs, isBatch: batch.isBatch
        ).replacing(force, inPlace: inPlace)
    }
}

/// Trusted lists.
struct TrustListSources: ParsableArguments {
    @Option(
        """
        Believe the services of trusted lists too, and say what is qualified: eu for the lists \
        that 'trust update' fetched, a folder with lists, or one signed list; repeatable.
        """, value: "eu|dir|file", completion: Completion.trustLists)
    var trustList: [String] = []
    @Option("Who may have signed a --trust-list that is a file; repeatable.", value: "file")
    var trustListCert: [String] = []
    @OptionGroup var anchor: TrustAnchorOptions

    func validate() throws {
        if trustList.isEmpty, !trustListCert.isEmpty || !anchor.trustAnchor.isEmpty {
            throw ValidationError("--trust-list-cert and --trust-anchor belong to a --trust-list.")
        }
    }

    /// - Parameter time: validation time; nil is now.
    func read(at time: Moment?) throws -> TrustLists? {
        guard !trustList.isEmpty else { return nil }
        return try TrustLists(
            trustList, certificates: trustListCert, anchors: anchor.trustAnchor, time: time)
    }
}

/// Trusted lists, and the required qualification.
struct TrustListOptions: ParsableArguments {
    @OptionGroup var sources: TrustListSources
    @Option(
        "The least that passes: qesig, qeseal, adesig-qc, or any with a qualified certificate.",
        value: "level", completion: .list(RequiredQualification.names))
    var requireQualified: String?

    func validate() throws {
        if sources.trustList.isEmpty, requireQualified != nil {
            throw ValidationError(
                "--require-qualified needs lists: give --trust-list eu, or a folder with lists.")
        }
    }
}

/// Destination of an output.
struct ReplaceOptions: ParsableArguments {
    @Flag(help: "Replace an output that exists.")
    var force = false

    func destination(_ path: String) -> Destination {
        Destination(path: path, replacesExisting: force)
    }
}
