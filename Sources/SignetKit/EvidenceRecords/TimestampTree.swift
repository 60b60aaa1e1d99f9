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
    /// The indexes of the leaves of each record, in the order of their first leaves.
    private let records: [(name: String, members: [Int])]

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

    /// The number of records.
    public var recordCount: Int { records.count }

    /// The leaves of an interrupted run that has its timestamp; nil without one.
    ///
    /// - Parameter folder: the output folder.
    /// - Throws: ``SignetError`` if they cannot be read.
    public static func interrupted(in folder: String) throws -> TreeLeaves? {
        guard FileSystem.exists(tokenPath(folder)) else { return nil }
        return try TreeLeaves(reading: leavesPath(folder))
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

    /// Requests the timestamp, after the leaves are written to the output folder.
    ///
    /// - Parameter isSingle: whether one record covers all files.
    /// - Throws: ``SignetError``.
    public init(
        _ leaves: TreeLeaves, _ timestamps: TimestampAuthorities, in folder: String, isSingle: Bool
    ) throws {
        try leaves.write(
            to: Destination(
                path: Self.leavesPath(folder), replacesExisting: true, makesFolder: true))
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
        warnings = stamp.advice
    }

    private init(
        _ leaves: TreeLeaves, _ made: (tree: HashTree, records: [(name: String, members: [Int])]),
        _ token: TimestampToken, _ folder: String, _ receipt: TimestampReceipt
    ) {
        self.leaves = leaves
        self.token = token
        self.folder = folder
        self.receipt = receipt
        (tree, records) = made
    }

    private static func tree(
        of leaves: TreeLeaves, isSingle: Bool
    ) throws -> (tree: HashTree, records: [(name: String, members: [Int])]) {
        var records: [(name: String, members: [Int])] = []
        if isSingle {
            records = [("", Array(leaves.names.indices))]
        } else {
            var known: [ExactText: Int] = [:]
            for (index, name) in leaves.names.enumerated() {
                let record = TreeLeaves.record(of: name)
                // Without a group each file has its own record.
                guard !record.isExactly(name) else {
                    records.append((record, [index]))
                    continue
                }
                if let place = known[ExactText(record)] {
                    records[place].members.append(index)
                } else {
                    known[ExactText(record)] = records.count
                    records.append((record, [index]))
                }
            }
        }
        var hashes: [UInt8] = []
        hashes.reserveCapacity(records.count * leaves.digest.byteCount)
        for record in records {
            guard record.members.count <= EvidenceRecordLimits.hashCount else {
                throw SignetError(
                    .usage,
                    "a group of \(record.members.count) files is too large: the limit is "
                        + "\(EvidenceRecordLimits.hashCount)")
            }
            hashes += try ReducedHashTree.node(
                of: group(record.members, leaves), leaves.digest)
        }
        return (try HashTree(leaves: hashes, leaves.digest), records)
    }

    /// The different hashes of the files of a record: equal files count once.
    private static func group(_ members: [Int], _ leaves: TreeLeaves) -> [[UInt8]] {
        guard members.count > 1 else { return members.map { leaves.hash(at: $0) } }
        return Array(Set(members.map { leaves.hash(at: $0) }))
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
    ///   - range: numbers of records, from 0.
    ///   - isConfirmed: whether a leaf may have a record: its file is unchanged.
    ///   - single: path of the only record; nil for many.
    /// - Returns: the records, or the errors of those that cannot be written.
    /// - Throws: ``SignetError``; no record of the range is then new.
    public func write(
        _ range: Range<Int>, isConfirmed: (Int) -> Bool, single: String?, replacing: Bool
    ) throws -> [Result<Record, SignetError>] {
        var outputs: [AtomicOutput] = []
        var written: [Result<Record, SignetError>] = []
        for (name, members) in records[range] where members.allSatisfy(isConfirmed) {
            let path = Self.path(ofRecord: name, in: folder, single: single)
            let bytes = try record(of: members)
            let isThere =
                FileSystem.exists(path)
                && (try? FileSystem.readAll(path, limit: bytes.count)) == bytes
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

    private func record(of members: [Int]) throws -> [UInt8] {
        let hashes = Self.group(members, leaves)
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
