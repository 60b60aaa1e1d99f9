import Synchronization
package import SystemBridge

/// A small HTTP/1.1 server: a thread for each connection, everything capped and timed, stopped
/// cleanly by SIGINT and SIGTERM.
package final class HTTPServer: Sendable {
    private let limits: HTTPServerLimits
    private let socket: ListeningSocket
    private let stop: StopSignal
    private let connectionCount = Atomic<Int>(0)

    /// `127.0.0.1:8080`: where it really listens, whatever port was asked for.
    package var address: String { socket.address }

    /// Listens from now on; ``run(_:)`` answers. To be made before other threads, see
    /// ``StopSignal``.
    ///
    /// - Parameter address: `HOST:PORT`, `[IPv6]:PORT`, or `:PORT` for loopback; port 0 lets the
    ///   system choose.
    package init(
        address: String, limits: HTTPServerLimits = HTTPServerLimits()
    ) throws(ListeningError) {
        self.limits = limits
        stop = try StopSignal()
        socket = try ListeningSocket(address: address)
    }

    /// Answers requests until a signal ends it; those that have begun are still answered.
    ///
    /// - Parameters:
    ///   - handle: is called by many threads at once.
    ///   - refused: hears of what was no request: whence, the status that it got, and why.
    package func run(
        _ handle: @escaping @Sendable (HTTPServerRequest) -> HTTPServerResponse,
        refused: @escaping @Sendable (String, Int, String) -> Void
    ) {
        while socket.wait(isFull: isCrowded, stop: stop) {
            // All that wait, or as many as there are places.
            while !isCrowded, let client = socket.accept(stop: stop) {
                begin(client, handle, refused)
            }
        }
        let deadline = ContinuousClock.Instant.now + limits.stopDuration
        while connectionCount.load(ordering: .acquiring) > 0, .now < deadline {
            OrderedWork.pause(.milliseconds(5))
        }
    }

    private var isCrowded: Bool {
        connectionCount.load(ordering: .relaxed) >= limits.connectionCount
    }

    private func begin(
        _ client: ConnectedSocket,
        _ handle: @escaping @Sendable (HTTPServerRequest) -> HTTPServerResponse,
        _ refused: @escaping @Sendable (String, Int, String) -> Void
    ) {
        connectionCount.add(1, ordering: .relaxed)
        let thread = BackgroundThread { [self] in
            HTTPServerConversation(
                connection: Connection(client), limits: limits,
                isCrowded: { [self] in isCrowded }, handle: handle,
                refused: { refused(client.peer, $0, $1) }
            ).run()
            connectionCount.subtract(1, ordering: .releasing)
        }
        guard let thread else {
            // The client is sent away.
            connectionCount.subtract(1, ordering: .relaxed)
            return
        }
        thread.detach()
    }
}
