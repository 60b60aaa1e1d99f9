import Base
import CryptoBridge
import SystemBridge

/// Which files a run handles: those named, those in a list, those in folders; and of these a part,
/// where several machines share the work.
public struct BatchSelection: Sendable {
    /// A file with names, one in each line, or with a zero byte after each; `-` is standard input.
    public var listFile: String?
    /// Whether folders stand for the files below them.
    public var isRecursive = false
    /// What files in folders must be called.
    public var patterns: [String] = []
    /// Files in folders that are not taken: outputs of earlier runs.
    public var ownSuffix: String?
    /// Where the outputs go: what lies there below a folder that is named is no input.
    public var outputFolder: String?
    /// The part of the inputs that this machine works on; nil for all.
    public var shard: Shard?

    /// One of `count` parts of the work.
    public struct Shard: Equatable, Sendable {
        /// From 1.
        public let index: Int
        /// How many parts there are, from 1.
        public let count: Int

        /// - Returns: nil unless 1 ≤ `index` ≤ `count`.
        public init?(index: Int, count: Int) {
            guard (1...Self.largestCount).contains(count), (1...count).contains(index) else {
                return nil
            }
            self.index = index
            self.count = count
        }

        private static let largestCount = 1_000_000

        /// Whether a name is in this part: the first eight bytes of its SHA-256, the most
        /// significant first, leave the rest `index - 1` when divided by `count`.
        func holds(_ name: String) throws -> Bool {
            let hash = try DigestAlgorithm.sha256.hash(SystemPath.bytes(name))
            let number = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return number % UInt64(count) == UInt64(index - 1)
        }
    }

    /// A file to be handled.
    public struct Input: Sendable {
        /// As it was named, or found in a folder that was.
        public let path: String
        /// The folder that it is in, below the one that was named; empty for files named themselves.
        public let subfolder: String
    }

    /// Longest list of files that is read.
    private static let listByteLimit = 1 << 30

    public init() {}

    /// Finds the files, in the order in which they are named; those of a folder by their names.
    ///
    /// A part of the work is chosen by the name of each file as it is in the list or on the command
    /// line, and below a folder by the path from there: it does not matter where the folder is.
    public func inputs(_ named: [String]) throws -> [Input] {
        var inputs: [Input] = []
        let names = try named + listed()
        var foundCount = 0
        var strangerCount = 0
        for name in names {
            guard isRecursive, name != "-", FileSystem.isDirectory(name) else {
                foundCount += 1
                if try shard?.holds(name) ?? true {
                    inputs.append(Input(path: name, subfolder: ""))
                }
                continue
            }
            let root = FileSystem.withoutEndingSlashes(name)
            var found: [String] = []
            var closed: [String] = []
            try reading(name) {
                try FileSystem.search(root, for: patterns) {
                    closed.append($0)
                } found: {
                    found.append($0)
                }
            }
            foundCount += found.count + closed.count
            if let own = ownFolder(in: root) {
                found.removeAll { FileSystem.below(own, $0) != nil }
            }
            let ownSuffix = isOutputFolder(root) ? ownSuffix : nil
            func isOutput(_ path: String) -> Bool {
                ownSuffix.map { ExactText(path).hasSuffix($0) } ?? false
            }
            strangerCount += found.count { isOutput($0) && !isBesideItsInput(root + "/" + $0) }
            // Fails by itself when its turn comes: the others are handled.
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
        // A mistyped folder or pattern must not look like work that is done.
        guard foundCount > 0 else {
            throw SignetError(
                .missingInput, file: names.first ?? listFile,
                isRecursive
                    ? "there is no file to work on: none is called "
                        + patterns.joined(separator: " or ")
                    : "there is no file to work on",
                hint: isRecursive ? Sentence(.includeOthers) : nil)
        }
        try tellOfStrangers(strangerCount, first: names.first, isAlone: inputs.isEmpty)
        return inputs
    }

    /// Whether outputs go beside what lies in a folder.
    private func isOutputFolder(_ root: String) -> Bool {
        outputFolder.map { FileSystem.isSameFile($0, root) } ?? true
    }

    /// Whether what a file called like an output would be made of lies beside it.
    private func isBesideItsInput(_ path: String) -> Bool {
        guard let ownSuffix else { return false }
        let stem = FileSystem.without(ending: ownSuffix, path) ?? path
        let ending = ownSuffix.lastIndex(of: ".").map { ownSuffix[$0...] } ?? ""
        return [stem, stem + ending].contains { !$0.isExactly(path) && FileSystem.exists($0) }
    }

    /// Files that others made, and that are called as outputs are, are not handled in silence.
    private func tellOfStrangers(_ count: Int, first: String?, isAlone: Bool) throws {
        guard count > 0, let ownSuffix else { return }
        guard isAlone, shard == nil else {
            return Notices.say(.outputsPassedOver, "\(count)", ownSuffix)
        }
        throw SignetError(
            .missingInput, file: first,
            "there is no file to work on but \(count) called *\(ownSuffix), as outputs are",
            hint: Sentence(.nameThemOrWriteElsewhere))
    }

    /// The outputs' folder where it is below `root`: its path from there.
    private func ownFolder(in root: String) -> String? {
        guard let outputFolder, FileSystem.isDirectory(outputFolder) else { return nil }
        return FileSystem.below(FileSystem.resolved(root), FileSystem.resolved(outputFolder))
    }

    private func listed() throws -> [String] {
        guard let listFile else { return [] }
        let bytes = try reading(listFile) {
            try FileSystem.readAll(listFile, limit: Self.listByteLimit)
        }.trimmingMark
        let isZeroed = bytes.contains(0)
        return try bytes.split(separator: isZeroed ? 0 : 10).compactMap { name in
            // Lists from elsewhere may have ends of lines of another kind.
            let name = !isZeroed && name.last == 13 ? name.dropLast() : name
            guard !name.isEmpty else { return nil }
            guard name.count <= Self.nameByteLimit else {
                throw SignetError(
                    .malformedInput, file: listFile,
                    "a name of \(name.count) bytes, at most \(Self.nameByteLimit) are possible")
            }
            return SystemPath.text(Array(name))
        }
    }

    /// PATH_MAX.
    private static let nameByteLimit = 4096
}

extension [UInt8] {
    /// Without the byte order mark that some editors put before a text.
    fileprivate var trimmingMark: ArraySlice<UInt8> {
        starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
    }
}
