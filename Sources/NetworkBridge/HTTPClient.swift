import CLoaded
import Synchronization

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
    /// Handles, by whether their connections are restricted to public addresses.
    private let idle = Mutex<[Bool: [CurlHandle]]>([:])

    /// Loads libcurl on first use.
    package init(settings: TLSSettings = TLSSettings()) throws(HTTPError) {
        try CurlLibrary.load()
        self.settings = settings
    }

    /// Sends one request and waits for the response, with any status.
    package func send(_ request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        let kept = idle.withLock { $0[request.isPublic]?.popLast() }
        let handle = if let kept { kept } else { try CurlHandle() }
        defer { idle.withLock { $0[request.isPublic, default: []].append(handle) } }
        let clock = ContinuousClock()
        let deadline = clock.now + request.timeLimit
        var address = request.address
        var connectionCount = 0
        var wasSentAgain = false
        for _ in 0...Self.redirectLimit {
            let keepsSecrets = request.address.sharesCredentials(with: address)
            handle.begin(
                address, request, login: keepsSecrets ? request.login : nil,
                anchors: settings.anchors, identity: keepsSecrets ? settings.identity : nil)
            let left = max(.milliseconds(1), clock.now.duration(to: deadline))
            var answer = try handle.perform(
                address, connectLimit: min(left, request.timeLimit / Self.connectDivisor),
                limit: left, byteLimit: request.answerByteLimit)
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
