/// Sends HTTP requests instead of libcurl.
///
/// Only TLS with verified certificates and host names may be used for `https`. Proxies, trust
/// anchors and client certificates are up to the transport.
public protocol HTTPTransport: Sendable {
    /// Sends one request.
    ///
    /// - Returns: the response with any status. Redirects are not followed.
    /// - Throws: any error if there is no whole response.
    func send(_ request: TransportRequest) async throws -> TransportResponse
    /// Sends one request and blocks the thread, never one of Swift concurrency, until the response
    /// is there. The default waits for the function above.
    func sendAndWait(_ request: TransportRequest) throws -> TransportResponse
    /// Whether requests with ``TransportRequest/isPublic`` reach only public addresses, whatever
    /// the name server says. The default is false, and such requests then fail.
    var refusesLocalAddresses: Bool { get }
}

extension HTTPTransport {
    /// The default: false.
    public var refusesLocalAddresses: Bool { false }
}

/// A request for an ``HTTPTransport``.
public struct TransportRequest: Sendable {
    /// An `http` or `https` URL.
    public let url: String
    /// Header fields, besides those of the transport itself. They may contain a password.
    public let headers: [(name: String, value: String)]
    /// The body of a POST; nil for a GET.
    public let body: [UInt8]?
    /// Time limit from the DNS lookup to the last byte.
    public let timeLimit: Duration
    /// Largest body of the response, in bytes. A longer response is an error.
    public let answerByteLimit: Int
    /// Whether the request may only go to public addresses: its URL comes from a document.
    public let isPublic: Bool

    package init(
        url: String, headers: [(name: String, value: String)], body: [UInt8]?,
        limits: (time: Duration, answerByteCount: Int), isPublic: Bool
    ) {
        self.url = url
        self.headers = headers
        self.body = body
        (timeLimit, answerByteLimit) = limits
        self.isPublic = isPublic
    }
}

/// A response of an ``HTTPTransport``.
public struct TransportResponse: Sendable {
    /// The status, 100 to 599.
    public let status: Int
    /// Header fields.
    public let headers: [(name: String, value: String)]
    /// The body.
    public let body: [UInt8]

    /// - Parameters:
    ///   - status: 100 to 599.
    ///   - headers: fields in any case and order.
    public init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first field with a name in lower case; empty without one.
    package func field(_ name: String) -> String {
        headers.first { $0.name.lowercased() == name }?.value ?? ""
    }
}
