import CryptoBridge
import TimestampClient

/// What time-stamping a file did.
public struct StampedFile: Encodable, Sendable {
    public let schema = "signet.timestamp/1"
    public let file: String
    public let output: String
    /// Of a PDF: the signature field that holds the timestamp.
    public let field: String?
    public let digest: String
    public let timestamp: TimestampReceipt
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
