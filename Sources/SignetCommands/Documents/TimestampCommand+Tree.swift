import ArgumentParser
import SignetKit
import Synchronization
import SystemBridge

/// Options for timestamping many files with one request.
struct TreeOptions: ParsableArguments {
    @Flag(help: "One timestamp for all files: writes evidence records (RFC 4998) to the -o folder")
    var tree = false
    @Flag(help: "With --tree, one evidence record for all files; -o names it")
    var single = false
    @Option(
        "With --tree, one evidence record for the files in each folder: folder", value: "kind",
        completion: .list(["folder"]))
    var group: String?
    @Flag(help: "Timestamp the lists of leaves that --tree --shard has written")
    var treeJoin = false

    var isUsed: Bool { tree || treeJoin }

    func validate() throws {
        try Value.refuseBoth("--tree", tree, "--tree-join", treeJoin)
        if !isUsed && single { throw ValidationError("--single requires --tree or --tree-join.") }
        if !tree && group != nil { throw ValidationError("--group requires --tree.") }
        if group != nil && group != "folder" {
            throw ValidationError("--group must be folder.")
        }
        try Value.refuseBoth("--single", single, "--group", group != nil)
    }
}

extension TimestampCommand {
    func checkTree() throws {
        guard tree.isUsed else { return }
        guard let output = place.output, output != "-" else {
            throw ValidationError(
                "--tree requires a folder for the evidence records: add -o FOLDER.")
        }
        try Value.refuseBoth("--tree", true, "--in-place", place.inPlace)
        try Value.refuseBoth("--tree", true, "--format", format != nil)
        // The output folder records finished files itself.
        try Value.refuseBoth("--tree", true, "--journal", batch.journal != nil)
        try Value.refuseBoth("--tree-join", tree.treeJoin, "--shard", batch.shard != nil)
        try Value.refuseBoth("--single", tree.single, "--shard", batch.shard != nil)
        if batch.shard == nil && timestamp.tsa.isEmpty {
            throw ValidationError(
                "--tree requires a time-stamping authority: add --tsa URL (ask your CA for the URL)."
            )
        }
    }

    /// Timestamps all files with one request.
    func runTree() throws {
        let digest: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        let work = TreeWork(
            Reporter(options: messages, isBatch: true), place.output ?? "",
            jobs: try batch.jobCount, isSingle: tree.single, replaces: place.force)
        if tree.treeJoin {
            let lists = try batch.selected(inputs, patterns: ["*.leaves"]).map(\.path)
            let leaves = try TreeLeaves(joining: lists)
            try work.stamp(leaves, place) { try timestamp.requiredAuthorities(chain: chain) }
        } else {
            let selected = try place.selected(
                inputs, patterns: ["*"], batch, suffix: TreeWork.suffix)
            let found = try work.named(selected, isGrouped: tree.group != nil)
            if let shard = batch.shard {
                let leaves = work.hash(found, TreeLeaves(digest: digest))
                return try work.write(leaves, shard)
            }
            if let former = try TimestampTree.interrupted(in: work.folder) {
                try work.resume(found, former)
            } else {
                let due = try work.due(found, skipsExisting: place.skipExisting)
                if !due.isEmpty {
                    let leaves = work.hash(due, TreeLeaves(digest: digest))
                    try work.stamp(leaves, place) {
                        try timestamp.requiredAuthorities(chain: chain)
                    }
                }
            }
        }
        try work.finish(isSummarized: batch.isBatch)
    }
}

/// The steps of timestamping files with one hash tree.
private final class TreeWork {
    typealias Item = (path: String, name: String)

    private let reporter: Reporter
    private var tally = BatchTally(verb: "timestamped")
    let jobs: Int
    let output: String
    let isSingle: Bool
    let replaces: Bool

    init(
        _ reporter: Reporter, _ output: String, jobs: Int, isSingle: Bool, replaces: Bool
    ) {
        self.reporter = reporter
        self.output = output
        self.jobs = jobs
        self.isSingle = isSingle
        self.replaces = replaces
    }

