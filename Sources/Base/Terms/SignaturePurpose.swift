/// What a signature's value is for.
public enum SignaturePurpose: String, Sendable, CaseIterable, Codable {
    /// Somebody's.
    case signature
    /// An authority's, over the time (RFC 3161).
    case timestamp
}
