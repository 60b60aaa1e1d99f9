import ArgumentParser
import SignetKit

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Make and convert private keys.",
        discussion: """
            Examples:
              signet key generate -o me.pem
              signet key convert me.p12 -o me.pem
            """, subcommands: [Generate.self, KeyConvertCommand.self])

    struct Generate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "generate", abstract: "Generate a private key.",
            discussion: """
                The key is written as PKCS#8, encrypted with AES-256 under a passphrase that is \
                asked for, readable by its owner only.

                Examples:
                  signet key generate -o me.pem
                  signet key generate -o me.pem --type ec:P-256 --passphrase-file pass.txt
                  signet key generate -o test.pem --type ed25519 --no-passphrase
                """ + ExitStatus.help(.making))

        @Option(
            name: .shortAndLong, help: ArgumentHelp("Where the key goes.", valueName: "file"),
            completion: .file())
        var output: String
        @Option(
            help: """
                rsa:3072, rsa:BITS, ec:P-256, ec:P-384, ec:P-521, ed25519, dsa:2048 or dsa:3072
                """,
            completion: Completion.keyTypes)
        var type = "rsa:3072"
        @Flag(help: "Leave the key unencrypted.")
        var noPassphrase = false
        @OptionGroup var passphrase: PassphraseOptions
        @Option(
            help: ArgumentHelp("Write the public key too.", valueName: "file"),
            completion: .file())
        var publicOut: String?
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "Messages") var messages: OutputOptions

        func validate() throws {
            if noPassphrase && (passphrase.passphraseFile ?? passphrase.passphraseEnv) != nil {
                throw ValidationError("--no-passphrase contradicts a passphrase.")
            }
        }

        func run() throws {
            try Reporter.handleOne(messages) { reporter in
                let task = try GenerateKey(type: type)
                let source = noPassphrase ? nil : passphrase.source(confirming: true, for: output)
                reporter.step("generating a key of type \(type)")
                let made = try task.run(
                    into: Destination(path: output, replacesExisting: replace.force),
                    passphrase: source,
                    publicKey: publicOut.map {
                        Destination(path: $0, replacesExisting: replace.force)
                    })
                if output != "-" {
                    try reporter.result(
                        Reporter.printable(
                            "\(output): \(made.algorithm) private key"
                                + (made.encrypted ? ", encrypted" : ", not encrypted")))
                }
                try reporter.result(json: made)
            }
        }
    }
}
