internal import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TimestampKit

/// Timestamps many files with one request: an evidence record for each file or group of files, or
/// one for all (RFC 4998 §4.2).
///
/// The output folder keeps the list of leaves and the timestamp until all records are written, so
/// that an interrupted run continues without another request.
public struct TimestampTree: Sendable {
    private let folder: String
    private let leaves: TreeLeaves
    private let tree: HashTree
    private let token: TimestampToken
    /// The TSA's timestamp.
    public let receipt: TimestampReceipt
    /// Warnings about the timestamp.
    public private(set) var warnings: [Sentence] = []
    /// The offsets of the lines of each record, in the order of their first lines; nil if each file
    /// has a record of its own.
    private let groups: [[Int]]?

    private static let leavesName = ".signet-tree.leaves"
    private static let tokenName = ".signet-tree.tst"
    private static func leavesPath(_ folder: String) -> String {
        FileSystem.joined(folder, leavesName)
    }
    private static func tokenPath(_ folder: String) -> String {
        FileSystem.joined(folder, tokenName)
    }

    /// The digest algorithm of the tree, such as `sha256`.
    public var digest: String { leaves.digest.rawValue }

    /// The number of parts in which the records are written.
    public var partCount: Int {
        guard let groups else { return leaves.blocks.count }
        return (groups.count + TreeLeaves.blockCount - 1) / TreeLeaves.blockCount
    }

    /// The leaves of an interrupted run that has its timestamp; nil without one.
    ///
    /// - Parameter folder: the output folder.
    /// - Throws: ``SignetError`` if they cannot be read.
    public static func interrupted(in folder: String) throws -> TreeLeaves? {
        guard FileSystem.exists(tokenPath(folder)) else { return nil }
        let path = leavesPath(folder)
        return try TreeLeaves(reading(path) { try InputFile(outputOf: path) })
    }

    /// The destination of the leaves of a run.
    public static func leaves(in folder: String) -> Destination {
        Destination(path: leavesPath(folder), replacesExisting: true, makesFolder: true)
    }

    /// Continues an interrupted run.
    ///
    /// - Throws: ``SignetError`` if its timestamp is for other leaves.
    public init(continuing leaves: TreeLeaves, in folder: String, isSingle: Bool) throws {
        let path = Self.tokenPath(folder)
        let bytes = try reading(path) {
            try FileSystem.readAll(path, limit: 2 * TimestampLimits.replyByteCount)
        }
        let line = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
        let facts = SystemPath.text(Array(bytes[..<line])).split(separator: " ", maxSplits: 1)
        let token = try reading(path) {
            try TimestampToken(attributeValue: Array(bytes[line...].dropFirst()))
        }
        self.init(
            leaves, try Self.tree(of: leaves, isSingle: isSingle), token, folder,
            TimestampReceipt(
                token.info, server: facts.last.map(String.init) ?? "",
                isTrusted: facts.first == "trusted"))
        guard token.info.messageImprint.hashedMessage == tree.root,
            token.info.messageImprint.digest == leaves.digest
        else {
            throw SignetError(
                .malformedInput, file: path,
                "the timestamp of the interrupted run is for other files or options",
                hint: Sentence(.useOtherFolder))
        }
    }

    /// Requests the timestamp.
    ///
    /// - Parameters:
    ///   - leaves: the list in the output folder.
    ///   - isSingle: whether one record covers all files.
    /// - Throws: ``SignetError``.
    public init(
        _ leaves: TreeLeaves, _ timestamps: TimestampAuthorities, in folder: String, isSingle: Bool
    ) throws {
        let made = try Self.tree(of: leaves, isSingle: isSingle)
        let stamp = try reading(folder) {
            try timestamps.stamp(hash: made.tree.root, digest: leaves.digest)
        }
        let path = Self.tokenPath(folder)
        let output = try Destination(path: path, replacesExisting: true).output()
        let facts = "\(stamp.isTrusted ? "trusted" : "untrusted") \(stamp.server)\n"
        try writing(path) {
            try output.write(Array(facts.utf8) + stamp.token.encoded)
            try output.commit()
        }
        self.init(leaves, made, stamp.token, folder, TimestampReceipt(stamp))
        warnings = stamp.adviceForFile
    }

    private init(
        _ leaves: TreeLeaves, _ made: (tree: HashTree, groups: [[Int]]?),
        _ token: TimestampToken, _ folder: String, _ receipt: TimestampReceipt
    ) {
        self.leaves = leaves
        self.token = token
        self.folder = folder
        self.receipt = receipt
        (tree, groups) = made
    }

    private static func tree(
        of leaves: TreeLeaves, isSingle: Bool
    ) throws -> (tree: HashTree, groups: [[Int]]?) {
        let digest = leaves.digest
        guard isSingle || leaves.isGrouped else {
            return (try HashTree(leaves: leaves.hashes(), digest), nil)
        }
        var known: [ExactText: Int] = [:]
        var groups: [(members: [Int], hashes: [UInt8])] = []
        try leaves.forEach { line in
            // A file without a group may have the name of one.
            let group = TreeLeaves.group(of: line.name).map { $0 + "//" }
            let key = ExactText(isSingle ? "" : group ?? line.name)
            let place = known[key] ?? groups.count
            if place == groups.count {
                known[key] = place
                groups.append(([], []))
            }
            groups[place].members.append(line.offset)
            groups[place].hashes += line.hash
        }
        let hashes = try groups.flatMap { group in
            guard group.members.count <= EvidenceRecordLimits.hashCount else {
                throw SignetError(
                    .usage,
                    "a group of \(group.members.count) files is too large: the limit is "
                        + "\(EvidenceRecordLimits.hashCount)")
            }
            let parts = stride(from: 0, to: group.hashes.count, by: digest.byteCount).map {
                Array(group.hashes[$0..<$0 + digest.byteCount])
            }
            return try ReducedHashTree.node(of: distinct(parts), digest)
        }
        let members = groups.map(\.members)
        return (try HashTree(leaves: hashes, digest), members)
    }

