import ArgumentParser
import SignetKit

struct RemoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remote", abstract: "Sign a PDF with a remote key in two steps.",
        discussion: """
            Only the hash of the document is sent to the key, which returns a raw signature.

            Examples:
              signet remote prepare contract.pdf --cert me.crt \\
                  -o prepared.pdf --to-sign hash.bin
              signet hash sign hash.bin --input hash --key me.pem -o signature.bin
              signet remote embed prepared.pdf --signature signature.bin \\
                  -o contract.signed.pdf

            For a timestamp, add `--level T` to `prepare` and `--tsa URL` to `embed`.
            """, subcommands: [Prepare.self, Embed.self])

    struct Prepare: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "prepare",
            abstract: "Prepare a PDF for a signature and write the hash to sign.",
            discussion: """
                Examples:
                  signet remote prepare contract.pdf --cert me.crt \\
                      -o prepared.pdf --to-sign hash.bin
                  signet remote prepare contract.pdf --key pkcs11:token=Jan \\
                      -o prepared.pdf --to-sign hash.bin
                """)

        @Argument(
            help: ArgumentHelp("PDF to sign", valueName: "file"),
            completion: .file(extensions: ["pdf"]))
        var input: String
        @Option("Signing certificate and chain (PEM or DER)", value: "file")
        var cert: String?
        @Option(
            "Source of the certificate instead of --cert, as for sign; no login",
            value: "source")
        var key: String?
        @Option("Intermediate CA certificates; may be repeated", value: "file")
        var chain: [String] = []
        @Option(name: .shortAndLong, "Output file for the prepared PDF", value: "file")
        var output: String
        @Option("Output file for the hash to sign, raw (Ed25519: the message)", value: "file")
        var toSign: String
        @OptionGroup(title: "Encrypted PDFs") var password: PasswordOptions
        @OptionGroup var passphrase: PassphraseOptions
        @OptionGroup(title: "Signing service") var service: ServiceArguments
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "Signature") var signature: SignatureOptions
        @OptionGroup(title: "Visible signature") var stamp: StampArguments
        @OptionGroup(title: "General") var messages: OutputOptions

        func validate() throws {
            _ = try SigningOptions(signature, stamp)
            let level: SignatureLevel? = try Value.parse(signature.level, "--level")
            if level == .lt || level == .lta {
                throw ValidationError(
                    "B-LT and B-LTA need a signature first: use --level T now, and signet extend afterwards."
                )
            }
            try password.check(inputs: [input], passphrase: passphrase, service: service)
        }

        /// The signing certificate as a credential; its private key is not used.
        private func credential() throws -> SigningCredential {
            if let key {
                return try SigningCredential(
                    keyFile: key, certificateFile: cert, chainFiles: chain,
                    passphrase: passphrase.source(for: key), service: service.options())
            }
            guard let cert else {
                throw SignetError(
                    .usage, "no certificate is given", hint: "add --cert FILE or --key SOURCE")
            }
            return try SigningCredential(certificateFile: cert, chainFiles: chain)
        }

        func run(_ reporter: Reporter) throws {
            let credential = try credential()
            defer { credential.close() }
            let task = SignDocument(
                credential: credential,
                options: try SigningOptions(signature, stamp), password: password.source())
            let prepared = try task.prepareRemotely(
                .file(input), into: replace.destination(output),
                toSign: replace.destination(toSign),
                leavesRoomForTimestamp: Value.parse(signature.level, "--level") == SignatureLevel.t)
            reporter.warnings(prepared.warnings, of: input)
            let what = prepared.input == "hash" ? "\(prepared.digest) hash" : "message"
            try reporter.line(
                "\(toSign): wrote the \(what) to sign with \(prepared.algorithm) "
                    + "(\(prepared.summary.text)); next: signet remote embed \(output) --signature FILE -o OUT.pdf"
            )
            try reporter.result(json: prepared)
        }
    }

    struct Embed: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "embed", abstract: "Embed a signature in a prepared PDF.",
            discussion: """
                Verifies the signature with the certificate, and the document with its hash, before \
                it writes the output. An encrypted PDF with a MAC requires its password again.

                Examples:
                  signet remote embed prepared.pdf --signature signature.bin \\
                      -o contract.signed.pdf
                """)

        @Argument(
            help: ArgumentHelp("Prepared PDF", valueName: "file"),
            completion: .file(extensions: ["pdf"]))
        var input: String
        @Option(
            "Signature value: raw, hex or base64 (ECDSA: DER, or r and s)",
            value: "file")
        var signature: String
        @Option(name: .shortAndLong, "Output file for the signed PDF", value: "file")
        var output: String
        @OptionGroup(title: "Encrypted PDFs") var password: PasswordOptions
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "Timestamp (TSA)") var timestamp: TimestampArguments
        @OptionGroup(title: "General") var settings: SettingsOptions
        @OptionGroup(title: "General") var messages: OutputOptions

        func validate() throws {
            try password.check(inputs: [input, signature], timestamp: timestamp)
        }

        func run(_ reporter: Reporter) throws {
            let signed = try EmbedSignature(
                password: password.source(), timestamps: try timestamp.authorities()
            ).run(.file(input), signature: .file(signature), into: replace.destination(output))
            reporter.warnings(signed.warnings, of: input)
            try reporter.made(
                output, "signed by \(signed.signer) (\(signed.summary.text))", json: signed)
        }
    }
}
