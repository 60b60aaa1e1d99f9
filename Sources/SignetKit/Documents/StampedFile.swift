import CryptoBridge
import TimestampKit

/// The result of timestamping a file.
public struct StampedFile: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.timestamp/1"
    /// The input: its path, or its name for an input in memory.
    public let file: String
    /// The output: a path, `-` for standard output, or the name of a destination in memory.
    public let output: String
    /// For a PDF: the signature field with the timestamp.
    public let field: String?
    /// The hash algorithm: `sha256`.
    public let digest: String
    /// The TSA's timestamp.
    public let timestamp: TimestampReceipt
    /// Warnings after success, one sentence each.
    public internal(set) var warnings: [String]

    init(
        file: String, output: String, field: String? = nil, digest: DigestAlgorithm,
        stamp: ObtainedTimestamp, warnings: [String] = []
    ) {
        self.file = file
        self.output = output
        self.field = field
        self.digest = digest.rawValue
        timestamp = TimestampReceipt(stamp)
        self.warnings = warnings + stamp.notes
    }

    /// For people: `2026-11-21T10:00:00Z by https://tsa.example (Timestamp1, sha256)`.
    public var summary: String {
        let place = field.map { "\($0), " } ?? ""
        return "\(timestamp.time) by \(timestamp.server) (\(place)\(digest))"
    }
}
