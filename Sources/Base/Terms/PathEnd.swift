/// The trust anchor at the end of a certificate chain.
public enum PathEnd: String, Codable, Sendable {
    /// The certificate of a CA above this certificate.
    case authority
    /// The certificate itself; no CA above it was checked.
    case certificate
}
