import Glibc
import SystemBridge

@testable import NetworkBridge

/// Sends arbitrary bytes to the HTTP server as a client. It must return for all bytes.
enum HTTPServerFuzzing {
    /// Maximum input size: the buffer of a socket must hold it without a reader.
    private static let byteLimit = 65_536

    /// - Returns: the number of accepted requests.
    @discardableResult static func run(_ bytes: [UInt8]) -> Int {
        var ends: [Int32] = [-1, -1]
        guard bytes.count <= byteLimit,
            unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0
        else { return 0 }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        defer { close(ends[1]) }
        _ = unsafe write(ends[1], bytes, bytes.count)
        shutdown(ends[1], Int32(SHUT_WR))
        var limits = HTTPServerLimits()
        limits.writeDuration = .milliseconds(1)
        var count = 0
        let connection = Connection(ConnectedSocket(takingOwnership: ends[0]))
        HTTPServerConversation(
            connection: connection, limits: limits, isAtLimit: { false },
            handle: { _ in
                count += 1
                return HTTPServerResponse(status: 200)
            }, refused: { _, _ in }
        ).run()
        return count
    }
}