    /// The different hashes of the files of a record: equal files count once.
    private static func distinct(_ hashes: [[UInt8]]) -> [[UInt8]] {
        hashes.count > 1 ? Array(Set(hashes)) : hashes
    }

    // MARK: Records

    /// One written or existing record.
    public struct Record: Sendable {
        /// Path of the record.
        public let output: String
        /// Number of files that it covers.
        public let fileCount: Int
        /// Name of the file or group.
        public let name: String
        /// Whether an earlier run wrote it.
        public let wasThere: Bool
    }

    /// The path of the record with this name.
    ///
    /// - Parameter single: path of the only record; nil for many.
    public static func path(ofRecord name: String, in folder: String, single: String?) -> String {
        single ?? FileSystem.joined(folder, name + EvidenceRecordFile.suffix)
    }

    /// The path of the record that contains a file.
    public static func path(of file: String, in folder: String, single: String?) -> String {
        path(ofRecord: TreeLeaves.record(of: file), in: folder, single: single)
    }

    /// Writes records, synced together.
    ///
    /// - Parameters:
    ///   - part: number of the part, from 0.
    ///   - isConfirmed: whether the file with its line at an offset may have a record: it is
    ///     unchanged.
    ///   - single: path of the only record; nil for many.
    /// - Returns: the records, or the errors of those that cannot be written.
    /// - Throws: ``SignetError``; no record of the part is then new.
    public func write(
        part: Int, isConfirmed: (Int) -> Bool, single: String?, replacing: Bool
    ) throws -> [Result<Record, SignetError>] {
        var outputs: [AtomicOutput] = []
        var written: [Result<Record, SignetError>] = []
        for members in try records(ofPart: part)
        where members.allSatisfy({ isConfirmed($0.offset) }) {
            let name = TreeLeaves.record(of: members[0].name)
            let path = Self.path(ofRecord: name, in: folder, single: single)
            let bytes = try record(of: members)
            let isThere =
                FileSystem.exists(path)
                && (try? FileSystem.readAll(InputFile(outputOf: path), limit: bytes.count)) == bytes
            do {
                if !isThere {
                    let output = try Destination(
                        path: path, replacesExisting: replacing, makesFolder: single == nil
                    ).output()
                    try writing(path) { try output.write(bytes) }
                    outputs.append(output)
                }
                written.append(
                    .success(
                        Record(
                            output: path, fileCount: members.count, name: name, wasThere: isThere)))
            } catch {
                written.append(.failure(SignetError(unforeseen: error)))
            }
        }
        if !outputs.isEmpty {
            try writing(folder) { try AtomicOutput.commit(outputs, syncingTogether: true) }
        }
        return written
    }

    private func records(ofPart part: Int) throws -> [[TreeLeaves.Line]] {
        guard let groups else { return try leaves.lines(ofBlock: part).map { [$0] } }
        return try groups.dropFirst(part * TreeLeaves.blockCount).prefix(TreeLeaves.blockCount)
            .map { try $0.map { try leaves.line(at: $0) } }
    }

    private func record(of members: [TreeLeaves.Line]) throws -> [UInt8] {
        let hashes = Self.distinct(members.map(\.hash))
        let leaf = try ReducedHashTree.node(of: hashes, leaves.digest)
        guard let lists = tree.reduced(to: leaf, group: hashes.count > 1 ? hashes : []) else {
            throw SignetError(.internalFailure, "a file is missing in the hash tree")
        }
        let stamp = ArchiveTimestamp(token, digest: leaves.digest, tree: lists)
        return EvidenceRecord(stamp, digest: leaves.digest).encoded
    }

    /// Removes the list of leaves and the timestamp, after all records were written.
    public func finish() throws {
        try writing(folder) {
            try FileSystem.removeFile(Self.tokenPath(folder))
            try FileSystem.removeFile(Self.leavesPath(folder))
        }
    }
}

/// The hashes of the files that an existing evidence record covers.
public struct RecordedHashes: Sendable {
    private let digest: DigestAlgorithm
    private let hashes: Set<[UInt8]>

    /// - Returns: nil if the file is not a readable evidence record.
    public init?(ofRecord path: String) {
        guard let record = try? EvidenceRecordFile.read(InputFile(outputOf: path)),
            let first = record.chains.first?.first, let digest = first.digest
        else { return nil }
        self.digest = digest
        hashes = first.listed
    }

    /// Whether the record covers a file as it is now.
    ///
    /// - Throws: ``SignetError`` if the file cannot be read.
    public func cover(_ path: String) throws -> Bool {
        try hashes.contains(HashOptions.digest(digest, of: .file(path)))
    }
}
