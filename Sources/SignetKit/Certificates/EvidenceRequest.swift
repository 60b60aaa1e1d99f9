/// One network request for certificates or revocation data.
public struct EvidenceRequest: Encodable, Sendable {
    enum Kind: String { case list = "crl", response = "ocsp", issuers = "certificate" }

    /// The URL of the request.
    public let url: String
    /// Kind of request: `ocsp`, `crl` or `certificate`.
    public let kind: String
    /// Duration in milliseconds.
    public internal(set) var ms = 0
    /// Size of the response in bytes.
    public internal(set) var bytes = 0
    /// HTTP status of the response (RFC 9110 §15); nil without a response.
    public internal(set) var status: Int?
}
