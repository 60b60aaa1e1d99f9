package import Base
import CLoaded
import Synchronization
import SystemBridge

/// Loads libcurl.
enum CurlLibrary {
    static func load() throws(HTTPError) {
        switch Int(CCurl_load()) {
        case Int(CCURL_LOADED): return
        case Int(CCURL_NOT_INSTALLED):
            throw HTTPError(
                .libraryMissing,
                "the library libcurl.so.4 is not installed (Debian: apt install libcurl4)")
        case Int(CCURL_TOO_OLD):
            throw HTTPError(.libraryMissing, "the library libcurl is older than 7.62")
        default: throw HTTPError(.libraryMissing, "the library libcurl cannot be initialized")
        }
    }
}

/// An HTTP and HTTPS client with libcurl. Connections stay open between requests, one for each
/// parallel request.
///
/// Certificates and host names are always checked. Redirects are followed if the body may be sent
/// again (301, 302, 307, 308) and encryption is kept; login and client certificate are not sent to
/// another server. Proxies are those of the environment.
package final class HTTPClient: Sendable {
    /// Maximum number of redirects.
    static let redirectLimit = 5
    /// The time limit divided by this is the limit for connecting.
    private static let connectDivisor = 2

    private let settings: TLSSettings
    private let transport: (any HTTPTransport)?
    /// Handles, by whether their connections are restricted to public addresses.
    private let idle = Mutex<[Bool: [CurlHandle]]>([:])

    /// Loads libcurl on first use.
    ///
    /// - Parameter transport: sends the requests; nil is libcurl.
    package init(
        settings: TLSSettings = TLSSettings(), transport: (any HTTPTransport)? = nil
    ) throws(HTTPError) {
        try CurlLibrary.load()
        if transport != nil, settings.needsLibcurl {
            throw HTTPError(
                .unsupported, "trust anchors and client certificates are up to the transport")
        }
        self.settings = settings
        self.transport = transport
    }

    /// Sends one request and waits for the response, with any status.
    package func send(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        if let transport {
            return try follow(request) { (address, keepsSecrets, left) throws(HTTPError) in
                try transport.answer(
                    request, to: address, login: keepsSecrets ? request.login : nil, within: left)
            }
        }
        let kept = idle.withLock { $0[request.isPublic]?.popLast() }
        let handle = if let kept { kept } else { try CurlHandle() }
        defer { idle.withLock { $0[request.isPublic, default: []].append(handle) } }
        return try follow(request) { (address, keepsSecrets, left) throws(HTTPError) in
            handle.begin(
                address, request, login: keepsSecrets ? request.login : nil,
                anchors: settings.anchors, identity: keepsSecrets ? settings.identity : nil)
            return try handle.perform(
                address, connectLimit: min(left, request.timeLimit / Self.connectDivisor),
                limit: left, byteLimit: request.answerByteLimit)
        }
    }

    /// Follows the redirects of a request.
    ///
    /// - Parameter ask: sends it to one address, with secrets or without, within a time limit.
    private func follow(
        _ request: HTTPRequest,
        _ ask: (HTTPAddress, Bool, Duration) throws(HTTPError) -> HTTPResponse
    ) throws(HTTPError) -> HTTPResponse {
        let clock = ContinuousClock()
        let deadline = clock.now + request.timeLimit
        var address = request.address
        var connectionCount = 0
        var wasSentAgain = false
        for _ in 0...Self.redirectLimit {
            let keepsSecrets = request.address.sharesCredentials(with: address)
            let left = max(.milliseconds(1), clock.now.duration(to: deadline))
            if WorkRun.isCancelled { throw HTTPError(.cancelled, "the task was cancelled") }
            var answer = try ask(address, keepsSecrets, left)
            connectionCount += answer.connectionCount
            wasSentAgain = wasSentAgain || answer.wasSentAgain
            (answer.connectionCount, answer.wasSentAgain) = (connectionCount, wasSentAgain)
            guard request.followsRedirects, [301, 302, 307, 308].contains(answer.status),
                !answer.redirect.isEmpty
            else { return answer }
            address = try address.following(answer.redirect)
        }
        throw HTTPError(
            .redirectRefused, "the server redirects more than \(Self.redirectLimit) times")
    }
}
