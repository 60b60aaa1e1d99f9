import ArgumentParser
import Base
import SignetKit
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
        let namesFolder = output.hasSuffix("/") || FileSystem.isDirectory(output)
        if tree.single, namesFolder {
            throw ValidationError("--single requires the name of the evidence record: -o NAME.ers.")
        }
        if !tree.single, output.hasSuffix(TreeWork.suffix), !namesFolder {
            throw ValidationError(
                "-o names a folder; for one evidence record of all files, add --single.")
        }
        try Value.refuseBoth("--tree", true, "--in-place", place.inPlace)
        try Value.refuseBoth("--tree", true, "--format", format != nil)
        // The output folder records finished files itself.
        try Value.refuseBoth("--tree", true, "--journal", batch.journal != nil)
        try Value.refuseBoth("--tree-join", tree.treeJoin, "--shard", batch.shard != nil)
        try Value.refuseBoth("--single", tree.single, "--shard", batch.shard != nil)
        if batch.shard == nil { try timestamp.requireAuthority(for: "--tree") }
    }

    /// Timestamps all files with one request.
    func runTree() throws {
        let digest: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        let work = TreeWork(
            Reporter(options: messages, isBatch: true), place.output ?? "", tree,
            jobs: try batch.jobCount, replaces: place.force)
        let destination = TimestampTree.leaves(in: work.folder)
        let authorities = { try timestamp.requiredAuthorities(chain: chain) }
        if tree.treeJoin {
            let lists = try batch.selected(inputs, patterns: ["*.leaves"]).map(\.path)
            let former = try TimestampTree.interrupted(in: work.folder)
            let list = try TreeLeavesOutput(joining: lists, destination)
            if let former {
                try work.resume(former, list)
            } else {
                try work.stamp(list, authorities)
            }
        } else {
            let selected = try place.selected(
                inputs, patterns: ["*"], batch, suffix: TreeWork.suffix)
            let items = try work.named(selected)
            if let shard = batch.shard {
                try work.write(items, shard, digest)
            } else if let former = try TimestampTree.interrupted(in: work.folder) {
                try work.resume(items, former)
            } else {
                let list = TreeLeavesOutput(destination, digest: digest)
                try work.hash(work.due(items, skipsExisting: place.skipExisting), list)
                try work.stamp(list, authorities)
            }
        }
        try work.finish(isSummarized: batch.isBatch)
    }
}

/// The steps of timestamping files with one hash tree.
private final class TreeWork {
    typealias Item = BatchSelection.Input

    private let reporter: Reporter
    private var tally = BatchTally(verb: "timestamped")
    let jobs: Int
    let output: String
    let isSingle: Bool
    let isGrouped: Bool
    let replaces: Bool

    init(
        _ reporter: Reporter, _ output: String, _ options: TreeOptions, jobs: Int, replaces: Bool
    ) {
        self.reporter = reporter
        self.output = output
        self.jobs = jobs
        isSingle = options.single
        isGrouped = options.group != nil
        self.replaces = replaces
    }

    static let suffix = ".ers"
    /// Maximum number of files that a thread hashes before it passes on their hashes: a change of
    /// thread takes longer than to hash a small file.
    private static let chunkCount = 256
    /// Number of chunks for each thread, if there are few files, so that all threads work.
    private static let chunksPerThread = 16

    /// The output folder, or that of the only record.
    var folder: String {
        guard isSingle else { return FileSystem.withoutEndingSlashes(output) }
        return FileSystem.folder(of: output)
    }
    private var single: String? { isSingle ? output : nil }

    private func name(of item: Item) throws -> String {
        try TreeLeaves.name(of: item, isGrouped: isGrouped)
    }

    /// The inputs with a name in the tree; one without is reported.
    func named(_ selected: [Item]) throws -> [Item] {
        var repeated = RepeatedNames(
            selected.compactMap { try? ExactText(name(of: $0)).hashValue })
        var folders: [String: String] = [:]
        return selected.filter { input in
            tallied(input.path) {
                let name = try name(of: input)
                guard !repeated.isRepeated(name) else {
                    throw SignetError(
                        .usage, file: input.path, "two files have the name \(name.inQuotes)",
                        hint: "name their common folder, and add --recursive")
                }
                guard isGrouped else { return }
                let (group, folder) = (
                    TreeLeaves.record(of: name), FileSystem.folder(of: input.path)
                )
                guard (folders[group] ?? folder) == folder else {
                    throw SignetError(
                        .usage, file: input.path, "two folders have the name \(group.inQuotes)",
                        hint: "name their common folder, and add --recursive")
                }
                folders[group] = folder
            }
        }
    }

    /// - Returns: whether it succeeded.
    private func tallied(_ input: String, _ body: () throws -> Void) -> Bool {
        let status = reporter.status(of: input) {
            try body()
            return .done
        }
        if status != .done { tally.count(input, status) }
        return status == .done
    }

