/// Purpose of a signature value.
public enum SignaturePurpose: String, Sendable, CaseIterable, Codable {
    /// A signature of a person or organization.
    case signature
    /// A timestamp of a time-stamping authority (RFC 3161).
    case timestamp
}
