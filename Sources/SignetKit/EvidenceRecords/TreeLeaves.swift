internal import Base
import CryptoBridge
import SystemBridge

/// The hashes of the files of one hash tree, with the names of their records.
///
/// As a file it has a line `signet.tree/1 ALGORITHM`, then a line `HEX  NAME` for each file. The
/// name of a file in a group is `GROUP//FILE`.
public struct TreeLeaves: Sendable {
    let digest: DigestAlgorithm
    /// The name of each file relative to the output folder, without a suffix.
    public private(set) var names: [String] = []
    /// The hashes without gaps, in the order of the names.
    private(set) var hashes: [UInt8] = []

    private static let title = "signet.tree/1 "
    private static let groupMark = "//"
    /// Maximum size of a file in bytes: ten million leaves.
    private static let byteLimit = 2 << 30

    /// - Parameter digest: nil uses SHA-256, which every TSA supports.
    public init(digest: SigningOptions.Digest? = nil) {
        self.digest = digest?.algorithm ?? .sha256
    }

    private init(_ digest: DigestAlgorithm) { self.digest = digest }

    /// The name of an input in a tree.
    ///
    /// - Parameter isGrouped: whether the files in one folder belong together.
    /// - Throws: ``SignetError``: `usage` for a name with a line break.
    public static func name(
        of input: BatchSelection.Input, isGrouped: Bool
    ) throws(SignetError) -> String {
        let file = FileSystem.name(of: input.path)
        guard !input.path.utf8.contains(0x0A) else {
            throw SignetError(
                .usage, file: input.path, "the file name contains a line break",
                hint: Sentence(.renameFile))
        }
        guard isGrouped else {
            return input.subfolder.isEmpty ? file : FileSystem.joined(input.subfolder, file)
        }
        let group =
            input.subfolder.isEmpty
            ? FileSystem.name(of: FileSystem.folder(of: FileSystem.absolute(input.path)))
            : input.subfolder
        return group + groupMark + file
    }

    /// The name of the record that contains a file: its group, or the file itself.
    public static func record(of name: String) -> String {
        name.firstRange(of: groupMark).map { String(name[..<$0.lowerBound]) } ?? name
    }

    /// Adds a file.
    ///
    /// - Parameter hash: a hash with the tree's algorithm.
    mutating func add(_ name: String, _ hash: [UInt8]) {
        names.append(name)
        hashes += hash
    }

    /// Adds a file that was hashed by ``hash(_:)``.
    public mutating func add(_ name: String, _ leaf: Leaf) { add(name, leaf.hash) }

    /// The hash of one file.
    public struct Leaf: Sendable {
        let hash: [UInt8]
    }

    /// Hashes a file.
    ///
    /// - Throws: ``SignetError`` if it cannot be read.
    public func hash(_ path: String) throws -> Leaf {
        Leaf(hash: try HashOptions.digest(digest, of: .file(path)))
    }

    /// Whether a file still has its hash in the list.
    public func matches(_ leaf: Leaf, at index: Int) -> Bool { hash(at: index) == leaf.hash }

    func hash(at index: Int) -> [UInt8] {
        Array(hashes[index * digest.byteCount..<(index + 1) * digest.byteCount])
    }

    /// Reads lists of leaves and joins them.
    ///
    /// - Throws: ``SignetError`` if one cannot be read, or they use different algorithms.
    public init(joining paths: [String]) throws {
        let lists = try paths.map { try TreeLeaves(reading: $0) }
        guard let first = lists.first else {
            throw SignetError(.missingInput, "no list of leaves is given")
        }
        self = first
        for (list, path) in zip(lists, paths).dropFirst() {
            guard list.digest == digest else {
                throw SignetError(
                    .malformedInput, file: path,
                    "the list uses \(list.digest.displayName), the first one uses "
                        + digest.displayName)
            }
            names += list.names
            hashes += list.hashes
        }
        guard Set(names.map { ExactText($0) }).count == names.count else {
            throw SignetError(
                .malformedInput, file: paths[0], "a file is in the lists twice",
                hint: Sentence(.joinEachOnce))
        }
    }

    init(reading path: String) throws {
        let bytes = try reading(path) { try FileSystem.readAll(path, limit: Self.byteLimit) }
        var lines = bytes.split(separator: 0x0A).makeIterator()
        let title = lines.next().map { SystemPath.text(Array($0)) } ?? ""
        guard title.hasPrefix(Self.title),
            let digest = DigestAlgorithm(name: String(title.dropFirst(Self.title.count)))
        else {
            throw SignetError(
                .malformedInput, file: path, "the file is not a list of leaves",
                hint: Sentence(.makeLeaves))
        }
        self.init(digest)
        while let line = lines.next() {
            let digits = line.prefix(2 * digest.byteCount)
            let name = SystemPath.text(Array(line.dropFirst(2 * digest.byteCount + 2)))
            guard let hash = Hex.decode(digits), hash.count == digest.byteCount,
                Self.isSafe(name)
            else {
                throw SignetError(
                    .malformedInput, file: path,
                    "line \(names.count + 2) is not a hash and a relative name")
            }
            add(name, hash)
        }
        guard !names.isEmpty else {
            throw SignetError(.malformedInput, file: path, "the list of leaves is empty")
        }
    }

    /// Whether a name stays inside the output folder.
    private static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix("/") && !name.contains("\0")
            && !name.split(separator: "/").contains { $0 == ".." || $0 == "." }
    }

    /// Writes the list to a file that appears only when it is complete.
    ///
    /// - Throws: ``SignetError``.
    public func write(to destination: Destination) throws {
        let output = try destination.output()
        try writing(destination.path) {
            var part = Array((Self.title + digest.rawValue + "\n").utf8)
            for index in names.indices {
                part += Hex.digits(of: hash(at: index)) + [0x20, 0x20]
                part += SystemPath.bytes(names[index]) + [0x0A]
                if part.count > Self.partByteCount {
                    try output.write(part)
                    part = []
                }
            }
            try output.write(part)
            try output.commit()
        }
    }

    private static let partByteCount = 1 << 20
}
