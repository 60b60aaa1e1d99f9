/// One request for certificates or for what is known of their revocation.
public struct EvidenceRequest: Encodable, Sendable {
    enum Kind: String { case list = "crl", response = "ocsp", issuers = "certificate" }

    /// Where it was asked for.
    public let url: String
    /// `ocsp`, `crl` or `certificate`.
    public let kind: String
    /// How long it took.
    public internal(set) var ms = 0
    /// Of the answer.
    public internal(set) var bytes = 0
    /// Of the answer (RFC 9110 §15); nil where none came.
    public internal(set) var status: Int?
}
