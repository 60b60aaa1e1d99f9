import ArgumentParser
import SignetKit
import SystemBridge

struct IdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity", abstract: "Store keys and certificates under names.",
        discussion: """
            Identities are stored in $XDG_DATA_HOME/signet, readable by their owner only. A request \
            is stored until 'identity complete' adds its certificate.

            Examples:
              signet identity import work --key me.p12
              signet identity request work --subject "CN=Jan Novák,C=CZ" -o me.csr
              signet identity complete me.crt
              signet sign contract.pdf --identity work
            """,
        subcommands: [
            List.self, Import.self, Request.self, Pending.self, Complete.self, Remove.self,
            Show.self,
        ])

    struct List: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List identities with certificates.",
            discussion: "Examples:\n  signet identity list")
        @OptionGroup(title: "General") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            let store = try IdentityStore()
            let waiting = try store.pending().count
            let requests = waiting == 1 ? "1 request is" : "\(waiting) requests are"
            try IdentityText.report(
                store.list(),
                none: waiting == 0
                    ? "no identities"
                    : "no identities; \(requests) pending: signet identity pending", reporter)
        }
    }

    struct Pending: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "pending", abstract: "List requests without a certificate.",
            discussion: "Examples:\n  signet identity pending")
        @OptionGroup(title: "General") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            try IdentityText.report(
                IdentityStore().pending(), none: "no pending requests", reporter)
        }
    }

    struct Show: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Display an identity.",
            discussion: "Examples:\n  signet identity show work")
        @Argument(help: "Name of the identity", completion: Completion.identities)
        var name: String
        @OptionGroup(title: "General") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            try IdentityText.describe(IdentityStore().show(name), to: reporter)
        }
    }

    struct Remove: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an identity or a pending request, including its key.",
            discussion: """
                Asks for confirmation first: a removed key cannot be restored.

                Examples:
                  signet identity remove work
                """)
        @Argument(help: "Name of the identity", completion: Completion.identities)
        var name: String
        @Flag(help: "Remove without confirmation")
        var force = false
        @OptionGroup(title: "General") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            let store = try IdentityStore()
            if !force { try Self.ask(about: try store.show(name)) }
            try store.remove(name)
            try reporter.line("\(name): removed")
        }

        private static func ask(about identity: Identity) throws {
            let who = "\(identity.name) (\(identity.subject))"
            let prompt =
                identity.isElsewhere
                ? "Remove the identity \(who)? The key itself is not removed. [y/N] "
                : "Permanently remove the key of \(who)? [y/N] "
            guard let answer = Terminal.readLine(prompt: Reporter.printable(prompt)) else {
                throw SignetError(
                    .usage, "removing a key requires a confirmation, and there is no terminal",
                    hint: "add --force")
            }
            guard ["y", "yes"].contains(answer.lowercased()) else {
                throw SignetError(.usage, "\(identity.name) was not removed")
            }
        }
    }

    struct Complete: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "complete",
            abstract: "Add the issued certificate to a pending request.",
            discussion: """
                A differing subject is an error; missing alternative names or usages are a warning. \
                --to-token also stores \
                the certificate on the token, for other programs.

                Examples:
                  signet identity complete me.crt
                  signet identity complete renewed.crt --force
                  signet identity complete me.crt --chain intermediate.crt
                  signet identity complete card.crt --to-token
                """)
        @Argument(help: "Issued certificate (PEM or DER)", completion: .file())
        var certificate: String
        @Option("Intermediate CA certificates to store too; may be repeated", value: "file")
        var chain: [String] = []
        @Flag(help: "Accept a certificate that differs from the request")
        var acceptDifferences = false
        @Flag(help: "Replace an existing certificate of the identity")
        var force = false
        @Flag(help: "Also store the certificate on the token of the key")
        var toToken = false
        @OptionGroup var passphrase: PassphraseOptions
        @OptionGroup(title: "General") var messages: OutputOptions

        func validate() throws {
            if !toToken && (passphrase.passphraseFile ?? passphrase.passphraseEnv) != nil {
                throw ValidationError("A PIN requires --to-token.")
            }
        }

        func run(_ reporter: Reporter) throws {
            let identity = try IdentityStore().complete(
                certificate, chainFiles: chain, acceptsDifferences: acceptDifferences,
                replaces: force,
                tokenPIN: toToken ? passphrase.source(for: "the token") : nil)
            try IdentityText.report(
                identity, reporter, as: identity.isUnchanged ? "" : "stored certificate ")
        }
    }

    struct Import: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Store a key and its certificates under a name.",
            discussion: """
                An encrypted key keeps its passphrase. For a key on a token, at a signing service or \
                in a program, only its URI and its certificates are stored.

                Examples:
                  signet identity import work --key me.p12
                  signet identity import card --key "pkcs11:token=Jan"
                """)
        @Argument(help: "Name of the identity") var name: String
        @Option(
            help: KeyOptions.shortHelp,
            completion: Completion.keySources)
        var key: String
        @Option(help: .alias) var alias: String?
        @Option("Signing certificate and chain (PEM or DER)", value: "file")
        var cert: String?
        @Option("Intermediate CA certificates; may be repeated", value: "file")
        var chain: [String] = []
        @OptionGroup var passphrase: PassphraseOptions
        @OptionGroup(title: "Signing service") var service: ServiceArguments
        @OptionGroup(title: "General") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            let identity = try IdentityStore().importCredential(
                name, keyFile: key, certificateFile: cert, chainFiles: chain,
                passphrase: passphrase.source(for: key), service: service.options(alias: alias))
            try IdentityText.report(identity, reporter, as: "stored identity ")
            reporter.warnings(identity.warnings, of: name)
        }
    }

    struct Request: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "request",
            abstract: "Generate a key and create a certificate signing request.",
            discussion: """
                Stores the key until 'identity complete' adds its certificate. --key uses an \
                existing key on a token, at a signing service or in a program.

                Examples:
                  signet identity request work --subject "CN=Jan Novák,C=CZ" -o me.csr
                  signet identity request seal --subject "CN=Firma,C=CZ" -o seal.csr \\
                      --san upn:seal@firma.cz --usage digitalSignature,emailProtection
                  signet identity request card --subject "CN=Jan Novák,C=CZ" -o card.csr \\
                      --key "pkcs11:token=Jan;object=work"
                """)
        @Argument(help: "Name of the identity") var name: String
        @Option(help: .subject)
        var subject: String?
        @Option(name: .shortAndLong, "Output file for the CSR", value: "file")
        var output: String
        @Option(
            help: "Type of the new key, see key generate (default: rsa:3072)",
            completion: Completion.keyTypes)
        var type: String?
        @OptionGroup var request: RequestOptions
        @Option(
            "Existing key: \(KeyOptions.elsewhere)", value: "source",
            completion: Completion.keySources)
        var key: String?
        @OptionGroup var protection: NewKeyProtectionOptions
        @OptionGroup(title: "Signing service") var service: ServiceArguments
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "General") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            let identity = try IdentityStore().request(
                name, key: requestedKey(), request: request.task(subject: subject),
                into: replace.destination(output))
            reporter.warnings(identity.warnings, of: output)
            if request.usageWarning(subject: subject) != nil {
                reporter.warning("\(output): \(serverAdvice)")
            }
            if output == "-" {
                // Standard output contains only the request.
                reporter.remark("\(name): pending, without a certificate")
            } else {
                try IdentityText.report(identity, reporter)
                try reporter.line(
                    "\(output): created certificate signing request (CSR), to send to the CA")
            }
            reporter.hint(
                "when the CA has issued the certificate, run: signet identity complete CERT")
        }

        func validate() throws {
            if key != nil && (type != nil || protection.noPassphrase) {
                throw ValidationError("--type and --no-passphrase cannot be combined with --key.")
            }
            if request.isForServer { throw ValidationError(serverAdvice) }
        }

        /// Names the command that creates such a request for a server.
        private var serverAdvice: String {
            let words =
                ["signet", "csr", "create"]
                + (key.map { ["--key", $0] }
                    ?? ["--new-key", type ?? "rsa:3072", "--key-out", "KEY"])
                + request.serverWords + ["--subject", subject ?? "CN=NAME", "-o", output]
            return "An identity signs documents; for a server certificate, run: "
                + words.map(ShellWord.quoted).joined(separator: " ")
        }

        private func requestedKey() throws -> IdentityStore.RequestedKey {
            if let key {
                return .elsewhere(
                    source: key, passphrase: protection.passphrase.source(for: key),
                    service: try service.options())
            }
            return .new(
                type: type ?? "rsa:3072", passphrase: protection.source(for: "identity \(name)"))
        }
    }
}

