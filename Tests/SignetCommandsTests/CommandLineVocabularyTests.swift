import ArgumentParser
import SignetKit
import Testing

@testable import SignetCommands

struct CommandLineVocabularyTests {
    @Test(arguments: Wording.Setting.allCases)
    func namesEverySetting(_ setting: Wording.Setting) throws {
        let flag = try #require(CommandLineVocabulary.flags[setting])
        #expect(flag.name.hasPrefix("--") && flag.given.hasPrefix(flag.name))
    }

    /// A flag in a hint that nothing declares would send people astray.
    @Test func namesFlagsThatExist() {
        let help = helpOfAllCommands()
        for flag in CommandLineVocabulary.flags.values {
            #expect(help.contains(flag.name), "\(flag.name)")
        }
    }

    @Test func fillsInFlagsAndCommands() {
        let hint: Wording =
            "leave out \(.digest), give \(giving: .password), say \(.reason, "I agree"), "
            + "or see \(task: .show(file: "a b.pdf")) (\(3) ways)"
        #expect(
            hint.onCommandLine
                == "leave out --digest, give --password-file FILE or --password-env NAME, say "
                + "--reason 'I agree', or see signet show 'a b.pdf' (3 ways)")
        #expect(
            hint.description
                == "leave out digest, give password, say reason I agree, "
                + "or see show(file: \"a b.pdf\") (3 ways)")
    }

    private func helpOfAllCommands() -> String {
        var commands: [any ParsableCommand.Type] = [Signet.self]
        var text = ""
        while let command = commands.popLast() {
            text += command.helpMessage(includeHidden: true)
            commands += command.configuration.subcommands
        }
        return text
    }
}
