import Base
import CryptoBridge
import SystemBridge

/// Selects the files of a run: named files, files in lists and in folders; optionally one shard of
/// them, if several machines share the work.
public struct BatchSelection: Sendable {
    /// A file with names, one per line or each followed by a zero byte; `-` is standard input.
    public var listFile: String?
    /// Whether folders are searched for files.
    public var isRecursive = false
    /// Name patterns for files in folders.
    public var patterns: [String] = []
    /// Patterns for files in folders that are reported but not used.
    public var otherPatterns: [String] = []
    /// Patterns for files and folders that are left out.
    public var excluded: [String] = []
    /// Files with this suffix in the output folder are skipped as outputs of earlier runs.
    public var outputSuffix: String?
    /// The output folder: files found in it below a searched folder are skipped.
    public var outputFolder: String?
    /// The shard of this machine; nil for all inputs.
    public var shard: Shard?

    /// One of `count` shards of the inputs.
    public struct Shard: Equatable, Sendable {
        /// Number of the shard, from 1.
        public let index: Int
        /// Number of shards, from 1.
        public let count: Int

        /// - Returns: nil unless 1 ≤ `index` ≤ `count` ≤ 1,000,000.
        public init?(index: Int, count: Int) {
            guard (1...Self.largestCount).contains(count), (1...count).contains(index) else {
                return nil
            }
            self.index = index
            self.count = count
        }

        private static let largestCount = 1_000_000

        /// Whether a name is in this shard: the first eight bytes of its SHA-256, most significant
        /// first, modulo `count` are `index - 1`.
        func holds(_ name: String) throws -> Bool {
            guard count > 1 else { return true }
            let hash = try DigestAlgorithm.sha256.hash(SystemPath.bytes(name))
            let number = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return number % UInt64(count) == UInt64(index - 1)
        }
    }

    /// An input file.
    public struct Input: Sendable {
        /// Path as given by the user; for a file in a given folder, that folder's path and the file's.
        public let path: String
        /// Folder of the file relative to the given folder; empty for files that were given
        /// directly.
        public let subfolder: String
    }

    /// Maximum size of a list file, in bytes (1 GiB).
    private static let listByteLimit = 1 << 30

    public init() {}

    /// Returns the files in the order of the arguments, and files of a folder by name.
    ///
    /// The shard depends on a file's name in the list or on the command line, or on its path inside
    /// a given folder. The location of the folder has no effect.
    ///
    /// - Throws: ``SignetError``: `missingInput` if there is no file, or an error of reading a list
    ///   or folder.
    public func inputs(_ named: [String]) throws -> [Input] {
        var inputs: [Input] = []
        let names = try named + listed()
        var foundCount = 0
        var unexplainedCount = 0
        var leftOut: [String] = []
        for name in names {
            guard isRecursive, name != "-", FileSystem.isDirectory(name) else {
                guard !isExcluded(name) else { continue }
                foundCount += 1
                if try shard?.holds(name) ?? true {
                    inputs.append(Input(path: name, subfolder: ""))
                }
                continue
            }
            let root = FileSystem.withoutEndingSlashes(name)
            var (found, closed) = try search(root, named: name, &leftOut)
            foundCount += found.count + closed.count
            if let output = outputFolder(inside: root) {
                found.removeAll { FileSystem.below(output, $0) != nil }
            }
            let isOutputFolder = outputFolder.map { FileSystem.isSameFile($0, root) } ?? true
            let skippedSuffix = isOutputFolder ? outputSuffix : nil
            func isOutput(_ path: String) -> Bool {
                skippedSuffix.map { ExactText(path).hasSuffix($0) } ?? false
            }
            unexplainedCount += found.count { isOutput($0) && !hasInput(root + "/" + $0) }
            // An unreadable path fails later as an input of its own, so that the others are
            // processed.
            for path in closed where try shard?.holds(path) ?? true {
                inputs.append(Input(path: root + "/" + path, subfolder: ""))
            }
            for path in found where !isOutput(path) {
                guard try shard?.holds(path) ?? true else { continue }
                let folder =
                    path.utf8.contains(UInt8(ascii: "/")) ? FileSystem.folder(of: path) : ""
                inputs.append(Input(path: root + "/" + path, subfolder: folder))
            }
        }
        Self.report(leftOut)
        // A wrong folder or pattern must be an error, not an empty success.
        guard foundCount > 0 else {
            throw SignetError(
                .missingInput, file: names.first ?? listFile,
                isRecursive
                    ? "no matching file was found: none is named "
                        + patterns.joined(separator: " or ") : "no matching file was found",
                hint: isRecursive
                    ? Sentence(.includeOthers, Self.suffix(in: names.first) ?? "log") : nil)
        }
        try reportUnexplainedOutputs(
            unexplainedCount, first: names.first, hasInputs: !inputs.isEmpty)
        return inputs
    }

