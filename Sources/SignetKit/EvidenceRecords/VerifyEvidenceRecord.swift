public import Base
import CryptoBridge
import SystemBridge
import TimestampKit

/// Verifies evidence records (RFC 4998, RFC 6283) with one set of trust anchors.
public struct VerifyEvidenceRecord: Sendable {
    private let timestamps: VerifyTimestamp
    /// Whether the result contains the hash of the record, for a report.
    public var keepsHash = false

    /// - Throws: ``SignetError`` if a file in the options cannot be read.
    public init(_ options: VerificationOptions = VerificationOptions()) throws {
        self.init(try VerifyTimestamp(options))
    }

    /// Verifies with the trust anchors of `timestamps`, whose files are not read again.
    package init(_ timestamps: VerifyTimestamp) {
        self.timestamps = timestamps
        keepsHash = timestamps.keepsHash
    }

    /// Verifies a record. An invalid record is a result, and so is a missing data object.
    ///
    /// - Parameters:
    ///   - source: the record: DER, BER or XML.
    ///   - contents: files and folders that the record is to cover, all of them together. Empty,
    ///     without hashes, uses the file or folder next to the record with its name without the
    ///     suffix.
    ///   - hashes: hashes of further objects: `sha256:HEX`, of several algorithms separated by
    ///     commas.
    /// - Throws: ``SignetError`` for unreadable input.
    public func run(
        _ source: InputSource, contents: [String] = [], hashes: [String] = []
    ) throws -> VerifiedDocument {
        let input = source.name
        timestamps.beginFile()
        let file = try reading(input) { try source.open() }
        let record = try reading(input) { try EvidenceRecordFile.read(file) }
        let given = try hashes.map { try EvidenceRecordFile.object(hashes: $0) }
        let paths =
            contents.isEmpty && !given.isEmpty
            ? [] : try EvidenceRecordFile.objects(of: source, contents)
        let objects =
            try paths.map { try EvidenceRecordFile.object($0, record.objectDigests, of: record) }
            + given
        let check = try reading(input) {
            try EvidenceRecordVerifier(timestamps.verifier).verify(record, objects)
        }
        let name = objects.count > 1 ? "\(objects.count) files" : objects.first?.name
        let signatures = try check.signatures(named: "", content: name, timestamps)
        var document = VerifiedDocument(
            file: input, verdict: VerifiedDocument.Verdict(check.verdict), signatures: signatures,
            warnings: timestamps.trust.warnings)
        document = try timestamps.trust.described(document, isReported: keepsHash)
        document.evidenceRecord = VerifiedEvidenceRecord(record, check, objects)
        document.certificates = record.certificates
        if keepsHash {
            document.content = try reading(input) {
                (try FileHash.sha256(of: file), file.byteCount)
            }
        }
        return document
    }
}

/// What an evidence record covers, in the structure of the JSON output.
public struct VerifiedEvidenceRecord: Encodable, Sendable {
    /// A data object that was given.
    public struct Object: Encodable, Sendable {
        /// Path of the file, or a name for a given hash.
        public let file: String
        /// Whether every chain covers the object; nil if that could not be determined.
        @Nullable public private(set) var covered: Bool?
    }

    /// Number of chains: one more than the number of renewed hash trees.
    public let chains: Int
    /// Number of archive timestamps.
    public let timestamps: Int
    /// Algorithms of the hash trees, oldest first.
    public let digests: [String]
    /// Number of given objects.
    public let objectCount: Int
    /// The given objects, those that are not covered first; at most 1000.
    public let objects: [Object]
    /// Number of hashes in the first list of the oldest timestamp: the objects of a group, or an
    /// object and its neighbors in the tree.
    public let firstHashes: Int

    /// Maximum number of objects included.
    private static let objectLimit = 1000

    init(_ record: EvidenceRecord, _ check: EvidenceRecordCheck, _ objects: [EvidencedObject]) {
        chains = record.chains.count
        timestamps = record.timestamps.count
        digests = record.chains.compactMap { $0.first?.digest?.rawValue }
        objectCount = objects.count
        let all = zip(objects, check.coverage).map { Object(file: $0.name, covered: $1) }
        self.objects = Array(
            (all.filter { $0.covered != true } + all.filter { $0.covered == true })
                .prefix(Self.objectLimit))
        firstHashes = check.firstHashCount
    }
}

extension EvidenceRecordCheck {
    /// The results for the archive timestamps, in the structure of signatures.
    ///
    /// - Parameters:
    ///   - prefix: name of the record if a file contains several.
    ///   - content: name of the covered object.
    func signatures(
        named prefix: String, content: String?, _ timestamps: VerifyTimestamp
    ) throws -> [VerifiedSignature] {
        try stamps.enumerated().map { index, stamp in
            let (chain, number) = stamp.place
            // Further timestamps of a chain cover only the one before (RFC 4998 §5.2).
            let covered =
                number == 1 ? content : "\(prefix)archive timestamp \(chain).\(number - 1)"
            var result = try timestamps.result(
                for: stamp.check, named: "\(prefix)archive timestamp \(chain).\(number)",
                contentFile: covered)
            result.intact = stamp.check.isIntact && stamp.covers
            if index == 0, verdict == .passed {
                result.provenTime = stamp.check.info?.provenTime.moment
            }
            return result
        }
    }
}
