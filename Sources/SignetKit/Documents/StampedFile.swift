import CryptoBridge
import TimestampKit

/// What time-stamping a file did.
public struct StampedFile: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.timestamp/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// Where the result is: a path, `-` for standard output, or the name of a destination in
    /// memory.
    public let output: String
    /// Of a PDF: the signature field that holds the timestamp.
    public let field: String?
    /// The hash algorithm: `sha256`.
    public let digest: String
    /// What the authority answered.
    public let timestamp: TimestampReceipt
    /// What a person should know although nothing failed, a sentence each.
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
