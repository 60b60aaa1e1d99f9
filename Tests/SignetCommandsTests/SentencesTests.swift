import ArgumentParser
import SignetKit
import Testing

@testable import SignetCommands

struct SentencesTests {
    private let table = WordTable(file: "sentences.txt").texts

    @Test func hasWordsForEachCode() {
        #expect(Set(table.keys) == Set(Sentence.Code.allCases.map(\.rawValue)))
    }

    /// An option in a hint that nothing declares would send people astray.
    @Test func namesOptionsThatExist() {
        let help = helpOfAllCommands()
        let secrets = ["passphrase", "password", "otp", "tsa-password", "service-token"]
        for pattern in table.values {
            for word in pattern.split(whereSeparator: { " ();,:".contains($0) })
            where word.hasPrefix("--") {
                let options = secrets.map { word.replacing("{0}", with: $0) }
                #expect(options.allSatisfy { help.contains($0) }, "\(word)")
            }
        }
    }

    @Test func fillsInFacts() {
        #expect(
            Sentence(.seeFields, "a b.pdf").text
                == "to list the fields, run: signet field list 'a b.pdf'"
        )
        #expect(Sentence(.photoTooLarge, "{1}", "x").text.contains("because {1} dpi"))
        #expect(
            Sentence(.signedAsDemanded, "A", "reason", "I agree", "digest", "sha512").text
                == "A; required by the field: --reason 'I agree' --digest sha512")
        #expect(Sentence(.meantWord, "reason").text == "did you mean {reason}?")
        #expect(Sentence(.seeFields, "a").description == "seeFields(a)")
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
