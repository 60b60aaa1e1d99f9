package import ArgumentParser
import Base
import SignetKit
import SystemBridge

package struct Signet: ParsableCommand {
    static let version = "0.2.0"

    package static let configuration = CommandConfiguration(
        commandName: "signet", abstract: "Sign PDFs and other files, and verify signatures.",
        discussion: """
            A PDF gets a signature in the file (PAdES); other files get a separate signature file, \
            .p7s (CAdES).

            Examples:
              signet key generate -o me.pem
              signet cert create --key me.pem --subject "CN=Jan Novák,C=CZ" -o me.crt
              signet sign contract.pdf --key me.pem --cert me.crt
              signet verify contract.signed.pdf --trust me.crt

            Topics: levels, problems, exit-codes (signet help TOPIC)
            """, version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Documents",
                subcommands: [
                    SignCommand.self, VerifyCommand.self, TimestampCommand.self,
                    ExtendCommand.self, FieldCommand.self, ConvertCommand.self,
                    ShowCommand.self, ExtractCommand.self,
                ]),
            CommandGroup(
                name: "Keys and certificates",
                subcommands: [
                    KeyCommand.self, CSRCommand.self, CertCommand.self, IdentityCommand.self,
                    TrustCommand.self,
                ]),
            CommandGroup(
                name: "Scripts",
                subcommands: [
                    HashCommand.self, CMSCommand.self, TSPCommand.self, RemoteCommand.self,
                ]),
            CommandGroup(
                name: "Settings",
                subcommands: [
                    ConfigCommand.self, CompletionCommand.self, DoctorCommand.self,
                    SchemaCommand.self,
                ]),
        ])

    package init() {}
}