    /// Searches a folder.
    ///
    /// - Parameters:
    ///   - leftOut: receives the files that match only ``otherPatterns``.
    /// - Returns: the matching files, and what could not be read.
    private func search(
        _ root: String, named name: String, _ leftOut: inout [String]
    ) throws -> (found: [String], closed: [String]) {
        var (found, closed): ([String], [String]) = ([], [])
        try reading(name) {
            try FileSystem.search(root, for: patterns + otherPatterns) {
                closed.append($0)
            } found: { path in
                guard !isExcluded(path, withFolders: true) else { return }
                if patterns.contains(where: { FileSystem.matches(path, $0) }) {
                    found.append(path)
                } else {
                    leftOut.append(root + "/" + path)
                }
            }
        }
        return (found, closed)
    }

    private static func report(_ leftOut: [String]) {
        guard !leftOut.isEmpty else { return }
        let named = leftOut.prefix(namedLimit).joined(separator: ", ")
        let others = leftOut.count - namedLimit
        Notices.say(
            .otherImagesLeftOut, named + (others > 0 ? " and \(others) more" : ""))
    }

    /// Maximum number of files that a notice names.
    private static let namedLimit = 20

    /// - Parameters:
    ///   - path: relative to the given folder, or a given path.
    ///   - hasFolders: whether the name of a folder in the path excludes it too.
    private func isExcluded(_ path: String, withFolders hasFolders: Bool = false) -> Bool {
        guard !excluded.isEmpty else { return false }
        var paths = [path]
        if hasFolders {
            for index in path.indices where path[index] == "/" {
                paths.append(String(path[..<index]))
            }
        }
        return paths.contains { path in excluded.contains { FileSystem.matches(path, $0) } }
    }

    /// Whether a file exists next to this output from which it could have been created.
    private func hasInput(_ output: String) -> Bool {
        guard let outputSuffix else { return false }
        let stem = FileSystem.without(ending: outputSuffix, output) ?? output
        let ending = outputSuffix.lastIndex(of: ".").map { outputSuffix[$0...] } ?? ""
        return [stem, stem + ending].contains { !$0.isExactly(output) && FileSystem.exists($0) }
    }

    /// Reports skipped files that are named like outputs, but have no input.
    ///
    /// - Throws: ``SignetError``: `missingInput` if there are no other files.
    private func reportUnexplainedOutputs(
        _ count: Int, first: String?, hasInputs: Bool
    ) throws {
        guard count > 0, let outputSuffix else { return }
        guard !hasInputs, shard == nil else {
            return Notices.say(.outputsPassedOver, "\(count)", outputSuffix)
        }
        throw SignetError(
            .missingInput, file: first,
            "no matching file was found, except \(count) named *\(outputSuffix), like outputs",
            hint: Sentence(.nameThemOrWriteElsewhere))
    }

    /// The suffix of a file in the folder; nil if there is none.
    private static func suffix(in folder: String?) -> String? {
        let names = folder.flatMap { try? FileSystem.list($0) } ?? []
        let parts = names.sorted().lazy.map { $0.split(separator: ".") }
        return parts.first { $0.count > 1 }?.last.map(String.init)
    }

    /// The output folder's path relative to `root` if it is inside.
    private func outputFolder(inside root: String) -> String? {
        guard let outputFolder, FileSystem.isDirectory(outputFolder) else { return nil }
        return FileSystem.below(FileSystem.resolved(root), FileSystem.resolved(outputFolder))
    }

    private func listed() throws -> [String] {
        guard let listFile else { return [] }
        guard !FileSystem.isDirectory(listFile) else {
            throw SignetError(
                .usage, file: listFile, "a folder is not a list of files",
                hint: Sentence(.giveListedFolder, listFile))
        }
        let bytes = try reading(listFile) {
            try FileSystem.readAll(listFile, limit: Self.listByteLimit)
        }.trimmingMark
        let isZeroed = bytes.contains(0)
        return try bytes.split(separator: isZeroed ? 0 : 10).compactMap { name in
            // Lists may have line ends of other systems.
            let name = !isZeroed && name.last == 13 ? name.dropLast() : name
            guard !name.isEmpty else { return nil }
            guard name.count <= Self.nameByteLimit else {
                throw SignetError(
                    .malformedInput, file: listFile,
                    "the file name has \(name.count) bytes; the limit is \(Self.nameByteLimit)")
            }
            return SystemPath.text(Array(name))
        }
    }

    /// Maximum length of a path, in bytes (PATH_MAX).
    private static let nameByteLimit = 4096
}

extension [UInt8] {
    /// The bytes without a UTF-8 byte order mark, which some editors add.
    fileprivate var trimmingMark: ArraySlice<UInt8> {
        starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
    }
}
