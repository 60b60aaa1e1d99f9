internal import Base
internal import CMSKit
internal import CryptoBridge
internal import NetworkBridge
internal import Synchronization
internal import SystemBridge

/// Receives the redirect of the browser on this computer (RFC 8252 §7.3): one GET of one path. A
/// redirect with another state is refused and waiting continues, so that no other program or web
/// page can end it.
final class RedirectReceiver: Sendable {
    /// The redirect URI, with the port.
    let redirect: String
    private let server: HTTPServer
    /// The port at the other loopback address, which `localhost` may also mean: no other program can
    /// listen there.
    private let reserved: ListeningSocket?
    private let path: String

    /// Path of the page that leads to the authorization server.
    private let entrancePath: String

    private let received = Mutex(Received())

    private struct Received {
        /// Where the entrance leads.
        var target: String?
        var isEntered = false
        var response: AuthorizationResponse?
        var refusedCount = 0
        var hasOtherUser = false
    }

    /// - Parameter registered: the redirect URI of the client; nil for one with a free port.
    /// - Throws: ``SigningFailure``: `usage` if it is not on this computer, `unavailable` if the
    ///   port is in use.
    init(_ registered: String?) throws {
        let uri = registered ?? "http://127.0.0.1/signet"
        let scheme = "http://"
        guard uri.hasPrefix(scheme), let address = try? HTTPAddress(uri), address.isLoopback,
            !uri.contains(where: { $0 == "?" || $0 == "#" })
        else {
            throw SigningFailure(
                .usage,
                "the redirect URI \(uri.inQuotes) cannot be received: it is not an http URL of this "
                    + "computer without a query",
                hint: Sentence(.pasteRedirect))
        }
        entrancePath = "/" + Base64.encodeForURL(try RandomBytes.generate(Self.entranceByteCount))
        let authority = String(uri.dropFirst(scheme.count).prefix { $0 != "/" })
        let rest = uri.dropFirst(scheme.count + authority.count)
        path = rest.isEmpty ? "/" : String(rest)
        let hasPort =
            authority.drop { $0 != "]" }.contains(":")
            || !authority.hasPrefix("[") && authority.contains(":")
        var limits = HTTPServerLimits()
        limits.bodyByteCount = 0
        limits.stopDuration = .seconds(1)
        do {
            server = try HTTPServer(
                address: hasPort ? authority : authority + ":0", limits: limits,
                heedsSignals: false)
            let other = server.address.hasPrefix("[") ? "127.0.0.1:" : "[::1]:"
            reserved =
                authority.lowercased().hasPrefix("localhost")
                ? try ListeningSocket.reserving(other + Self.port(of: server)) : nil
        } catch {
            throw SigningFailure(
                .unavailable, "the redirect cannot be received: \(error.detail)",
                hint: Sentence(.pasteRedirect))
        }
        let port = Self.port(of: server)
        redirect = hasPort ? uri : scheme + authority + ":" + port + rest
    }

    private static let entranceByteCount = 16

    private static func port(of server: HTTPServer) -> String {
        server.address.split(separator: ":").last.map(String.init) ?? ""
    }

    /// A URL for the browser that leads to another one: arguments of programs are visible to other
    /// users, who could otherwise respond to the request. They are not served.
    func entrance(to target: String) -> String {
        received.withLock { $0.target = target }
        return "http://" + server.address + entrancePath
    }

    /// Waits for the response to a request.
    ///
    /// - Parameter check: called often until the entrance is used; throws if no response can be
    ///   expected.
    /// - Throws: ``SigningFailure`` of kind `unavailable` after the deadline.
    func response(
        to request: AuthorizationRequest, until deadline: ContinuousClock.Instant,
        check: @escaping @Sendable () throws -> Void
    ) throws -> AuthorizationResponse {
        let check: @Sendable () throws -> Void = { [self] in
            if !received.withLock({ $0.isEntered }) { try check() }
        }
        server.run { [self] in
            answer($0, request)
        } until: { [self] in
            received.withLock { $0.response != nil } || .now > deadline || WorkRun.isCancelled
                || (try? check()) == nil
        } refused: { _, _, _ in
        }
        let last = received.withLock { $0 }
        if let response = last.response { return response }
        try check()
        throw SigningFailure(
            .unavailable,
            "no authorization was received from the browser in time"
                + (last.refusedCount == 0
                    ? "" : "; redirects of other requests: \(last.refusedCount)"),
            hint: Sentence(last.hasOtherUser ? .useNoBrowser : .waitLonger))
    }

    private func answer(
        _ message: HTTPServerRequest, _ request: AuthorizationRequest
    ) -> HTTPServerResponse {
        let parts = message.target.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == path || parts[0] == entrancePath else {
            return Self.page(404, "This page does not exist.")
        }
        guard message.method == "GET" else { return Self.page(405, "Only GET is permitted.") }
        guard LoopbackPeer.isOwnUser(message.peer, to: server.address) else { return refuse() }
        if parts[0] == entrancePath { return enter() }
        let response = AuthorizationResponse(query: parts.count > 1 ? parts[1] : "")
        return received.withLock { received in
            guard received.response == nil else {
                return Self.page(404, "The response was already received.")
            }
            guard let response, response.state == request.state else {
                received.refusedCount += 1
                return Self.page(400, "This response does not belong to the running request.")
            }
            received.response = response
            return Self.page(200, "Signet received the response. This page can be closed.")
        }
    }

    private func enter() -> HTTPServerResponse {
        let target = received.withLock { received in
            received.isEntered = true
            return received.target
        }
        guard let target else { return Self.page(404, "This page does not exist.") }
        return Self.page(
            302, "Continue at the authorization server.", [HTTPField("location", target)])
    }

    private func refuse() -> HTTPServerResponse {
        let isFirst = received.withLock { received in
            defer { received.hasOtherUser = true }
            return !received.hasOtherUser
        }
        if isFirst { Notices.say(.refusedOtherUser) }
        return Self.page(403, "This page is for another user.")
    }

    private static func page(
        _ status: Int, _ text: String, _ fields: [HTTPField] = []
    ) -> HTTPServerResponse {
        HTTPServerResponse(
            status: status, text: text,
            fields: fields + [
                HTTPField("cache-control", "no-store"), HTTPField("referrer-policy", "no-referrer"),
            ])
    }
}
