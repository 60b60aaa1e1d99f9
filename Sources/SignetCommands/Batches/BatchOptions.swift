import ArgumentParser
import SignetKit
import SystemBridge

/// Many files in one run, and one batch in several runs.
struct BatchOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Files handled at once (default: all cores).", valueName: "n"))
    var jobs: String?
    @Option(
        help: ArgumentHelp(
            """
            More inputs: the lines of a file, or names with a zero byte after each (-: standard \
            input).
            """, valueName: "file"),
        completion: .file())
    var filesFrom: String?
    @Flag(help: "Take what the command is for in folders, and in folders below them.")
    var recursive = false
    @Option(
        help: ArgumentHelp(
            "Of folders take what is called so, such as '*.txt'; repeatable.", valueName: "glob"))
    var include: [String] = []
    @Option(
        help: ArgumentHelp(
            """
            Take part I of N of the files, by the hash of their names: N runs, on any machines, do \
            each file once.
            """, valueName: "i/n"))
    var shard: String?
    @Option(
        help: ArgumentHelp(
            """
            Note what became of each file, a line each; the next run with the same journal does what \
            is missing and what failed.
            """, valueName: "file"),
        completion: .file())
    var journal: String?

    func validate() throws {
        let _: JobCount? = try Value.parse(jobs, "--jobs")
        let _: BatchSelection.Shard? = try Value.parse(shard, "--shard")
        if !include.isEmpty && !recursive {
            throw ValidationError("--include is for files in folders: add --recursive.")
        }
        if journal == "-" { throw ValidationError("A journal is a file: --journal FILE.") }
    }

    /// What holds for the inputs of every command that takes several.
    func requireInputs(_ inputs: [String]) throws {
        if inputs.isEmpty && filesFrom == nil {
            throw ValidationError("Missing expected argument '<inputs> ...'")
        }
        if inputs.count > 1 && inputs.contains("-") {
            throw ValidationError("Standard input (-) cannot be one of several inputs.")
        }
    }

    /// Whether more than the named inputs may come, so that none of them stands alone.
    var isBatch: Bool { filesFrom != nil || recursive || journal != nil || shard != nil }

    /// Standard input, where the list comes from there.
    var standardInput: [String] { filesFrom == "-" ? ["-"] : [] }

    /// - Parameters:
    ///   - patterns: what is taken of folders unless somebody says so.
    ///   - ownSuffix: of outputs that earlier runs may have left in the folders.
    ///   - output: where outputs go.
    func selected(
        _ inputs: [String], patterns: [String], ownSuffix: String? = nil, output: String? = nil
    ) throws -> [BatchSelection.Input] {
        var selection = BatchSelection()
        selection.listFile = filesFrom
        selection.isRecursive = recursive
        selection.patterns = include.isEmpty ? patterns : include
        selection.ownSuffix = ownSuffix
        selection.outputFolder = output
        selection.shard = try Value.parse(shard, "--shard")
        let found = try selection.inputs(inputs)
        guard found.count == 1 || !found.contains(where: { $0.path == "-" }) else {
            throw SignetError(.usage, "standard input (-) cannot be one of several inputs")
        }
        return found
    }

    var jobCount: Int {
        get throws {
            let jobs: JobCount? = try Value.parse(jobs, "--jobs")
            return jobs?.count ?? OrderedWork.coreCount
        }
    }
}

extension BatchSelection.Shard: OptionValue {
    static let expected = "a part such as 3/8"

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]) else {
            return nil
        }
        self.init(index: index, count: count)
    }
}
