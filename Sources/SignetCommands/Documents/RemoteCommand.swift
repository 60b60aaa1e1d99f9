import ArgumentParser
import SignetKit

struct RemoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remote", abstract: "Sign a PDF with a key that is elsewhere, in two steps.",
        discussion: """
            The document stays here: only a hash goes to the key, and a raw signature comes back.

            Examples:
              signet remote prepare contract.pdf --cert me.crt \\
                  -o prepared.pdf --to-sign hash.bin
              signet hash sign hash.bin --input hash --key me.pem -o signature.bin
              signet remote embed prepared.pdf --signature signature.bin \\
                  -o contract.signed.pdf

            For a timestamp, leave room for it with `prepare --level T` and name the authority \
            with `embed --tsa`.
            """, subcommands: [Prepare.self, Embed.self])

    struct Prepare: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "prepare",
            abstract: "Lay out the signature and write what has to be signed.",
            discussion: """
                Examples:
                  signet remote prepare contract.pdf --cert me.crt \\
                      -o prepared.pdf --to-sign hash.bin
                  signet remote prepare contract.pdf --key pkcs11:token=Jan \\
                      -o prepared.pdf --to-sign hash.bin
                """ + ExitStatus.help(.making))

        @Argument(help: "The PDF to sign.", completion: .file(extensions: ["pdf"]))
        var input: String
        @Option("The signer's certificate and its chain (PEM or DER).", value: "file")
        var cert: String?
        @Option(
            "Take the certificate from where the key is, as for sign; nobody logs in.",
            value: "source")
        var key: String?
        @Option("More intermediate certificates; repeatable.", value: "file")
        var chain: [String] = []
        @Option(name: .shortAndLong, "Where the prepared PDF goes.", value: "file")
        var output: String
        @Option("Where the hash to sign goes, raw (Ed25519: the message to sign).", value: "file")
        var toSign: String
        @OptionGroup var password: PasswordOptions
        @OptionGroup var passphrase: PassphraseOptions
        @OptionGroup(title: "Keys at services") var service: ServiceArguments
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "Signature") var signature: SignatureOptions
        @OptionGroup(title: "Visible stamp") var stamp: StampArguments
        @OptionGroup(title: "Messages") var messages: OutputOptions

        func validate() throws {
            _ = try SigningOptions(signature, stamp)
            let level: SignatureLevel? = try Value.parse(signature.level, "--level")
            if level == .lt || level == .lta {
                throw ValidationError(
                    "Evidence comes after the signature: --level T now, and signet extend at the end."
                )
            }
            try password.check(inputs: [input], passphrase: passphrase, service: service)
        }

        /// The credential of the certificate; its key is not used.
        private func credential() throws -> SigningCredential {
            if let key {
                return try SigningCredential(
                    keyFile: key, certificateFile: cert, chainFiles: chain,
                    passphrase: passphrase.source(for: key), service: service.options())
            }
            guard let cert else {
                throw SignetError(
                    .usage, "no certificate is given", hint: "name it with --cert, or a --key")
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
                "\(toSign): the \(what) to sign with \(prepared.algorithm) "
                    + "(\(prepared.summary.text)); then: signet remote embed \(output) --signature FILE -o OUT.pdf"
            )
            try reporter.result(json: prepared)
        }
    }

    struct Embed: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "embed", abstract: "Put the signature into a prepared PDF.",
            discussion: """
                The signature is verified against the certificate, and the document against its \
                hash, before the output appears. An encrypted PDF with a MAC needs its \
                password again: nothing of it was kept.

                Examples:
                  signet remote embed prepared.pdf --signature signature.bin \\
                      -o contract.signed.pdf
                """ + ExitStatus.help(.asking))

        @Argument(help: "The prepared PDF.", completion: .file(extensions: ["pdf"]))
        var input: String
        @Option(
            "The signature: raw, hexadecimal or base64; ECDSA as DER or r and s in a row.",
            value: "file")
        var signature: String
        @Option(name: .shortAndLong, "Where the signed PDF goes.", value: "file")
        var output: String
        @OptionGroup var password: PasswordOptions
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "Timestamp") var timestamp: TimestampArguments
        @OptionGroup(title: "Settings") var settings: SettingsOptions
        @OptionGroup(title: "Messages") var messages: OutputOptions

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
