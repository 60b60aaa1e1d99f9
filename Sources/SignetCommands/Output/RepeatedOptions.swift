import SignetKit
import SystemBridge

/// The options of this run that a suggested command must repeat to get the same result.
struct RepeatedOptions {
    /// The words of the command, such as `cms verify`.
    private let command: [String]
    private let options: [(name: String, words: [String])]

    /// Options that `signet extend` has too.
    private static let extending: Set<String> = [
        "--trust", "--chain", "--crl", "--ocsp", "--content", "--trust-list",
        "--trust-list-cert", "--trust-anchor", "--password-file", "--password-env",
        "--decrypt-key", "--decrypt-cert", "--decrypt-passphrase-file",
        "--decrypt-passphrase-env", "--config", "--profile",
    ]
    private static let valued = extending.union([
        "--signer", "--at-time", "--as-of", "--policy", "--require-qualified", "--field",
        "--require-level", "--hash", "--request",
    ])
    private static let flags: Set<String> = [
        "--online", "--online-local", "--explicit-policy", "--inhibit-policy-mapping",
        "--inhibit-any-policy", "--require-unchanged", "--any-signer",
        "--allow-missing-attributes", "--viewers",
    ]

    /// - Parameter arguments: the arguments as typed. Inputs and options for output, batches and
    ///   reports are left out.
    init(_ arguments: [String] = ProcessArguments.all) {
        let group = arguments.first.flatMap { ["cms", "tsp"].contains($0) ? $0 : nil }
        command = (group.map { [$0] } ?? []) + ["verify"]
        var options: [(name: String, words: [String])] = []
        var words = arguments.prefix { $0 != "--" }[...]
        while let word = words.popFirst() {
            let name = String(word.prefix { $0 != "=" })
            if Self.flags.contains(name) {
                options.append((name, [word]))
            } else if Self.valued.contains(name) {
                let value = name == word ? words.popFirst() : nil
                options.append((name, [word] + (value.map { [$0] } ?? [])))
            }
        }
        self.options = options
    }

    /// The option that sets the validation time; nil if it is the current time.
    var timeOption: String? { options.map(\.name).first { ["--at-time", "--as-of"].contains($0) } }

    func contains(_ name: String) -> Bool { options.contains { $0.name == name } }

    /// The command that verifies a file again.
    ///
    /// - Parameter added: more words, which are quoted if necessary.
    func verify(_ file: String, _ added: [String] = []) -> String {
        // A name that begins with a hyphen would be an option.
        let path = file.hasPrefix("-") ? "./" + file : file
        return Self.line(["signet"] + command + [path] + options.flatMap(\.words) + added)
    }

    /// A command with the options of this run that `signet extend` has.
    func extending(_ command: String) -> String { repeating(Self.extending, in: command) }

    /// A command with the trust anchors of this run.
    func trusting(_ command: String) -> String { repeating(["--trust", "--signer"], in: command) }

    private func repeating(_ names: Set<String>, in command: String) -> String {
        let words = options.filter { names.contains($0.name) }.flatMap(\.words)
        return words.isEmpty ? command : command + " " + Self.line(words)
    }

    private static func line(_ words: [String]) -> String {
        words.map(ShellWord.quoted).joined(separator: " ")
    }
}
