import SystemBridge

/// Reads the parts of requests from a socket and writes responses. Used by one thread.
final class Connection {
    typealias Failure = ConnectedSocket.Failure

    private let socket: ConnectedSocket
    private var buffer: [UInt8] = []
    /// Whether to cancel the running operation before its deadline.
    var isHurried: (() -> Bool)?

    init(_ socket: ConnectedSocket) { self.socket = socket }

    var peer: String { socket.peer }

    /// Waits for a request's first byte; fails if the server stops or needs the connection's slot.
    func awaitFirstByte(
        until deadline: ContinuousClock.Instant, isAtLimit: () -> Bool
    ) throws(Failure) {
        guard buffer.isEmpty else { return }
        while true {
            let slice = min(deadline, .now + .milliseconds(250))
            do {
                try fill(until: slice, stopsEarly: true)
                return
            } catch {
                guard error == .timeout, .now < deadline, !isAtLimit() else { throw error }
            }
        }
    }

    /// The bytes before `CRLF CRLF` or `LF LF`; nil if there are more than `limit`.
    func readHead(limit: Int, until deadline: ContinuousClock.Instant) throws(Failure) -> [UInt8]? {
        var searched = 0
        while true {
            // Empty lines before a request are skipped (RFC 9112 §2.2).
            if searched == 0 {
                buffer.removeFirst(buffer.prefix { $0 == 0x0D || $0 == 0x0A }.count)
            }
            var index = max(0, searched - 3)
            while index < buffer.count {
                guard buffer[index] == 0x0A else {
                    index += 1
                    continue
                }
                let next = index + 1
                let end =
                    buffer[next...].starts(with: [0x0A])
                    ? next + 1 : buffer[next...].starts(with: [0x0D, 0x0A]) ? next + 2 : nil
                if let end {
                    guard index <= limit else { return nil }
                    let hasReturn = index > 0 && buffer[index - 1] == 0x0D
                    let head = Array(buffer[..<(hasReturn ? index - 1 : index)])
                    buffer.removeFirst(end)
                    return head
                }
                index = next
            }
            searched = buffer.count
            guard buffer.count <= limit else { return nil }
            try fill(until: deadline)
        }
    }

    /// A line without its end; nil if it is longer than `limit`.
    func readLine(limit: Int, until deadline: ContinuousClock.Instant) throws(Failure) -> [UInt8]? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                guard end <= limit else { return nil }
                let line = Array(buffer[..<(end > 0 && buffer[end - 1] == 0x0D ? end - 1 : end)])
                buffer.removeFirst(end + 1)
                return line
            }
            guard buffer.count <= limit else { return nil }
            try fill(until: deadline)
        }
    }

    func read(_ count: Int, until deadline: ContinuousClock.Instant) throws(Failure) -> [UInt8] {
        while buffer.count < count { try fill(until: deadline) }
        let bytes = Array(buffer[..<count])
        buffer.removeFirst(count)
        return bytes
    }

    func write(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) throws(Failure) {
        try socket.send(bytes, until: deadline, isHurried: isHurried)
    }

    /// Ends the connection so that the client can read the last response: closing with unread
    /// bytes would reset it (RFC 9112 §9.6).
    func finish() {
        socket.finishSending()
        let deadline = ContinuousClock.Instant.now + .seconds(1)
        for _ in 0..<64 {
            buffer.removeAll()
            guard (try? fill(until: deadline)) != nil else { return }
        }
    }

    private func fill(
        until deadline: ContinuousClock.Instant, stopsEarly: Bool = false
    ) throws(Failure) {
        buffer += try socket.receive(
            until: deadline, isHurried: isHurried, stopsEarly: stopsEarly)
    }
}
