public import Base
import CryptoBridge
import TimestampKit

/// The result of timestamping a file.
public struct StampedFile: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.timestamp/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Output: a path, `-` for standard output, or the name given to a destination in memory.
    public let output: String
    /// Signature field with the timestamp in a PDF; nil for other files.
    public let field: String?
    /// Digest algorithm, such as `sha256`.
    public let digest: String
    /// The TSA's timestamp.
    public let timestamp: TimestampReceipt
    /// Warnings after success, one sentence each.
    public internal(set) var warnings: [Sentence]

    init(
        file: String, output: String, field: String? = nil, digest: DigestAlgorithm,
        stamp: ObtainedTimestamp, warnings: [Sentence] = []
    ) {
        self.file = file
        self.output = output
        self.field = field
        self.digest = digest.rawValue
        timestamp = TimestampReceipt(stamp)
        self.warnings = warnings + (field == nil ? stamp.adviceForFile : stamp.advice)
    }

    /// One-line summary: `at 2026-11-21 10:00:00 UTC by https://tsa.example (Timestamp1, sha256)`.
    public var summary: String {
        let place = field.map { "\($0), " } ?? ""
        return "at \(timestamp.time.text) by \(timestamp.server) (\(place)\(digest))"
    }
}
