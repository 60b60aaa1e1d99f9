import Foundation
import SignetTestSupport
import Testing

/// What holds for every command: version, help, completions, usage errors.
@Suite struct GeneralTests {
    static let commands = [
        ["key", "generate"], ["key", "convert"], ["cert", "create"], ["csr", "create"], ["sign"],
        ["verify"], ["timestamp"], ["convert"], ["show"], ["identity", "request"],
        ["hash", "sign"], ["cms", "sign"], ["tsp", "verify"], ["remote", "prepare"],
    ]

    @Test func printsItsVersionAlone() throws {
        let outcome = try Workspace().signet("--version")
        outcome.expect(.done)
        #expect(outcome.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
        #expect(outcome.errors.isEmpty)
    }

    @Test(arguments: commands) func helpShowsExamplesAndExitCodes(command: [String]) throws {
        let outcome = try Workspace().signet("\(command) --help")
        outcome.expect(.done)
        #expect(outcome.output.contains("signet " + command.joined(separator: " ") + " "))
        #expect(outcome.output.localizedCaseInsensitiveContains("example"))
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.hasSuffix("Exit codes: signet help exit-codes\n"))
        #expect(!outcome.output.contains("(default: rsa:3072) (default"))
        // A line that was wrapped begins at the margin, and cannot be pasted into a shell.
        let examples = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasPrefix("Example") }.dropFirst().prefix { !$0.isEmpty }
        #expect(!examples.isEmpty)
        #expect(examples.allSatisfy { $0.hasPrefix("  ") && $0.count <= 80 })
    }

    /// Whatever is to be copied is the same on every terminal, and all else fits it.
    @Test(
        arguments: commands + [["hash", "verify"], ["tsp", "respond"], ["help"], []], [60, 80])
    func helpFitsTheTerminal(command: [String], columns: Int) throws {
        func help(_ columns: Int) throws -> (examples: [Substring], rest: [Substring]) {
            let outcome = try Workspace().signet(
                "\(command) --help", environment: ["COLUMNS": "\(columns)"])
            outcome.expect(.done)
            let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
            let start = lines.firstIndex { $0.hasPrefix("Example") } ?? lines.endIndex
            let examples = lines[start...].prefix { !$0.isEmpty }
            return (Array(examples), Array(lines[..<start] + lines[examples.endIndex...]))
        }
        let (examples, rest) = try help(columns)
        #expect(try examples == help(1000).examples)
        // A word alone is not broken.
        let wide = rest.filter { $0.count > columns && $0.drop { $0 == " " }.contains(" ") }
        #expect(wide.isEmpty, "\(wide)")
        // What goes on does not begin at the margin.
        let usage = rest.drop { !$0.hasPrefix("Usage: ") }.dropFirst().prefix { !$0.isEmpty }
        #expect(usage.allSatisfy { $0.hasPrefix("       ") })
    }

    @Test(arguments: [["key", "generate"], ["show"], ["cert", "create"]])
    func aCommandsOwnOptionsComeFirst(command: [String]) throws {
        let help = try Workspace().signet("\(command) --help").output
        let own = try #require(help.range(of: "\nOPTIONS:\n"))
        #expect(help[own.upperBound...].contains("\n\nGENERAL:\n"))
        #expect(!help.contains("\n\n\n"))
    }

    @Test(arguments: [["sign"], ["verify"], ["csr", "verify"], []])
    func shortHelpLeadsToTheRest(command: [String]) throws {
        let short = try Workspace().signet("\(command) -h").output
        let full = try Workspace().signet("\(command) --help").output
        #expect(short.contains("signet help exit-codes") && short.contains("\nUsage: signet "))
        let path = (["signet"] + command).joined(separator: " ")
        #expect(short == full || short.contains("All options: \(path) --help"))
    }

    @Test func exitCodesAreExplainedOnce() throws {
        let outcome = try Workspace().signet("help exit-codes")
        outcome.expect(.done)
        for code in [0, 3, 4, 5, 64, 65, 66, 69, 70, 73, 74, 77] {
            #expect(outcome.output.contains("\n  \(code) "))
        }
    }

    @Test(arguments: [
        ["frobnicate"], ["--frobnicate"], ["sign"], ["sign", "--frobnicate", "a.pdf"],
        ["verify"], ["key", "generate"], ["key", "generate", "--type", "rsa:banana", "-o", "k"],
        ["sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--at", "nowhere"],
        ["sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--digest", "sha1"],
        ["sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--size", "60"],
    ])
    func usageErrorsEndIn64(arguments: [String]) throws {
        let workspace = try signingWorkspace()
        let before = try workspace.names
        let outcome = try workspace.signet(arguments).expect(.usage)
        #expect(!outcome.errors.isEmpty)
        #expect(outcome.output.isEmpty)
        #expect(try workspace.names == before)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullStandardOutputIsAnError() throws {
        let workspace = try signingWorkspace()
        let outcome = try CommandRunner.run(
            "/bin/sh", ["-c", "exec \"$0\" show letter.pdf >/dev/full", try SignetBinary.path],
            folder: workspace.folder)
        outcome.expect(.inputOutputError)
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: [
            "--help", "--version", "sign --help", "sign -h", "help problems", "help levels",
            "help sign", "help exit-codes",
        ])
    func helpThatNobodyGetsIsAnError(arguments: String) throws {
        let outcome = try Workspace().shell("exec $S \(arguments) >/dev/full")
        outcome.expectRefusal(.inputOutputError, naming: "standard output")
    }

    @Test func theWorstOfSeveralInputsDecides() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        try workspace.write(Data(), to: "empty.pdf")
        // Indeterminate (3), unsigned (5), malformed (65) and missing (66), in any order.
        let outcome = try workspace.signet(
            "verify missing.pdf letter.signed.pdf empty.pdf letter.pdf --trust valid.pem")
        outcome.expect(.missingInput)
        for name in ["letter.signed.pdf", "letter.pdf"] {
            #expect(outcome.output.contains(name), "every input is handled")
        }
        try workspace.signet("verify letter.pdf empty.pdf --trust valid.pem")
            .expect(.malformedInput)
        try workspace.signet("verify letter.pdf letter.signed.pdf --trust valid.pem")
            .expect(.nothingToVerify)
    }
}
