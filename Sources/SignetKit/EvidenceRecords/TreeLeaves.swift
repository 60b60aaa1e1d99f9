package import Base
package import CryptoBridge
import SystemBridge

/// A list of the files of one hash tree, with their hashes and the names of their records.
///
/// As a file it has a line `signet.tree/1 ALGORITHM`, then a line `HEX  NAME` for each file. The
/// name of a file in a group is `GROUP//FILE`. The lines stay in the file: memory holds one number
/// for each block of them.
public struct TreeLeaves: Sendable {
    let digest: DigestAlgorithm
    private let file: InputFile
    /// The number of files.
    public let count: Int
    /// Whether any file is in a group.
    let isGrouped: Bool
    /// The offset of the first line of each block.
    let blocks: [Int]

    /// Number of lines in a block.
    static let blockCount = 256
    fileprivate static let title = "signet.tree/1 "
    private static let groupMark = "//"
    /// Maximum size of a file in bytes: ten million leaves.
    private static let byteLimit = 2 << 30
    /// Maximum size of a line in bytes: a hash and a path (PATH_MAX).
    private static let lineByteLimit = 2 * 64 + 2 + 4096

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
    public static func record(of name: String) -> String { group(of: name) ?? name }

    /// The group of a file; nil for a file with a record of its own.
    static func group(of name: String) -> String? {
        let (bytes, slash) = (name.utf8, UInt8(ascii: "/"))
        var rest = bytes[...]
        while let end = rest.firstIndex(of: slash) {
            rest = rest[bytes.index(after: end)...]
            if rest.first == slash { return String(name[..<end]) }
        }
        return nil
    }

    /// The line of a file.
    struct Line: Sendable {
        let offset: Int
        let hash: [UInt8]
        let name: String
        /// The bytes of the line, with its end.
        let bytes: [UInt8]

        /// - Returns: nil unless it is a hash and a name that stays inside the output folder.
        fileprivate init?(_ line: [UInt8], at offset: Int, _ digest: DigestAlgorithm) {
            let digits = 2 * digest.byteCount
            let (name, slash) = (line.dropFirst(digits + 2), UInt8(ascii: "/"))
            guard let hash = Hex.decode(line.prefix(digits)), hash.count == digest.byteCount,
                line.count < lineByteLimit, let first = name.first, first != slash,
                !name.contains(0),
                !name.split(separator: slash).contains(where: {
                    $0 == [0x2E] || $0 == [0x2E, 0x2E]
                })
            else { return nil }
            self.offset = offset
            self.hash = hash
            self.name = SystemPath.text(Array(name))
            bytes = line + [0x0A]
        }
    }

    /// Reads a list.
    ///
    /// - Throws: ``SignetError`` if it is not one.
    init(_ file: InputFile) throws {
        var digest = DigestAlgorithm.sha256
        var (count, isGrouped, blocks) = (0, false, [Int]())
        try Self.read(file) {
            digest = $0
        } line: { line in
            if count.isMultiple(of: Self.blockCount) { blocks.append(line.offset) }
            count += 1
            isGrouped = isGrouped || Self.group(of: line.name) != nil
        }
        (self.digest, self.file, self.count) = (digest, file, count)
        (self.isGrouped, self.blocks) = (isGrouped, blocks)
    }

    /// Passes on the algorithm of a list, and its lines.
    fileprivate static func read(
        _ file: InputFile, title begin: (DigestAlgorithm) throws -> Void,
        line body: (Line) throws -> Void
    ) throws {
        func failure(_ problem: String, hint: Sentence? = nil) -> SignetError {
            SignetError(.malformedInput, file: file.path, problem, hint: hint)
        }
        guard file.byteCount <= byteLimit else {
            throw failure("the file has \(file.byteCount) bytes; the limit is \(byteLimit)")
        }
        var digest: DigestAlgorithm?
        var (offset, number) = (0, 1)
        try reading(file.path) {
            try file.readLines(limit: lineByteLimit) { bytes in
                if let digest {
                    guard let line = Line(bytes, at: offset, digest) else {
                        throw failure("line \(number) is not a hash and a relative name")
                    }
                    try body(line)
                } else {
                    let text = SystemPath.text(bytes)
                    digest =
                        text.hasPrefix(title)
                        ? DigestAlgorithm(name: String(text.dropFirst(title.count))) : nil
                    guard let digest else {
                        throw failure(
                            "the file is not a list of leaves", hint: Sentence(.makeLeaves))
                    }
                    try begin(digest)
                }
                offset += bytes.count + 1
                number += 1
            }
        }
        guard number > 2 else { throw failure("the list of leaves is empty") }
        guard offset == file.byteCount else {
            throw failure("the end of the list of leaves is missing")
        }
    }

    /// Passes the lines to `body` in their order.
    func forEach(_ body: (Line) throws -> Void) throws {
        try Self.read(file, title: { _ in }, line: body)
    }

    /// Reads one line.
    func line(at offset: Int) throws -> Line {
        let bytes = try reading(file.path) {
            try file.bytes(
                at: offset, count: min(Self.lineByteLimit, file.byteCount - offset))
        }
        guard let line = Line(Array(bytes.prefix { $0 != 0x0A }), at: offset, digest) else {
            throw SignetError(
                .malformedInput, file: file.path, "the file was modified during the run")
        }
        return line
    }