    static let suffix = ".ers"
    /// Number of records that are synced together.
    private static let recordCount = 256

    /// The output folder, or that of the only record.
    var folder: String {
        guard isSingle else { return FileSystem.withoutEndingSlashes(output) }
        return FileSystem.folder(of: output)
    }
    private var single: String? { isSingle ? output : nil }

    /// The inputs with their names in the tree; an input without one is reported.
    func named(
        _ selected: [BatchSelection.Input], isGrouped: Bool
    ) throws -> [Item] {
        var items: [Item] = []
        var names: Set<String> = []
        var folders: [String: String] = [:]
        for input in selected {
            tallied(input.path) {
                let name = try TreeLeaves.name(of: input, isGrouped: isGrouped)
                guard names.insert(name).inserted else {
                    throw SignetError(
                        .usage, file: input.path, "two files have the name \(name.inQuotes)",
                        hint: "name their common folder, and add --recursive")
                }
                let folder = FileSystem.folder(of: input.path)
                guard !isGrouped || (folders[TreeLeaves.record(of: name)] ?? folder) == folder
                else {
                    throw SignetError(
                        .usage, file: input.path,
                        "two folders have the name \(TreeLeaves.record(of: name).inQuotes)",
                        hint: "name their common folder, and add --recursive")
                }
                if isGrouped { folders[TreeLeaves.record(of: name)] = folder }
                items.append((input.path, name))
            }
        }
        return items
    }

    private func tallied(_ input: String, _ body: () throws -> Void) {
        let status = reporter.status(of: input) {
            try body()
            return .done
        }
        if status != .done { tally.count(input, status) }
    }

    /// The inputs without an evidence record.
    func due(_ items: [Item], skipsExisting: Bool) throws -> [Item] {
        guard !replaces else { return items }
        var due: [Item] = []
        for item in items {
            let path = TimestampTree.path(of: item.name, in: folder, single: single)
            guard FileSystem.exists(path) else {
                due.append(item)
                continue
            }
            guard skipsExisting else {
                // Before the request: a second timestamp for finished files is never wanted.
                throw SignetError(
                    .outputRefused, file: path, "the output file already exists",
                    hint: "add --skip-existing to skip finished files, or --force to replace it")
            }
            tally.skipped += 1
            tally.skippedDone += 1
            tally.count(item.path, .done)
            reporter.step("\(item.path): skipped, output file exists")
        }
        return due
    }

    /// Hashes the files on all cores.
    func hash(_ items: [Item], _ empty: TreeLeaves) -> TreeLeaves {
        var leaves = empty
        each(items, hashing: empty) { item, leaf in leaves.add(item.name, leaf) }
        return leaves
    }

    private func each(
        _ items: [Item], hashing leaves: TreeLeaves,
        _ body: (Item, TreeLeaves.Leaf) throws -> Void
    ) {
        var progress = ProgressLine(
            isOn: !reporter.options.quiet && !reporter.options.json, noun: "files")
        try? OrderedWork.run(count: items.count, jobs: jobs) { index in
            Result { try leaves.hash(items[index].path) }
        } consume: { index, result in
            tallied(items[index].path) { try body(items[index], try result.get()) }
            progress.show(index + 1, of: items.count)
        }
        progress.clear()
    }

    func write(_ leaves: TreeLeaves, _ shard: String) throws {
        let part = shard.replacing("/", with: "-of-")
        let path = FileSystem.joined(folder, "\(part).leaves")
        if !leaves.names.isEmpty {
            try leaves.write(
                to: Destination(path: path, replacesExisting: replaces, makesFolder: true))
            try reporter.line("\(path): wrote list of leaves (files: \(leaves.names.count))")
        }
        for name in leaves.names { tally.count(name, .done) }
        try finish(isSummarized: true)
    }

