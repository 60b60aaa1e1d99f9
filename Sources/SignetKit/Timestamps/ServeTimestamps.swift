import NetworkBridge
import Synchronization
import SystemBridge
import TimestampKit

/// Responds to timestamp requests over HTTP (RFC 3161 §3.4) until a signal ends the process.
public struct ServeTimestamps: Sendable {
    private let server: HTTPServer
    private let responder: TimestampResponder
    private let told = Told()

    /// Messages already reported.
    private final class Told: Sendable {
        private let texts = Mutex<Set<String>>([])

        /// Whether the message is new. At most 16 different messages are reported.
        func isNew(_ text: String) -> Bool {
            texts.withLock { $0.count < 16 && $0.insert(text).inserted }
        }

        /// Removes all messages.
        ///
        /// - Returns: whether there were any.
        func forget() -> Bool {
            texts.withLock { known in
                defer { known = [] }
                return !known.isEmpty
            }
        }
    }

    /// Number of serial numbers reserved with one write to disk. A crash skips at most this many.
    public static let serialBlock = 256
    private static let requestType = "application/timestamp-query"
    private static let replyType = "application/timestamp-reply"

    /// Starts to listen, and logs in to the key's token. ``run(log:)`` then responds to requests.
    ///
    /// - Parameter address: `HOST:PORT`; `:PORT` is loopback, port 0 any free port.
    /// - Throws: ``SignetError``: `usage` for an invalid address, `outputRefused` for an
    ///   unavailable one.
    public init(
        credential: SigningCredential, options: TimestampAuthorityOptions, address: String
    ) throws {
        var limits = HTTPServerLimits()
        // Above the request limit, so that an RFC 3161 rejection can be sent.
        limits.bodyByteCount = TimestampLimits.requestByteCount * 4
        do {
            server = try HTTPServer(address: address, limits: limits)
        } catch {
            switch error.code {
            case .badAddress:
                throw SignetError(.usage, error.detail, hint: Sentence(.writeListeningAddress))
            case .addressRefused, .addressMissing:
                throw SignetError(.outputRefused, error.detail, hint: Sentence(.chooseOtherPort))
            case .system: throw SignetError(.inputOutput, error.detail)
            }
        }
        responder = try TimestampResponder(
            credential: credential, options: options, serialBlock: Self.serialBlock)
        outlastsRemoval = credential.retryAfterReinsertion()
        try credential.unlock()
    }

    /// Whether the key is on a token that may be removed and reinserted.
    private let outlastsRemoval: Bool

    /// The URL for requests.
    public var url: String { "http://\(server.address)/" }
    /// Warnings about key and certificate.
    public var warnings: [String] { responder.warnings }

    /// Responds to requests until a signal ends the process.
    ///
    /// - Parameter log: called with a line for each request, from many threads at the same time.
    public func run(log: @escaping @Sendable (String) -> Void) {
        server.run { request in
            let began = ContinuousClock.now
            let (response, summary) = answer(request)
            let spent = (ContinuousClock.now - began) / .milliseconds(1)
            let tenths = Int(spent * 10)
            log(
                "\(request.peer) \(request.method) \(request.target): \(response.status), "
                    + "\(summary), \(tenths / 10).\(tenths % 10) ms")
            return response
        } refused: { peer, status, reason in
            log("\(peer): \(status), \(reason)")
        }
    }

    /// Reports a failure once. Requests are rejected, so the operator must be informed.
    private func tell(_ failure: any Error) {
        let error = SignetError(reading: "timestamps", failure)
        let text = error.message
        guard told.isNew(text) else { return }
        Notices.say(
            outlastsRemoval && error.code != .credentialRefused
                ? .stampsRefused : .stampsRefusedUntilRestart, text)
    }

    private func answer(_ request: HTTPServerRequest) -> (HTTPServerResponse, String) {
        guard request.method == "POST" else {
            let text = "send timestamp requests with POST"
            return (
                HTTPServerResponse(status: 405, text: text, fields: [HTTPField("allow", "POST")]),
                text
            )
        }
        guard request.mediaType == Self.requestType else {
            let text = "the content type must be \(Self.requestType)"
            return (HTTPServerResponse(status: 415, text: text), text)
        }
        let (reply, summary, failure) = responder.respond(to: request.body)
        if let failure {
            tell(failure)
        } else if outlastsRemoval, told.forget() {
            Notices.say(.stampsGivenAgain)
        }
        return (
            HTTPServerResponse(
                status: 200, fields: [HTTPField("content-type", Self.replyType)], body: reply),
            summary
        )
    }
}
