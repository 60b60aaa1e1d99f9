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

            For a service that returns a whole CMS signature, leave out --cert:
              signet remote prepare contract.pdf -o prepared.pdf --to-sign hash.bin
              signet remote embed prepared.pdf --cms signature.p7s -o contract.signed.pdf
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
            "Key source to read the certificate from, instead of --cert; the private key is not used",
            value: "source")
        var key: String?
        @Option("Intermediate CA certificates; may be repeated", value: "file")
        var chain: [String] = []
        @Option(name: .shortAndLong, "Output file for the prepared PDF", value: "file")
        var output: String
        @Option("Output file for the hash to sign (Ed25519: the message)", value: "file")
        var toSign: String?
        @Option(
            "Encoding of --to-sign: raw, hex or base64 (default: raw)", value: "name",
            completion: .list(HashOptions.Encoding.names))
        var hashEncoding: String?
        @Option(
            "Output file for the message to sign, for keys that hash it (WebCrypto, Java, KMS)",
            value: "file")
        var toSignMessage: String?
        @Option(
            "B, or T: 'remote embed' adds a timestamp (default: B)", value: "level",
            completion: .list([SignatureLevel.b.shortName, SignatureLevel.t.shortName]))
        var level: String?
        @OptionGroup(title: "Encrypted PDFs") var password: PasswordOptions
        @OptionGroup var passphrase: PassphraseOptions
        @OptionGroup(title: "Signing service") var service: ServiceArguments
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "Signature") var signature: SignatureOptions
        @OptionGroup(title: "Signature") var statement: StatementOptions
        @OptionGroup(title: "Visible signature") var stamp: StampArguments
        @OptionGroup(title: "Content timestamp (TSA)") var timestamp: TimestampArguments
        @OptionGroup(title: "General") var messages: OutputOptions

        func validate() throws {
            _ = try SigningOptions(signature, stamp)
            let _: HashOptions.Encoding? = try Value.parse(hashEncoding, "--hash-encoding")
            let outputs = [output] + [toSign, toSignMessage].compactMap(\.self)
            guard outputs.count > 1 else {
                throw ValidationError(
                    "No output for the hash: add --to-sign FILE or --to-sign-message FILE.")
            }
            if hashEncoding != nil, toSign == nil {
                throw ValidationError("--hash-encoding requires --to-sign FILE.")
            }
            guard outputs.count(where: { $0 == "-" }) < 2 else {
                throw ValidationError("Only one output can be standard output (-).")
            }
            try statement.check(timestamp)
            if !timestamp.tsa.isEmpty, !statement.contentTimestamp {
                throw ValidationError(
                    "--tsa requires --content-timestamp. For a timestamp of the signature, use --level T here, and --tsa with remote embed."
                )
            }
            if !isCertificateKnown {
                if statement.isUsed {
                    throw ValidationError(
                        "--signature-policy, --commitment, --role and --content-timestamp require --cert FILE or --key SOURCE."
                    )
                }
                if signature.padding.padding != nil {
                    throw ValidationError(
                        "--padding requires --cert FILE or --key SOURCE; without them, the service selects the padding."
                    )
                }
                if toSignMessage != nil {
                    throw ValidationError(
                        "--to-sign-message requires --cert FILE or --key SOURCE; without them, use --to-sign: the service puts this hash into its CMS as messageDigest."
                    )
                }
                if level != nil {
                    throw ValidationError(
                        "--level requires --cert FILE or --key SOURCE; without them, the service adds the timestamp to its CMS."
                    )
                }
                if !stamp.noText, try SigningOptions(signature, stamp).stamp != nil,
                    signature.name == nil
                {
                    throw ValidationError(
                        "A visible signature without --cert requires the name of the signer: add --name."
                    )
                }
            }
            let level: SignatureLevel? = try Value.parse(level, "--level")
            if level == .lt || level == .lta {
                throw ValidationError(
                    "Levels B-LT and B-LTA need a signature first: use --level T now, and signet extend afterwards."
                )
            }
        }

        /// Whether the service's certificate is given; otherwise it returns a whole CMS signature.
        private var isCertificateKnown: Bool { cert != nil || key != nil }

        /// The signing certificate as a credential; its private key is not used.
        private func credential() throws -> SigningCredential {
            if let key {
                return try SigningCredential(
                    keyFile: key, certificateFile: cert, chainFiles: chain,
                    passphrase: passphrase.source(for: key), service: service.options())
            }
            return try SigningCredential(certificateFile: cert ?? "", chainFiles: chain)
        }

        private func prepared() throws -> PreparedDocument {
            var options = try SigningOptions(signature, stamp)
            options.statements = statement.statements
            var outputs = BytesToSign(hash: toSign.map { replace.destination($0) })
            outputs.encoding = try Value.parse(hashEncoding, "--hash-encoding") ?? .raw
            outputs.message = toSignMessage.map { replace.destination($0) }
            let credential = isCertificateKnown ? try credential() : nil
            defer { credential?.close() }
            let task =
                if let credential {
                    SignDocument(
                        credential: credential, options: options, password: password.source(),
                        timestamps: try timestamp.authorities())
                } else {
                    try SignDocument(
                        signerNamed: signature.name, options: options, password: password.source())
                }
            return try task.prepareRemotely(
                .file(input), into: replace.destination(pdf: output), toSign: outputs,
                leavesRoomForTimestamp: Value.parse(level, "--level") == SignatureLevel.t)
        }

        func run(_ reporter: Reporter) throws {
            let prepared = try prepared()
            reporter.warnings(prepared.warnings, of: input)
            let what =
                switch prepared.input {
                case "hash": "\(prepared.digest) hash to sign with \(prepared.algorithm)"
                case "document": "\(prepared.digest) hash of the document for a CMS signature"
                default: "message to sign with \(prepared.algorithm)"
                }
            if let toSign, toSign != "-" { try reporter.line("\(toSign): wrote the \(what)") }
            if let toSignMessage, toSignMessage != "-" {
                try reporter.line(
                    "\(toSignMessage): wrote the message to sign with \(prepared.algorithm)")
            }
            try reporter.made(output, "prepared (\(prepared.summary.text))", json: prepared)
            reporter.hint(
                "when it is signed, run: signet remote embed \(ShellWord.quoted(output)) "
                    + "--\(isCertificateKnown ? "signature" : "cms") FILE -o OUT.pdf"
                    + (level?.uppercased() == "T" ? " --tsa URL" : "")
            )
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
        var signature: String?
        @Option(
            "CMS signature (DER, PEM, hex or base64), for a PDF prepared without --cert",
            value: "file")
        var cms: String?
        @Option(name: .shortAndLong, "Output file for the signed PDF", value: "file")
        var output: String
        @OptionGroup(title: "Encrypted PDFs") var password: PasswordOptions
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "Timestamp (TSA)") var timestamp: TimestampArguments
        @OptionGroup(title: "General") var settings: SettingsOptions
        @OptionGroup(title: "General") var messages: OutputOptions

        func validate() throws {
            guard (signature == nil) != (cms == nil) else {
                throw ValidationError(
                    "Exactly one of --signature FILE and --cms FILE is required: --cms for a PDF prepared without --cert, otherwise --signature."
                )
            }
            if cms != nil, !timestamp.tsa.isEmpty {
                throw ValidationError(
                    "--cms cannot be combined with --tsa: the service adds the timestamp to its CMS."
                )
            }
        }

        func run(_ reporter: Reporter) throws {
            let task = EmbedSignature(
                password: password.source(), timestamps: try timestamp.authorities())
            let destination = try replace.destination(pdf: output)
            let signed =
                if let cms {
                    try task.run(.file(input), message: .file(cms), into: destination)
                } else {
                    try task.run(
                        .file(input), signature: .file(signature ?? "-"), into: destination)
                }
            reporter.warnings(signed.warnings, of: input)
            try reporter.made(
                output, "signed by \(signed.signer) (\(signed.summary.text))", json: signed)
        }
    }
}
