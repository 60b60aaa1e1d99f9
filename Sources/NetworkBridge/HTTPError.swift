/// Why a server gave no answer. Equality compares codes alone.
package struct HTTPError: Error, Equatable, Sendable {
    package enum Code: String, Sendable {
        /// libcurl is not installed, or too old.
        case libraryMissing
        /// The installed libcurl cannot do what was asked.
        case unsupported
        /// No address of the form http://… or https://….
        case badAddress
        /// The name could not be looked up.
        case unresolved
        /// No connection: nobody listens, or there is no way there.
        case unreachable
        /// The server is on this machine or the local network, and only public ones were permitted.
        case localAddress
        /// The proxy from the environment cannot be used.
        case proxyFailed
        /// The server's certificate is not trusted, or is another host's.
        case untrustedServer
        /// The TLS handshake failed for another reason.
        case handshakeFailed
        /// The server wants a client certificate, or another one.
        case clientCertificateRefused
        case timedOut
        /// The answer is longer than permitted.
        case tooLarge
        /// The server closed the connection before the answer was complete.
        case closed
        /// What listens there does not speak HTTP.
        case notHTTP
        /// A redirect that must not be followed, or too many of them.
        case redirectRefused
        case other
    }

    package let code: Code
    /// What failed, in lower case without a full stop.
    package let detail: String
    /// Whether the request went out, so that the server may have acted on it.
    package let wasSent: Bool

    package init(_ code: Code, _ detail: String, wasSent: Bool = false) {
        self.code = code
        self.detail = detail
        self.wasSent = wasSent
    }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

/// What a request was doing when it ended, in order (`CCURL_RESOLVING` and so on).
enum HTTPStage: Int, Comparable {
    case resolving, connecting, handshake, waiting, receiving

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    var doing: String {
        switch self {
        case .resolving: "looking up the server's name"
        case .connecting: "connecting"
        case .handshake: "in the TLS handshake"
        case .waiting: "waiting for the answer"
        case .receiving: "receiving the answer"
        }
    }
}
