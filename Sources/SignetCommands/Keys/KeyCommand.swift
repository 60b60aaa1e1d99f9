import ArgumentParser
import SignetKit

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Generate, convert and list private keys.",
        discussion: """
            Examples:
              signet key generate -o me.pem
              signet key convert me.p12 -o me.pem
              signet key list
            """, subcommands: [Generate.self, KeyConvertCommand.self, KeyListCommand.self])

    struct Generate: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "generate", abstract: "Generate a private key.",
            discussion: """
                Writes a PKCS#8 file, encrypted with a passphrase (AES-256) and readable only by you. \
                With a PKCS#11 URI the key is generated on the token, for signing only, and cannot \
                be exported.

                ML-DSA keys (FIPS 204) require OpenSSL 3.5 or newer. In PDF they are experimental.

                Examples:
                  signet key generate -o me.pem
                  signet key generate -o me.pem --type ec:P-256 --passphrase-file pass.txt
                  signet key generate -o test.pem --type ed25519 --no-passphrase
                  signet key generate -o "pkcs11:token=Jan;object=work" --type ec:P-256
                """)

        @Option(name: .shortAndLong, "Output file, or pkcs11:... for a token", value: "path")
        var output: String
        @Option(
            help:
                "rsa:BITS, ec:P-256 (P-384, P-521), ed25519, ed448, dsa:2048 (3072), ml-dsa-44 (65, 87)",
            completion: Completion.keyTypes)
        var type = Generate.defaultType
        @OptionGroup var protection: NewKeyProtectionOptions
        @Flag(help: "On a token, require the PIN for each signature")
        var alwaysAuthenticate = false
        @Option("Output file for the public key", value: "file")
        var publicOut: String?
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "General") var messages: OutputOptions

        private static let defaultType = "rsa:3072"

        func validate() throws {
            let isOnToken = output.lowercased().hasPrefix("pkcs11:")
            if isOnToken && protection.noPassphrase {
                throw ValidationError(
                    "--no-passphrase cannot be used for a token, which requires a PIN.")
            }
            if alwaysAuthenticate && !isOnToken {
                throw ValidationError(
                    "--always-authenticate requires a key on a token (-o pkcs11:...).")
            }
        }

        func run(_ reporter: Reporter) throws {
            let task = try GenerateKey(type: type)
            if output.lowercased().hasPrefix("pkcs11:") {
                return try generateOnToken(task, reporter: reporter)
            }
            reporter.step("generating a key of type \(type)")
            let made = try task.run(
                into: replace.destination(output),
                passphrase: protection.source(for: output),
                publicKey: publicOut.map {
                    replace.destination($0)
                })
            let state = made.encrypted ? "encrypted" : "not encrypted"
            try reporter.made(
                output, "created private key (\(made.algorithm), \(state))", json: made)
        }

        private func generateOnToken(_ task: GenerateKey, reporter: Reporter) throws {
            let made = try task.run(
                onToken: output, pin: protection.passphrase.source(for: "the token"),
                confirmsEach: alwaysAuthenticate,
                publicKey: publicOut.map { replace.destination($0) })
            // The URI from the command line identifies the key if it contains the object name. A
            // slot number may change, so a URI with slot-id is replaced.
            let isLasting = output.contains("object=") && !output.contains("slot-id=")
            let uri = isLasting ? output : made.file
            try reporter.line(
                "\(uri): created private key (\(made.algorithm)) on the token \(made.token ?? "")")
            try reporter.result(json: made)
        }
    }
}
