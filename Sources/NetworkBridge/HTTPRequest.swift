package import CryptoBridge

package struct HTTPRequest: Sendable {
    package var address: HTTPAddress
    /// Nil makes it a GET, otherwise a POST.
    package var body: [UInt8]?
    package var headers: [(name: String, value: String)] = []
    package var login: HTTPLogin?
    /// Total time limit, from the DNS lookup to the last byte, including redirects.
    package var timeLimit: Duration
    /// Longest response.
    package var answerByteLimit: Int
    /// Whether only public addresses or a proxy are permitted, also after redirects.
    package var isPublic = false
    /// Whether redirects are followed; otherwise they are returned as responses.
    package var followsRedirects = true
    /// Whether a new connection is opened: on an open one libcurl may send the request twice.
    package var isSentOnce = false

    package init(
        _ address: HTTPAddress, body: [UInt8]? = nil, timeLimit: Duration, answerByteLimit: Int
    ) {
        self.address = address
        self.body = body
        self.timeLimit = timeLimit
        self.answerByteLimit = answerByteLimit
    }
}

/// The authentication of a request.
package enum HTTPLogin: Sendable {
    /// RFC 7617.
    case basic(user: String, password: SecretBytes)
    /// An access token (RFC 6750).
    case bearer(SecretBytes)
}

/// Trust anchors and client certificate for TLS.
package struct TLSSettings: Sendable {
    package enum Anchors: Sendable {
        /// The default of libcurl.
        case system
        /// A bundle of PEM certificates and a hashed folder of them.
        case paths(file: String?, folder: String?)
        /// PEM certificates, and no others.
        case certificates([UInt8])
    }

    /// The client's certificate with its chain, and its key: PEM.
    package struct Identity: Sendable {
        let certificates: [UInt8]
        let key: SecretBytes

        package init(certificates: [UInt8], key: SecretBytes) {
            self.certificates = certificates
            self.key = key
        }
    }

    package var anchors = Anchors.system
    package var identity: Identity?

    package init() {}

    /// Whether only libcurl can use these anchors and this client certificate.
    var needsLibcurl: Bool {
        if case .certificates = anchors { true } else { identity != nil }
    }
}

/// The response of a server, with any status.
package struct HTTPResponse: Sendable {
    package let status: Int
    /// The media type without parameters, in lower case; empty when there is none.
    package let contentType: String
    package let body: [UInt8]
    /// The URL of the response, after redirects.
    package let address: HTTPAddress
    /// Number of connections opened for the response; 0 if an open one was reused.
    package internal(set) var connectionCount: Int
    /// Whether a reused connection was dead, so that the request was sent again. The server may
    /// have received it twice.
    package internal(set) var wasSentAgain: Bool
    /// Target of a redirect that was not followed; empty if there is none.
    package let redirect: String
    /// Retry-After in seconds; 0 if absent.
    package let retryAfterSeconds: Int
    package let keeping: HTTPKeeping

    /// Whether a status is 2xx (RFC 9110 §15.3).
    package static func isSuccess(_ status: Int) -> Bool { (200..<300).contains(status) }

    package var isSuccess: Bool { Self.isSuccess(status) }

    /// Time until the request may be repeated (RFC 9110 §10.2.3, RFC 6585 §4); nil without.
    package var retryDelay: Duration? {
        [429, 503].contains(status) && retryAfterSeconds > 0 ? .seconds(retryAfterSeconds) : nil
    }
}

/// Caching headers of the response (RFC 9110 §8.8, RFC 9111 §5.2). Empty without any.
package struct HTTPKeeping: Sendable {
    package var entityTag = ""
    package var lastModified = ""
    package var control = ""

    /// Headers of a conditional request (RFC 9110 §13.1).
    package var conditions: [(name: String, value: String)] {
        if !entityTag.isEmpty { return [("If-None-Match", entityTag)] }
        return lastModified.isEmpty ? [] : [("If-Modified-Since", lastModified)]
    }

    /// Whether the response must not be cached.
    package var forbidsKeeping: Bool { directives.contains("no-store") }

    /// Seconds for which the response is fresh; nil if not stated.
    package var maximumAge: Int? {
        directives.contains("no-cache") ? 0 : directives.lazy.compactMap { Self.age($0) }.first
    }

    private static func age(_ directive: String) -> Int? {
        let start = "max-age="
        guard directive.hasPrefix(start) else { return nil }
        return Int(directive.dropFirst(start.count)).map { max(0, $0) }
    }

    private var directives: [String] {
        control.lowercased().split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
    }
}
