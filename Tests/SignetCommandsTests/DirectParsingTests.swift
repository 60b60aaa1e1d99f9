import ArgumentParser
import Foundation
import Testing

@testable import SignetCommands

/// Frequent commands are filled in without ArgumentParser where they can be: what comes of it has
/// to be what ArgumentParser would make of its declarations, or nothing.
@Suite("Arguments read directly")
struct DirectParsingTests {
    /// How many argument lists of each seed. In a debug build ArgumentParser checks its declarations
    /// anew for each list, many times over, so that the 10,000 of a release (`SIGNET_LISTS=5000`)
    /// take as long as all other tests.
    private static let listCount =
        ProcessInfo.processInfo.environment["SIGNET_LISTS"].flatMap(Int.init) ?? 500

    @Test("as ArgumentParser reads them", arguments: [11, 12])
    func same(seed: UInt64) throws {
        try compare(SignCommand.self, seed: seed)
        try compare(VerifyCommand.self, seed: seed)
    }

    @Test("as ArgumentParser reads them: keys and requests", arguments: [13, 14])
    func sameKeys(seed: UInt64) throws {
        let key = ["--key", "me.pem"], output = ["-o", "out"]
        try compare(HashSignCommand.self, always: key, seed: seed)
        try compare(
            CSRCreateCommand.self, always: output + key, hasInputs: false, seed: seed)
        try compare(KeyCommand.Generate.self, always: output, hasInputs: false, seed: seed)
    }

    @Test("compares what was set, wherever it stands in a group")
    func comparison() throws {
        let plain = values(of: try SignCommand.parse(["a.pdf"]))
        let loud = values(of: try SignCommand.parse(["a.pdf", "--verbose"]))
        #expect(plain["_messages._verbose"] == "false" && loud["_messages._verbose"] == "true")
        #expect(plain["_inputs"] == #"["a.pdf"]"#)
        #expect(plain != loud && !plain.values.contains("undefined"))
    }

    private func compare<Command: DirectlyParsed>(
        _ type: Command.Type, always: [String] = [], hasInputs: Bool = true, seed: UInt64
    ) throws {
        var lists = ArgumentLists(help: Command.helpMessage(includeHidden: true), seed: seed)
        lists.always = always
        lists.hasInputs = hasInputs
        #expect(lists.flags.count > 4 && lists.options.count > 3)
        var taken = 0
        let count = always.isEmpty ? Self.listCount / 2 : Self.listCount / 10
        for _ in 0..<count {
            let list = lists.next()
            guard let direct = Command.parsedDirectly(list[...]) else { continue }
            taken += 1
            guard let parsed = try? Command.parse(list) else {
                Issue.record("\(list) is refused by ArgumentParser")
                continue
            }
            let (ours, theirs) = (values(of: direct), values(of: parsed))
            let differing = Set(ours.keys).union(theirs.keys).filter { ours[$0] != theirs[$0] }
            #expect(
                differing.isEmpty,
                "\(list): \(differing.map { "\($0) \(ours[$0] ?? "") \(theirs[$0] ?? "")" })")
        }
        #expect(taken > count / 10, "only \(taken) lists are read directly")
    }

    /// All arguments, groups and all, by their places in the declarations.
    private func values(of arguments: any ParsableArguments) -> [String: String] {
        var found: [String: String] = [:]
        for child in Mirror(reflecting: arguments).children {
            guard let label = child.label else { continue }
            var value = child.value
            if let parsed = Mirror(reflecting: value).descendant("_parsedValue") {
                guard let held = Mirror(reflecting: parsed).children.first, held.label == "value"
                else {
                    found[label] = "undefined"
                    continue
                }
                value = held.value
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

/// Argument lists made of what a command declares, most of them valid.
private struct ArgumentLists {
    let flags: [String]
    let options: [String]
    /// Most lists begin with these, which the command cannot do without.
    var always: [String] = []
    var hasInputs = true
    private var random: SplitMix

    private static let values = [
        "x", "a.pdf", "T", "LT", "B-T", "sha256", "sha512", "pss", "all", "1", "2", "12", "0",
        "last:bottom-right", "1:top", "no-changes", "pdf", "cms", "QES", "2030-01-01T00:00:00Z",
        "https://tsa.example/ts", "a b", "é", "-", "-x", "--json", "", "5s", "1/2", "*.pdf",
    ]

    init(help: String, seed: UInt64) {
        var (flags, options): ([String], [String]) = ([], [])
        for match in help.matches(of: /\n  (-\w, )?(--[a-z][a-z-]*)( <)?/) {
            if let short = match.output.1?.dropLast(2) {
                if match.output.3 == nil {
                    flags.append(String(short))
                } else {
                    options.append(String(short))
                }
            }
            if match.output.3 == nil {
                flags.append(String(match.output.2))
            } else {
                options.append(String(match.output.2))
            }
        }
        (self.flags, self.options) = (flags, options)
        random = SplitMix(state: seed)
    }

    mutating func next() -> [String] {
        var list = Int.random(in: 0..<16, using: &random) == 0 ? [] : always
        if hasInputs || Int.random(in: 0..<16, using: &random) == 0 {
            list.append(Bool.random(using: &random) ? "contract.pdf" : "b.pdf")
        }
        for _ in 0..<Int.random(in: 0...5, using: &random) { list += piece() }
        if Int.random(in: 0..<20, using: &random) == 0 { list.shuffle(using: &random) }
        return list
    }

    private mutating func piece() -> [String] {
        let flag = flags.randomElement(using: &random) ?? ""
        let option = options.randomElement(using: &random) ?? ""
        let value = Self.values.randomElement(using: &random) ?? ""
        return switch Int.random(in: 0..<32, using: &random) {
        case 0: [String(flag.dropLast())]
        case 1: [String(option.dropLast(2)), value]
        case 2: ["\(option)=\(value)"]
        case 3: [option]
        case 4: [["--", "--zzz", "-z", "-qv", "--help"].randomElement(using: &random) ?? ""]
        case 5...10: [flag]
        case 11...14 where hasInputs: [value]
        default: [option, value]
        }
    }
}

/// The same numbers for the same seed, on every machine.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
