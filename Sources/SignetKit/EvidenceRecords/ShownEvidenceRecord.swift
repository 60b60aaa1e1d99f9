public import Base
import CMSKit
import CryptoBridge
import TimestampKit

/// The description of an evidence record (RFC 4998, RFC 6283). Nothing is verified.
public struct ShownEvidenceRecord: Encodable, Sendable {
    /// One archive timestamp.
    public struct Stamp: Encodable, Sendable {
        /// Number of its chain, from 1.
        public let chain: Int
        /// Algorithm of the hash tree, such as `sha256`, or a dotted OID; nil if unknown.
        @Nullable public private(set) var digest: String?
        /// The lists of hashes from the data objects to the root, with their lengths; empty without
        /// a hash tree.
        public let lists: [Int]
        /// The time of the timestamp (genTime); nil if the timestamp is unreadable.
        @Nullable public private(set) var time: Moment?
        /// The subject of the TSA certificate if the token contains it.
        @Nullable public private(set) var authority: String?
        /// Time until which the timestamp proves existence; nil if unknown.
        @Nullable public private(set) var renewBefore: Moment?
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.evidence-record/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Digest algorithms listed in the record.
    public let digests: [String]
    /// Whether the data objects were encrypted before they were hashed (RFC 4998 §6).
    public let encrypted: Bool
    /// Archive timestamps, oldest first.
    public let timestamps: [Stamp]

    init(_ record: EvidenceRecord, file: String) {
        self.file = file
        digests = record.algorithms.map {
            DigestAlgorithm(oid: $0.oid)?.rawValue ?? $0.oid.description
        }
        encrypted = record.isOverEncryptedData
        timestamps = record.chains.enumerated().flatMap { chain, members in
            members.map { stamp in
                Stamp(
                    chain: chain + 1,
                    digest: stamp.digest?.rawValue ?? stamp.digestAlgorithm?.oid.description,
                    lists: stamp.tree?.map(\.count) ?? [], time: stamp.token?.info.genTime,
                    authority: stamp.token.flatMap { try? $0.authority() }?.subject.description,
                    renewBefore: stamp.end?.moment)
            }
        }
    }
}
