import ArgumentParser
import SignetKit

/// Says what was meant where the arguments name something that there is not.
enum Misspelling {
    /// The error about the first word that should be a command and is none; nil when all are.
    static func unknownCommand(_ arguments: [String]) -> SignetError? {
        var command: any ParsableCommand.Type = Signet.self
        var path = "signet"
        // `signet help key generate` names commands as well.
        for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let known = command.configuration.subcommands
            guard !known.isEmpty, !word.hasPrefix("-") else { return nil }
            if let next = known.first(where: { $0.configuration.commandName == word }) {
                (command, path) = (next, path + " " + word)
                continue
            }
            if word == "help" { return nil }
            let names = known.compactMap { $0.configuration.commandName }
            let near = Spelling.nearest(to: word, in: names + ["help"])
            return SignetError(
                .usage, "there is no command '\(path) \(word)'",
                hint: near.map { "did you mean: \(path) \($0)" } ?? "see '\(path) --help'")
        }
        return nil
    }

    /// An option that does not exist weighs more than an argument that is missing: whoever is told
    /// of that first would look at the wrong place.
    static func weightier(than error: any Error, _ arguments: [String]) -> any Error {
        let missing = /Missing expected argument '(?<name>--\S+)?/
        var (found, tried) = (error, arguments)
        for _ in 0..<missingLimit {
            let message = Signet.message(for: found)
            if message.hasPrefix("Unknown option") { return found }
            guard let match = message.firstMatch(of: missing) else { return error }
            tried += (match.output.name.map { [String($0)] } ?? []) + ["x"]
            do {
                _ = try Signet.parseAsRoot(tried)
                return error
            } catch {
                found = error
            }
        }
        return error
    }

    /// No command has more that must be given.
    private static let missingLimit = 8

    private static let secrets = [
        "passphrase", "password", "pin", "tsa-password", "decrypt-passphrase",
        "tsa-client-passphrase", "new-passphrase",
    ]

    /// Why there is no such option, where people look for one that would give a secret away.
    static func secretHint(_ message: String) -> String? {
        guard let match = message.firstMatch(of: /[Uu]nknown option '--(?<name>[a-z-]+)/),
            secrets.contains(String(match.output.name))
        else { return nil }
        let name = match.output.name == "pin" ? "passphrase" : match.output.name
        return
            "others on this machine can read command lines, so that no secret is taken from there: "
            + "use --\(name)-file FILE or --\(name)-env NAME, or leave it out to be asked"
    }
}
