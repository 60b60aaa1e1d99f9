/// The reason for a missing response. Equality compares only the codes.
package struct HTTPError: Error, Equatable, Sendable {
    package enum Code: String, Sendable {
        /// libcurl is not installed, or too old.
        case libraryMissing
        /// The installed libcurl does not support the request.
        case unsupported
        /// Not a URL of the form http://… or https://….
        case badAddress
        /// The host name could not be resolved.
        case unresolved
        /// No connection: the port is closed, or there is no route.
        case unreachable
        /// The server is on this computer or the local network, and only public addresses are
        /// permitted.
        case localAddress
        /// The proxy from the environment cannot be used.
        case proxyFailed
        /// The server's certificate is not trusted, or is for another host.
        case untrustedServer
        /// The TLS handshake failed for another reason.
        case handshakeFailed
        /// The server requires a client certificate, or another one.
        case clientCertificateRefused
        case timedOut
        /// The response is longer than permitted.
        case tooLarge
        /// The server closed the connection before the response was complete.
        case closed
        /// The server does not use HTTP.
        case notHTTP
        /// A redirect that must not be followed, or too many of them.
        case redirectRefused
        /// The current run was cancelled.
        case cancelled
        case other
    }

    package let code: Code
    /// What failed, in lower case without a full stop.
    package let detail: String
    /// Whether the request was sent, so that the server may have processed it.
    package let wasSent: Bool
    /// Whether the TLS handshake did not succeed, such as with a server that uses no TLS.
    package var isOfHandshake = false

    package init(_ code: Code, _ detail: String, wasSent: Bool = false) {
        self.code = code
        self.detail = detail
        self.wasSent = wasSent
    }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

/// The stage that a request had reached, in sequence (`CCURL_RESOLVING` and so on).
enum HTTPStage: Int, Comparable {
    case resolving, connecting, handshake, waiting, receiving

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    var doing: String {
        switch self {
        case .resolving: "resolving the host name"
        case .connecting: "connecting"
        case .handshake: "in the TLS handshake"
        case .waiting: "waiting for the response"
        case .receiving: "receiving the response"
        }
    }
}
