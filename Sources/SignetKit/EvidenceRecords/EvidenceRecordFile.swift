internal import Base
import Containers
import CryptoBridge
import SystemBridge
import TimestampKit

/// Files with evidence records (RFC 4998, RFC 6283), and the files that they cover.
enum EvidenceRecordFile {
    static let suffix = ".ers"
    /// Suffixes of names; the content of a file with one must be a record.
    static let suffixes = [suffix, ".er"]

    /// Suffixes of timestamps, which become records when they are renewed.
    private static let timestampSuffixes = [".tsr", ".tst"]

    /// Reads DER, BER or XML.
    static func read(_ file: InputFile) throws -> EvidenceRecord {
        do {
            return try read(bytes(of: file))
        } catch let error as ContainerError {
            throw SignetError(
                .malformedInput, file: file.path,
                "the evidence record cannot be read: \(error.detail)")
        }
    }

    static func read(_ bytes: [UInt8]) throws -> EvidenceRecord {
        guard bytes.first == ASN1Tag.sequence else { return try XMLEvidenceRecord.read(bytes) }
        return try EvidenceRecord(bytes)
    }

    /// Reads a record, or a timestamp (.tsr) as a record with one timestamp and no hash tree.
    static func read(renewing file: InputFile) throws -> EvidenceRecord {
        guard try FileKind(of: file) == .timestamp else {
            let record = try read(file)
            guard record.xml == nil else {
                throw SignetError(
                    .usage, file: file.path,
                    "an evidence record in XML (RFC 6283) is verified, but not renewed")
            }
            return record
        }
        guard let token = try TimestampInput.reply(in: file).token,
            let digest = token.info.messageImprint.digest
        else {
            throw SignetError(
                .malformedInput, file: file.path,
                "the file contains no timestamp with a known hash algorithm")
        }
        return EvidenceRecord(ArchiveTimestamp(token, digest: digest, tree: nil), digest: digest)
    }

    private static func bytes(of file: InputFile) throws -> [UInt8] {
        let bytes = try FileSystem.readAll(file, limit: EvidenceRecordLimits.byteCount)
        guard bytes.first == ASN1Tag.sequence || XMLEvidenceRecord.isRecord(bytes) else {
            throw SignetError(
                .malformedInput, file: file.path,
                "the file is not an evidence record (RFC 4998, RFC 6283)",
                hint: Sentence(.giveRecord))
        }
        return bytes
    }

    /// Whether the file is a record in XML, or a readable one in DER or BER.
    static func isRecord(_ file: InputFile) -> Bool {
        guard let bytes = try? bytes(of: file) else { return false }
        return bytes.first != ASN1Tag.sequence || (try? EvidenceRecord(bytes)) != nil
    }

    static func isNamed(_ path: String) -> Bool {
        suffixes.contains { FileSystem.without(ending: $0, path) != nil }
    }

    /// Whether a file that begins with `head` may be a record. The whole file must be read to
    /// decide.
    static func mayBe(head: [UInt8]) -> Bool {
        if FoundFile(head: head)?.isXMLRecord == true { return true }
        guard head.first == ASN1Tag.sequence, let start = ASN1Node.headByteCount(in: head) else {
            return false
        }
        return head.dropFirst(start).starts(with: DERWriter.integer(1) + [ASN1Tag.sequence])
    }

    /// The files that a record is to cover: the given files and those in given folders. Without any
    /// of them, the file or folder next to the record, with its name without the suffix.
    static func objects(of record: InputSource, _ contents: [String]) throws -> [String] {
        let path = record.path.flatMap { path in
            (suffixes + timestampSuffixes).lazy.compactMap {
                FileSystem.without(ending: $0, path)
            }.first
        }.map { path in
            guard !FileSystem.exists(path) else { return path }
            return FileSystem.without(ending: CompanionFile.extended, path) ?? path
        }
        guard contents.isEmpty else {
            return try contents.flatMap { content in
                guard FileSystem.isDirectory(content) else { return [content] }
                let own = path.map { FileSystem.joined(content, FileSystem.name(of: $0)) }
                return try files(in: own.flatMap { FileSystem.exists($0) ? $0 : nil } ?? content)
            }
        }
        guard let path, FileSystem.exists(path) else { return [] }
        return try files(in: path)
    }

    /// A file, or the regular files in a folder without its subfolders, by name: those of a group
    /// of ``TimestampTree``.
    private static func files(in path: String) throws -> [String] {
        guard FileSystem.isDirectory(path) else { return [path] }
        return try reading(path) {
            try FileSystem.list(path).map { FileSystem.joined(path, $0) }
                .filter { FileSystem.isRegularFile($0) && !isNamed($0) }
        }
    }

    /// The data object in a file, hashed with each of the algorithms in one pass.
    ///
    /// - Parameter record: a record in XML also covers canonical forms; nil for none.
    static func object(
        _ path: String, _ digests: Set<DigestAlgorithm>, of record: EvidenceRecord? = nil
    ) throws -> EvidencedObject {
        try reading(path) {
            let file = try InputFile(path: path)
            var hashes: [DigestAlgorithm: [[UInt8]]] = [:]
            let ambiguous = try NodeForm.ambiguous(digests) { inspect in
                hashes = try HashOptions.digests(digests, of: file, alongside: inspect)
                    .mapValues { [$0] }
            }
            var object = EvidencedObject(name: path, hashes: hashes, ambiguous: ambiguous)
            if let record, record.xml != nil {
                let count = min(file.byteCount, EvidenceRecordLimits.canonicalByteCount + 1)
                object.forms = try record.canonicalHashes(
                    of: file.bytes(at: 0, count: count), named: path)
            }
            return object
        }
    }

    /// The data object with given hashes: `sha256:HEX`, several algorithms separated by commas.
    static func object(hashes text: String) throws(SignetError) -> EvidencedObject {
        var hashes: [DigestAlgorithm: [[UInt8]]] = [:]
        for item in text.split(separator: ",") {
            let parts = item.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let digest = DigestAlgorithm(name: String(parts[0])),
                let hash = Hex.decode(parts[1].utf8), hash.count == digest.byteCount
            else {
                throw SignetError(
                    .usage, "'\(item)' is not a hash with its algorithm",
                    hint: Sentence(.writeHash))
            }
            hashes[digest] = [hash]
        }
        return EvidencedObject(
            name: "the object with the given hash", hashes: hashes, ambiguous: nil)
    }
}
