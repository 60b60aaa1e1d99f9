import ArgumentParser
import FoundationEssentials
import SignetKit

/// The options of one command, as ArgumentParser describes them. Used only for error messages.
struct KnownOptions {
    private struct Tool: Decodable {
        struct Command: Decodable {
            let arguments: [Argument]?
        }

        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }

            let kind: String
            let names: [Name]?
            let isRepeating: Bool
            let valueName: String?
        }

        let command: Command
    }

    private let arguments: [Tool.Argument]

    init(of command: any ParsableCommand.Type) {
        let tool = try? JSONDecoder().decode(Tool.self, from: Data(command._dumpHelp().utf8))
        arguments = tool?.command.arguments ?? []
    }

    private static func spelled(_ name: Tool.Argument.Name) -> String {
        (name.kind == "long" ? "--" : "-") + name.name
    }

    /// All names, such as `--output` and `-o`.
    var names: [String] { arguments.flatMap { $0.names ?? [] }.map(Self.spelled) }

    /// Whether the command has all options that a text names.
    func hasOptions(in text: String) -> Bool {
        let words = text.split { !$0.isLetter && !$0.isNumber && $0 != "-" }
        return words.allSatisfy { !$0.hasPrefix("-") || $0 == "-" || names.contains(String($0)) }
    }

    /// The first option that the command does not have; nil if all are known.
    ///
    /// - Parameter words: the arguments, up to `--`.
    func unknown(in words: some Sequence<String>) -> String? {
        let names = Set(names)
        return words.lazy.filter { $0.hasPrefix("--") && $0.count > 2 }
            .map { String($0.prefix { $0 != "=" }) }.first { !names.contains($0) }
    }

    /// Whether the value of an option names a file, folder or key.
    func takesFile(_ option: String) -> Bool {
        let argument = arguments.first { ($0.names ?? []).map(Self.spelled).contains(option) }
        return ["file", "dir", "path", "source"].contains {
            argument?.valueName?.contains($0) ?? false
        }
    }

    /// The option with the most similar name; nil if none is similar.
    func nearest(to option: String) -> String? {
        let long = names.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
        return Spelling.nearest(to: option.drop { $0 == "-" }.description, in: long).map {
            "--\($0)"
        }
    }

    /// The first option with a single value that is given twice; nil if there is none.
    func repeated(in words: some Sequence<String>) -> String? {
        var sole: [String: Int] = [:]
        for (index, argument) in arguments.enumerated()
        where argument.kind == "option" && !argument.isRepeating {
            for name in argument.names ?? [] { sole[Self.spelled(name)] = index }
        }
        var seen: Set<Int> = []
        return words.lazy.map { String($0.prefix { $0 != "=" }) }
            .first { word in sole[word].map { !seen.insert($0).inserted } ?? false }
    }
}
