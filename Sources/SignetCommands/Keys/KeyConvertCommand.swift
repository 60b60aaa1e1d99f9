import ArgumentParser
import SignetKit

struct KeyConvertCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a private key to another format or passphrase.",
        discussion: """
            Reads PEM, DER and PKCS#12, including legacy encryption. The new key is encrypted with \
            a passphrase (AES-256). A PEM file contains the certificates too, and can be used as \
            --key like a PKCS#12 file.

            Examples:
              signet key convert me.p12 -o me.pem
              signet key convert me.pem --cert me.crt --to p12 -o me.p12
              signet key convert old.pem -o new.pem \\
                  --passphrase-file old --new-passphrase-file new
              signet key convert me.pem -o plain.der --to der --no-passphrase
              signet key convert me.p12 -o old.p12 --legacy --alias Jan
            """)

    @Argument(help: "Private key (PEM, DER or PKCS#12)", completion: .file())
    var key: String
    @Option(name: .shortAndLong, "Output file", value: "file")
    var output: String
    @Option(
        "Output format: pem, der or p12 (default: from the output name, otherwise pem)",
        value: "format",
        completion: .list(ConvertKey.Format.names))
    var to: String?
    @Option("Certificate and chain of the key; may be repeated", value: "file")
    var cert: [String] = []
    @Option("Alias in PKCS#12: selects one of several keys, and is written", value: "name")
    var alias: String?
    @Flag(help: "Write PKCS#12 with 3DES and SHA-1, for older macOS, Windows and Acrobat")
    var legacy = false
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup var newPassphrase: NewPassphraseOptions
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        let format: ConvertKey.Format = try Value.parse(to, "--to") ?? formatOfName
        if legacy && format != .p12 { throw ValidationError("--legacy requires --to p12.") }
    }

    private var formatOfName: ConvertKey.Format {
        let name = output.lowercased()
        return name.hasSuffix(".p12") || name.hasSuffix(".pfx")
            ? .p12 : name.hasSuffix(".der") ? .der : .pem
    }

    func run(_ reporter: Reporter) throws {
        let format: ConvertKey.Format = try Value.parse(to, "--to") ?? formatOfName
        var task = ConvertKey(format: format)
        task.alias = alias
        task.isLegacy = legacy
        let made = try task.run(
            key, passphrase: passphrase.source(for: key), certificateFiles: cert,
            into: replace.destination(output), newPassphrase: newPassphrase.source(for: output))
        let count = made.certificates
        let along = count == 0 ? "" : ", with \(count) certificate" + (count == 1 ? "" : "s")
        try reporter.made(
            output,
            "created private key (\(made.algorithm), \(made.encrypted ? "encrypted" : "not encrypted"))"
                + along, json: made)
    }
}

/// Encryption of the new key file.
struct NewPassphraseOptions: ParsableArguments {
    @Option("New passphrase: first line of this file (-: stdin)", value: "file")
    var newPassphraseFile: String?
    @Option("New passphrase: environment variable", value: "name")
    var newPassphraseEnv: String?
    @Flag(help: "Do not encrypt the new key")
    var noPassphrase = false

    func validate() throws {
        let given = [newPassphraseFile, newPassphraseEnv].compactMap { $0 }.count
        if given + (noPassphrase ? 1 : 0) > 1 {
            throw ValidationError(
                "Give one of --new-passphrase-file, --new-passphrase-env and --no-passphrase.")
        }
    }

    /// The source of the new passphrase; nil leaves the key unencrypted.
    func source(for path: String) -> PassphraseSource? {
        if noPassphrase { return nil }
        return PassphraseOptions.source(
            file: newPassphraseFile, environment: newPassphraseEnv, confirming: true, for: path,
            options: "--new-passphrase-file FILE or --new-passphrase-env NAME")
    }
}

extension ConvertKey.Format: OptionValue {}