extension Signet {
    /// Reports argument errors in the format of all errors.
    private static func report(usageError error: any Error, _ arguments: [String]) -> ExitStatus {
        var message = message(for: error)
        if message.hasSuffix(".") { message.removeLast() }
        for argument in arguments where !FileSystem.isPlausible(argument) {
            for text in [argument, String(argument.prefix { $0 != "=" })] {
                message = message.replacing(text, with: "...")
            }
        }
        let (type, path) = command(in: arguments)
        let known = KnownOptions(of: type)
        var near: String?
        var foreign = Misspelling.valueHint(
            message, arguments: arguments,
            commandWordCount: max(1, path.split(separator: " ").count - 1))
        if let match = message.firstMatch(of: /^Unknown option '(?<name>[^']+)'/) {
            // The parser's own suggestion may be unrelated.
            message = String(match.output.0)
            let name = String(match.output.name)
            near = known.nearest(to: name)
            if type.configuration.subcommands.isEmpty {
                foreign =
                    foreign
                    ?? Misspelling.optionHint(String(name.drop { $0 == "-" }), path: path, known)
            }
        }
        let lines = fullMessage(for: error).split(separator: "\n").map {
            $0.drop { $0 == " " }
        }
        near = near ?? Misspelling.meantValue(message, known)
        let missing = Misspelling.missing(message)
        let hint =
            foreign ?? near.map { "did you mean '\($0)'?" } ?? missing?.hint
            ?? lines.last { $0.hasPrefix("See '") }.map {
                ("see" + ($0.hasSuffix(".") ? $0.dropLast() : $0).dropFirst(3))
                    .replacing("'signet --help'", with: "'\(path) --help'")
            }
        let problem =
            Misspelling.unknownCommand(arguments)
            ?? SignetError(
                .usage, missing?.problem ?? message.prefix(1).lowercased() + message.dropFirst(),
                hint: hint.map { Sentence($0) })
        let status = reporter(arguments).failure(problem)
        // Without arguments the overview is printed.
        if arguments.isEmpty { Terminal.writeError("\n" + overview) }
        return status
    }

    private static func reporter(_ arguments: [String]) -> Reporter {
        Reporter(options: OutputOptions.defaults(json: arguments.contains("--json")))
    }

    /// The command in the arguments, as far as it exists, and its path.
    private static func command(
        in arguments: [String]
    ) -> (type: any ParsableCommand.Type, path: String) {
        var command: any ParsableCommand.Type = Signet.self
        var path = "signet"
        for word in arguments.drop(while: { $0 == "help" }) {
            guard
                let next = command.configuration.subcommands.first(where: {
                    $0.configuration.commandName == word
                })
            else { break }
            (command, path) = (next, "\(path) \(word)")
        }
        return (command, path)
    }

    /// The commands, one line each.
    private static var overview: String {
        let style = TextStyle(.error)
        var text = ""
        for group in configuration.groupedSubcommands {
            text += group.name + ":\n"
            for command in group.subcommands {
                let name = (command.configuration.commandName ?? "").padding(to: overviewWidth)
                let line = StyledText(name + command.configuration.abstract)
                text += style.lines(line, indent: 2, hanging: 2 + overviewWidth) + "\n"
            }
        }
        return text
    }

    private static let overviewWidth = 12

    /// Rejects an argument that is both an option and the name of a file. A shell expands `*` to
    /// file names, which others may choose: a file `--reason=I owe 1000.pdf` would become a
    /// statement by the signer.
    private static func refuseFilesNamedLikeOptions(_ arguments: [String]) throws {
        for argument in arguments.prefix(while: { $0 != "--" })
        where argument.hasPrefix("-") && argument != "-" && FileSystem.exists(argument) {
            throw ValidationError(
                "'\(Reporter.printable(argument))' is an option and also the name of a file: for the file, "
                    + "write ./ before the name; for the option, rename the file"
            )
        }
    }

    /// The options before `--` with the next word, and those with a value after an equals sign.
    private static func values(_ arguments: [String]) -> [(String, String)] {
        let options = arguments.prefix { $0 != "--" }
        let joined = options.filter { $0.hasPrefix("--") }
            .map { ExactText($0).parts(separator: "=", most: 1).map(\.text) }
            .filter { $0.count == 2 }
        return Array(zip(options, options.dropFirst())) + joined.map { ($0[0], $0[1]) }
    }

    /// Options whose values are statements by the signer.
    private static let wordOptions: Set<String> = [
        "--name", "--reason", "--location", "--contact",
    ]

    /// Rejects a file name as the value of a text option: `--reason *.pdf` would use the first file
    /// as the reason and sign the others.
    private static func refuseFilesForWords(_ arguments: [String]) throws {
        let options = arguments.prefix { $0 != "--" }
        for (option, value) in zip(options, options.dropFirst())
        where wordOptions.contains(option) && value.contains(".") && FileSystem.exists(value) {
            throw ValidationError(
                "The value '\(Reporter.printable(value))' of \(option) is also the name of a file: if the "
                    + "value is intended, write \(option)=... with an equals sign")
        }
    }

    /// Rejects a key or password as the value of an option for a file. The error does not contain
    /// it, because errors are logged.
    private static func refuseSecretsForFiles(_ arguments: [String]) throws {
        let misplaced = values(arguments).first { option, value in
            ["key", "cert", "file"].contains { option.hasPrefix("-") && option.hasSuffix($0) }
                && !FileSystem.isPlausible(value) && !FileSystem.exists(value)
                && value.prefixMatch(of: /[a-z0-9]+:/) == nil
        }
        let isMisplaced = misplaced != nil || arguments.contains { $0.hasPrefix("-----BEGIN") }
        guard isMisplaced else { return }
        let option = misplaced?.0 ?? "--key"
        let (what, variable) =
            option.hasSuffix("-file")
            ? ("secret", "SECRET")
            : option.hasSuffix("cert") ? ("certificate", "CERT") : ("key", "KEY")
        let expected = what == "key" ? "a file or URI" : "a file"
        throw SignetError(
            .usage,
            misplaced == nil
                ? "an input must be a file, not a key or certificate itself"
                : "\(option) expects \(expected), not the \(what) itself",
            hint: Sentence(
                "for a \(what) in a variable: printf %s \"$\(variable)\" | signet ... \(option) -"))
    }

    /// Options whose values are text, not file names.
    private static let textOptions = wordOptions.union([
        "--text", "--mark-text", "--at", "--mark", "--title", "--tooltip", "--field", "--lock",
        "--subject", "--san", "--tsa", "--tsa-user", "--service-user",
        "--service-client-id", "--role", "--commitment", "--identity",
    ])

    /// Rejects option texts that are not UTF-8. File names may be any bytes, but such a text would
    /// be displayed differently.
    private static func refuseUnreadableTexts(_ arguments: [String]) throws {
        for (option, text) in values(arguments) where textOptions.contains(option) {
            guard let byte = text.unicodeScalars.lazy.compactMap(SystemPath.byte).first else {
                continue
            }
            throw ValidationError(
                "The value of \(option) is not UTF-8 (byte 0x\(Hex.encode([byte]))): use a terminal or script "
                    + "with UTF-8 encoding")
        }
    }

    private static let outputOptions: Set<String> = [
        "-o", "--output", "--public-out", "--key-out", "--to-sign", "--to-sign-message",
        "--save-certs",
        "--report", "--preview", "--container",
    ]

    /// Rejects an empty name of a file, such as `--key "$KEY"` in a script that does not set the
    /// variable.
    private static func refuseEmptyNames(_ arguments: [String]) throws {
        guard arguments.contains(where: { $0.isEmpty || $0.hasSuffix("=") }) else { return }
        let known = KnownOptions(of: command(in: arguments).type)
        for (option, value) in values(arguments) where value.isEmpty {
            guard option.hasPrefix("-") else {
                throw ValidationError("The name of an input is empty")
            }
            guard known.takesFile(option) else { continue }
            throw ValidationError("The value of \(option) is empty: a file name is required")
        }
    }

    /// Rejects a second use of standard input, which would read nothing.
    private static func refuseRepeatedInput(_ arguments: [String]) throws {
        // Journals and folders of evidence are never standard input.
        let others = outputOptions.union(textOptions).union(["--journal", "--evidence-out"])
        let uses = values(arguments).filter { $1 == "-" && !others.contains($0) }
        guard uses.count > 1 else { return }
        throw ValidationError(
            "Standard input (-) can be used only once: for a secret, use an option such as --passphrase-env NAME"
        )
    }

    /// Rejects a repeated option with a single value, which would be ignored.
    private static func refuseRepeatedOptions(_ arguments: [String]) throws {
        let options = arguments.prefix { $0 != "--" }
        let names = options.filter { $0.hasPrefix("-") }.map { word -> String in
            let name = word.prefix { $0 != "=" }
            return name == "-o" ? "--output" : String(name)
        }
        // The description of a command takes milliseconds.
        guard Set(names).count < names.count else { return }
        let known = KnownOptions(of: command(in: arguments).type)
        guard let option = known.repeated(in: options) else { return }
        throw ValidationError("\(option) is given twice: only one is permitted")
    }

    /// Rejects wrong arguments that the parser would accept, or explain badly.
    private static func refuseMistakes(_ arguments: [String]) throws {
        try refuseFilesNamedLikeOptions(arguments)
        try refuseFilesForWords(arguments)
        try refuseUnreadableTexts(arguments)
        try refuseEmptyNames(arguments)
        try refuseRepeatedOptions(arguments)
        if arguments.first == "help", arguments.contains("--json") {
            throw reporter([]).failure(
                SignetError(.usage, "help is text, not JSON", hint: "leave out --json"))
        }
    }

    /// Protects files named in options: an output never replaces them, even if they are not read.
    private static func protectNamedFiles(_ arguments: [String]) {
        for (option, value) in values(arguments)
        where option.hasPrefix("-") && !outputOptions.contains(option)
            && !wordOptions.contains(option)
        { RunFiles.current?.willRead(value) }
    }

    /// Removes environment variables with secrets from the environment of child processes.
    private static func keepSecrets(_ arguments: [String]) {
        for (option, value) in values(arguments) where option.hasSuffix("-env") {
            ProcessEnvironment.keepSecret(value)
        }
    }

    private static func parseCommand(_ arguments: [String]) throws -> any ParsableCommand {
        if ProblemsCommand.canParse(arguments) {
            return try ProblemsCommand.parseAsRoot(Array(arguments.dropFirst(2)))
        }
        if let command = PlainArguments.command(arguments) { return command }
        let command: any ParsableCommand
        do {
            command = try parseAsRoot(arguments)
        } catch  where exitCode(for: error) == .validationFailure {
            // Other errors may be a consequence of an unknown option.
            let options = arguments.prefix { $0 != "--" }
            let known = KnownOptions(of: Self.command(in: arguments).type)
            guard let unknown = known.unknown(in: options) else { throw error }
            throw ValidationError("Unknown option '\(unknown)'")
        }
        guard type(of: command).configuration.subcommands.isEmpty else {
            throw ValidationError("No command is given.")
        }
        return command
    }

    /// Parses the arguments, runs the command, and exits with its exit code.
    static func start(_ build: Installation.Build) -> Never {
        BuildText.keep(build)
        var arguments = ProcessArguments.all
        ProcessEnvironment.forgetIntruders()
        ProcessSignals.prepare(shortOfMemory: ExitStatus.inputOutput.rawValue)
        RunFiles.begin()
        let isQuiet = arguments.contains("-q") || arguments.contains("--quiet")
        if !isQuiet {
            Notices.listen { notice in
                // Waiting is progress, not a problem.
                [.waitingForAuthority, .waitingForBrowser].contains(notice.code)
                    ? Reporter.step(notice.text) : Reporter.warn(notice.text)
            }
        }
        do {
            // The parser's own completion script is incomplete; use the `completion` command.
            if arguments.first == "--generate-completion-script" {
                arguments[0] = CompletionCommand.configuration.commandName ?? ""
            }
            try refuseMistakes(arguments)
            do {
                try refuseSecretsForFiles(arguments)
                arguments = try SettingsExpansion.addingSettings(to: arguments)
                try refuseRepeatedInput(arguments)
            } catch let error as SignetError {
                throw reporter(arguments).failure(error)
            }
            // `help help` and `help TOPIC --help` show the same help.
            if arguments.first == "help", arguments.count > 1,
                let last = arguments.last, ["help", "--help", "-h"].contains(last)
            {
                arguments.removeLast()
            }
            // Without this check, an unknown command would show the help of its parent command.
            if arguments.first == "help", !ProblemsCommand.canParse(arguments),
                HelpTopic(arguments) == nil,
                let unknown = Misspelling.unknownCommand(arguments)
            {
                throw reporter([]).failure(unknown)
            }
            protectNamedFiles(arguments)
            keepSecrets(arguments)
            BatchJournal.take(arguments)
            let topic = HelpTopic(arguments)?.text
            if let text = BuildText.answer(to: arguments) ?? topic {
                try reporter(arguments).result(text)
                ProcessExit.now(0)
            }
            var command = try parseCommand(arguments)
            try command.run()
            ProcessExit.now(0)
        } catch let outcome as ExitStatus {
            ProcessExit.now(outcome.rawValue)
        } catch  where exitCode(for: error) == .validationFailure {
            ProcessExit.now(report(usageError: error, arguments).rawValue)
        } catch {
            ProcessExit.now(tell(error, arguments: arguments).rawValue)
        }
    }

    /// Prints requested help and versions on standard output, and errors on standard error.
    private static func tell(_ outcome: any Error, arguments: [String]) -> ExitStatus {
        let reporter = reporter([])
        do {
            guard exitCode(for: outcome) == .success else { throw outcome }
            let text = fullMessage(for: outcome, columns: HelpText.unlimited)
            let isShort = arguments.prefix { $0 != "--" }.contains("-h")
            try reporter.result(
                HelpText.laidOut(text, isShort: isShort, of: command(in: arguments).path))
            return .done
        } catch {
            return reporter.failure(error)
        }
    }
}

/// Entry point for `main` in main.c, with the commit and compiler of the build; 0 if unknown.
@_cdecl("Signet_start")
package func signetStart(commit: UInt64, compiler: UInt32) {
    Signet.start(.init(version: Signet.version, commit: commit, compiler: compiler))
}