    /// Reads the lines of a block.
    func lines(ofBlock block: Int) throws -> [Line] {
        var lines: [Line] = []
        var offset = blocks[block]
        while offset < file.byteCount, lines.count < Self.blockCount {
            lines.append(try line(at: offset))
            offset += lines[lines.count - 1].bytes.count
        }
        return lines
    }

    /// The hashes without gaps, in the order of the lines.
    func hashes() throws -> [UInt8] {
        var hashes: [UInt8] = []
        hashes.reserveCapacity(count * digest.byteCount)
        try forEach { hashes += $0.hash }
        return hashes
    }

    /// The hash of all lines in their order.
    package func linesHash() throws -> [UInt8] {
        let context = try DigestContext(.sha256)
        try forEach { try context.update($0.bytes[...]) }
        return try context.finish()
    }

    // MARK: Files in a list

    /// Hashes a file for a list.
    ///
    /// - Throws: ``SignetError`` if it cannot be read.
    package static func line(
        of input: BatchSelection.Input, isGrouped: Bool, _ digest: DigestAlgorithm
    ) throws -> [UInt8] {
        let hash = try HashOptions.digest(digest, of: .file(input.path))
        return Hex.digits(of: hash) + [0x20, 0x20]
            + SystemPath.bytes(try name(of: input, isGrouped: isGrouped)) + [0x0A]
    }

    /// The files of a list by name, each with the offset of its line.
    package func places() throws -> [ExactText: Int] {
        var places = [ExactText: Int](minimumCapacity: count)
        try forEach { places[ExactText($0.name)] = $0.offset }
        return places
    }

    /// Whether a file still has the hash in its line.
    package func matches(_ path: String, at offset: Int) throws -> Bool {
        try HashOptions.digest(digest, of: .file(path)) == line(at: offset).hash
    }
}

/// Finds names that occur twice, with eight bytes of memory for each name.
package struct RepeatedNames {
    /// The hashes that several names have: usually because a name occurs twice.
    private var doubtful: Set<Int> = []
    private var known: Set<ExactText> = []
    package var isEmpty: Bool { doubtful.isEmpty }

    /// - Parameter hashes: the hash values of all names, as ``ExactText``.
    package init(_ hashes: consuming [Int]) {
        hashes.sort()
        for index in hashes.indices.dropFirst() where hashes[index] == hashes[index - 1] {
            doubtful.insert(hashes[index])
        }
    }

    /// Whether the name was passed before.
    package mutating func isRepeated(_ name: String) -> Bool {
        let name = ExactText(name)
        return doubtful.contains(name.hashValue) && !known.insert(name).inserted
    }
}

/// A list of leaves that appears only when it is complete.
public final class TreeLeavesOutput {
    private let destination: Destination
    package private(set) var digest: DigestAlgorithm
    private var output: AtomicOutput?
    private var part: [UInt8] = []
    package private(set) var count = 0

    private static let partByteCount = 1 << 20

    /// - Parameter digest: nil uses SHA-256, which every TSA supports.
    public init(_ destination: Destination, digest: SigningOptions.Digest? = nil) {
        self.destination = destination
        self.digest = digest?.algorithm ?? .usual
    }

    /// Joins lists.
    ///
    /// - Throws: ``SignetError`` if one cannot be read, they use different algorithms, or a file is
    ///   in them twice.
    public convenience init(joining paths: [String], _ destination: Destination) throws {
        self.init(destination)
        guard !paths.isEmpty else {
            throw SignetError(.missingInput, "no list of leaves is given")
        }
        var hashes: [Int] = []
        for path in paths {
            try TreeLeaves.read(try reading(path) { try InputFile(path: path) }) { found in
                if count == 0 { digest = found }
                guard found == digest else {
                    throw SignetError(
                        .malformedInput, file: path,
                        "the list uses \(found.displayName), the first one uses "
                            + digest.displayName)
                }
            } line: { line in
                hashes.append(ExactText(line.name).hashValue)
                try add(line.bytes)
            }
        }
        var repeated = RepeatedNames(hashes)
        guard !repeated.isEmpty else { return }
        try leaves()?.forEach { line in
            guard !repeated.isRepeated(line.name) else {
                throw SignetError(
                    .malformedInput, file: paths[0],
                    "the file \(line.name.inQuotes) is in the lists twice",
                    hint: Sentence(.joinEachOnce))
            }
        }
    }

    /// Adds a line.
    package func add(_ line: [UInt8]) throws {
        if count == 0 {
            output = try destination.output()
            part = Array((TreeLeaves.title + digest.rawValue + "\n").utf8)
        }
        count += 1
        part += line
        if part.count > Self.partByteCount { try flush() }
    }

    private func flush() throws {
        try writing(destination.path) { try output?.write(part) }
        part.removeAll(keepingCapacity: true)
    }

    /// The list as it is; nil without files.
    package func leaves() throws -> TreeLeaves? {
        try flush()
        return try output.map { output in
            try TreeLeaves(reading(destination.path) { try InputFile(output) })
        }
    }

    /// Makes the list visible. There must be files in it.
    package func commit() throws {
        try flush()
        try writing(destination.path) { try output?.commit() }
    }
}
