import ArgumentParser
import SignetKit
import SystemBridge

/// Options for many files in one run, and for one batch in several runs.
struct BatchOptions: ParsableArguments {
    @Option("Files processed in parallel (default: all cores)", value: "n")
    var jobs: String?
    @Option(
        "File with input names, one per line or NUL-terminated (-: stdin)",
        value: "file")
    var filesFrom: String?
    @Flag(help: "Process folders and their subfolders")
    var recursive = false
    @Option(
        "File name pattern for --recursive, such as '*.txt'", value: "glob")
    var include: [String] = []
    @Option("Leave out files and folders that match this pattern; may be repeated", value: "glob")
    var exclude: [String] = []
    @Option(
        "Split the files into N parts and process part I, such as 2/4", value: "i/n")
    var shard: String?
    @Option(
        "Record finished files here; a rerun skips them", value: "file")
    var journal: String?

    func validate() throws {
        _ = try givenJobCount
        let _: BatchSelection.Shard? = try Value.parse(shard, "--shard")
        if !include.isEmpty && !recursive {
            throw ValidationError("--include requires --recursive.")
        }
        if journal == "-" { throw ValidationError("--journal requires a file, not -.") }
    }

    /// Checks the inputs of a command with several inputs.
    func requireInputs(_ inputs: [String]) throws {
        if inputs.isEmpty && filesFrom == nil {
            throw ValidationError("No input file is given.")
        }
        // Word processors replace two hyphens with a dash.
        let dashed = inputs.first { ["—", "–"].contains($0.prefix(1)) && !FileSystem.exists($0) }
        if let dashed {
            throw ValidationError(
                "'\(dashed)' begins with a dash; type two hyphens: --\(dashed.dropFirst()).")
        }
        if inputs.count > 1 && inputs.contains("-") {
            throw ValidationError("Standard input (-) cannot be one of several inputs.")
        }
    }

    /// Whether the command may have other inputs than the named ones.
    var isBatch: Bool { filesFrom != nil || recursive || journal != nil || shard != nil }

    /// - Parameters:
    ///   - patterns: default patterns for files in folders.
    ///   - otherPatterns: patterns for files in folders that are reported but not used.
    ///   - outputSuffix: suffix of outputs that earlier runs may have left in the folders.
    ///   - output: destination of the outputs.
    func selected(
        _ inputs: [String], patterns: [String], otherPatterns: [String] = [],
        outputSuffix: String? = nil, output: String? = nil
    ) throws -> [BatchSelection.Input] {
        var selection = BatchSelection()
        selection.listFile = filesFrom
        selection.isRecursive = recursive
        selection.patterns = include.isEmpty ? patterns : include
        selection.otherPatterns = include.isEmpty ? otherPatterns : []
        selection.excluded = exclude
        selection.outputSuffix = outputSuffix
        selection.outputFolder = output
        selection.shard = try Value.parse(shard, "--shard")
        let found = try selection.inputs(inputs)
        guard found.count == 1 || !found.contains(where: { $0.path == "-" }) else {
            throw SignetError(.usage, "standard input (-) cannot be one of several inputs")
        }
        return found
    }

    var givenJobCount: Int? {
        get throws { try Value.number(jobs, "--jobs", "a number from ", in: 1...1024) }
    }

    var jobCount: Int { get throws { try givenJobCount ?? OrderedWork.coreCount } }
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
