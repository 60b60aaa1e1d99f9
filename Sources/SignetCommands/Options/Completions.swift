import ArgumentParser
import SignetKit

/// What shells offer for values that a list alone does not tell.
enum Completion {
    /// Key types, which hold colons.
    static let keyTypes = words(
        "rsa:3072", "rsa:4096", "ec:P-256", "ec:P-384", "ec:P-521", "ed25519", "ed448",
        "dsa:2048", "dsa:3072")

    /// Pages with places.
    static let places = words(
        ["auto", "text:", "above:", "below:"]
            + ["last", "1", "-1"].flatMap { page in placesOn(page) + ["\(page):auto"] })
    static let marks = words(["all", "2-last", "last"].flatMap { page in placesOn(page) })

    private static func placesOn(_ page: String) -> [String] {
        StampOptions.Place.names.map { "\(page):\($0)" }
    }

    /// The identities of whoever presses the key; a store that cannot be read offers nothing.
    static let identities = CompletionKind.custom { _, _, _ in
        ((try? IdentityStore().list()) ?? []).map { escaped($0.name) }
    }

    private static func words(_ words: String...) -> CompletionKind { Self.words(words) }

    private static func words(_ words: [String]) -> CompletionKind {
        .custom { _, _, _ in words.map(escaped) }
    }

    /// zsh takes what follows a colon for a description.
    private static func escaped(_ word: String) -> String {
        CompletionShell.requesting == .zsh ? word.replacing(":", with: "\\:") : word
    }
}

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print the completion script of a shell.",
        discussion: """
            Examples:
              signet completion bash > ~/.local/share/bash-completion/completions/signet
              signet completion zsh > ~/.zsh/completions/_signet
              signet completion fish > ~/.config/fish/completions/signet.fish
            """)

    @Argument(
        help: "bash, zsh or fish.", completion: .list(CompletionShell.allCases.map(\.rawValue)))
    var shell: String

    func run() throws {
        guard let known = CompletionShell(rawValue: shell) else {
            throw ValidationError(
                "There is no completion for '\(Reporter.printable(shell))': give bash, zsh or fish."
            )
        }
        try Reporter.handleOne(OutputOptions.parse([])) {
            try $0.result(Signet.completionScript(for: known))
        }
    }
}
