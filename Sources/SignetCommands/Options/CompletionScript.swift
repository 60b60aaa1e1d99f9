import ArgumentParser

/// The completion scripts of the argument parser, with corrections.
enum CompletionScript {
    static func text(for shell: CompletionShell) -> String {
        let script = Signet.completionScript(for: shell)
        switch shell {
        case .bash:
            // bash splits words at `:` and `=`: `ec:P-256` would be three words, and the completed
            // word would not be the value of the option. The script therefore passes the words as
            // they were typed. Completions are never shell code, and only files are file names.
            return script.replacing(
                "complete -o filenames -F _signet signet",
                with: own("completion.bash") { "\($0)) names='\($1)' ;;" })
        case .zsh:
            let functions = own("completion.zsh") { "\($0)) compadd -- \($1) ;;" }
            return script.replacing("\n_signet() {", with: "\n\(functions)\n\n_signet() {")
                .replacing("'*:subcommands:'", with: "'*:subcommand:__signet_helped'")
        case .fish:
            return script + "\n"
                + own("completion.fish") { word, names in
                    "complete -c signet -n '__signet_helps_with \(word)' -fa '\(names)'"
                }
        default: return script
        }
    }

    /// A file of shell functions, with one line inserted for each word that has topics.
    private static func own(
        _ file: String, _ line: (_ word: String, _ names: String) -> String
    ) -> String {
        EmbeddedFile.text(file).replacing("CASES", with: topics(line))
    }

    /// The topics by the preceding word: commands, their subcommands, help topics and problem
    /// codes.
    private static func topics(_ line: (_ word: String, _ names: String) -> String) -> String {
        func names(_ command: any ParsableCommand.Type) -> [String] {
            command.configuration.subcommands.compactMap { $0.configuration.commandName }
        }
        let groups = Signet.configuration.subcommands.filter { !names($0).isEmpty }.map {
            ($0.configuration.commandName ?? "", names($0))
        }
        return
            ([("help", names(Signet.self) + Misspelling.topics)] + groups
            + [("problems", ProblemsCommand.names)])
            .map { line($0, $1.joined(separator: " ")) }.joined(separator: "\n")
    }
}