    /// Requests the timestamp and writes the records.
    func stamp(
        _ leaves: TreeLeaves, _ place: PlaceOptions,
        _ authorities: () throws -> TimestampAuthorities
    ) throws {
        guard !leaves.names.isEmpty else { return }
        let tree: TimestampTree
        if let former = try TimestampTree.interrupted(in: folder) {
            tree = try TimestampTree(continuing: former, in: folder, isSingle: isSingle)
            guard former.names == leaves.names else { throw Self.unfinished(folder) }
        } else {
            tree = try TimestampTree(leaves, authorities(), in: folder, isSingle: isSingle)
        }
        if try write(tree, confirmed: nil) { try tree.finish() }
    }

    /// Continues an interrupted run, for the files that have not changed since.
    func resume(_ items: [Item], _ former: TreeLeaves) throws {
        let tree = try TimestampTree(continuing: former, in: folder, isSingle: isSingle)
        let places = Dictionary(
            former.names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var confirmed = Set<Int>(minimumCapacity: items.count)
        let unfinished = Self.unfinished(folder)
        each(items, hashing: former) { item, leaf in
            guard let place = places[item.name] else { throw unfinished }
            guard former.matches(leaf, at: place) else {
                throw SignetError(
                    .malformedInput, file: item.path,
                    "the file was modified after the timestamp, so it has no evidence record",
                    hint: "finish this run, then timestamp the file with another output folder")
            }
            confirmed.insert(place)
        }
        // Without all its files, the run may be continued again.
        if try write(tree, confirmed: confirmed), confirmed.count == former.names.count {
            try tree.finish()
        }
    }

    private static func unfinished(_ folder: String) -> SignetError {
        SignetError(
            .outputRefused, file: folder,
            "the folder contains an interrupted run with other files",
            hint: "run the interrupted command again, or use another folder")
    }

    /// - Returns: whether all records are written.
    private func write(_ tree: TimestampTree, confirmed: Set<Int>?) throws -> Bool {
        var isComplete = true
        let step = isSingle ? 1 : Self.recordCount
        let (single, replaces, output) = (single, replaces, output)
        reporter.warnings(tree.warnings, of: output)
        let parts = (tree.recordCount + step - 1) / step
        try OrderedWork.run(count: parts, jobs: jobs) { part in
            let range = part * step..<min((part + 1) * step, tree.recordCount)
            return Result {
                try tree.write(
                    range, isConfirmed: { confirmed?.contains($0) ?? true }, single: single,
                    replacing: replaces)
            }
        } consume: { _, result in
            let records: [Result<TimestampTree.Record, any Error>]
            do {
                records = try result.get().map { $0.mapError { $0 } }
            } catch {
                records = [.failure(error)]
            }
            for found in records {
                let status = reporter.status(of: output) {
                    let record = try found.get()
                    let made = MadeRecord(
                        file: isSingle ? output : record.name, output: record.output,
                        digest: tree.digest, timestamp: tree.receipt, fileCount: record.fileCount)
                    try reporter.made(record.output, made.summary, json: made)
                    for _ in 0..<record.fileCount { tally.count(record.name, .done) }
                    return .done
                }
                if status != .done {
                    isComplete = false
                    tally.count(output, status)
                }
            }
        }
        return isComplete
    }

    func finish(isSummarized: Bool) throws {
        reporter.finishBatch()
        try tally.finish(reporter, isSummarized: isSummarized)
    }
}

/// The result for one evidence record.
private struct MadeRecord: Encodable {
    let schema = "signet.timestamp/1"
    /// Name of the file or group.
    let file: String
    let output: String
    let digest: String
    let timestamp: TimestampReceipt
    let fileCount: Int
    let warnings: [String] = []

    var summary: String {
        let files = fileCount == 1 ? "" : ", \(fileCount) files"
        return "timestamped at \(timestamp.time.text) by \(timestamp.server) (\(digest)\(files))"
    }
}
