/// Limits for evidence records from any source.
package enum EvidenceRecordLimits {
    /// A record for one file has a few kilobytes per timestamp, and 34 bytes for each hash.
    package static let byteCount = 33_554_432
    package static let chainCount = 32
    package static let timestampCount = 128
    package static let listCount = 256
    /// Maximum number of hashes in one list, and of files of one group.
    package static let hashCount = 950_000
    static let recordCount = 8
    /// Maximum size in bytes of a data object that is also hashed in canonical form.
    package static let canonicalByteCount = 16 << 20
}
