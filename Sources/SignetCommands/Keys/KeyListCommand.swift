import ArgumentParser
import SignetKit

struct KeyListCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List keys on tokens (smart cards, HSMs) or at a signing service.",
        discussion: """
            Lists the URI (RFC 7512) of each key for --key, and why a key cannot sign. Without --login, \
            keys without a public object may be missing. Uses the modules of p11-kit, or the module in \
            the URI or SIGNET_PKCS11_MODULE. For a signing service (csc:), lists the keys of the user; \
            no PIN or one-time password is sent.

            Examples:
              signet key list
              signet key list "pkcs11:token=Jan?module-name=opensc-pkcs11" --login
              signet key list csc:https://sign.example/csc/v2 --service-user jan
            """)
    @Argument(help: "PKCS#11 URI to filter by, or csc:https://... for a signing service")
    var uri: String?
    @Flag(help: "Log in with the PIN to list all keys")
    var login = false
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup(title: "Signing service") var service: ServiceArguments
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        if !login && (passphrase.passphraseFile ?? passphrase.passphraseEnv) != nil {
            throw ValidationError("A PIN requires --login.")
        }
    }

    func run(_ reporter: Reporter) throws {
        var task = ListKeys()
        task.logsIn = login
        if let uri, ListKeys.isService(uri) {
            try Self.show(task.run(service: uri, options: service.options()), to: reporter)
            return
        }
        var count = 0
        try task.run(uri, passphrase: passphrase.source(for: "the token")) { token in
            count += 1
            try Self.show(token, to: reporter)
        }
        if count == 0 { try Self.show([], to: reporter) }
    }

    static func show(_ tokens: [ListedToken], to reporter: Reporter) throws {
        if tokens.isEmpty { reporter.remark("no smart card or token found") }
        for token in tokens { try show(token, to: reporter) }
    }

    private static func show(_ token: ListedToken, to reporter: Reporter) throws {
        try reporter.result(lines(token).map(Reporter.printable).joined(separator: "\n"))
        try reporter.result(json: token)
    }

    private static func show(_ service: ListedService, to reporter: Reporter) throws {
        let lines =
            service.keys.isEmpty
            ? ["\(service.service): no keys for this user"]
            : [service.service] + service.keys.flatMap(Self.lines)
        try reporter.result(lines.map(Reporter.printable).joined(separator: "\n"))
        try reporter.result(json: service)
    }

    private static func lines(_ key: ListedToken.Key) -> [String] {
        let what = [key.subject, key.algorithm, key.notAfter.map { "valid to \($0)" }]
            .compactMap { $0 }.joined(separator: ", ")
        return [
            "  \(ShellWord.quoted(key.shortURI ?? key.uri))",
            "    \(what.isEmpty ? "a key" : what)",
        ]
            + (key.problem.map { problem in
                let advice = key.subject == nil ? " here; add --cert FILE" : ""
                return ["    cannot sign documents: \(problem)\(advice)"]
            } ?? [])
    }

    private static func lines(_ token: ListedToken) -> [String] {
        guard let label = token.token else {
            return ["\(token.module): \(token.problem ?? "cannot be used")"]
        }
        let flags = token.flags.isEmpty ? "" : ": " + token.flags.joined(separator: ", ")
        let device = [token.model, token.serial].compactMap { $0 }.joined(separator: " ")
        var lines = ["\(label) (\(device))\(flags)"]
        lines += token.keys.flatMap(Self.lines)
        if let problem = token.problem {
            lines.append("  \(problem)")
        } else if token.isLocked {
            let uri = ShellWord.quoted(token.shortURI ?? "pkcs11:")
            lines.append("  not logged in: to list all keys, run: signet key list \(uri) --login")
        }
        if token.unreadable > 0 {
            lines.append("  unreadable objects: \(token.unreadable)")
        }
        return lines
    }
}
