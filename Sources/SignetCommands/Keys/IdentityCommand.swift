import ArgumentParser
import SignetKit
import SystemBridge

struct IdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity", abstract: "Keep keys with their certificates under names.",
        discussion: """
            An identity is kept in $XDG_DATA_HOME/signet, readable by its owner only. A request is \
            remembered until its certificate arrives, which then finds its key by itself.

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
            commandName: "list", abstract: "List the identities that can sign.",
            discussion: "Examples:\n  signet identity list" + ExitStatus.help(.making))
        @OptionGroup(title: "Messages") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            try IdentityText.report(IdentityStore().list(), reporter)
        }
    }

    struct Pending: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "pending", abstract: "List the requests that wait for a certificate.",
            discussion: "Examples:\n  signet identity pending" + ExitStatus.help(.making))
        @OptionGroup(title: "Messages") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            try IdentityText.report(IdentityStore().pending(), reporter)
        }
    }

    struct Show: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Describe an identity.",
            discussion: "Examples:\n  signet identity show work" + ExitStatus.help(.making))
        @Argument(help: "The identity's name.", completion: Completion.identities)
        var name: String
        @OptionGroup(title: "Messages") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            try IdentityText.describe(IdentityStore().show(name), reporter)
        }
    }

    struct Remove: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an identity or a pending request, key and all.",
            discussion: """
                Asks on the terminal first: nobody can bring the key back.

                Examples:
                  signet identity remove work
                """ + ExitStatus.help(.making))
        @Argument(help: "The identity's name.", completion: Completion.identities)
        var name: String
        @Flag(help: "Remove it without asking.")
        var force = false
        @OptionGroup(title: "Messages") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            let store = try IdentityStore()
            if !force { try Self.ask(about: try store.show(name)) }
            try store.remove(name)
            try reporter.line("\(name): removed")
        }

        private static func ask(about identity: Identity) throws {
            let isElsewhere =
                identity.key.map { key in
                    ["pkcs11:", "csc:", "exec:"].contains { key.lowercased().hasPrefix($0) }
                } ?? false
            let who = "\(identity.name) (\(identity.subject))"
            let prompt =
                isElsewhere
                ? "Forget \(who)? Its key stays where it is. [y/N] "
                : "Remove the key of \(who) for good? [y/N] "
            guard let answer = Terminal.readLine(prompt: Reporter.printable(prompt)) else {
                throw SignetError(
                    .usage, "removing a key needs a yes, and there is no terminal to ask on",
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
            abstract: "Bring a certificate together with the pending key that it is for.",
            discussion: """
                Subject, validity and use are compared with what was requested. --to-token also \
                stores the certificate beside its key, for other programs that use the token.

                Examples:
                  signet identity complete me.crt
                  signet identity complete renewed.crt --force
                  signet identity complete card.crt --to-token
                """ + ExitStatus.help(.making))
        @Argument(help: "The certificate that arrived (PEM or DER).", completion: .file())
        var certificate: String
        @Flag(help: "Take a certificate that differs from what was requested.")
        var acceptDifferences = false
        @Flag(help: "Replace the certificate that the identity has already.")
        var force = false
        @Flag(help: "Store the certificate on the token that has its key, too.")
        var toToken = false
        @OptionGroup var passphrase: PassphraseOptions
        @OptionGroup(title: "Messages") var messages: OutputOptions

        func validate() throws {
            if !toToken && (passphrase.passphraseFile ?? passphrase.passphraseEnv) != nil {
                throw ValidationError("A PIN is for --to-token.")
            }
        }

        func run(_ reporter: Reporter) throws {
            let identity = try IdentityStore().complete(
                certificate, acceptsDifferences: acceptDifferences, replaces: force,
                tokenPIN: toToken ? passphrase.source(for: "the token") : nil)
            try IdentityText.report([identity], reporter)
        }
    }

    struct Import: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Keep a key and its certificates under a name.",
            discussion: """
                An encrypted key stays encrypted under the same passphrase. Of a key on a token, at a \
                service or behind a program its place is kept, and its certificates.

                Examples:
                  signet identity import work --key me.p12
                  signet identity import card --key "pkcs11:token=Jan"
                """ + ExitStatus.help(.making))
        @Argument(help: "The identity's name.") var name: String
        @Option(
            help: KeyOptions.shortHelp,
            completion: Completion.keySources)
        var key: String
        @Option("The certificate and its chain.", value: "file")
        var cert: String?
        @Option("More intermediate certificates; repeatable.", value: "file")
        var chain: [String] = []
        @OptionGroup var passphrase: PassphraseOptions
        @OptionGroup(title: "Keys at services") var service: ServiceArguments
        @OptionGroup(title: "Messages") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            let identity = try IdentityStore().importCredential(
                name, keyFile: key, certificateFile: cert, chainFiles: chain,
                passphrase: passphrase.source(for: key), service: service.options())
            try IdentityText.report([identity], reporter)
        }
    }

    struct Request: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "request", abstract: "Make a key and a request, and remember them.",
            discussion: """
                With --key the request is for a key that is on a token, at a service or behind a \
                program; its place is remembered.

                Examples:
                  signet identity request work --subject "CN=Jan Novák,C=CZ" -o me.csr
                  signet identity request card --subject "CN=Jan Novák,C=CZ" -o card.csr \\
                      --key "pkcs11:token=Jan;object=work"
                """ + ExitStatus.help(.making))
        @Argument(help: "The identity's name.") var name: String
        @Option(help: .subject)
        var subject: String
        @Option(name: .shortAndLong, "Where the request goes (PEM).", value: "file")
        var output: String
        @Option(
            help: "The new key's type, as in key generate (default: rsa:3072).",
            completion: Completion.keyTypes)
        var type: String?
        @Option(
            "A key that exists: \(KeyOptions.elsewhere) as for sign.", value: "source",
            completion: Completion.keySources)
        var key: String?
        @OptionGroup var protection: NewKeyProtectionOptions
        @OptionGroup(title: "Keys at services") var service: ServiceArguments
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "Messages") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            var request = CreateRequest()
            request.subject = subject
            let identity = try IdentityStore().request(
                name, key: requestedKey(), request: request, into: replace.destination(output))
            if output == "-" {
                // Nothing but the request goes where it goes.
                reporter.remark("\(name): waiting for its certificate")
            } else {
                try IdentityText.report([identity], reporter)
                try reporter.line("\(output): the request, for the authority")
            }
            reporter.hint("when its certificate comes: signet identity complete CERT")
        }

        func validate() throws {
            if key != nil && (type != nil || protection.noPassphrase) {
                throw ValidationError("--type and --no-passphrase are for new keys, without --key.")
            }
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

/// The identity list for people: one line each.
enum IdentityText {
    /// All properties of one identity.
    static func describe(_ identity: Identity, _ reporter: Reporter) throws {
        let facts: [(String, String?)] = [
            ("subject", identity.subject), ("issued by", identity.issuer),
            ("valid from", identity.notBefore?.description),
            ("valid to", identity.notAfter?.description),
            ("for", identity.keyUsage?.joined(separator: ", ")),
            ("certificate", identity.sha256.map { "SHA-256 \($0)" }),
            ("key", "\(identity.algorithm), \(identity.key ?? "waiting for its certificate")"),
        ]
        try reporter.line(identity.name)
        for case (let name, let value?) in facts { try reporter.result(Reporter.fact(name, value)) }
        try reporter.result(json: identity)
    }

    static func report(_ identities: [Identity], _ reporter: Reporter) throws {
        if identities.isEmpty { try reporter.result("none") }
        for identity in identities {
            let issuer = identity.issuer.map { "issued by \($0), " } ?? ""
            let until = identity.notAfter.map { "until \($0)" } ?? "waiting for its certificate"
            try reporter.line(
                "\(identity.name): \(identity.subject), \(identity.algorithm), \(issuer)\(until)")
            try reporter.result(json: identity)
        }
    }
}
