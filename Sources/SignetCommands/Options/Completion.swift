import ArgumentParser
import SignetKit
import SystemBridge

/// Completions for values that are not in a fixed list.
enum Completion {
    /// Completions by the value name in the help.
    static let usual = [
        "file": CompletionKind.file(), "file|dir": .file(), "path": .file(), "dir": .directory,
        "source": keySources,
    ]

    /// Key types, which are no fixed list: their colons must be escaped for zsh.
    static let keyTypes = words(
        "rsa:3072", "rsa:4096", "ec:P-256", "ec:P-384", "ec:P-521", "ed25519", "ed448",
        "dsa:2048", "dsa:3072", "ml-dsa-44", "ml-dsa-65", "ml-dsa-87")

    static let places = words(
        ["auto", "text:", "above:", "below:"]
            + ["last", "1", "-1"].flatMap { page in placesOn(page) + ["\(page):auto"] })
    static let marks = words(["all", "2-last", "last"].flatMap { page in placesOn(page) })
    static let locks = words("all", "only:", "except:")
    static let papers = CompletionKind.list(PaperFormat.names + ["photo"])
    static let trustLists = words("eu", "aatl", "mozilla", files)

    private static func placesOn(_ page: String) -> [String] {
        StampPlace.names.map { "\(page):\($0)" }
    }

    /// The identities of the user; none if the store cannot be read.
    static let identities = found { _, _ in ((try? IdentityStore().list()) ?? []).map(\.name) }

    static let profiles = found { words, _ in Settings.profiles(file: words.value(of: "--config")) }

    /// Files; for words that begin with `pkcs11:`, tokens and their keys.
    static let keySources = found { _, prefix in
        let scheme = "pkcs11:"
        guard prefix.count > 1, prefix.hasPrefix(scheme) || scheme.hasPrefix(prefix) else {
            return [files]
        }
        let tokens = (try? ListKeys().run(nil, passphrase: .environment(""))) ?? []
        return tokens.flatMap { token in
            let path = token.uri?.dropFirst(scheme.count).prefix { $0 != "?" }
            let label = path?.split(separator: ";").first { $0.hasPrefix("token=") }
            return (label.map { [scheme + $0] } ?? []) + token.keys.map(\.uri)
        }
    }

    /// The signature fields of the PDFs in the arguments: unsigned or signed ones.
    static let emptyFields = fields(.empty)
    static let signedFields = fields(.signed)

    private static func fields(_ state: ListedFields.State) -> CompletionKind {
        found { words, _ in
            let documents = words.filter { FileSystem.isRegularFile($0) }
            return documents.prefix(documentLimit).flatMap { path in
                (try? ListFields().run(.file(path)).fields.filter { $0.state == state }) ?? []
            }.map(\.name)
        }
    }

    /// Maximum number of documents whose fields are suggested.
    private static let documentLimit = 20

    private static func words(_ words: String...) -> CompletionKind { Self.words(words) }

    private static func words(_ words: [String]) -> CompletionKind { found { _, _ in words } }

    /// Suggestions computed from the arguments and the beginning of the completed word.
    private static func found(
        _ find: @escaping @Sendable (_ words: [String], _ prefix: String) -> [String]
    ) -> CompletionKind {
        .custom { words, _, prefix in
            find(words.map(plain), plain(prefix)).filter(isOneLine).map(escaped)
        }
    }

    /// Placeholder for file names, which the shell completes itself.
    private static let files = "//files"

    /// A word without shell quotation marks and backslashes.
    private static func plain(_ word: String) -> String {
        String(word.filter { !"\"'\\".contains($0) })
    }

    /// Names from files may contain invisible characters, which are not suggested.
    private static func isOneLine(_ word: String) -> Bool {
        !word.isEmpty && Reporter.printable(word) == word
    }

    /// In zsh a colon begins a description.
    private static func escaped(_ word: String) -> String {
        CompletionShell.requesting == .zsh ? word.replacing(":", with: "\\:") : word
    }
}

extension [String] {
    fileprivate func value(of option: String) -> String? {
        guard let index = firstIndex(of: option), index + 1 < count else { return nil }
        return self[index + 1]
    }
}

struct CompletionCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print a shell completion script.",
        discussion: """
            Examples:
              signet completion bash > ~/.local/share/bash-completion/completions/signet
              signet completion zsh > ~/.zsh/completions/_signet
              signet completion fish > ~/.config/fish/completions/signet.fish
            """)

    @Argument(
        help: "bash, zsh or fish", completion: .list(CompletionShell.allCases.map(\.rawValue)))
    var shell: String
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        if messages.json { throw ValidationError("A completion script is text: leave out --json.") }
    }

    func run(_ reporter: Reporter) throws {
        guard let known = CompletionShell(rawValue: shell) else {
            throw ValidationError(
                "Unknown shell '\(Reporter.printable(shell))': use bash, zsh or fish."
            )
        }
        try reporter.result(CompletionScript.text(for: known))
    }
}
