import Synchronization
package import SystemBridge

/// A small HTTP/1.1 server: one thread per connection, with size and time limits, stopped by SIGINT
/// and SIGTERM, or by a condition.
package final class HTTPServer: Sendable {
    private let limits: HTTPServerLimits
    private let socket: ListeningSocket
    private let stop: StopSignal?
    private let connectionCount = Atomic<Int>(0)

    /// The listening address, such as `127.0.0.1:8080`, with the actual port.
    package var address: String { socket.address }

    /// Listens from now on; ``run(_:)`` responds. Must be created before other threads, see
    /// ``StopSignal``.
    ///
    /// - Parameters:
    ///   - address: `HOST:PORT`, `[IPv6]:PORT`, or `:PORT` for loopback; port 0 lets the system
    ///     choose.
    ///   - heedsSignals: whether signals stop the server, and not the process.
    package init(
        address: String, limits: HTTPServerLimits = HTTPServerLimits(), heedsSignals: Bool = true
    ) throws(ListeningError) {
        self.limits = limits
        stop = heedsSignals ? try StopSignal() : nil
        socket = try ListeningSocket(address: address)
    }

    /// Responds to requests until a signal ends it; requests in progress are completed.
    ///
    /// - Parameters:
    ///   - handle: called by many threads at the same time.
    ///   - isOver: ends it too; called often if signals do not stop the server.
    ///   - refused: called for invalid requests with client address, status and reason.
    package func run(
        _ handle: @escaping @Sendable (HTTPServerRequest) -> HTTPServerResponse,
        until isOver: @escaping @Sendable () -> Bool = { false },
        refused: @escaping @Sendable (String, Int, String) -> Void
    ) {
        while !isOver(), socket.wait(isFull: isAtLimit, stop: stop) {
            // Accepts all waiting clients, or as many as the connection limit permits.
            while !isAtLimit, let client = socket.accept(stop: stop) {
                begin(client, handle, isOver, refused)
            }
        }
        let deadline = ContinuousClock.Instant.now + limits.stopDuration
        while connectionCount.load(ordering: .acquiring) > 0, .now < deadline {
            OrderedWork.pause(.milliseconds(5))
        }
    }

    private var isAtLimit: Bool {
        connectionCount.load(ordering: .relaxed) >= limits.connectionCount
    }

    private func begin(
        _ client: ConnectedSocket,
        _ handle: @escaping @Sendable (HTTPServerRequest) -> HTTPServerResponse,
        _ isOver: @escaping @Sendable () -> Bool,
        _ refused: @escaping @Sendable (String, Int, String) -> Void
    ) {
        connectionCount.add(1, ordering: .relaxed)
        let thread = BackgroundThread { [self] in
            HTTPServerConversation(
                connection: Connection(client), limits: limits,
                isAtLimit: { [self] in isAtLimit || isOver() }, handle: handle,
                refused: { refused(client.peer, $0, $1) }
            ).run()
            connectionCount.subtract(1, ordering: .releasing)
        }
        guard let thread else {
            // Without a thread, the client is disconnected.
            connectionCount.subtract(1, ordering: .relaxed)
            return
        }
        thread.detach()
    }
}
