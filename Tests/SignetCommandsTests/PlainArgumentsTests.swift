import ArgumentParser
import SignetTestSupport
import Testing

@testable import SignetCommands

/// Commands are filled in without ArgumentParser where they can be: the result has to be what
/// ArgumentParser makes of its declarations, or nothing.
@Suite("Plain arguments")
struct PlainArgumentsTests {
    @Test("each option of each command has the value that ArgumentParser reads")
    func options() throws {
        var (count, compared) = (0, 0)
        for (path, command) in leaves(of: Signet.self, []) {
            for match in command.helpMessage(includeHidden: true, columns: 200)
                .matches(of: /\n  (-\w), |(--[a-z][a-z-]*)( <)?/)
            {
                let name = String(match.output.1 ?? match.output.2 ?? "")
                let value = match.output.3 == nil ? [] : ["1"]
                // By day every other option stands behind a file.
                count += 1
                let ways = [[name] + value, ["a.pdf", name] + value]
                for words in Nightly.isOn ? ways : [ways[count % 2]] {
                    guard let plain = PlainArguments.command(path + words) else { continue }
                    compared += 1
                    let parsed = try command.parseAsRoot(words)
                    #expect(values(of: plain) == values(of: parsed), "\(path + words)")
                }
            }
        }
        #expect(compared > 150)
    }

    @Test(
        "are read without ArgumentParser",
        arguments: [
            "sign a.pdf b.pdf --key k --cert c --chain d --chain e -o out/ --force -q",
            "verify a.pdf --trust c --at-time 2030-01-01T00:00:00Z --json -v",
            "hash sign a --key k -o s", "csr create --key k --subject CN=x -o x.csr",
            "cms verify a.p7s --content a --trust c", "show -", "sign --force a.pdf",
            "sign a.pdf --key=k --reason=a=b --name=--x", "hash verify -q a --signature s --cert c",
        ])
    func plain(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let plain = try #require(PlainArguments.command(words))
        #expect(try values(of: plain) == values(of: Signet.parseAsRoot(words)))
    }

    @Test(
        "leave everything else to ArgumentParser",
        arguments: [
            "sign", "sign a.pdf --key", "sign a.pdf --key --force", "sign a.pdf --force=1", "show",
            "sign a.pdf --verb", "sign a.pdf -qv", "sign a.pdf -- b.pdf", "sign --help",
            "sign a.pdf --in--place", "sign a.pdf --inplace", "sign a.pdf --as-p-d-f",
            "sign a.pdf -o=x", "sign a.pdf --inPlace", "sign a.pdf --bogus", "sign a.pdf --",
            "sign a.pdf --quiet --verbose", "hash sign a -o s", "config", "help sign",
        ])
    func others(line: String) {
        #expect(PlainArguments.command(line.split(separator: " ").map(String.init)) == nil)
    }

    private func leaves(
        of command: any ParsableCommand.Type, _ path: [String]
    ) -> [([String], any ParsableCommand.Type)] {
        let subcommands = command.configuration.subcommands
        if subcommands.isEmpty { return [(path, command)] }
        return subcommands.flatMap { leaves(of: $0, path + [$0.configuration.commandName ?? ""]) }
    }

    /// All arguments, groups and all, by their places in the declarations.
    private func values(of arguments: any ParsableArguments) -> [String: String] {
        var found: [String: String] = [:]
        for child in Mirror(reflecting: arguments).children {
            guard let label = child.label else { continue }
            var value = child.value
            if let parsed = Mirror(reflecting: value).descendant("_parsedValue") {
                value = Mirror(reflecting: parsed).children.first?.value ?? parsed
            }
            if let group = value as? any ParsableArguments {
                for (inner, text) in values(of: group) { found["\(label).\(inner)"] = text }
            } else {
                found[label] = String(reflecting: value)
            }
        }
        return found
    }
}
