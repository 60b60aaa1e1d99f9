import ArgumentParser
import SignetKit

struct KeyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the keys on tokens: cards, HSMs, SoftHSM.",
        discussion: """
            Each with a URI (RFC 7512) that is good for --key, and with the reason why it cannot sign \
            documents, if there is one. Nobody is logged in, so that keys without certificate or public \
            key may be missing: --login asks for the PIN. The modules are those that p11-kit knows, or \
            the one that the URI or SIGNET_PKCS11_MODULE names.

            Examples:
              signet key list
              signet key list "pkcs11:token=Jan?module-name=opensc-pkcs11" --login
            """ + ExitStatus.help(.making))
    @Argument(help: "A PKCS#11 URI: only what it means.")
    var uri: String?
    @Flag(help: "Log in, and list what is seen only then.")
    var login = false
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func run() throws {
        try Reporter.handleOne(messages) { reporter in
            var task = ListKeys()
            task.logsIn = login
            let tokens = try task.run(uri, passphrase: passphrase.source(for: "the token"))
            try Self.show(tokens, reporter)
        }
    }

    static func show(_ tokens: [ListedToken], _ reporter: Reporter) throws {
        if tokens.isEmpty { try reporter.result("no token is there") }
        for token in tokens {
            try reporter.result(lines(token).map(Reporter.printable).joined(separator: "\n"))
            try reporter.result(json: token)
        }
    }

    private static func lines(_ token: ListedToken) -> [String] {
        guard let label = token.token else {
            return ["\(token.module): \(token.problem ?? "cannot be used")"]
        }
        let flags = token.flags.isEmpty ? "" : ": " + token.flags.joined(separator: ", ")
        let device = [token.model, token.serial].compactMap { $0 }.joined(separator: " ")
        var lines = ["\(label) (\(device))\(flags)"]
        for key in token.keys {
            lines.append("  \(key.uri)")
            let what = [key.subject, key.algorithm, key.notAfter.map { "valid to \($0)" }]
                .compactMap { $0 }.joined(separator: ", ")
            lines.append("    \(what.isEmpty ? "a key" : what)")
            if let problem = key.problem { lines.append("    cannot sign documents: \(problem)") }
        }
        if token.isLocked { lines.append("  not logged in: there may be more (--login)") }
        if token.unreadable > 0 {
            lines.append("  objects that cannot be read: \(token.unreadable)")
        }
        return lines
    }
}
