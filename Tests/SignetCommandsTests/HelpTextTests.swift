import ArgumentParser
import Testing

@testable import SignetCommands

struct HelpTextTests {
    /// The help of all commands by their names, as the parser has it.
    private func helpOfAllCommands() -> [String: String] {
        var commands: [(String, any ParsableCommand.Type)] = [("signet", Signet.self)]
        var texts: [String: String] = [:]
        while let (path, command) = commands.popLast() {
            texts[path] = Signet.helpMessage(for: command, columns: HelpText.unlimited)
            commands += command.configuration.subcommands.map {
                ("\(path) \($0.configuration.commandName ?? "")", $0)
            }
        }
        return texts
    }

    @Test func everydayOptionsExist() throws {
        let helps = helpOfAllCommands()
        for (command, names) in HelpText.everyday {
            let help = try #require(helps[command], "\(command)")
            for name in names {
                #expect(
                    help.contains("\(name) ") || help.contains("\(name)\n"), "\(command) \(name)")
            }
            #expect(HelpText.common.isDisjoint(with: names))
        }
    }

    @Test func shortHelpFitsAScreen() {
        for (command, help) in helpOfAllCommands() {
            let text = HelpText.laidOut(help, isShort: true, of: command, width: 80)
            #expect(
                text.split(separator: "\n", omittingEmptySubsequences: false).count <= 40, "\(text)"
            )
        }
    }

    /// Each text is understood without the one before it, and fits two lines of 80 columns.
    @Test func textsOfOptionsStandAlone() {
        for help in helpOfAllCommands().values {
            for match in help.matches(of: /\n  -[^\n]*?(?:  |\n {26})([^ \n][^\n]*)/)
            where !match.output.0.contains(/--(?:version|help)\b/) {
                let text = match.output.1
                #expect(text.count <= 108, "\(text)")
                #expect(!text.hasSuffix(".") || text.hasSuffix("..."), "\(text)")
                let words = text.split(whereSeparator: { !$0.isLetter }).map { $0.lowercased() }
                #expect(!words.contains { ["its", "there", "same"].contains($0) }, "\(text)")
                #expect(words.last != "too", "\(text)")
            }
        }
    }

    @Test func placesDescriptionsNextToNames() {
        let text = """
            OVERVIEW: Do it.

            Works offline.

            Examples:
              signet do --key a

            USAGE: signet do [<options>] --key <source> [<file> ...]

            KEY:
              --key <source>          Private key
              --tsa-client-key <file>
                                      Client key

            OPTIONS:
              --version               Show the version.
              -h, --help              Show help information.
            """
        #expect(
            HelpText.laidOut(text, isShort: true, of: "signet do", width: 80) == """
                Do it.

                Usage: signet do [options] --key SOURCE [FILE...]

                Works offline.

                Examples:
                  signet do --key a

                OPTIONS:
                  -h, --help              -h: short help; --help: all options

                KEY:
                  --key SOURCE            Private key
                  --tsa-client-key FILE   Client key

                Exit codes: signet help exit-codes
                """)
    }
}
