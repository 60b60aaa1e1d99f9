package import CryptoBridge

/// What is sent.
package struct HTTPRequest: Sendable {
    package var address: HTTPAddress
    /// Nil makes it a GET, otherwise a POST.
    package var body: [UInt8]?
    package var headers: [(name: String, value: String)] = []
    package var login: HTTPLogin?
    /// For everything together, from looking up the name to the last byte, redirects included.
    package var timeLimit: Duration
    /// Longest answer.
    package var answerByteLimit: Int
    /// Whether connections, also after redirects, are made only to public addresses or a proxy.
    package var isPublic = false
    /// Whether redirects are followed at all; otherwise they are answers like others.
    package var followsRedirects = true
    /// Whether a connection of its own is opened: on a kept one the request may go out twice.
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

/// What proves who asks.
package enum HTTPLogin: Sendable {
    /// RFC 7617.
    case basic(user: String, password: SecretBytes)
    /// An access token (RFC 6750).
    case bearer(SecretBytes)
}

/// Whom a client believes, and who it is.
package struct TLSSettings: Sendable {
    package enum Anchors: Sendable {
        /// Those that the library was built to use.
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
}

/// What a server answered, whatever its status.
package struct HTTPResponse: Sendable {
    package let status: Int
    /// The media type without parameters, in lower case; empty when there is none.
    package let contentType: String
    package let body: [UInt8]
    /// Where the answer came from, after redirects.
    package let address: HTTPAddress
    /// Connections opened for it: 0 when one was kept from before.
    package internal(set) var connectionCount: Int
    /// Whether a kept connection turned out to be dead, so that the request was sent again: the
    /// server may have seen it twice.
    package internal(set) var wasSentAgain: Bool
    /// Where a redirect that was not followed leads; empty where there is none.
    package let redirect: String
    /// After how many seconds the server wants to be asked again; 0 where it does not say.
    package let retryAfterSeconds: Int
    package let keeping: HTTPKeeping
}

/// What a server says of keeping its answer (RFC 9110 §8.8, RFC 9111 §5.2). Empty where it says
/// nothing.
package struct HTTPKeeping: Sendable {
    package var entityTag = ""
    package var lastModified = ""
    package var control = ""

    package init(entityTag: String = "", lastModified: String = "", control: String = "") {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.control = control
    }

    /// Headers that ask for the answer only if it is another one by now (RFC 9110 §13.1).
    package var conditions: [(name: String, value: String)] {
        if !entityTag.isEmpty { return [("If-None-Match", entityTag)] }
        return lastModified.isEmpty ? [] : [("If-Modified-Since", lastModified)]
    }

    /// Whether the answer is for nobody's shelf.
    package var forbidsKeeping: Bool { directives.contains("no-store") }

    /// For how many seconds the answer holds without being asked for again; nil where that is not
    /// said.
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
