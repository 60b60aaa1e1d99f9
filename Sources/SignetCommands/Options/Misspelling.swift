import ArgumentParser
import Base
import SignetKit
import SystemBridge

/// Suggests corrections for unknown arguments.
enum Misspelling {
    /// The error about an unknown command; nil if all are known.
    static func unknownCommand(_ arguments: [String]) -> SignetError? {
        var command: any ParsableCommand.Type = Signet.self
        var path = "signet"
        // The words after `signet help` are commands too.
        for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let known = command.configuration.subcommands
            guard !known.isEmpty, !word.hasPrefix("-") else { return nil }
            if let next = known.first(where: { $0.configuration.commandName == word }) {
                (command, path) = (next, path + " " + word)
                continue
            }
            if word == "help" { return nil }
            let names = known.compactMap { $0.configuration.commandName }
            if path == "signet", FileSystem.isRegularFile(word) {
                let file = ShellWord.quoted(word)
                return SignetError(
                    .usage, "'\(word)' is a file, not a command",
                    hint: "did you mean: signet sign \(file), or signet verify \(file)")
            }
            if path == "signet hash", FileSystem.isRegularFile(word) {
                return SignetError(
                    .usage, "'\(word)' is a file, not a command of '\(path)'",
                    hint: "did you mean: signet hash digest \(ShellWord.quoted(word))")
            }
            let isHelp = arguments.first == "help"
            if path == "signet", isHelp, let topic = Spelling.nearest(to: word, in: topics) {
                return SignetError(
                    .usage, "unknown help topic '\(word)'",
                    hint: "did you mean: signet help \(topic)")
            }
            let foreign = foreignCommands[String("\(path) \(word)".dropFirst("signet ".count))]
            let near = foreign ?? Spelling.nearest(to: word, in: names + ["help"])
            let base = foreign == nil ? path : "signet"
            let list = topics.joined(separator: ", ")
            let help =
                path == "signet" && isHelp
                ? "for commands, see 'signet --help'; topics: \(list)" : "see '\(path) --help'"
            let meant = near.map { "did you mean: \(isHelp ? helpPath(base) : base) \($0)" }
            return SignetError(
                .usage, "unknown command '\(path) \(word)'", hint: Sentence(meant ?? help))
        }
        let rest = command.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard !rest.isEmpty, arguments.first != "help" else { return nil }
        return SignetError(
            .usage,
            path == "signet" ? "no command is given" : "no command is given after '\(path)'",
            hint: path == "signet"
                ? "see 'signet --help'"
                : "use one of: \(rest.joined(separator: ", ")); see '\(path) --help'")
    }

    /// The command that prints the help of the command `path`.
    private static func helpPath(_ path: String) -> String {
        path.replacing("signet", with: "signet help", maxReplacements: 1)
    }

    static let topics = HelpTopic.allCases.map(\.rawValue) + ["problems"]

    /// Names of commands in other programs.
    private static let foreignCommands = [
        "version": "--version", "info": "show", "inspect": "show", "keygen": "key generate",
        "genkey": "key generate", "check": "verify", "validate": "verify", "stamp": "sign --at",
        "req": "csr create", "x509": "show", "ts": "tsp", "dgst": "hash", "img2pdf": "convert",
        "addsig": "sign", "key show": "show", "cert show": "show", "cert verify": "show",
        "embed": "remote embed", "key create": "key generate", "remote sign": "remote embed",
        "renew": "extend --renew",
    ]

    /// Names of options in other programs and commands, and their equivalents. A command before the
    /// name limits an entry to it.
    private static let foreignOptions = [
        "CAfile": "--trust FILE", "CApath": "--trust DIR", "cafile": "--trust FILE",
        "ca": "--trust FILE", "ca-file": "--trust FILE", "trusted": "--trust FILE",
        "trust-anchor": "--trust FILE", "other-certs": "--chain FILE", "certfile": "--chain FILE",
        "hash": "--digest NAME", "md": "--digest NAME", "md-algorithm": "--digest NAME",
        "in": "the file name without an option", "input": "the file name without an option",
        "out": "-o PATH",
        "outfile": "-o PATH", "out-dir": "-o FOLDER/", "output-dir": "-o FOLDER/",
        "visible": "--at PAGE:POSITION", "position": "--at PAGE:POSITION",
        "timestamp-url": "--tsa URL",
        "tsa-url": "--tsa URL", "ts-url": "--tsa URL", "timestamp": "--tsa URL",
        "pkcs11-module": "--key \"pkcs11:...?module-path=FILE\"",
        "pfx": "--key FILE", "p12": "--key FILE", "pkcs12": "--key FILE", "inkey": "--key FILE",
        "not-after": "--days N", "algorithm": "--type TYPE", "overwrite": "--force",
        "recurse": "--recursive",
        "key-env": "--key -, such as: printenv NAME | signet ... --key -",
        "eku": "--extended-key-usage NAMES", "ku": "--key-usage NAMES",
        "upn": "--san upn:NAME@DOMAIN", "k": "--key FILE",
        "pin-file": "--passphrase-file FILE", "pin-env": "--passphrase-env NAME",
        "r": "--recursive", "port": "--listen HOST:PORT", "encoding": "--hash-encoding NAME",
        "grayscale": "--gray", "output-file": "-o PATH", "require-level": "--level LEVEL",
        "signer": "--cert FILE", "root": "--trust FILE", "date": "--at-time TIME",
        "url": "--tsa URL",
        "html": "--report FILE.html",
        "field-name": "--field NAME", "field add name": "--field NAME",
        "timestamp trust": "--tsa-anchor FILE",
        "verify cert": requiredSigner, "verify key": requiredSigner,
        "cms verify cert": requiredSigner,
        "tsp verify cert": requiredSigner, "verify level": "--require-level LEVEL",
        "verify qualified": "--require-qualified LEVEL", "verify strict": "--require-unchanged",
        "hash verify key": "--public-key FILE or --cert FILE",
        "convert key": "'signet sign' with --as-pdf to convert and sign",
        "convert size": "--page A4 for the paper, or --max-pixels WxH for the images",
        "verify tsa-anchor": "--trust FILE", "certificate": "--cert FILE", "pss": "--padding pss",
        "salt": "--padding pss (its salt is as long as the hash)", "verify format": "--json",
        "verify output-format": "--json",
        "retry": "--journal FILE, and run the command again after exit code 69",
    ]

    private static let requiredSigner =
        "--signer FILE to require a signing certificate, --trust FILE for trust anchors"

    /// Options for the default of a command, by command and name.
    private static let needlessOptions = [
        "verify offline": "verify works offline unless --online is given",
        "sign pdfa":
            "a PDF/A document stays PDF/A; for images, first run 'signet convert' with --pdfa",
        "sign allow-expired": "no option permits an expired certificate: use one that is valid now",
        "sign online": "sign fetches validation data if the level requires it",
        "extend online": "extend fetches validation data if it is required",
    ]

    /// The hint about an option that the command does not have; nil if it is known nowhere.
    ///
    /// - Parameters:
    ///   - name: without hyphens.
    ///   - path: the command, such as `signet verify`.
    static func optionHint(_ name: String, path: String, _ known: KnownOptions) -> String? {
        if secrets.contains(name) { return secretHint(name, known) }
        let full = "\(path.dropFirst("signet ".count)) \(name)"
        if let reason = needlessOptions[full] { return "leave it out: \(reason)" }
        if let equivalent = foreignOptions[full]
            ?? foreignOptions[name].flatMap({ known.hasOptions(in: $0) ? $0 : nil })
        {
            return "use \(equivalent)"
        }
        let owners = commands(with: "--" + name)
        guard !owners.isEmpty else { return nil }
        let listed = owners.prefix(2).map { "'\($0)'" }.joined(separator: " and ")
        return owners.count > 2
            ? "--\(name) is an option of other commands, such as \(listed)"
            : "--\(name) is an option of \(listed)"
    }

    /// The commands that have an option.
    private static func commands(with option: String) -> [String] {
        var found: [String] = []
        var open: [(command: any ParsableCommand.Type, path: String)] = [(Signet.self, "signet")]
        while let (command, path) = open.popLast() {
            if KnownOptions(of: command).names.contains(option) { found.append(path) }
            open += command.configuration.subcommands.reversed().map {
                ($0, "\(path) \($0.configuration.commandName ?? "")")
            }
        }
        return found
    }

    /// The hint about a missing value: it may begin with a hyphen, or be given without its option.
    ///
    /// - Parameter commandWordCount: the number of words of the command, at least 1. An argument
    ///   directly after them is an input.
    static func valueHint(
        _ message: String, arguments: [String], commandWordCount: Int
    ) -> String? {
        if message.hasPrefix("Unexpected argument"),
            arguments.starts(with: ["identity", "complete"])
        {
            return "add only the certificate: signet identity complete CERT"
        }
        if message.contains(/nexpected argument.* '(email|dns|ip|uri|upn|rid|dirname):/) {
            return "separate the names with commas, or give --san for each of them"
        }
        if message.lowercased().contains("unexpected argument"), arguments.contains("--subject") {
            return "put the value of --subject in quotation marks: --subject \"CN=A B,C=CZ\""
        }
        let pattern = /[Mm]issing (?<what>value for|expected argument) '(?:-., )?(?<name>--[a-z-]+)/
        guard let match = message.firstMatch(of: pattern) else { return nil }
        let name = String(match.output.name)
        if match.output.what == "value for" {
            // A letter after the hyphen is an option: the value is missing.
            guard let value = arguments.drop(while: { $0 != name }).dropFirst().first,
                let sign = value.dropFirst().first, sign != "-", !sign.isLetter
            else { return nil }
            return "for a value that begins with a hyphen, use \(name)=\(ShellWord.quoted(value))"
        }
        let pairs = zip(arguments, arguments.dropFirst()).dropFirst(commandWordCount)
        let files = pairs.filter { !$0.hasPrefix("-") && FileSystem.isRegularFile($1) }
        return files.last.map { "did you mean: \(name) \(ShellWord.quoted($0.1))" }
    }

    /// The value that a person meant: one of the permitted ones, or a type of key without its
    /// option.
    static func meantValue(_ message: String, _ options: KnownOptions) -> String? {
        if let match = message.firstMatch(
            of: /'(?<value>[^']+)' is invalid .*: expected one of (?<all>.+)$/)
        {
            let all = match.output.all.split(separator: ", ").map(String.init)
            return Spelling.nearest(to: String(match.output.value), in: all)
        }
        guard let match = message.firstMatch(of: /^Unexpected argument '(?<value>[^']+)'$/),
            let option = ["--type", "--new-key"].first(where: options.names.contains)
        else { return nil }
        let value = String(match.output.value)
        if (try? GenerateKey(type: value)) != nil { return "\(option) \(value)" }
        return value.lowercased().hasPrefix("rsa") ? "\(option) rsa:3072" : nil
    }

    /// The parser's error about a missing argument, worded as other errors; nil for other errors.
    static func missing(_ message: String) -> (problem: String, hint: String?)? {
        let pattern =
            /^Missing (?<what>value for|expected argument) '(?:-., )?(?<name>--?[a-z0-9-]+)? ?(?:<(?<value>[^>]+)>)?/
        guard let match = message.firstMatch(of: pattern) else { return nil }
        let value = match.output.value.map { String($0) } ?? "value"
        guard let name = match.output.name else {
            return ("no \(value == "file" ? "input file" : value) is given", nil)
        }
        return (
            match.output.what == "value for"
                ? "\(name) requires a value" : "no \(name.dropFirst(2)) is given",
            "add \(name) \(value.uppercased())"
        )
    }

    private static let secrets = [
        "passphrase", "password", "pin", "tsa-password", "decrypt-passphrase",
        "tsa-client-passphrase", "new-passphrase", "pass", "passin", "passwd", "otp",
        "service-token", "service-password", "service-client-secret",
    ]

    /// The reason why there are no options for secrets on the command line, and those for files with
    /// them that the command has.
    private static func secretHint(_ name: String, _ known: KnownOptions) -> String {
        let meant =
            switch name {
            case "passphrase", "pin", "pass", "passin", "passwd": ["passphrase", "password"]
            case "password": ["password", "passphrase"]
            default: [name]
            }
        let usable = meant.filter { known.names.contains("--\($0)-file") }
        guard !usable.isEmpty else { return "leave it out: the command needs no \(name)" }
        let options = usable.map { secret in
            let use = secret == "password" ? "a PDF" : "a key"
            return "--\(secret)-file FILE or --\(secret)-env NAME"
                + (usable.count > 1 ? " for \(use)" : "")
        }
        let asks = ["passphrase", "password"].contains(usable[0])
        return "other users can read the command line: use \(options.joined(separator: ", "))"
            + (asks ? "; if none is given, Signet asks for the \(usable[0]) in a terminal" : "")
    }
}