/// The identity list as text: one line per identity.
enum IdentityText {
    static func describe(_ identity: Identity, to reporter: Reporter) throws {
        let facts: [(String, String?)] = [
            ("subject", identity.subject), ("issued by", identity.issuer),
            ("valid from", identity.notBefore?.description),
            ("valid to", identity.notAfter?.description),
            ("key usage", identity.keyUsage?.joined(separator: ", ")),
            ("extended", identity.extendedKeyUsage?.joined(separator: ", ")),
            ("names", identity.alternativeNames?.joined(separator: ", ")),
            ("certificate", identity.sha256.map { "SHA-256 \($0)" }),
            ("key", [identity.algorithm, identity.key].compactMap(\.self).joined(separator: ", ")),
            ("state", identity.state == "pending" ? "pending, without a certificate" : nil),
        ]
        try reporter.line(identity.name)
        for case (let name, let value?) in facts { try reporter.result(Reporter.fact(name, value)) }
        try reporter.result(json: identity)
    }

    /// - Parameter none: text for standard error if there are no identities.
    static func report(
        _ identities: [Identity], none: String, _ reporter: Reporter
    ) throws {
        if identities.isEmpty { reporter.remark(none) }
        for identity in identities { try report(identity, reporter) }
    }

    /// - Parameter verb: what was done, if anything.
    static func report(
        _ identity: Identity, _ reporter: Reporter, as verb: String = ""
    ) throws {
        let issuer = identity.issuer.map { "issued by \($0), " } ?? ""
        let until =
            identity.notAfter.map { "valid until \($0.text)" } ?? "pending, without a certificate"
        try reporter.line(
            "\(identity.name): \(verb)\(identity.subject), \(identity.algorithm), \(issuer)\(until)"
        )
        try reporter.result(json: identity)
    }
}
