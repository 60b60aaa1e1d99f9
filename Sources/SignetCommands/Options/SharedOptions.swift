import ArgumentParser
import SignetKit

/// Format and amount of output.
struct OutputOptions: ParsableArguments {
    @Flag(
        help:
            "Print JSON, one line per file; to stderr with -o -"
    )
    var json = false

    @Flag(name: .shortAndLong, help: "Print errors only, no results or warnings")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print details on standard error")
    var verbose = false

    func validate() throws {
        if quiet && verbose {
            throw ValidationError("--quiet and --verbose cannot be combined.")
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

/// The settings file. It is read before all other options, because it may add some.
struct SettingsOptions: ParsableArguments {
    @Option(
        "Settings (default: $XDG_CONFIG_HOME/signet/config.toml)", value: "file",
        completion: .file(extensions: ["toml"]))
    var config: String?

    @Option(
        "Use the settings of this profile", value: "name", completion: Completion.profiles)
    var profile: String?
}

/// The private key and its certificate.
struct KeyOptions: ParsableArguments {
    /// URIs of keys outside files.
    static let elsewhere = "pkcs11:..., csc:..., exec:..., provider:..."
    static let shortHelp = ArgumentHelp(
        "Private key: a file, or \(elsewhere)", valueName: "source")

    @Option(
        "Private key: .p12 or .pem file, smart card (pkcs11:)",
        value: "source")
    var key: String?

    @Option(help: .alias) var alias: String?

    @Option(
        "Key and certificate of a stored identity", value: "name",
        completion: Completion.identities)
    var identity: String?

    @Option("Signing certificate and chain (in a .p12: not needed)", value: "file")
    var cert: String?

    @Option("Intermediate CA certificates; may be repeated", value: "file")
    var chain: [String] = []

    @OptionGroup var passphrase: PassphraseOptions

    func validate() throws {
        try Value.refuseBoth("--key", key != nil, "--identity", identity != nil)
        if key == nil && (cert ?? alias) != nil {
            throw ValidationError("--cert and --alias require --key.")
        }
        if key == nil && identity == nil && !chain.isEmpty {
            throw ValidationError("--chain requires --key or --identity.")
        }
    }
}

struct KeyChoiceOptions: ParsableArguments {
    @Option(help: .alias) var alias: String?
    @Option("Certificate of the key, if the file contains several keys", value: "file")
    var cert: String?

    func options(_ service: ServiceArguments) throws -> ServiceOptions {
        var options = try service.options(alias: alias)
        options.certificateFile = cert
        return options
    }
}

/// The source of the key's passphrase, never the command line: other users can read it.
struct PassphraseOptions: ParsableArguments {
    @Option(
        "Passphrase or PIN: first line of this file (-: stdin)", value: "file")
    var passphraseFile: String?

    @Option("Passphrase or PIN: environment variable", value: "name")
    var passphraseEnv: String?

    func validate() throws { try Value.refuseBoth("--passphrase", passphraseFile, passphraseEnv) }
}

struct NewKeyProtectionOptions: ParsableArguments {
    @Flag(help: "Do not encrypt the new key")
    var noPassphrase = false
    @OptionGroup var passphrase: PassphraseOptions

    func validate() throws {
        if noPassphrase && (passphrase.passphraseFile ?? passphrase.passphraseEnv) != nil {
            throw ValidationError("--no-passphrase cannot be combined with a passphrase.")
        }
    }

    /// The source of the new passphrase; nil leaves the key unencrypted.
    func source(for place: String) -> PassphraseSource? {
        noPassphrase ? nil : passphrase.source(confirming: true, for: place)
    }
}

/// Padding of RSA signatures.
struct PaddingOptions: ParsableArguments {
    @Option(
        "RSA padding: pkcs1 or pss with a salt as long as the hash (default: pkcs1)", value: "name",
        completion: .list(SigningOptions.Padding.names))
    var padding: String?

    func choice() throws -> SigningOptions.Padding {
        try Value.parse(padding, "--padding") ?? .pkcs1
    }
}

extension ArgumentHelp {
    static let alias = ArgumentHelp(
        "Alias of the key, if a PKCS#12 file contains several", valueName: "name")
    static let subject = ArgumentHelp(
        "Subject (RFC 4514), such as \"CN=Jan Novák,O=Example,C=CZ\"", valueName: "name")
}

/// The source of the password of encrypted PDFs.
struct PasswordOptions: ParsableArguments {
    @Option(
        "PDF password: first line of this file (-: stdin)",
        value: "file")
    var passwordFile: String?

    @Option(
        "PDF password: environment variable", value: "name")
    var passwordEnv: String?

    @Option(
        "Recipient's private key: file, pkcs11:... or identity name", value: "source")
    var decryptKey: String?

    @Option(
        "Recipient's certificate",
        value: "file")
    var decryptCert: String?

    @Option("Passphrase of the recipient's key: first line of this file", value: "file")
    var decryptPassphraseFile: String?

    @Option(
        "Passphrase of the recipient's key: environment variable",
        value: "name")
    var decryptPassphraseEnv: String?

    func validate() throws {
        try Value.refuseBoth("--password", passwordFile, passwordEnv)
        try Value.refuseBoth("--decrypt-passphrase", decryptPassphraseFile, decryptPassphraseEnv)
        if decryptKey == nil, decryptCert ?? decryptPassphraseFile ?? decryptPassphraseEnv != nil {
            throw ValidationError(
                "--decrypt-cert and --decrypt-passphrase-... require --decrypt-key.")
        }
        if let refusal = decryptKey.flatMap(DocumentRecipient.refusal) {
            throw ValidationError("--decrypt-key: \(refusal.message).")
        }
    }
}

/// Trust anchors, validation time and revocation data.
struct TrustOptions: ParsableArguments {
    @Option(
        "Trusted roots, repeatable (default: system store)",
        value: "file|dir")
    var trust: [String] = []
    @Option(
        "Intermediate CA certificates; may be repeated", value: "file")
    var chain: [String] = []
    @Option(
        "Certificate of the required signer, trusted without --trust",
        value: "file")
    var signer: String?
    @Option(
        "Revocation list (PEM or DER); may be repeated",
        value: "file|dir")
    var crl: [String] = []
    @Option(
        "OCSP response (DER); may be repeated",
        value: "file|dir")
    var ocsp: [String] = []
    @Flag(help: "Check revocation status online (OCSP, then CRL)")
    var online = false
    @Flag(help: "With --online, permit local and private addresses")
    var onlineLocal = false
    @Option("Validate at this time, or at the end of this day (default: now)", value: "time")
    var atTime: String?
    @Option(
        "Save the certificates in the input and --chain to this folder",
        value: "dir")
    var saveCerts: String?

    /// The validation time; nil for the current time.
    var time: Moment? { get throws { try atTime.map { try TimeArgument.validationTime($0) } } }

    func validate() throws {
        if onlineLocal && !online { throw ValidationError("--online-local requires --online.") }
    }

    /// The source of network requests; nil if they are not permitted.
    var fetcher: RevocationFetcher? {
        online ? RevocationFetcher(localAddresses: onlineLocal ? .permitted : .refused) : nil
    }

    /// - Parameters:
    ///   - time: the validation time; nil for the current time.
    ///   - fetcher: the source of online revocation data; nil for offline validation.
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

/// Certificate policies that the certificate chain of the signer must have (RFC 5280 §6.1.1).
struct PolicyOptions: ParsableArguments {
    @Option("Required certificate policy; may be repeated (one of)", value: "oid")
    var policy: [String] = []
    @Flag(help: "Require a certificate policy (RFC 5280 §6.1.1)")
    var explicitPolicy = false
    @Flag(help: "Ignore mappings of certificate policies")
    var inhibitPolicyMapping = false
    @Flag(help: "Ignore the certificate policy anyPolicy")
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
        "Output file, or folder (files get default names)",
        value: "path")
    var output: String?
    @OptionGroup var replace: ReplaceOptions
    @Flag(help: "Replace the input file (PDFs, signatures, containers)")
    var inPlace = false
    @Flag(help: "Skip inputs whose output file exists")
    var skipExisting = false

    var force: Bool { replace.force }

    func validate() throws {
        if skipExisting && (inPlace || force) {
            throw ValidationError("--skip-existing cannot be combined with --in-place or --force.")
        }
    }

    /// Checks the options of commands that may replace inputs.
    func check(inputs: [String]) throws {
        try Value.refuseBoth("--in-place", inPlace, "--output", output != nil)
        if inPlace && inputs.contains("-") {
            throw ValidationError("Standard input cannot be replaced: use --output.")
        }
    }

    /// The selected inputs, without the outputs of earlier runs.
    ///
    /// - Parameter suffix: suffix of such outputs.
    func selected(
        _ inputs: [String], patterns: [String], otherPatterns: [String] = [],
        _ batch: BatchOptions, suffix: String
    ) throws -> [BatchSelection.Input] {
        try Value.refuseBoth("--journal", batch.journal != nil, "-o -", output == "-")
        return try batch.selected(
            inputs, patterns: patterns, otherPatterns: otherPatterns,
            outputSuffix: inPlace ? nil : suffix, output: output)
    }

    /// The naming of a batch's outputs.
    ///
    /// - Parameter mayReplace: whether existing outputs are permitted, as with --force.
    func names(
        _ suffix: String, dropping: [String] = ["pdf"], for inputs: [BatchSelection.Input],
        _ batch: BatchOptions, mayReplace: Bool = false
    ) -> OutputNaming {
        OutputNaming(
            output: output, suffix: suffix, dropping: dropping, for: inputs, isBatch: batch.isBatch
        ).replacing(force || mayReplace, inPlace: inPlace)
    }
}

struct TrustListSources: ParsableArguments {
    @Option(
        "Also accept CAs and TSAs on trusted lists: eu, aatl, mozilla, a folder or a file",
        value: "name|dir|file", completion: Completion.trustLists)
    var trustList: [String] = []
    @Option("Certificate with which a --trust-list file must be signed", value: "file")
    var trustListCert: [String] = []
    @OptionGroup var anchor: TrustAnchorOptions

    func validate() throws {
        if trustList.isEmpty, !trustListCert.isEmpty || !anchor.trustAnchor.isEmpty {
            throw ValidationError("--trust-list-cert and --trust-anchor require --trust-list.")
        }
    }

    /// - Parameter time: the validation time; nil for the current time.
    func read(at time: Moment?) throws -> TrustLists? {
        guard !trustList.isEmpty else { return nil }
        return try TrustLists(
            trustList, certificates: trustListCert, anchors: anchor.trustAnchor, time: time)
    }
}

struct TrustListOptions: ParsableArguments {
    @OptionGroup var sources: TrustListSources
    @Option(
        "qesig (signature), qeseal (seal), adesig-qc (with qualified certificate) or any (of these)",
        value: "level", completion: .list(RequiredQualification.names))
    var requireQualified: String?

    func validate() throws {
        if sources.trustList.isEmpty, requireQualified != nil {
            throw ValidationError(
                "--require-qualified requires --trust-list, such as --trust-list eu.")
        }
    }
}

/// Whether an output may overwrite an existing file.
struct ReplaceOptions: ParsableArguments {
    @Flag(help: "Overwrite an existing output file")
    var force = false

    func destination(_ path: String) -> Destination {
        Destination(path: path, replacesExisting: force)
    }

    /// The destination of a PDF.
    func destination(pdf path: String) throws -> Destination {
        try OutputNaming.requirePDFName(path)
        return destination(path)
    }
}