    /// The inputs without an evidence record. An existing record must cover the present
    /// content of its files.
    func due(_ items: [Item], skipsExisting: Bool) throws -> [Item] {
        guard !replaces else { return items }
        let (isGrouped, folder, single) = (isGrouped, folder, single)
        @Sendable func record(of item: Item) throws -> String? {
            let name = try TreeLeaves.name(of: item, isGrouped: isGrouped)
            let path = TimestampTree.path(of: name, in: folder, single: single)
            return FileSystem.exists(path) ? path : nil
        }
        if !skipsExisting {
            guard let path = try items.lazy.compactMap(record).first else { return items }
            // Before the request: a second timestamp for finished files is never wanted.
            throw SignetError(
                .outputRefused, file: path, "the output file already exists",
                hint: "add --skip-existing to skip finished files, or --force to replace it")
        }
        // A record of many files is read only once.
        let shared =
            isSingle || isGrouped
            ? Dictionary(
                try Set(items.compactMap(record)).map { ($0, RecordedHashes(ofRecord: $0)) },
                uniquingKeysWith: { first, _ in first }) : [:]
        var due: [Item] = []
        try each(items) { item -> (item: Item, isDue: Bool) in
            guard let path = try record(of: item) else { return (item, true) }
            guard try (shared[path] ?? RecordedHashes(ofRecord: path))?.cover(item.path) == true
            else {
                throw SignetError(
                    .outputRefused, file: path,
                    "the output file already exists, but does not cover the input",
                    hint: "move the existing file to another folder, then run the command again")
            }
            return (item, false)
        } then: { item, isDue in
            guard !isDue else { return due.append(item) }
            tally.skipped += 1
            tally.skippedDone += 1
            tally.count(item.path, .done)
            reporter.step("\(item.path): skipped, output file exists")
        }
        return due
    }

    /// Hashes the files on all cores.
    func hash(_ items: [Item], _ list: TreeLeavesOutput) throws {
        try each(items) { [isGrouped, digest = list.digest] item in
            try TreeLeaves.line(of: item, isGrouped: isGrouped, digest)
        } then: {
            try list.add($0)
        }
    }

    /// Works on the files in chunks.
    private func each<Made: Sendable>(
        _ items: [Item], _ work: @escaping @Sendable (Item) throws -> Made,
        then body: (Made) throws -> Void
    ) throws {
        let size = max(1, min(Self.chunkCount, items.count / (jobs * Self.chunksPerThread)))
        var progress = ProgressLine(
            isOn: !reporter.options.quiet && !reporter.options.json, noun: "files")
        @Sendable func chunk(_ index: Int) -> ArraySlice<Item> {
            items[index * size..<min((index + 1) * size, items.count)]
        }
        try OrderedWork.run(count: (items.count + size - 1) / size, jobs: jobs) { index in
            chunk(index).map { item in Result { try work(item) } }
        } consume: { index, results in
            for (item, result) in zip(chunk(index), results) {
                var made: Made?
                if tallied(item.path, { made = try result.get() }), let made { try body(made) }
            }
            progress.show(chunk(index).endIndex, of: items.count)
        }
        progress.clear()
    }

    /// Writes the list of leaves of a shard.
    func write(_ items: [Item], _ shard: String, _ digest: SigningOptions.Digest?) throws {
        let path = FileSystem.joined(folder, "\(shard.replacing("/", with: "-of-")).leaves")
        let list = TreeLeavesOutput(
            Destination(path: path, replacesExisting: replaces, makesFolder: true), digest: digest)
        try hash(items, list)
        if list.count > 0 {
            try list.commit()
            try reporter.line("\(path): wrote list of leaves (files: \(list.count))")
            tally.count(path, .done, times: list.count)
        }
    }

    /// Requests the timestamp and writes the records.
    func stamp(
        _ list: TreeLeavesOutput, _ authorities: () throws -> TimestampAuthorities
    ) throws {
        guard let leaves = try list.leaves() else { return }
        let authorities = try authorities()
        try list.commit()
        let tree = try TimestampTree(leaves, authorities, in: folder, isSingle: isSingle)
        if try write(tree, confirmed: nil) { try tree.finish() }
    }

    /// Continues an interrupted run with the same lists.
    func resume(_ former: TreeLeaves, _ list: TreeLeavesOutput) throws {
        let tree = try TimestampTree(continuing: former, in: folder, isSingle: isSingle)
        guard try former.linesHash() == list.leaves()?.linesHash() else {
            throw Self.unfinished(folder)
        }
        if try write(tree, confirmed: nil) { try tree.finish() }
    }

    /// Continues an interrupted run, for the files that have not changed since.
    func resume(_ items: [Item], _ former: TreeLeaves) throws {
        let tree = try TimestampTree(continuing: former, in: folder, isSingle: isSingle)
        let places = try former.places()
        var confirmed = Set<Int>(minimumCapacity: items.count)
        let unfinished = Self.unfinished(folder)
        try each(items) { [isGrouped] item in
            let name = try TreeLeaves.name(of: item, isGrouped: isGrouped)
            guard let place = places[ExactText(name)] else { throw unfinished }
            guard try former.matches(item.path, at: place) else {
                throw SignetError(
                    .malformedInput, file: item.path,
                    "the file was modified after the timestamp, so it has no evidence record",
                    hint: "finish this run, then timestamp the file with another output folder")
            }
            return place
        } then: {
            confirmed.insert($0)
        }
        // Without all its files, the run may be continued again.
        if try write(tree, confirmed: confirmed), confirmed.count == former.count {
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
        let (single, replaces, output) = (single, replaces, output)
        reporter.warnings(tree.warnings, of: output)
        try OrderedWork.run(count: tree.partCount, jobs: jobs) { part in
            Result {
                try tree.write(
                    part: part, isConfirmed: { confirmed?.contains($0) ?? true }, single: single,
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
                    tally.count(record.name, .done, times: record.fileCount)
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
